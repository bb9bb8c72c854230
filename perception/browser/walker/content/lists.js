// Lists and their items: each item with the number that is painted in front of it, or else with its marker's words.

import { cleanText, readableText } from '../dom/text.js';
import { isWithin } from '../dom/flat_tree.js';
import { listNumbering, writtenCounter } from '../semantics/counters.js';
import { markerWords } from '../semantics/generated_content.js';
import { isTextWithheld } from '../privacy/private_content.js';
import { Part } from '../tree/part.js';

/** @import { Reader } from './reader.js' */

/** @param {Part} part */
const isListItem = ({ role, tag }) => role === 'listitem' || role === 'treeitem' || tag === 'li';

/** @param {Part} part @returns {Part[]} its items, without those of lists in it */
const itemsOf = (part) =>
  part.children.flatMap((child) =>
    !(child instanceof Part) || child.role === 'list' ? [] : isListItem(child) ? [child] : itemsOf(child),
  );

/**
 * How the browser writes an item's marker by itself; null where its author does.
 * @param {Part} item
 * @returns {string|null} a counter style; `none` for a picture
 */
function markerStyle({ element }) {
  if (getComputedStyle(element, '::marker').content !== 'normal') return null;
  const { listStyleType, listStyleImage } = getComputedStyle(element);
  if (listStyleType.startsWith('"')) return null;
  return listStyleImage === 'none' ? listStyleType : 'none';
}

/**
 * The counts of items, as the browser writes them: as a number, as letters, or not at all.
 * @param {Part} list
 * @param {Part[]} items
 * @returns {Map<Part, {count: number, written: string}>} without items whose marker is their author's
 */
function countsOf(list, items) {
  const counts = new Map();
  const own = listNumbering(list);
  let count = (own && own.start) || 0;
  for (const item of items) {
    const numbering = listNumbering(item);
    if (!numbering || !numbering.step) continue; // it has no marker
    count = numbering.value === null ? count + numbering.step : numbering.value;
    const style = markerStyle(item);
    if (style !== null) counts.set(item, { count, written: writtenCounter(count, style) });
  }
  return counts;
}

/** What is written in front of an item, unless its list is written with numbers. @param {Reader} reader @param {Part} part */
export function markerOf({ markers, numbers }, part) {
  if (part.display !== 'list-item' || numbers.has(part) || isTextWithheld(part)) return '';
  const known = markers.get(part);
  return known === undefined ? cleanText(readableText(markerWords(part))) : known;
}

/**
 * Writes lists and their items.
 * @param {Reader} reader
 * @param {Part} part
 * @returns {boolean} whether it was one
 */
export function writeListed(reader, part) {
  const { role, element } = part;
  const { holder } = reader;
  if (
    role === 'list' ||
    role === 'tree' ||
    (role === 'group' && holder.tag === 'li' && isWithin(element, '[role=tree]'))
  ) {
    reader.endImplied(/^li$/);
    const isOpen = /^[uo]l$/.test(reader.holder.tag);
    if (isOpen || reader.joined || reader.holders.some(({ tag }) => /^h\d$/.test(tag))) reader.inside(part);
    else writeList(reader, part);
    return true;
  }
  if (!isListItem(part)) return false;
  reader.endImplied(/^li$/);
  const number = reader.numbers.get(part);
  if (!/^[uo]l$/.test(reader.holder.tag)) reader.inside(part);
  else reader.within('li', number === undefined ? '' : ` value="${number}"`, () => reader.inside(part));
  return true;
}

/** @param {Reader} reader @param {Part} part */
function writeList(reader, part) {
  const items = itemsOf(part);
  const counts = countsOf(part, items);
  // A cell has only words, numbers included.
  const isNumbered =
    !reader.isFlat() &&
    items.length > 0 &&
    items.every((item) => counts.get(item)?.written === String(counts.get(item)?.count));
  for (const [item, { count, written }] of counts) {
    if (isNumbered) reader.numbers.set(item, count);
    else reader.markers.set(item, written && `${written}.`);
  }
  reader.within(isNumbered ? 'ol' : 'ul', '', () => reader.inside(part));
}
