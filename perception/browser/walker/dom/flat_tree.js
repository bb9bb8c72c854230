// The flat tree: parents and children as painted, with shadow trees expanded and slots filled (CSS Scoping 1 §3.3).
import { assignedNodesOf, assignedSlotOf, childNodesOf, closest, localNameOf, parentNodeOf } from './access.js';
import { closedRoots, shadowRootIn } from './shadow_roots.js';

/** @param {Node} node @returns {Element|null} parent in the painted tree */
export function flatParentOf(node) {
  const slot = slotOf(node);
  if (slot) return slot;
  const parent = parentNodeOf(node);
  return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
}

/**
 * The slot that a node fills, also in a closed tree, where the node itself does not expose it.
 * @param {Node} node
 * @returns {Element|null}
 */
function slotOf(node) {
  const slot = node instanceof Element ? assignedSlotOf(node) : node instanceof Text ? node.assignedSlot : null;
  if (slot) return slot;
  const parent = parentNodeOf(node);
  const root = parent instanceof Element ? closedRoots.get(parent) : null;
  if (!root) return null;
  for (const slot of root.querySelectorAll('slot')) if (assignedNodesOf(slot).includes(node)) return slot;
  return null;
}

/** @param {Element} ancestor @param {Node|null} node */
export function flatContains(ancestor, node) {
  for (; node; node = flatParentOf(node)) if (node === ancestor) return true;
  return false;
}

/**
 * @param {Element} element
 * @param {string} selector
 * @returns {boolean} whether an ancestor matches; the element itself does not count
 */
export const isWithin = (element, selector) => {
  const parent = flatParentOf(element);
  return parent !== null && closest(parent, selector) !== null;
};

/**
 * Children as painted: shadow trees expanded, slots filled.
 * @param {Node} node
 * @returns {Iterable<Node>}
 */
export function flatChildrenOf(node) {
  const element = /** @type {Element} */ (node);
  const root = shadowRootIn(element);
  if (root) return root.childNodes;
  if (localNameOf(element) === 'slot') {
    const assigned = assignedNodesOf(element);
    if (assigned.length) return assigned;
  }
  return childNodesOf(node);
}
