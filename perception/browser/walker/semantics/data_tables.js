// Data tables: whether a <table> holds data or only lays out a page, by Chromium's rules.

import { attr, hasAttr, queryIn } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';

/** No layout table has so many rows. */
const MANY_ROWS = 20;

/** This many bordered or colored cells are enough; with fewer, half of all cells are required. */
const MANY_CELLS = 10;

/** Rows whose colors are compared. */
const STRIPED_ROWS = 5;

/** By table, for one walk of the page, since the result depends on style. @type {Map<Element, boolean>} */
export const dataTables = new Map();

/** @param {Element|null} cell */
export const holdsData = (cell) => cell !== null && tagOf(cell) === 'td' && cell.hasChildNodes();

/** @param {any} table */
export function isDataTable(table) {
  let known = dataTables.get(table);
  if (known === undefined) {
    known = isMarkedAsData(table) || (!isSingle(table) && isDrawnAsData(table));
    dataTables.set(table, known);
  }
  return known;
}

/** @param {any} table */
function isMarkedAsData(table) {
  if (hasAttr(table, 'role') || attr(table, 'summary') || attr(table, 'rules') || table.isContentEditable) return true;
  if (table.tHead || table.tFoot || table.caption || queryIn(table, ':scope > colgroup, :scope > col')) return true;
  if (table.rows.length >= MANY_ROWS) return true;
  return (
    !isSingle(table) &&
    cellsOf(table).some((cell) => tagOf(cell) === 'th' || DATA_CELL.some((name) => hasAttr(cell, name)))
  );
}

const DATA_CELL = ['headers', 'abbr', 'axis', 'scope'];

/** Whether it has a single cell, and so is not a data table. @param {any} table */
const isSingle = (table) => table.rows.length === 1 && table.rows[0].cells.length === 1;

/** @param {any} table @returns {HTMLTableCellElement[]} row by row */
const cellsOf = (table) => [...table.rows].flatMap((row) => [...row.cells]);

/** @param {any} table */
function isDrawnAsData(table) {
  const own = getComputedStyle(table);
  const spaced = !own.borderSpacing.split(' ').includes('0px');
  const counts = { cells: 0, framed: 0, colored: 0, top: 0, right: 0, bottom: 0, left: 0 };
  for (const cell of cellsOf(table)) {
    if (cell.offsetWidth < 1 || cell.offsetHeight < 1) continue;
    const style = getComputedStyle(cell);
    if (style.emptyCells === 'hide') return true;
    const has = {
      top: isDrawnBorder(style.borderTopWidth),
      right: isDrawnBorder(style.borderRightWidth),
      bottom: isDrawnBorder(style.borderBottomWidth),
      left: isDrawnBorder(style.borderLeftWidth),
    };
    counts.cells++;
    counts.top += Number(has.top);
    counts.right += Number(has.right);
    counts.bottom += Number(has.bottom);
    counts.left += Number(has.left);
    counts.framed += Number((has.top && has.bottom) || (has.left && has.right));
    counts.colored += Number(
      spaced && style.backgroundColor !== own.backgroundColor && !isClear(style.backgroundColor),
    );
    if (counts.framed >= MANY_CELLS || counts.colored >= MANY_CELLS) return true;
  }
  if (counts.cells < 2) return false;
  const half = Math.floor(counts.cells / 2);
  return (
    Math.max(counts.framed, counts.colored, counts.top, counts.right, counts.bottom, counts.left) >= half ||
    isStriped(table)
  );
}

/** @param {string} width */
const isDrawnBorder = (width) => parseFloat(width) > 0;

/** @param {string} color */
const isClear = (color) => color === 'transparent' || /^rgba\(.*, 0\)$/.test(color);

/** @param {any} table */
function isStriped(table) {
  const colors = [...table.rows].slice(0, STRIPED_ROWS).map((row) => getComputedStyle(row).backgroundColor);
  return colors.length > 2 && colors.every((color, index) => (color === colors[0]) === (index % 2 === 0));
}
