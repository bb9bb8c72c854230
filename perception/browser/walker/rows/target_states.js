// What the line of a target says of what a person does with it.

import { attr } from '../dom/access.js';
import { DISABLED_CLASS } from '../semantics/affordances.js';
import { INTERACTIVE_ROLES } from '../semantics/role_tables.js';
import { popupWithPointer } from '../visibility/pointer_lock.js';

/** @import { Part } from '../tree/part.js' */

/** What the line of an open popup says for all that it keeps from being clicked. */
const HOLDS_POINTER = 'open: all else takes no clicks; choose in it or press Escape';

/** Something this see-through is dimmed. Bootstrap's disabled buttons have 0.65. */
const DIMMED = 0.7;

/**
 * Whether a control looks disabled though no attribute says so: its cursor does, or its class or that of the box around
 * it alone, if its style agrees.
 * @param {Part} part
 */
function looksDisabled({ element, cursor, ownOpacity, parent, interactive }) {
  if (!interactive || /** @type {any} */ (element).readOnly) return false;
  if (cursor === 'not-allowed') return true;
  const isNamedSo = (/** @type {Element} */ each) => DISABLED_CLASS.test(attr(each, 'class') || '');
  const isAlone = parent !== null && parent.element.childElementCount === 1;
  if (!isNamedSo(element) && !(isAlone && isNamedSo(parent.element))) return false;
  const isDimmed = parseFloat(ownOpacity) < DIMMED || (isAlone && parseFloat(parent.ownOpacity) < DIMMED);
  return isDimmed || cursor === 'default' || getComputedStyle(element).pointerEvents === 'none';
}

/**
 * Adds what a person does with a part to its states.
 * @param {string[]} states
 * @param {Part} part
 */
export function withTargetStates(states, part) {
  if (!states.includes('disabled') && looksDisabled(part)) states.unshift('disabled');
  if (part.clickable && !INTERACTIVE_ROLES.has(part.role)) states.push('clickable');
  if (part.affordances.length) states.push(...part.affordances);
  if (popupWithPointer() === part.element) states.push(HOLDS_POINTER);
  return states;
}
