// Labels: which <label> elements belong to a control.

import { queryAll, treeRootOf } from './access.js';
import { tagOf } from './elements.js';

/** @import { Root } from './access.js' */

/**
 * Labels by labeled element, for each tree; rebuilt for every walk. `element.labels` searches the whole tree for each
 * element: 2.3 s for 10,000 buttons.
 * @type {Map<Node, Map<Element, Element[]>>}
 */
export const labelsByRoot = new Map();

export const LABELABLE = new Set(['input', 'select', 'textarea', 'meter', 'progress', 'output', 'button']);

/** @param {Element} element @returns {Element[]} its labels, in document order */
export function labelsOf(element) {
  if (!LABELABLE.has(tagOf(element))) return [];
  const root = /** @type {Root} */ (treeRootOf(element));
  let index = labelsByRoot.get(root);
  if (!index) {
    index = new Map();
    for (const label of queryAll(root, 'label')) {
      const control = /** @type {HTMLLabelElement} */ (label).control;
      if (!control) continue;
      const known = index.get(control);
      if (known) known.push(label);
      else index.set(control, [label]);
    }
    labelsByRoot.set(root, index);
  }
  return index.get(element) || [];
}
