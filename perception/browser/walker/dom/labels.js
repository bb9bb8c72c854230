// Labels: which <label> elements belong to a control.

import { attr, hasAttr, queryAll, treeRootOf } from './access.js';
import { tagOf } from './elements.js';
import { shadowRootIn } from './shadow_roots.js';

/** @import { Root } from './access.js' */

/**
 * Labels by labeled element, for each tree; rebuilt for every walk. `element.labels` searches the whole tree for each
 * element: 2.3 s for 10,000 buttons.
 * @type {Map<Node, Map<Element, Element[]>>}
 */
export const labelsByRoot = new Map();

export const LABELABLE = new Set(['input', 'select', 'textarea', 'meter', 'progress', 'output', 'button']);

/** A custom element may be labeled, too (HTML §4.13.7.3); in its shadow tree, whatever has a role. @param {Element} element */
const maybeLabeled = (element) =>
  LABELABLE.has(tagOf(element)) || tagOf(element).includes('-') || hasAttr(element, 'role');

/** @param {Element} element @returns {Element[]} its labels in its own tree, whose clicks it takes; in document order */
export function labelsOf(element) {
  return maybeLabeled(element) ? labelsIn(/** @type {Root} */ (treeRootOf(element)), element) : [];
}

/** @param {Root} root @param {Element} element @returns {Element[]} */
function labelsIn(root, element) {
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

/**
 * @param {Element} element
 * @returns {Element[]} the labels that name it: its own, or those of the custom element that it is the control of
 */
export function namingLabelsOf(element) {
  if (!maybeLabeled(element)) return [];
  const root = /** @type {Root} */ (treeRootOf(element));
  const own = labelsIn(root, element);
  if (own.length) return controlIn(element) === element ? own : [];
  if (!(root instanceof ShadowRoot)) return own;
  const around = labelsThrough(root.host);
  return around.length && controlIn(root.host) === element ? around : [];
}

/** @param {Element} host @returns {Element[]} the labels of a custom element, or of the one that it is the control of */
function labelsThrough(host) {
  const root = /** @type {Root} */ (treeRootOf(host));
  const own = labelsIn(root, host);
  return own.length || !(root instanceof ShadowRoot) ? own : labelsThrough(root.host);
}

/** What a shadow tree may have as the control of its host, the likeliest first. */
const INNER_CONTROLS = [
  'input:not([type=hidden i]), select, textarea',
  '[role=checkbox], [role=switch], [role=radio], [role=slider], [role=spinbutton], [role=combobox], [role=textbox]',
  'button, meter, progress, output',
];

/**
 * What a label names: its control or, where that is a custom element without a role, the control in its shadow tree.
 * @param {Element} control
 * @returns {Element}
 */
export function controlIn(control) {
  if (LABELABLE.has(tagOf(control)) || /^(?!none$|presentation$)./.test(attr(control, 'role') || '')) return control;
  const root = shadowRootIn(control);
  if (!root) return control;
  for (const selector of INNER_CONTROLS) {
    const [inner] = queryAll(root, selector);
    if (inner) return inner;
  }
  const [host] = [...queryAll(root, '*')].filter(shadowRootIn);
  return host ? controlIn(host) : control;
}
