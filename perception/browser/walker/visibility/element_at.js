// What is painted at a point.

import { shadowRootIn } from '../dom/shadow_roots.js';

/**
 * The innermost element painted at a point, through shadow roots.
 * @param {number} x
 * @param {number} y
 */
export function elementAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit && shadowRootIn(hit); root; root = hit && shadowRootIn(hit)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit || !root.contains(inner)) break;
    hit = inner;
  }
  return hit;
}
