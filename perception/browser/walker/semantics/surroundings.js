// What stands around an element and beside it.

import { boundsOf, parentNodeOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { hasListener } from '../dom/listeners.js';

/** Lists in items of lists: how many elements around an item at most. */
const MAX_TREE_LEVELS = 24;

/** The only child with a height. @param {Element} element @returns {Element|null} */
export function onlyShownChild(element) {
  let shown = null;
  for (const child of element.children) {
    if (!boundsOf(child).height) continue;
    if (shown) return null;
    shown = child;
  }
  return shown;
}

/**
 * An element with its siblings, in order.
 * @param {Element} element
 * @param {number} most on each side
 */
export function rowAround(element, most) {
  const row = [element];
  let beside = element.previousElementSibling;
  for (; beside && row.length <= most; beside = beside.previousElementSibling) row.unshift(beside);
  const last = row.length + most;
  beside = element.nextElementSibling;
  for (; beside && row.length < last; beside = beside.nextElementSibling) row.push(beside);
  return row;
}

/**
 * The elements around one, from the nearest that listens for clicks inwards; none where none listens so near.
 * @param {Element} element
 * @param {number} most how many are passed that do not listen
 * @param {RegExp|null} [free] tags of those that do not count
 * @returns {Element[]}
 */
export function aroundFromListener(element, most, free = null) {
  /** @type {Element[]} */
  const around = [];
  let passed = 0;
  for (let each = parentNodeOf(element); each instanceof Element; each = parentNodeOf(each)) {
    around.unshift(each);
    if (hasListener(each)) return /^(?:body|html)$/.test(tagOf(each)) ? [] : around;
    if (free === null || !free.test(tagOf(each))) passed++;
    if (passed >= most || around.length > MAX_TREE_LEVELS) return [];
  }
  return [];
}
