// The role and name of a row.

import { queryAllIn } from '../dom/access.js';
import { cleanText } from '../dom/text.js';
import { nameOf, textOf } from './names.js';
import { INTERACTIVE_ROLES, PANEL_ROLES } from './role_tables.js';
import { privacy } from '../privacy/private_content.js';
import { isField } from '../privacy/sensitive_fields.js';

/** @import { Part } from '../tree/part.js' */

/**
 * The name of a row. A target that only its cursor or listener reveals is named by its content, unless that is private.
 * @param {Element} element
 * @param {string} role
 * @param {boolean} acts
 * @param {boolean} marked
 */
export function listedName(element, role, acts, marked) {
  if (marked && !privacy.revealed) return isField(element) ? nameOf(element, 'textbox') : '';
  const own = nameOf(element, role);
  return own || !acts || INTERACTIVE_ROLES.has(role) || PANEL_ROLES.has(role)
    ? own
    : nameOf(element, 'button').slice(0, 120);
}

/**
 * The role of a row: a picture without a role of its own is an img.
 * @param {string} role
 * @param {string} picture
 */
export const listedRole = (role, picture) => (role === 'none' || (picture && role === 'generic') ? 'img' : role);

/** A table row on one line, with bars between its cells. @param {Part} part */
export function rowLine(part) {
  if (part.cells === null) {
    const cells = queryAllIn(
      part.element,
      ':scope > td, :scope > th, :scope > [role=cell], :scope > [role=gridcell], :scope > ' +
        '[role=columnheader], :scope > [role=rowheader]',
    );
    part.cells = [...cells]
      .map((cell) => cleanText(textOf(cell)))
      .join(' | ')
      .replace(/( \| )+$/, '');
  }
  return part.cells;
}

/**
 * Choices in order.
 * @param {any} element
 * @param {string} tag
 * @returns {string[]}
 */
export function optionsOf(element, tag) {
  if (tag === 'select')
    return [...element.options]
      .slice(0, 2 * MAX_OPTIONS)
      .filter((option) => getComputedStyle(option).display !== 'none')
      .slice(0, MAX_OPTIONS)
      .map((option) => cleanText(option.label));
  return [...queryAllIn(element, '[role=option]')].slice(0, MAX_OPTIONS).map((option) => nameOf(option, 'option'));
}

/** Limit on the choices of a list in a row; the reading rpcs return the rest. */
const MAX_OPTIONS = 50;
