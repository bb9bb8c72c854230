// Clips: the part of an element that its scrollers and clips show.
//
// Each property of a computed style costs about a microsecond, the most expensive operation of a walk: only properties
// that are used are read.

import { boundsOf } from '../dom/access.js';
import { EVERYWHERE, NOWHERE, isSamePlace, overlap, rectOf } from './rects.js';
import { growsWithContent, isLeftOut } from './skipped_content.js';
import { walks } from './viewport.js';

/** @import { Rect } from './rects.js' */
/** @import { Part } from '../tree/part.js' */

/**
 * Whether this element is the containing block of absolutely positioned (or fixed) descendants (CSS Positioned Layout 3
 * §2.1, CSS Transforms 1 §2, Filter Effects 1 §5, CSS Containment 2 §3.3). Evaluated only if there are such
 * descendants.
 * @param {CSSStyleDeclaration} style
 */
export const containsFixed = (style) =>
  style.transform !== 'none' ||
  style.filter !== 'none' ||
  style.contain.includes('paint') ||
  style.contain.includes('layout') ||
  style.backdropFilter !== 'none' ||
  style.perspective !== 'none' ||
  style.contentVisibility === 'auto' ||
  style.willChange.includes('transform') ||
  style.translate !== 'none' ||
  style.rotate !== 'none' ||
  style.scale !== 'none';

/** @param {string} display */
export const isBlock = (display) => !display.startsWith('inline') && display !== 'contents';

/**
 * Clips of screen-reader texts: `clip: rect(0 0 0 0)` and the like.
 * @param {CSSStyleDeclaration} style
 * @param {string} position
 */
export const isClippedAway = (style, position) =>
  (position === 'absolute' || position === 'fixed') &&
  style.clip !== 'auto' &&
  /rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)/.test(style.clip);

/** Whether a clip path leaves nothing of an element. @param {CSSStyleDeclaration} style */
export const isInsetAway = (style) => /^inset\((50|100)%\)$/.test(style.clipPath);

/** Whether an element is clipped to nothing. @param {CSSStyleDeclaration} style */
export const isCutAway = (style) => isClippedAway(style, style.position) || isInsetAway(style);

/** A narrower clip shows no letter (CSS px). */
export const MIN_LETTER_PX = 4;

/** Where a scroller stands, and how far it goes. @param {Element} element */
const scrollRange = (element) =>
  [element.scrollLeft, element.scrollTop, element.scrollWidth, element.scrollHeight].join(' ');

/**
 * What `overflow` clips to: the box within the borders and the scroll bars.
 * @param {any} element
 * @returns {Rect}
 */
function paddingBox(element) {
  const box = rectOf(boundsOf(element));
  const { clientLeft, clientTop, clientWidth, clientHeight, offsetWidth, offsetHeight } = element;
  const right = offsetWidth - clientWidth - clientLeft,
    bottom = offsetHeight - clientHeight - clientTop;
  // Drawings and lines of text have no such sizes; the body's may be the viewport's.
  if (!(clientWidth > 0 && clientHeight > 0 && right >= 0 && bottom >= 0)) return box;
  const scaleX = (box[2] - box[0]) / offsetWidth,
    scaleY = (box[3] - box[1]) / offsetHeight;
  return [box[0] + clientLeft * scaleX, box[1] + clientTop * scaleY, box[2] - right * scaleX, box[3] - bottom * scaleY];
}

/** Clips the content of an element. */
export class Clip {
  /**
   * @param {Part} part
   * @param {Clip|null} by the clip of the element itself
   * @param {string} overflow `` if it hides everything
   * @param {boolean} skips whether content out of view is not painted (`content-visibility: auto`)
   */
  constructor(part, by, overflow, skips = false) {
    this.part = part;
    this.by = by;
    this.overflow = overflow;
    this.skips = skips;
    /** How the height of the element comes about, as of a walk. */
    this.height = { look: 0, grows: false, isPlaceholders: false };
    this.look = 0;
    /** @type {Rect} */
    this.shown = EVERYWHERE;
    /** The element's own box, as of that walk. @type {Rect} */
    this.within = NOWHERE;
    /** No letter is visible: this clip, or one around it, is too narrow. */
    this.thin = false;
    /** Where an ellipsis cuts the lines in it, as of a walk. @type {{ look: number, limits: Rect|null }} */
    this.cut = { look: 0, limits: null };
    /** The walk since which it has shown the same part of the same content. */
    this.since = 0;
    this.scrolled = '';
  }

  /**
   * The part of this frame's viewport in which the content is visible.
   * @param {number} look number of the walk
   * @returns {Rect}
   */
  rect(look) {
    if (this.look === look) return this.shown;
    const outside = this.by ? this.by.rect(look) : EVERYWHERE;
    const within = this.overflow ? this.inside() : NOWHERE;
    const scrolled = /auto|scroll/.test(this.overflow) ? scrollRange(this.part.element) : '';
    const isSame = this.look !== 0 && isSamePlace(within, this.within) && scrolled === this.scrolled;
    this.since = Math.max(isSame ? this.since : look, this.by ? this.by.since : 0);
    this.look = look;
    this.scrolled = scrolled;
    this.within = within;
    this.thin =
      (this.by !== null && this.by.thin) ||
      this.within[2] - this.within[0] < MIN_LETTER_PX ||
      (this.within[3] - this.within[1] < MIN_LETTER_PX && !this.isPlaceholder());
    this.shown = overlap(outside, this.within) || NOWHERE;
    return this.shown;
  }

  /** Whether the element is as high as its content, and whether that is left out: a placeholder is as high then. */
  heightNow() {
    const { element } = this.part;
    if (this.height.look !== walks.count) {
      const grows = growsWithContent(element);
      this.height = { look: walks.count, grows, isPlaceholders: grows && this.skips && isLeftOut(element) };
    }
    return this.height;
  }

  /** Whether it is as high as its content only once that is scrolled to. */
  isPlaceholder() {
    return this.skips && this.heightNow().isPlaceholders;
  }

  /** The box that it clips to; never empty where it is a placeholder. @returns {Rect} */
  inside() {
    const box = paddingBox(this.part.element);
    if (this.skips && box[3] - box[1] < MIN_LETTER_PX && this.isPlaceholder()) box[1] = box[3] - MIN_LETTER_PX;
    // `overflow: clip` may clip one axis only.
    if (this.overflow === 'visible clip') return [-1e7, box[1], 1e7, box[3]];
    if (this.overflow === 'clip visible') return [box[0], -1e7, box[2], 1e7];
    return box;
  }
}

/**
 * @param {Clip|null} clip
 * @param {number} look
 * @returns {Rect}
 */
export const visibleRect = (clip, look) => (clip ? clip.rect(look) : EVERYWHERE);
