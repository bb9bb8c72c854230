// What the line of a target says of what a person does with it.

import { INTERACTIVE_ROLES } from '../semantics/role_tables.js';
import { popupWithPointer } from '../visibility/pointer_lock.js';

/** @import { Part } from '../tree/part.js' */

/** What the line of an open popup says for all that it keeps from being clicked. */
const HOLDS_POINTER = 'open: all else takes no clicks; choose in it or press Escape';

/**
 * Adds what a person does with a part to its states.
 * @param {string[]} states
 * @param {Part} part
 */
export function withTargetStates(states, part) {
  if (part.clickable && !INTERACTIVE_ROLES.has(part.role)) states.push('clickable');
  if (part.affordances.length) states.push(...part.affordances);
  if (popupWithPointer() === part.element) states.push(HOLDS_POINTER);
  return states;
}
