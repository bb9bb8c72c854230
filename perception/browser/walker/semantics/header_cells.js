// Header cells of tables: whether a person can act on one, and where in it. Tables are sorted by a click on the cell,
// or on something in it that shows its words.

import { closest, firstElementChildOf, hasAttr, matches, queryAllIn, textContentOf } from '../dom/access.js';
import { hasListener } from '../dom/listeners.js';
import { isFocusable } from '../dom/elements.js';

export const HEADER_ROLES = new Set(['columnheader', 'rowheader']);

const HEADER_CELLS = 'th, [role~=columnheader], [role~=rowheader]';

const TABLES = 'table, [role=table], [role=grid], [role=treegrid]';

/** @param {Element} element */
export const isHeaderCell = (element) => matches(element, HEADER_CELLS);

/** Have a line of their own in a header cell. */
const OWN_CONTROLS = 'a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=checkbox]';

/** @param {Element} element */
const isClicked = (element) =>
  hasAttr(element, 'onclick') || hasListener(element) || getComputedStyle(element).cursor === 'pointer';

/** The letters of an element's text, which marks such as arrows are not. @param {Element} element */
const plainLetters = (element) => (textContentOf(element) || '').replace(/[^\p{L}\p{N}]/gu, '');

/**
 * The element in a header cell that takes its clicks and shows its words; null if the cell itself does, or nothing.
 * @param {Element} cell
 * @returns {Element|null}
 */
export function actingPartOf(cell) {
  if (!firstElementChildOf(cell) || isClicked(cell)) return null;
  const letters = plainLetters(cell);
  if (!letters) return null;
  for (const inner of queryAllIn(cell, '*')) if (plainLetters(inner) === letters && isClicked(inner)) return inner;
  return null;
}

/** @param {Element} element */
const isOwnControl = (element) => closest(element, OWN_CONTROLS) !== null;

/** Whether the pointer is a hand over a header, and not over all of its table. @param {Element} cell */
function isUnderHand(cell) {
  if (getComputedStyle(cell).cursor !== 'pointer') return false;
  const table = closest(cell, TABLES);
  return table !== null && getComputedStyle(table).cursor !== 'pointer';
}

/**
 * Whether a person can act on a header cell, and not only on controls in it.
 * @param {Element} cell
 * @param {string} role
 */
export function isHeaderControl(cell, role) {
  if (isFocusable(cell) || hasAttr(cell, 'aria-sort')) return true;
  if (role === 'columnheader' && isUnderHand(cell)) return true;
  const acting = actingPartOf(cell);
  return acting !== null && !isOwnControl(acting);
}

/** Whether an element without a role takes the clicks of the header cell around it. @param {Element} element */
export function isPartOfHeader(element) {
  const cell = closest(element, HEADER_CELLS);
  return cell !== null && cell !== element && actingPartOf(cell) === element;
}
