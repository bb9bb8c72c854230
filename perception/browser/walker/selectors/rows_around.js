// Rows around an element: the cells of the table row, or the texts of the list item, that it stands in. They say which
// of many equal controls is meant.

import { attr, closest, matches, parentNodeOf, queryAllIn } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { readText, readTexts, textsIn } from './neighborhood.js';

/** Containers that are searched for a row, and rows that are compared. Chosen by hand. */
const MAX_ROW_DEPTH = 14;
const MAX_ROWS_COMPARED = 1000;

/** Texts of a list item. Chosen by hand. */
const MAX_ITEM_TEXTS = 40;

const ROW_TABLES = 'table, [role=grid], [role=table], [role=treegrid]';
const TABLE_ROWS = 'tr, [role=row]';
const COLUMN_HEADERS = 'th, [role=columnheader]';
const ROW_CELLS = 'td, th, [role=cell], [role=gridcell], [role=rowheader], [role=columnheader]';
const ROW_ITEMS = 'li, article, [role=listitem], [role=treeitem], [role=article], [role=option]';
const ACTING_PARTS = 'button, select, textarea, [role=button], [role=menuitem], [role=tab]';

/** @typedef {{ column: string, text: string, own: boolean }} RowCell */

/** @param {Element} table @returns {Element[]} its own rows, not those of tables in it */
const rowsInTable = (table) =>
  [...queryAllIn(table, TABLE_ROWS)].filter((row) => closest(row, ROW_TABLES) === table).slice(0, MAX_ROWS_COMPARED);

/** @param {Element} row @returns {Element[]} */
const cellsInRow = (row) => [...queryAllIn(row, ROW_CELLS)].filter((cell) => closest(cell, TABLE_ROWS) === row);

/** Whether all cells of a row are headers of columns. @param {Element} row */
function isHeaderRow(row) {
  const cells = cellsInRow(row);
  return (
    cells.length > 0 && cells.every((cell) => matches(cell, COLUMN_HEADERS) || (!readTexts(cell) && cell !== cells[0]))
  );
}

/** The column that a cell is in, by `aria-colindex` or by the cells before it. @param {Element[]} cells */
function columnNumbersOf(cells) {
  let next = 1;
  return cells.map((cell) => {
    const at = Number(attr(cell, 'aria-colindex')) || next;
    next = at + (Number(/** @type {any} */ (cell).colSpan) || Number(attr(cell, 'aria-colspan')) || 1);
    return at;
  });
}

/** The headers of a table by column. @param {Element} table @param {Element[]} rows @returns {Map<number, string>} */
function columnHeadersOf(table, rows) {
  const header = rows.find(isHeaderRow);
  if (!header) return new Map();
  const cells = cellsInRow(header);
  const columns = columnNumbersOf(cells);
  return new Map(cells.map((cell, index) => [columns[index], readTexts(cell)]));
}

/** @param {Element} row @param {Element} element @param {Map<number, string>} headers @returns {RowCell[]} */
function tableCells(row, element, headers) {
  const cells = cellsInRow(row);
  const columns = columnNumbersOf(cells);
  return cells.map((cell, index) => ({
    column: headers.get(columns[index]) || '',
    text: readTexts(cell),
    own: Node.prototype.contains.call(cell, element),
  }));
}

/** @param {Element} item @param {Element} element @returns {RowCell[]} */
function itemTexts(item, element) {
  const walker = textsIn(item);
  /** @type {RowCell[]} */
  const found = [];
  while (walker.nextNode() && found.length < MAX_ITEM_TEXTS) {
    const node = walker.currentNode;
    const own = Node.prototype.contains.call(element, node);
    const holder = parentNodeOf(node);
    const text = own || !(holder instanceof Element && closest(holder, ACTING_PARTS)) ? readText(node) : '';
    if (text) found.push({ column: '', text, own });
  }
  return found;
}

