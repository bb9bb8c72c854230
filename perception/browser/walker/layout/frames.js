// Frames: the position of the document in a frame element.

import { boundsOf } from '../dom/access.js';
import { flatParentOf } from '../dom/flat_tree.js';

/** The origin (0, 0) of a frame's document, and its scale. @param {any} element */
export function frameOrigin(element) {
  const rect = boundsOf(element);
  const style = getComputedStyle(element);
  // Offset sizes are rounded to whole pixels: a smaller difference does not indicate a scale.
  const scaleX = Math.abs(rect.width - element.offsetWidth) < 1 ? 1 : rect.width / (element.offsetWidth || 1);
  const scaleY = Math.abs(rect.height - element.offsetHeight) < 1 ? 1 : rect.height / (element.offsetHeight || 1);
  return {
    x: rect.left + (element.clientLeft + parseFloat(style.paddingLeft)) * scaleX,
    y: rect.top + (element.clientTop + parseFloat(style.paddingTop)) * scaleY,
    scaleX,
    scaleY,
  };
}

/** Whether it is rotated or skewed, so that its pixels are not in rows and columns. @param {Element} element */
export function isTurned(element) {
  for (let node = /** @type {Element|null} */ (element); node; node = flatParentOf(node)) {
    const style = getComputedStyle(node);
    if (style.rotate !== 'none') return true;
    if (style.transform === 'none') continue;
    const matrix = new DOMMatrix(style.transform);
    if (!matrix.is2D || Math.abs(matrix.b) > 1e-6 || Math.abs(matrix.c) > 1e-6 || matrix.a < 0 || matrix.d < 0)
      return true;
  }
  return false;
}
