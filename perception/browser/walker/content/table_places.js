// Where rows and cells of tables are, as attributes of the HTML written for them.

import { attr, closest, queryAll } from '../dom/access.js';
import { Part } from '../tree/part.js';

/** Maximum column span of a cell: larger values are not genuine. */
const MAX_SPAN = 100;

/**
 * A whole number from 1 on, as an attribute.
 * @param {string} name
 * @param {string|null} value
 */
const numbered = (name, value) => (value && /^[1-9]\d{0,6}$/.test(value) ? ` ${name}="${value}"` : '');

/** @param {Part} row */
export const rowPlace = (row) => numbered('aria-rowindex', attr(row.element, 'aria-rowindex'));

/** @param {Part} cell @returns {Part|null} */
function rowOf(cell) {
  let each = cell.parent;
  while (each && each.role !== 'row') each = each.parent;
  return each;
}

/**
 * How many painted rows a cell spans: no more than there are in its row group.
 * @param {Part} cell
 * @param {Part|null} row
 */
function rowSpanOf(cell, row) {
  const own = /** @type {any} */ (cell.element).rowSpan;
  const given = own === undefined ? Number(attr(cell.element, 'aria-rowspan') || 1) : own;
  if (given === 1 || !(given >= 0) || !row || !row.parent) return 1;
  const rows = row.parent.children.filter((each) => each instanceof Part && each.role === 'row');
  const left = rows.length - rows.indexOf(row);
  return Math.max(1, Math.min(given || left, left));
}

/** Whether its column is collapsed: nothing of it is painted (CSS Tables 3, 3.4.2). @param {Part} cell */
export function isInCollapsedColumn({ element, display, place }) {
  if (display !== 'table-cell' || place[2] - place[0] >= 1) return false;
  const table = closest(element, 'table');
  return (
    table !== null && queryAll(table, 'col, colgroup').some((each) => getComputedStyle(each).visibility === 'collapse')
  );
}

/** Where a cell is, and what it spans. @param {Part} cell */
export function cellPlace(cell) {
  const { element } = cell;
  const row = rowOf(cell);
  const columns = Math.min(
    MAX_SPAN,
    Math.floor(Number(/** @type {any} */ (element).colSpan || attr(element, 'aria-colspan')) || 1),
  );
  const rows = rowSpanOf(cell, row);
  return (
    (columns > 1 ? ` colspan="${columns}"` : '') +
    (rows > 1 ? ` rowspan="${rows}"` : '') +
    numbered('aria-colindex', attr(element, 'aria-colindex') || columnByRow(cell, row))
  );
}

/**
 * The column of a cell whose row says where its cells begin.
 * @param {Part} cell
 * @param {Part|null} row
 */
function columnByRow(cell, row) {
  const start = row && cell.parent === row ? Number(attr(row.element, 'aria-colindex')) : 0;
  if (!row || !(start >= 1)) return null;
  const cells = row.children.filter((each) => each instanceof Part);
  return String(Math.floor(start) + cells.indexOf(cell));
}
