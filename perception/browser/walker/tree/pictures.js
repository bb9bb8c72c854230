// Pictures: why an element's facts do not explain its pixels.

import { firstElementChildOf, queryAllIn, queryIn, textContentOf } from '../dom/access.js';
import { isTickBox } from '../dom/elements.js';
import { isIconGlyph } from '../dom/text.js';
import { contentRects } from '../layout/boxes.js';
import { LEAF_TAGS, Part } from './part.js';

/** @import { Opaque } from '../row_layout.js' */

/** A picture with a shorter side has nothing readable (CSS px). */
export const MIN_PICTURE = 8;

/** Whether an object cannot be shown, and what is in it is painted instead. @param {Element} element */
export const showsFallback = (element) => contentRects(element).length > 0;

/** Whether the inside of an element is not walked, by its tag. @param {Element} element @param {string} tag */
export const isLeaf = (element, tag) => LEAF_TAGS.has(tag) && !(tag === 'object' && showsFallback(element));

/**
 * Why a picture's pixels are unexplained.
 * @param {Part} part
 * @param {CSSStyleDeclaration} style
 * @returns {Opaque|''} empty if it is not a picture
 */
export function pictureKind({ element, tag, clickable, pictures }, style) {
  // A picture that takes clicks is still a picture: what is painted in it is what is clicked.
  if (tag === 'canvas' || tag === 'video') return tag;
  if (tag === 'audio') return 'video'; // its controls are
  if (clickable) return '';
  if (tag === 'embed' || (tag === 'object' && !showsFallback(element))) return 'image';
  if (tag === 'iframe' || tag === 'frame') return 'frame';
  if (!pictures) return '';
  if (tag === 'img') return 'image';
  if (tag === 'svg') return queryIn(element, 'text, foreignObject') ? '' : 'svg';
  if (firstElementChildOf(element) || /\S/.test(textContentOf(element) || '')) return '';
  return style.backgroundImage.includes('url(') ? 'background' : '';
}

/**
 * Whether Chromium itself paints all of an element, in the form of its state: nothing is to be read in it. One without
 * this form, or that is see-through, leaves it to other pixels to show what it is.
 * @param {Part} part
 */
function isPaintedByChromium({ element }) {
  if (!isTickBox(element)) return false;
  const { appearance, opacity } = getComputedStyle(element);
  return appearance !== 'none' && opacity !== '0';
}

/** Whether rows in a part say what it shows. @param {Part} part */
const hasOwnRows = (part) =>
  !part.silenced || part.children.some((child) => child instanceof Part && !child.silenced && !child.interactive);

/** Whether only pixels show what a control without a name is. @param {Part} part */
export const isUnexplained = (part) => !isPaintedByChromium(part) && !hasOwnRows(part);

/** Elements that may show something else than text. */
const SHOWING_MORE =
  'img, svg, canvas, video, picture, object, embed, iframe, input, select, textarea, meter, progress';

/** A control with more elements in it is more than an icon. */
const MAX_ICON_ELEMENTS = 4;

/** The text that a style sheet puts into a pseudo-element; anything but a text counts as a picture. @param {string} content */
const iconTextOf = (content) =>
  content === 'none' || content === 'normal' ? '' : (/^"([^"]*)"$/.exec(content) || ['', 'picture'])[1];

/**
 * Whether all that an element shows is one glyph of an icon font: several may be words in a font of their own.
 * @param {Part} part
 */
export function isIconOfFont({ element, tag }) {
  if (tag === 'input' || queryIn(element, SHOWING_MORE)) return false;
  const all = [element, ...queryAllIn(element, '*')];
  if (all.length > 1 + MAX_ICON_ELEMENTS) return false;
  let shown = textContentOf(element) || '';
  for (const each of all) {
    for (const pseudo of [null, '::before', '::after']) {
      const style = getComputedStyle(each, pseudo);
      const text = pseudo ? iconTextOf(style.content) : '';
      if ((!pseudo || text) && (style.backgroundImage !== 'none' || style.maskImage !== 'none')) return false;
      shown += text;
    }
  }
  return isIconGlyph(shown.trim());
}
