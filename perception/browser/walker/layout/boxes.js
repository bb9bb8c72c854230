// Boxes: positions of elements and texts.

import { boundsOf, firstElementChildOf } from '../dom/access.js';
import { isClosedDetails, tagOf } from '../dom/elements.js';
import { flatChildrenOf } from '../dom/flat_tree.js';
import { shadowRootIn } from '../dom/shadow_roots.js';
import { areaOf, isEmpty, rectOf, union } from './rects.js';

/** @import { Rect } from './rects.js' */

/**
 * The area of the page that an element occupies. An inline or `display: contents` element that contains blocks has no
 * box or a wrong one: the boxes of its painted children are used instead.
 * @param {Element} element
 * @param {string} display
 * @returns {Rect}
 */
export function boxOf(element, display) {
  const own = rectOf(boundsOf(element));
  if (isEmpty(own)) return contentRects(element).reduce(union, /** @type {Rect|null} */ (null)) || own;
  if (display !== 'inline' || (!firstElementChildOf(element) && !shadowRootIn(element))) return own;
  // Its own box has its texts, also those that fill its slots.
  return union(own, contentRects(element, false).reduce(union, /** @type {Rect|null} */ (null))) || own;
}

/**
 * Boxes of the painted children of an element; the children of one without a box stand for it.
 * @param {Element} element
 * @param {boolean} withTexts
 * @returns {Rect[]}
 */
export function contentRects(element, withTexts = true) {
  const found = [];
  const closed = isClosedDetails(element);
  for (const child of flatChildrenOf(element)) {
    if (child instanceof Text && withTexts && !closed) {
      const rect = textBox(child);
      if (rect) found.push(rect);
    }
    if (!(child instanceof Element) || (closed && tagOf(child) !== 'summary')) continue;
    const rect = rectOf(boundsOf(child));
    if (!isEmpty(rect)) found.push(rect);
    else if (getComputedStyle(child).display === 'contents') found.push(...contentRects(child, withTexts));
  }
  return found;
}

/** One for all texts: to make one takes as long as to measure (Chromium 156). */
const measuring = document.createRange();

/** @param {Text} node @returns {Rect|null} box of the painted text, null if nothing is painted */
export function textBox(node) {
  measuring.selectNodeContents(node);
  let rect = rectOf(measuring.getBoundingClientRect());
  // In content that is left out (`content-visibility: auto`), the first answer may only start the layout (Chromium 156).
  if (isEmpty(rect)) rect = rectOf(measuring.getBoundingClientRect());
  return isEmpty(rect) ? null : rect;
}

/**
 * Area per letter below which text is examined more closely (CSS px²): a letter of 8 px type is about 4 x 9.
 */
const SMALL_LETTER = 40;

/** Area per letter below which text is unreadable (CSS px²): type of less than 4 px. */
const TINY_LETTER = 6;

/** Minimum width of a letter as a share of the line height; common narrow fonts need 0.2. */
const NARROW_LETTER = 0.1;

/**
 * Whether letters are too small to read, or overlap each other.
 * @param {Text} node
 * @param {Rect} box of it
 */
export function isTooSmallToRead(node, box) {
  const area = areaOf(box);
  if (area >= SMALL_LETTER * node.data.length || area >= SMALL_LETTER * node.data.replace(/\s+/g, ' ').trim().length)
    return false;
  const letters = node.data
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim().length;
  if (area >= SMALL_LETTER * letters) return false;
  const range = document.createRange();
  range.selectNodeContents(node);
  const lines = [...range.getClientRects()];
  const taken = lines.reduce((sum, line) => sum + line.width * line.height, 0) / letters;
  // The shorter side of the first line, for horizontal and vertical text.
  const high = lines.length
    ? Math.max(1, letters > 4 ? Math.min(lines[0].width, lines[0].height) : lines[0].height)
    : 0;
  return taken < TINY_LETTER || (letters > 2 && taken < NARROW_LETTER * high * high);
}

/**
 * @param {Rect} box
 * @param {Rect} clip
 * @returns {boolean} whether it is large enough to be seen, on a reachable part of the page
 */
export function isLargeEnough(box, clip) {
  if (areaOf(clip) < 4) return false;
  if (box[2] <= 0 && box[2] + scrollX <= 0 && !isRightToLeft()) return false;
  if (box[3] <= 0 && box[3] + scrollY <= 0) return false;
  return areaOf(box) >= 4;
}

/**
 * Whether the page starts at its right edge and so scrolls to negative positions. The body's writing mode applies to
 * the page (CSS Writing Modes 4 §8).
 */
export const isRightToLeft = () => {
  const root = document.body || document.documentElement;
  if (!root) return false;
  const { direction, writingMode } = getComputedStyle(root);
  return (
    writingMode === 'vertical-rl' ||
    writingMode === 'sideways-rl' ||
    (direction === 'rtl' && writingMode === 'horizontal-tb')
  );
};
