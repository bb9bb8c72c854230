// Thumbs of sliders: libraries draw one around a native slider that is out of sight and takes the keys.

import { boundsOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';

/** Larger than any thumb (CSS px). */
const MAX_THUMB = 64;

/** @param {any} element */
export const isRangeInput = (element) => tagOf(element) === 'input' && element.type === 'range';

/**
 * The thumb that is drawn around a native slider out of sight; null for none.
 * @param {any} element
 * @returns {Element|null}
 */
export function thumbAround(element) {
  if (!isRangeInput(element)) return null;
  const style = getComputedStyle(element);
  const isClipped = /^rect\(0px,? 0px,? 0px,? 0px\)$/.test(style.clip) || /^inset\((50|100)%\)$/.test(style.clipPath);
  const own = boundsOf(element);
  if (!isClipped && own.width > 2 && own.height > 2) return null;
  const around = flatParentOf(element);
  if (!around) return null;
  const { width, height } = boundsOf(around);
  return width >= 4 && height >= 4 && width <= MAX_THUMB && height <= MAX_THUMB ? around : null;
}
