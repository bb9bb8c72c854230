// Which row of a list a control stands in, where its name alone does not tell: the text that identifies the row. Virtual
// lists show other records in the same elements; by that text a control of Alice's row is not taken for one of Bob's.

import { FLAG, ROW } from '../row_layout.js';
import { attr, closest, parentNodeOf, queryAllIn, textContentOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { cleanText } from '../dom/text.js';
import { holdsTyped, typedSoFar } from '../tree/typed_fields.js';
import { MAX_ROW_NODES, MAX_ROW_TEXT, saidBy, textsOfRow } from './row_texts.js';

/** @import { Row } from '../row_layout.js' */
/** @import { Part } from '../tree/part.js' */
/** @import { RowText } from './row_texts.js' */

/** @typedef {{ texts: RowText[], list: Element }} ListRow */

/** Rows of which each has another word in a place, so that the word is the row's and not one of a few states. */
const MIN_DISTINCT = 3;

/** Changes by itself: a time, an age, a share, an amount of money. */
const TICKS =
  /\d:\d\d|[%$€£¥₹]|\b(ago|now|today|yesterday|tomorrow|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|left|remaining)\b/i;

/** An identifier in one word, which another number makes another thing: `report-2.pdf`, `ana7@example.org`. */
const IDENTIFIER = /^(?=\S{6,}$)\p{L}\S*\d/u;

/** Rows from which on a text in a place where all rows differ tells a row whose title has changed. Chosen by hand. */
const MIN_RENAMED = 5;

/**
 * In which row a control was last found, by which text, and what else is to stay if that text changes; `typed` is how
 * often a person had typed by then.
 * @type {WeakMap<Element, { row: Element, text: string, best: RowText, said: string, others: string[], typed: number }>}
 */
const rowOfControl = new WeakMap();

/** @param {Element} row @param {Node} node */
const isIn = (row, node) => Node.prototype.contains.call(row, node) || flatContains(row, node);

/** @param {Element} element @returns {Element[]} from the outermost container inwards, with itself */
function ancestryOf(element) {
  const path = [];
  for (let node = /** @type {Element|null} */ (element); node; node = flatParentOf(node)) path.push(node);
  return path.reverse();
}

/** Whether two elements are rows of one list, by tag and first class. @param {Element} one @param {Element} other */
const areAlike = (one, other) =>
  tagOf(one) === tagOf(other) &&
  (attr(one, 'class') || '').trim().split(/\s+/)[0] === (attr(other, 'class') || '').trim().split(/\s+/)[0];

/**
 * The depth at which two paths part; 0 where what they part into is not a row of a list.
 * @param {Element[]} path
 * @param {Element[]} other
 */
function partingDepth(path, other) {
  let depth = 0;
  while (depth < path.length && path[depth] === other[depth]) depth++;
  const isRow = depth < path.length - 1 && depth < other.length - 1 && areAlike(path[depth], other[depth]);
  return isRow ? depth : 0;
}

/**
 * The rows of controls that share role and name: for each the innermost container that holds none of the others.
 * @param {Element[]} controls in document order
 * @param {Map<Element, ListRow>} rows found so far, to which it adds
 * @returns {(Element|null)[]} the row of each control
 */
function rowsOfEqual(controls, rows) {
  const paths = controls.map(ancestryOf);
  const depths = paths.slice(1).map((path, index) => partingDepth(path, paths[index]));
  return paths.map((path, index) => {
    const depth = Math.max(depths[index - 1] || 0, depths[index] || 0);
    if (!depth) return null;
    const row = path[depth];
    if (!rows.has(row)) rows.set(row, { texts: textsOfRow(row), list: path[depth - 1] });
    return row;
  });
}

/** A text without its numbers: a counter is the same in all rows then. @param {string} text */
const withoutNumbers = (text) => text.replace(/[\d.,]+/g, '#');

/** A text without the count at its end: `Inbox (3)`. @param {string} text */
const uncounted = (text) => text.replace(/\s*\(\d+\)$/, '');

/**
 * How many rows of each list have a text, at all and in a place.
 * @param {Iterable<ListRow>} rows
 * @returns {Map<Element, { rows: number, texts: Map<string, number>, places: Map<string, number> }>} by list
 */
function countTexts(rows) {
  const lists = new Map();
  for (const { list, texts } of rows) {
    let counts = lists.get(list);
    if (!counts) lists.set(list, (counts = { rows: 0, texts: new Map(), places: new Map() }));
    counts.rows++;
    const own = new Set(texts.flatMap(({ text }) => [`=${uncounted(text)}`, `~${withoutNumbers(text)}`]));
    for (const key of own) counts.texts.set(key, (counts.texts.get(key) || 0) + 1);
    texts.forEach(({ text, place }) => {
      const key = `${place} ${uncounted(text)}`;
      const shared = (counts.places.get(key) || 0) + 1;
      counts.places.set(key, shared);
      if (shared > 1) counts.places.set(place, 1);
    });
  }
  return lists;
}

const RECORD_TABLES = 'table:has(th), [role=table], [role=grid], [role=treegrid]';

/**
 * Whether a text is in a table that the row holds, and in no record of it that holds the control: another page of that
 * table has other records, and the same headers and buttons.
 * @param {RowText} text
 * @param {Element} control
 * @param {Element} list of the row
 */
function isOfAnotherRecord({ node }, control, list) {
  const holder = node instanceof Element ? node : parentNodeOf(node);
  const record = holder instanceof Element ? closest(holder, 'tr, [role=row]') : null;
  if (!record || flatContains(record, control)) return false;
  const table = closest(record, RECORD_TABLES);
  return table !== null && !flatContains(table, list);
}

/** Whether a text of a row is what a control itself says. @param {RowText} text @param {Element} control */
const isOwn = (text, control) => text.field === control || text.node === control;

/**
 * The text that identifies a row: one that no other row of its list has, and that does not change by itself. Words
 * before numbers; a text in a place where all rows differ before one that may be a state; a title before others. What a
 * field holds does not tell its own row.
 * @param {ListRow} row
 * @param {{ rows: number, texts: Map<string, number>, places: Map<string, number> }} counts
 * @param {Element} control
 * @returns {RowText|null}
 */
function identityOfRow(row, counts, control) {
  let best = null;
  let bestRank = 0;
  for (const each of row.texts) {
    const { text, kind, place, isTitle, isActing } = each;
    if (isOwn(each, control)) continue;
    if (counts.texts.get(`=${uncounted(text)}`) !== 1 || TICKS.test(text)) continue;
    const isDistinct = !counts.places.has(place);
    const isWorded = /\p{L}{2}/u.test(text) && counts.texts.get(`~${withoutNumbers(text)}`) === 1;
    const isFirst = place === 'text 0' || isTitle;
    const isNumbered =
      (/(?:^|[^:\s]\s?)#?\d[\d\w-]*$/.test(text) && isFirst && kind !== 'field') ||
      (IDENTIFIER.test(text) && isDistinct);
    if (isActing && !(isWorded && isDistinct && counts.rows >= MIN_DISTINCT)) continue;
    if ((!isWorded && !isNumbered) || (kind === 'field' && !isDistinct)) continue;
    const lasts = !isActing && kind !== 'field';
    if (isOfAnotherRecord(each, control, row.list)) continue;
    const rank = (isWorded ? 16 : 0) + (isDistinct ? 8 : 0) + (isTitle ? 4 : 0) + (lasts ? 2 : 0) + 1;
    if (rank > bestRank) [best, bestRank] = [each, rank];
  }
  return best;
}

/** An address of mail, which is one record's. */
const ADDRESS = /^\S+@\S+\.\S+$/;

/** A whole date, which few records share: `2026-11-03`, `3/11/2026`, `3 Nov 2026`, `Nov 3, 2026`. */
const DATE =
  /\b(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}|\d\d?\.? \p{L}{3,9}\.? \d{4}|\p{L}{3,9}\.? \d\d?,? \d{4})\b/u;

/**
 * The lasting texts of a row beside the one that identifies it; none where no other text tells it from all other rows.
 * Among few rows a word may be a state that another record shares: only an address tells such a row, or an identifier or
 * a date with another text of its own.
 * @param {ListRow} row
 * @param {RowText} best
 * @param {{ rows: number, texts: Map<string, number>, places: Map<string, number> }} counts
 */
function otherTextsOf(row, best, counts) {
  const texts = row.texts.filter(({ kind, isActing }) => kind === 'text' && !isActing);
  const others = texts.filter((each) => each !== best && !TICKS.test(each.text));
  const isWordy = (/** @type {string} */ text) => /\p{L}{2}/u.test(text) && !/^[\d.,]+\s/.test(text);
  const lasting = others.filter(({ text }) => isWordy(text) || DATE.test(text) || IDENTIFIER.test(text));
  const isTheRows = (/** @type {RowText} */ { text, place }) =>
    counts.texts.get(`=${uncounted(text)}`) === 1 && !counts.places.has(place);
  const telling = lasting.filter(isTheRows).map(({ text }) => text);
  const own = counts.rows < MIN_RENAMED ? others.filter(isTheRows) : [];
  const isTold =
    (counts.rows >= MIN_RENAMED && telling.length > 0) ||
    telling.some((text) => ADDRESS.test(text) || ((IDENTIFIER.test(text) || DATE.test(text)) && own.length > 1));
  if (!isTold) return [];
  return [...new Set([...lasting, ...own].map(({ text }) => uncounted(text)))];
}

/** Whether a row has another title, and else all that it said. @param {{ row: Element, others: string[] }} known */
function isRenamed(known) {
  if (!known.others.length) return false;
  const said = new Set(textsOfRow(known.row).map(({ text }) => uncounted(text)));
  return known.others.every((text) => said.has(text));
}

/** Whether an element in a row says a text, in as many parts as it likes. @param {Element} row @param {string} text */
function isSaidInParts(row, text) {
  let read = 0;
  for (const element of queryAllIn(row, ':has(> *)')) {
    if (++read > MAX_ROW_NODES) return false;
    const said = textContentOf(element) || '';
    if (said.length <= 2 * MAX_ROW_TEXT && uncounted(cleanText(said)).slice(0, MAX_ROW_TEXT) === text) return true;
  }
  return false;
}

/**
 * The text of a remembered row, if the row still says it; else null.
 * @param {Element} control
 * @returns {string|null}
 */
function textStillSaid(control) {
  const known = rowOfControl.get(control);
  if (!known) return null;
  if (!known.row.isConnected || !isIn(known.row, control)) return null;
  const { row, text, best } = known;
  if (isIn(row, best.node) && saidBy(best.node, best.kind) === known.said) return text;
  if (best.field && isIn(row, best.field) && holdsTyped(best.field, known.typed)) return text;
  const again = textsOfRow(row).find((each) => uncounted(each.text) === text && !isOwn(each, control));
  if (again) {
    rowOfControl.set(control, { ...known, best: again, said: saidBy(again.node, again.kind) });
    return text;
  }
  return isSaidInParts(row, text) || isRenamed(known) ? text : null;
}

/**
 * Sets in which row each control stands that is not the only one of its role and name.
 * @param {Row[]} all rows of a walk
 * @param {Array<{ index: number, part: Part }>} placed those of elements
 */
export function assignRows(all, placed) {
  /** @type {Map<string, number[]>} */
  const equal = new Map();
  /** @type {Element[]} */
  const elements = [];
  for (const { index, part } of placed) {
    const row = all[index];
    if (!(row[ROW.flags] & FLAG.interactive)) continue;
    elements[index] = part.element;
    const key = `${row[ROW.role]} ${row[ROW.name]}`;
    const group = equal.get(key);
    if (group) group.push(index);
    else equal.set(key, [index]);
  }
  /** @type {Map<Element, ListRow>} */
  const rows = new Map();
  /** @type {Map<number, Element>} */
  const found = new Map();
  /** Rows of controls whose row is not known, or is another one now. @type {number[]} */
  const missing = [];
  for (const group of equal.values()) {
    const unknown = group.filter((index) => {
      const said = textStillSaid(elements[index]);
      if (said !== null) all[index][ROW.inRow] = said;
      return said === null;
    });
    missing.push(...unknown);
    if (group.length < 2 || !unknown.length) continue;
    const around = rowsOfEqual(
      group.map((index) => elements[index]),
      rows,
    );
    group.forEach((index, at) => {
      const row = around[at];
      if (row) found.set(index, row);
    });
  }
  const lists = countTexts(rows.values());
  for (const index of missing) {
    const control = elements[index];
    const row = found.get(index);
    const listed = row && rows.get(row);
    const counts = listed && lists.get(listed.list);
    const best = listed && counts ? identityOfRow(listed, counts, control) : null;
    all[index][ROW.inRow] = best ? uncounted(best.text) : rowNow(control);
    if (row && listed && counts && best) {
      const others = otherTextsOf(listed, best, counts);
      const [text, said] = [uncounted(best.text), saidBy(best.node, best.kind)];
      rowOfControl.set(control, { row, text, best, said, others, typed: typedSoFar() });
    } else rowOfControl.delete(control);
  }
}

/**
 * In which row a control stands now; empty where the last walk found none.
 * @param {Element} control
 */
export function rowNow(control) {
  const known = rowOfControl.get(control);
  if (!known) return '';
  const said = textStillSaid(control);
  if (said !== null) return said;
  const around = known.row.isConnected && flatContains(known.row, control) ? known.row : flatParentOf(control);
  const texts = around ? textsOfRow(around).filter((each) => !isOwn(each, control)) : [];
  const shown = texts.find(({ text }) => /\p{L}{2}/u.test(text) && !TICKS.test(text)) || texts[0];
  return shown ? uncounted(shown.text) : 'without a text';
}