/** Items beside one, with it: of its list, or of its tag and classes. @param {Element} item @returns {Element[]} */
function itemsBeside(item) {
  const above = parentNodeOf(item);
  if (!(above instanceof Element)) return [item];
  const beside = [...queryAllIn(above, `:scope > ${CSS.escape(tagOf(item))}`)];
  return beside
    .filter((each) => matches(item, ROW_ITEMS) || attr(each, 'class') === attr(item, 'class'))
    .slice(0, MAX_ROWS_COMPARED);
}

/**
 * The rows that an element stands in, nearest first.
 * @param {Element} element
 * @returns {{ row: Element, cells: RowCell[], beside: Element[], headers: Map<number, string>|null }[]}
 */
function rowsAround(element) {
  const found = [];
  let depth = 0;
  for (
    let node = parentNodeOf(element);
    node instanceof Element && node !== document.body && depth++ < MAX_ROW_DEPTH;
    node = parentNodeOf(node)
  ) {
    const table = matches(node, TABLE_ROWS) ? closest(node, ROW_TABLES) : null;
    if (table) {
      const rows = rowsInTable(table);
      const headers = columnHeadersOf(table, rows);
      if (isHeaderRow(node)) continue;
      const beside = rows.filter((row) => !isHeaderRow(row));
      found.push({ row: node, cells: tableCells(node, element, headers), beside, headers });
    } else if (!matches(node, ROW_CELLS)) {
      const beside = itemsBeside(node);
      if (beside.length > 1 || matches(node, ROW_ITEMS))
        found.push({ row: node, cells: itemTexts(node, element), beside, headers: null });
    }
  }
  return found;
}

/** @param {Element} row @param {(each: Element) => boolean} isWanted */
const holds = (row, isWanted) => [...queryAllIn(row, '*')].some(isWanted);

/**
 * The nearest row of an element that a text of it tells from the rows beside it; null for none. Boxes that only place
 * what is in them are not rows: no other one holds such an element.
 * @param {Element} element
 * @param {boolean} isAlone whether no other element has its role and name: then only rows of tables and lists count
 * @param {(other: Element) => boolean} isAlike whether another element could be taken for it
 */
export function rowOfTarget(element, isAlone, isAlike) {
  for (const { row, cells, beside, headers } of rowsAround(element)) {
    const rest = beside.filter((each) => each !== row);
    const isTitled = !!headers && headers.size > 0;
    const isListed = () => (isAlone ? !!headers || matches(row, ROW_ITEMS) : rest.some((each) => holds(each, isAlike)));
    if (!isTitled && !isListed()) continue;
    const others = rest.map((each) => (headers ? tableCells(each, each, headers) : itemTexts(each, each)));
    const marked = cells.map((cell, index) => ({
      ...cell,
      unique: !others.some((each) =>
        headers ? each[index] && each[index].text === cell.text : each.some((other) => other.text === cell.text),
      ),
    }));
    if (marked.some((cell) => cell.unique && cell.text && !cell.own))
      return { row, cells: marked, rows: beside.length };
  }
  return null;
}

/**
 * Those of some elements that stand in a row with a cell of this text, by row. Of rows in one another the inner counts.
 * @param {Element[]} elements
 * @param {string} column
 * @param {string} text
 * @returns {Element[][]}
 */
export function elementsInRow(elements, column, text) {
  /** @type {{ row: Element, element: Element }[]} */
  const found = [];
  for (const element of elements) {
    const around = rowsAround(element).find(({ cells }) =>
      cells.some((cell) => cell.column === column && cell.text === text),
    );
    if (around) found.push({ row: around.row, element });
  }
  const inner = found.filter(
    ({ row }) => !found.some((other) => other.row !== row && Node.prototype.contains.call(row, other.row)),
  );
  const rows = [...new Set(inner.map(({ row }) => row))];
  return rows.map((row) => inner.filter((each) => each.row === row).map(({ element }) => element));
}
