// Style: what the computed style says that a row depends on. Each property read costs about a microsecond, the most
// expensive thing there is in a walk: none is read that is not used.

/**
 * Whether descendants that are absolutely positioned (or fixed) are placed by this element (CSS Positioned Layout 3 §2.1,
 * CSS Transforms 1 §2, Filter Effects 1 §5, CSS Containment 2 §3.3). Asked only where there are such descendants.
 * @param {CSSStyleDeclaration} style
 */
const holdsFixed = (style) => style.transform !== 'none' || style.filter !== 'none' || style.contain.includes('paint') || style.contain.includes('layout') ||
  style.backdropFilter !== 'none' || style.perspective !== 'none' || style.contentVisibility === 'auto' || style.willChange.includes('transform') ||
  style.translate !== 'none' || style.rotate !== 'none' || style.scale !== 'none';

/** @param {string} display */
const isBlock = (display) => !display.startsWith('inline') && display !== 'contents';

/** Clips of screen-reader texts: `clip: rect(0 0 0 0)` and the like. @param {CSSStyleDeclaration} style @param {string} position */
const isClippedAway = (style, position) => (position === 'absolute' || position === 'fixed') && style.clip !== 'auto' &&
  /rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)/.test(style.clip);

/** What is thinner shows no letter (CSS px). */
const THIN = 4;

/** What clips what is in an element. */
class Clip {
  /** @param {Part} part @param {Clip|null} by what clips the element itself @param {string} overflow `` for one that hides all */
  constructor(part, by, overflow) {
    this.part = part;
    this.by = by;
    this.overflow = overflow;
    this.look = 0;
    /** @type {Rect} */
    this.shown = EVERYWHERE;
    /** Its own box as of that look. @type {Rect} */
    this.within = NOWHERE;
    /** No letter gets through: it, or what clips it, is too thin. */
    this.thin = false;
  }

  /** The part of this frame's viewport that shows what is in it. @param {number} look number of the look at the page @returns {Rect} */
  rect(look) {
    if (this.look === look) return this.shown;
    this.look = look;
    const outside = this.by ? this.by.rect(look) : EVERYWHERE;
    this.within = this.overflow ? this.inside() : NOWHERE;
    this.thin = (this.by !== null && this.by.thin) || this.within[2] - this.within[0] < THIN || this.within[3] - this.within[1] < THIN;
    this.shown = overlap(outside, this.within) || NOWHERE;
    return this.shown;
  }

  /** Its padding box; without the scroll bars. @returns {Rect} */
  inside() {
    const box = rectOf(boundsOf(this.part.element));
    // `overflow: clip` may clip one axis only.
    if (this.overflow === 'visible clip') return [-1e7, box[1], 1e7, box[3]];
    if (this.overflow === 'clip visible') return [box[0], -1e7, box[2], 1e7];
    return box;
  }
}

/** @param {Clip|null} clip @param {number} look @returns {Rect} */
const shownBy = (clip, look) => (clip ? clip.rect(look) : EVERYWHERE);
