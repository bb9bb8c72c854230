// Tables: which are data and which only put things in places, and what the parts of each are.
//
// HTML-AAM gives every <table> a role. Screen readers and Chromium tell apart: one that only arranges a page is no table
// to anybody who reads it, and none to an agent. The signs are Chromium's (156, found by trying each): markup that only
// data has, else how many cells are set off by borders or colours.

/** More rows than any layout has. */
const MANY_ROWS = 20;

/** So many cells that are set off are enough; else half of them have to be. */
const MANY_CELLS = 10;

/** Rows whose colours are held against each other. */
const STRIPED_ROWS = 5;

/** By table, for one look at the page: what it looks like decides. @type {Map<Element, boolean>} */
let dataTables = new Map();

const GRIDS = new Set(['grid', 'treegrid']);

/** @param {Element} element @param {string} tag @returns {string} role of a table or of a part of one; empty for anything else */
function tablePartRole(element, tag) {
  switch (tag) {
    case 'table': return isDataTable(element) ? 'table' : 'generic';
    case 'thead': case 'tbody': case 'tfoot': return tableRole(element) ? 'rowgroup' : 'generic';
    case 'tr': return tableRole(element) ? 'row' : 'generic';
    case 'td': case 'th': return cellRole(element, tag);
    default: return '';
  }
}

/** @param {Element} part @returns {string} role of the table that a part is of; empty for a layout and for anything else */
function tableRole(part) {
  const table = closestTo(part, 'table');
  const role = table ? roleOf(table) : '';
  return role === 'table' || GRIDS.has(role) ? role : '';
}

/** @param {Element} cell @param {string} tag */
function cellRole(cell, tag) {
  const row = closestTo(cell, 'tr');
  const table = row && roleOf(row) === 'row' ? tableRole(row) : '';
  if (!table) return 'generic';
  if (tag === 'td') return GRIDS.has(table) ? 'gridcell' : 'cell';
  const scope = (attr(cell, 'scope') || '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  return isRowHeader(cell) ? 'rowheader' : 'columnheader';
}

/** A header without a scope is its row's where data stands beside it. @param {Element} cell */
function isRowHeader(cell) {
  const { previousElementSibling: before, nextElementSibling: after, parentElement: row } = cell;
  if (!before && !after) return false;
  if (before && after && tagOf(before) === 'th' && tagOf(after) === 'th') return false;
  if (holdsData(before) || holdsData(after)) return true;
  const { firstElementChild: first, lastElementChild: last } = /** @type {Element} */ (row);
  return [first, last, first && first.nextElementSibling, last && last.previousElementSibling].some(holdsData);
}

/** @param {Element|null} cell */
const holdsData = (cell) => cell !== null && tagOf(cell) === 'td' && cell.hasChildNodes();

/** @param {any} table */
function isDataTable(table) {
  let known = dataTables.get(table);
  if (known === undefined) {
    known = isMarkedAsData(table) || (!isSingle(table) && isDrawnAsData(table));
    dataTables.set(table, known);
  }
  return known;
}

/** @param {any} table */
function isMarkedAsData(table) {
  if (has(table, 'role') || attr(table, 'summary') || attr(table, 'rules') || table.isContentEditable) return true;
  if (table.tHead || table.tFoot || table.caption || firstIn(table, ':scope > colgroup, :scope > col')) return true;
  if (table.rows.length >= MANY_ROWS) return true;
  return !isSingle(table) && cellsOf(table).some((cell) => tagOf(cell) === 'th' || DATA_CELL.some((name) => has(cell, name)));
}

const DATA_CELL = ['headers', 'abbr', 'axis', 'scope'];

/** One cell is no table. @param {any} table */
const isSingle = (table) => table.rows.length === 1 && table.rows[0].cells.length === 1;

/** @param {any} table @returns {HTMLTableCellElement[]} row by row */
const cellsOf = (table) => [...table.rows].flatMap((row) => [...row.cells]);

/** @param {any} table */
function isDrawnAsData(table) {
  const own = getComputedStyle(table);
  const spaced = !own.borderSpacing.split(' ').includes('0px');
  const counts = { cells: 0, framed: 0, coloured: 0, top: 0, right: 0, bottom: 0, left: 0 };
  for (const cell of cellsOf(table)) {
    if (cell.offsetWidth < 1 || cell.offsetHeight < 1) continue;
    const style = getComputedStyle(cell);
    if (style.emptyCells === 'hide') return true;
    const has = { top: isDrawnBorder(style.borderTopWidth), right: isDrawnBorder(style.borderRightWidth), bottom: isDrawnBorder(style.borderBottomWidth), left: isDrawnBorder(style.borderLeftWidth) };
    counts.cells++;
    counts.top += Number(has.top);
    counts.right += Number(has.right);
    counts.bottom += Number(has.bottom);
    counts.left += Number(has.left);
    counts.framed += Number((has.top && has.bottom) || (has.left && has.right));
    counts.coloured += Number(spaced && style.backgroundColor !== own.backgroundColor && !isClear(style.backgroundColor));
    if (counts.framed >= MANY_CELLS || counts.coloured >= MANY_CELLS) return true;
  }
  if (counts.cells < 2) return false;
  const half = Math.floor(counts.cells / 2);
  return Math.max(counts.framed, counts.coloured, counts.top, counts.right, counts.bottom, counts.left) >= half || isStriped(table);
}

/** @param {string} width */
const isDrawnBorder = (width) => parseFloat(width) > 0;

/** @param {string} colour */
const isClear = (colour) => colour === 'transparent' || /^rgba\(.*, 0\)$/.test(colour);

/** @param {any} table */
function isStriped(table) {
  const colours = [...table.rows].slice(0, STRIPED_ROWS).map((row) => getComputedStyle(row).backgroundColor);
  return colours.length > 2 && colours.every((colour, index) => (colour === colours[0]) === (index % 2 === 0));
}
