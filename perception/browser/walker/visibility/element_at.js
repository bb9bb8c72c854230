// What is painted at a point.

import { childNodesOf } from '../dom/access.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { shadowRootIn } from '../dom/shadow_roots.js';

/**
 * The innermost element painted at a point, through shadow roots. Text that fills a slot is painted in the slot.
 * @param {number} x
 * @param {number} y
 */
export function elementAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit && shadowRootIn(hit); hit && root; root = shadowRootIn(hit)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit || !root.contains(inner)) return slotAt(hit, x, y) || hit;
    hit = inner;
  }
  return hit;
}

/**
 * The slot whose text is at a point: hit testing gives the host that the text stands in (Chromium 156).
 * @param {Element} host
 * @param {number} x
 * @param {number} y
 * @returns {Element|null}
 */
function slotAt(host, x, y) {
  for (const child of childNodesOf(host)) {
    if (!(child instanceof Text) || !/\S/.test(child.data)) continue;
    const range = document.createRange();
    range.selectNodeContents(child);
    for (const { left, top, right, bottom } of range.getClientRects()) {
      if (x < left || x >= right || y < top || y >= bottom) continue;
      const slot = flatParentOf(child);
      if (slot && slot !== host && getComputedStyle(slot).pointerEvents !== 'none') return slot;
    }
  }
  return null;
}
