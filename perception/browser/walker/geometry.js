// Geometry: where things are, in CSS pixels of this frame's viewport, as [left, top, right, bottom].

/** @typedef {[number, number, number, number]} Rect */

/** @type {Rect} larger than any page */
const EVERYWHERE = [-1e7, -1e7, 1e7, 1e7];

/** @param {Rect} a @param {Rect} b @returns {Rect|null} the common part */
function overlap(a, b) {
  const left = Math.max(a[0], b[0]), top = Math.max(a[1], b[1]);
  const right = Math.min(a[2], b[2]), bottom = Math.min(a[3], b[3]);
  return left < right && top < bottom ? [left, top, right, bottom] : null;
}

/** @param {DOMRect} rect @returns {Rect} */
const rectOf = (rect) => [rect.left, rect.top, rect.right, rect.bottom];

/** @param {Rect|null} a @param {Rect|null} b @returns {Rect|null} */
function union(a, b) {
  if (!a || !b) return a || b;
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}

/** @param {Rect|null} rect */
const isEmpty = (rect) => !rect || rect[2] - rect[0] < 0.5 || rect[3] - rect[1] < 0.5;

/**
 * The part of the page an element takes up. An inline or `display: contents` element has no or a wrong box of its
 * own where it holds blocks: then its children's count.
 * @param {Element} element @param {string} display
 * @returns {Rect}
 */
function boxOf(element, display) {
  const own = rectOf(boundsOf(element));
  if (!isEmpty(own) && display !== 'inline') return own;
  let all = isEmpty(own) ? null : own;
  for (const child of paintedChildren(element)) {
    if (nodeTypeOf(child) !== Node.ELEMENT_NODE) continue;
    const rect = rectOf(boundsOf(child));
    if (!isEmpty(rect)) all = union(all, rect);
    else if (getComputedStyle(child).display === 'contents') all = union(all, boxOf(child, 'contents'));
  }
  if (!all && display === 'contents') {
    const range = document.createRange();
    range.selectNodeContents(element);
    all = rectOf(range.getBoundingClientRect());
  }
  return all || own;
}

/** @param {Text} node @returns {Rect|null} box of the painted text, null when nothing is painted */
function textBox(node) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const rect = rectOf(range.getBoundingClientRect());
  return isEmpty(rect) ? null : rect;
}

/**
 * What an element's descendants are clipped to. An absolutely positioned descendant escapes scrollers up to its
 * containing block, a fixed one all of them (CSS Overflow 3 §3).
 * @typedef {{flow: Rect, absolute: Rect, fixed: Rect}} Clips
 * @param {Element} element @param {CSSStyleDeclaration} style @param {Clips} clips clips of the element itself
 * @returns {Clips}
 */
function clipsInside(element, style, clips) {
  const own = clipFor(style, clips);
  let flow = own;
  const scrolls = style.overflowX !== 'visible' || style.overflowY !== 'visible';
  if (scrolls && element !== document.documentElement && element !== document.body && style.display !== 'inline') {
    flow = overlap(own, rectOf(boundsOf(element))) || [0, 0, 0, 0];
  }
  if (style.clip !== 'auto' && style.position === 'absolute' && /rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)/.test(style.clip)) flow = [0, 0, 0, 0];
  if (!firstElementChildOf(element) && !shadowRootOf(element)) return { flow, absolute: clips.absolute, fixed: clips.fixed };
  const holdsAbsolute = style.position !== 'static' || style.transform !== 'none' || style.filter !== 'none' || style.contain.includes('paint');
  const holdsFixed = style.transform !== 'none' || style.filter !== 'none' || style.contain.includes('paint');
  return { flow, absolute: holdsAbsolute ? flow : clips.absolute, fixed: holdsFixed ? flow : clips.fixed };
}

/** @param {CSSStyleDeclaration} style @param {Clips} clips @returns {Rect} what an element with this style is clipped to */
function clipFor(style, clips) {
  if (style.position === 'fixed') return clips.fixed;
  return style.position === 'absolute' ? clips.absolute : clips.flow;
}
