// The role and name of a row.

import { boundsOf, queryAllIn } from '../dom/access.js';
import { isEditingHost } from '../dom/elements.js';
import { cleanText } from '../dom/text.js';
import { zoneName } from './affordances.js';
import { CONTROL_SELECTOR, isMoreThanLabel } from './click_targets.js';
import { withoutIcons } from './icon_fonts.js';
import { nameBesideValue, nameOf, nameOfTarget, textWithStruck } from './names.js';
import { listedLabel } from './option_labels.js';
import { INTERACTIVE_ROLES, PANEL_ROLES } from './role_tables.js';
import { showsItsValue } from './shown_values.js';
import { privacy } from '../privacy/private_content.js';
import { isField } from '../privacy/sensitive_fields.js';
import { partOf } from '../tree/part.js';
import { paintStyleOf } from '../visibility/paint_style.js';

/** @import { Part } from '../tree/part.js' */

/** What a name depends on besides the element. @typedef {{role: string, interactive: boolean, zone: boolean}} Named */

/**
 * The name of a row. A target that only its cursor or listener reveals is named by its content, unless that is private.
 * @param {Element} element
 * @param {Named} part
 * @param {boolean} marked
 */
export function listedName(element, { role, interactive, zone }, marked) {
  if (marked && !privacy.revealed) return isField(element) ? nameOf(element, 'textbox') : '';
  if (isEditingHost(element)) return withoutIcons(() => nameOf(element, 'textbox')); // what is typed is its value
  const own = withoutIcons(() =>
    showsItsValue(element, role) ? nameBesideValue(element, role) : nameOf(element, role),
  );
  if (own || !interactive || INTERACTIVE_ROLES.has(role) || PANEL_ROLES.has(role)) return own;
  if (zone) return zoneName(element);
  return isMoreThanLabel(element, role) ? '' : withoutIcons(() => nameOfTarget(element, CONTROL_SELECTOR));
}

/** Elements that paint a picture. */
const PICTURE_TAGS = new Set(['img', 'svg', 'canvas', 'video', 'object', 'embed', 'input']);

/**
 * The role of a row: a picture without a role of its own is an img, another target without one is generic.
 * @param {Part} part
 */
export const listedRole = ({ role, picture, tag }) =>
  role !== 'none' && role !== 'generic'
    ? role
    : picture || (role === 'none' && PICTURE_TAGS.has(tag))
      ? 'img'
      : 'generic';

/** A table row on one line, with bars between its cells. @param {Part} part */
export function rowLine(part) {
  if (part.cells === null) {
    const cells = queryAllIn(
      part.element,
      ':scope > td, :scope > th, :scope > [role=cell], :scope > [role=gridcell], :scope > ' +
        '[role=columnheader], :scope > [role=rowheader]',
    );
    part.cells = [...cells]
      .filter(isLaidOut)
      .map((cell) => withoutIcons(() => cleanText(textWithStruck(cell, isStruckCell(cell)))))
      .join(' | ')
      .replace(/( \| )+$/, '');
  }
  return part.cells;
}

/** Whether a line goes through all that flows in a cell. @param {Element} cell */
function isStruckCell(cell) {
  const part = partOf.get(cell);
  return part !== undefined && paintStyleOf(part).struck;
}

/** Whether a cell has a place in its row. Those of a collapsed column have no width (CSS Tables 3 §4.2). @param {Element} cell */
function isLaidOut(cell) {
  const { display } = getComputedStyle(cell);
  return display !== 'none' && (display !== 'table-cell' || boundsOf(cell).width > 0);
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
      .map(listedLabel);
  return [...queryAllIn(element, '[role=option]')].slice(0, MAX_OPTIONS).map((option) => nameOf(option, 'option'));
}

/**
 * How many choices there are.
 * @param {any} element
 * @param {string} tag
 */
export const countOptions = (element, tag) =>
  tag === 'select'
    ? [...element.options].filter((option) => !option.hidden).length
    : queryAllIn(element, '[role=option]').length;

/** Limit on the choices of a list in a row; the reading rpcs return the rest. */
const MAX_OPTIONS = 50;
