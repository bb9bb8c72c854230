// Thumbs of sliders: libraries draw one around a native slider that is out of sight and takes the keys.

import { boundsOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { isInsetAway } from '../layout/clips.js';

/** Larger than any thumb (CSS px). */
const MAX_THUMB = 64;

/** @param {any} element */
export const isRangeInput = (element) => tagOf(element) === 'input' && element.type === 'range';

/** Boxes without an area between a native slider and its thumb. Chosen by hand. */
const MAX_HIDING_BOXES = 2;

/**
 * The thumb that is drawn around a native slider out of sight; null for none.
 * @param {any} element
 * @returns {Element|null}
 */
export function thumbAround(element) {
  if (!isRangeInput(element)) return null;
  const style = getComputedStyle(element);
  const isClipped = /^rect\(0px,? 0px,? 0px,? 0px\)$/.test(style.clip) || isInsetAway(style);
  let isHidden = isClipped || isDot(boundsOf(element));
  let around = flatParentOf(element);
  for (let boxes = 0; around && boxes < MAX_HIDING_BOXES && isDot(boundsOf(around)); boxes++) {
    isHidden = true;
    around = flatParentOf(around);
  }
  if (!around || !isHidden) return null;
  const { width, height } = boundsOf(around);
  return width >= 4 && height >= 4 && width <= MAX_THUMB && height <= MAX_THUMB ? around : null;
}

/** @param {DOMRect} box */
const isDot = ({ width, height }) => width <= 2 || height <= 2;
