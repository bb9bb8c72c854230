// Hidden toggles: the checkbox or radio button that a painted switch keeps out of sight. The switch has no role; its state
// is the hidden field's.

import { hasAttr, nodeTypeOf, queryAllIn, treeRootOf } from '../dom/access.js';
import { TICK_BOXES, isTickBox } from '../dom/elements.js';
import { labelsOf } from '../dom/labels.js';
import { roleOf } from './roles.js';

/** @import { Part } from '../tree/part.js' */

/**
 * The hidden toggle of a click target without a role: the only one in it, or the one right before it.
 * @param {Part} part
 * @returns {HTMLInputElement|null}
 */
export function hiddenToggleOf({ element, role, interactive }) {
  if (!interactive || role !== 'generic' || hasAttr(element, 'role')) return null;
  const inside = queryAllIn(element, TICK_BOXES);
  if (inside.length > 1) return null;
  const field = inside[0] || toggleBefore(element);
  return field && isOutOfSight(field) ? /** @type {HTMLInputElement} */ (field) : null;
}

/** @param {Element} element @returns {Element|null} */
function toggleBefore(element) {
  let node = element.previousSibling;
  while (node && nodeTypeOf(node) !== Node.ELEMENT_NODE) node = node.previousSibling;
  const before = /** @type {Element|null} */ (node);
  return before && isTickBox(before) ? before : null;
}

/** Whether a person sees neither a field nor a label of it. @param {Element} field */
const isOutOfSight = (field) =>
  [field, ...labelsOf(field)].every(
    (each) => !Element.prototype.checkVisibility.call(each, { visibilityProperty: true, opacityProperty: true }),
  );

/**
 * Whether a field is what a component draws itself with: the component has the same role, and says the state.
 * @param {Element} element
 * @param {string} role
 */
export function isToggleOfHost(element, role) {
  if (!isTickBox(element)) return false;
  const root = treeRootOf(element);
  return root instanceof ShadowRoot && hasAttr(root.host, 'aria-checked') && roleOf(root.host) === role;
}

/** What a hidden toggle says of its switch. @param {HTMLInputElement} field @returns {string[]} */
export function statesOfToggle(field) {
  const states = field.disabled ? ['disabled'] : [];
  if (field.indeterminate) states.push('mixed');
  else if (field.checked) states.push('checked');
  return states;
}
