// Rectangles: in CSS pixels of this frame's viewport, as [left, top, right, bottom].

/** Left, top, right, bottom. @typedef {[number, number, number, number]} Rect */

/** Across, down. @typedef {[number, number]} Point */

/** @type {Rect} larger than any page */
export const EVERYWHERE = [-1e7, -1e7, 1e7, 1e7];

/** @type {Rect} */
export const NOWHERE = [0, 0, 0, 0];

/**
 * @param {Rect} a
 * @param {Rect} b
 * @returns {Rect|null} the common part
 */
export function overlap(a, b) {
  const left = a[0] > b[0] ? a[0] : b[0],
    top = a[1] > b[1] ? a[1] : b[1];
  const right = a[2] < b[2] ? a[2] : b[2],
    bottom = a[3] < b[3] ? a[3] : b[3];
  return left < right && top < bottom ? [left, top, right, bottom] : null;
}

/** @param {DOMRect} rect @returns {Rect} */
export const rectOf = (rect) => [rect.left, rect.top, rect.right, rect.bottom];

/**
 * @param {Rect|null} a
 * @param {Rect|null} b
 * @returns {Rect|null}
 */
export function union(a, b) {
  if (!a || !b) return a || b;
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}

/** @param {Rect|null} rect */
export const isEmpty = (rect) => !rect || rect[2] - rect[0] < 0.5 || rect[3] - rect[1] < 0.5;

/** @param {Rect} rect */
export const areaOf = (rect) => (rect[2] - rect[0]) * (rect[3] - rect[1]);

/**
 * @param {Rect} a
 * @param {Rect} b
 * @returns {boolean} whether they overlap by more than a border
 */
export const overlapsVisibly = (a, b) =>
  Math.min(a[2], b[2]) - Math.max(a[0], b[0]) > 2 && Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 2;

/** @param {Rect} a @param {Rect} b */
export const isSamePlace = (a, b) => a.every((side, index) => Math.abs(side - b[index]) < 0.01);

/**
 * @param {Rect} rect
 * @param {number} x
 * @param {number} y
 * @returns {Rect}
 */
export const translated = (rect, x, y) => [rect[0] + x, rect[1] + y, rect[2] + x, rect[3] + y];
