// What a row of a list says: its texts and pictures, the labels that its author gave, what style sheets write in it, and
// what its fields hold.

import { attr, closest, parentNodeOf, queryAllIn, queryIn } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { UNREAD_TEXTS, cleanText } from '../dom/text.js';
import { walks } from '../layout/viewport.js';
import { isInPrivate } from '../privacy/private_content.js';
import { secrecyOf } from '../privacy/sensitive_fields.js';
import { generatedPlaces } from '../semantics/generated_content.js';
import { AFTER, BEFORE } from '../semantics/generated_places.js';
import { partOf } from '../tree/part.js';
import { readGenerated } from './generated_words.js';

/** @typedef {'text'|'field'|'label'|'::before'|'::after'} Kind */

/**
 * One thing that a row says. `place` is how many of its kind stand before it, in words; `field` is the field or editor
 * that holds it.
 * @typedef {{ text: string, node: Node, kind: Kind, place: string, field: Element|null, isTitle: boolean,
 *   isActing: boolean }} RowText
 */

/** Characters of a text; texts that are read of a row, and nodes to find them. Chosen by hand. */
export const MAX_ROW_TEXT = 120;
export const MAX_ROW_NODES = 300;
const MAX_ROW_TEXTS = 30;

const TITLE_TEXTS = 'h1, h2, h3, h4, h5, h6, th, [role=heading], [role=rowheader], a[href]';

/** What shows a state or takes input: its words may change while the row stays. */
const ACTING_TEXTS =
  'button, select, label, [role=button], [role=switch], [role=tab], [role=menuitem], [role=status], [role=timer]';

const BUTTONS = /^(button|submit|reset)$/;

/** Input types whose value is words. */
const WORDED = /^(text|search|email|url|tel)$/;

/** What a field shows; empty for other elements and for secrets. @param {any} element */
function fieldText(element) {
  const tag = tagOf(element);
  if (tag === 'select')
    return secrecyOf(element) ? '' : [...element.selectedOptions].map(({ label }) => label).join(', ');
  if (tag === 'textarea' || (tag === 'input' && WORDED.test(element.type)))
    return secrecyOf(element) ? '' : element.value;
  return tag === 'input' && BUTTONS.test(element.type) ? element.value : '';
}

/** What a node says now. @param {any} node @param {Kind} kind @returns {string} */
export function saidBy(node, kind) {
  if (kind === 'field') return fieldText(node);
  if (kind === 'label') return attr(node, 'aria-label') || '';
  if (kind === 'text') return (node instanceof Element ? attr(node, 'alt') : node.data) || '';
  const part = partOf.get(node);
  return part ? readGenerated(part, kind) : '';
}

/** What a node of a row may say, in order. @param {Node} node @returns {Kind[]} */
function kindsOf(node) {
  if (!(node instanceof Element)) return ['text'];
  /** @type {Kind[]} */
  const kinds = tagOf(node) === 'img' ? ['text', 'label'] : ['field', 'label'];
  const places = generatedPlaces(node);
  if (places & BEFORE) kinds.push('::before');
  if (places & AFTER) kinds.push('::after');
  return kinds;
}

/** The field or editor that an element is in, or is. @param {Element} holder */
const fieldAround = (holder) =>
  /^(input|select|textarea)$/.test(tagOf(holder))
    ? holder
    : closest(holder, '[contenteditable]:not([contenteditable=false])');

/** What speaks to screen readers as things happen. */
const LIVE_TEXTS = '[aria-live]:not([aria-live=off]), [role=alert], [role=log]';

/** What shows a value: the words in it, and a number beside it that is the value, are its state. */
const VALUE_PARTS =
  '[role=slider], [role=spinbutton], [role=meter], [role=progressbar], [role=scrollbar], meter, progress';
const NUMBERED_PARTS = `${VALUE_PARTS}, input[type=range], input[type=number]`;

/** The values that a row shows, as numbers. @param {Element} row @returns {Set<number>} */
function valuesIn(row) {
  const values = new Set();
  for (const each of [...queryAllIn(row, NUMBERED_PARTS)].slice(0, MAX_ROW_TEXTS)) {
    const value = attr(each, 'aria-valuenow') ?? /** @type {any} */ (each).value;
    if (value !== undefined && value !== '') values.add(Number(value));
  }
  return values;
}

/** Whether a text says a value. @param {string} text @param {Element} holder @param {Set<number>} values */
const saysValue = (text, holder, values) =>
  closest(holder, VALUE_PARTS) !== null || (values.size > 0 && /^[-+\d.]+$/.test(text) && values.has(Number(text)));

/**
 * Whether a person never sees the texts of an element, or they come and go as messages do: no such text tells a row.
 * @param {Element} holder
 * @param {Element|null} live the first element in the row that speaks as things happen
 */
function isPassing(holder, live) {
  const speaker = live && closest(holder, LIVE_TEXTS);
  if (speaker && live && (speaker === live || !Node.prototype.contains.call(speaker, live))) return true;
  const part = partOf.get(holder);
  if (!part) return !holder.checkVisibility();
  if (part.hidden || part.opacity < 0.05) return true;
  if (part.clip) part.clip.rect(walks.count);
  return part.clip !== null && part.clip.thin;
}

/**
 * What a row says, in document order; private things, secrets and what nobody sees are left out.
 * @param {Element} row
 * @returns {RowText[]}
 */
export function textsOfRow(row) {
  const walker = Document.prototype.createTreeWalker.call(
    document,
    row,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
  );
  /** @type {RowText[]} */
  const found = [];
  /** @type {Map<Kind, number>} */
  const counts = new Map();
  const live = queryIn(row, LIVE_TEXTS);
  const values = valuesIn(row);
  let read = 0;
  for (let node = /** @type {Node|null} */ (row); node && found.length < MAX_ROW_TEXTS; node = walker.nextNode()) {
    if (++read > MAX_ROW_NODES) break;
    for (const kind of kindsOf(node)) {
      const text = cleanText(saidBy(node, kind)).slice(0, MAX_ROW_TEXT);
      const holder = node instanceof Element ? node : parentNodeOf(node);
      if (!text || !(holder instanceof Element) || isInPrivate(node)) continue;
      if (kind !== 'field' && closest(holder, UNREAD_TEXTS)) continue;
      if (kind === 'text' && isPassing(holder, live)) continue;
      if (kind !== 'label' && kind !== 'field' && saysValue(text, holder, values)) continue;
      const before = counts.get(kind) || 0;
      counts.set(kind, before + 1);
      found.push({
        text,
        node,
        kind,
        place: `${kind} ${before}`,
        field: fieldAround(holder),
        isTitle: closest(holder, TITLE_TEXTS) !== null,
        isActing: closest(holder, ACTING_TEXTS) !== null || BUTTONS.test(/** @type {any} */ (holder).type || ''),
      });
    }
  }
  return found;
}
