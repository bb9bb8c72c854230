// Values that are painted as text: what a combobox, a read-only textbox or a progress bar by role shows.

import { attr, hasAttr, nodeTypeOf, queryIn } from '../dom/access.js';
import { isEditingHost, tagOf } from '../dom/elements.js';
import { flatChildrenOf } from '../dom/flat_tree.js';
import { cleanText } from '../dom/text.js';
import { isPaintedAsDots, isWithheld, privacy } from '../privacy/private_content.js';
import { textOf } from './names.js';

/** What is in a field and is not its value: other fields, buttons, the list that it opens. */
const BESIDE_VALUE =
  'input, select, textarea, button, dialog, [role=button], [role=dialog], [role=grid], [role=listbox], [role=tree]';

/** Roles whose value is their text, unless their author says it. */
const SHOW_VALUES = new Set(['combobox', 'listbox', 'meter', 'progressbar', 'searchbox', 'spinbutton', 'textbox']);

/**
 * Whether the value of an element by role is the text that it shows.
 * @param {Element} element
 * @param {string} role
 */
export function showsItsValue(element, role) {
  if (!SHOW_VALUES.has(role) || NATIVE_FIELDS.test(tagOf(element)) || isEditingHost(element)) return false;
  if (role === 'listbox') return !queryIn(element, '[role=option]'); // one that shows its choice, as a combobox
  return !attr(element, 'aria-valuetext') && !attr(element, 'aria-valuenow');
}

const NATIVE_FIELDS = /^(input|select|textarea|progress|meter)$/;

/** The words that an element shows in place of a native value. @param {Element} element */
export function shownValue(element) {
  if (isWithheld(element)) return '';
  return cleanText(wordsIn(element));
}

/** @param {Element} element @returns {string} */
function wordsIn(element) {
  const style = getComputedStyle(element);
  if (!privacy.revealed && isPaintedAsDots(style)) {
    privacy.withheld++;
    return '';
  }
  // What it owns is the list that it opens.
  if (!queryIn(element, BESIDE_VALUE) && !hasAttr(element, 'aria-owns')) return textOf(element);
  let words = '';
  for (const child of flatChildrenOf(element)) {
    if (nodeTypeOf(child) === Node.TEXT_NODE) words += /** @type {Text} */ (child).data;
    else if (child instanceof Element && !Element.prototype.matches.call(child, BESIDE_VALUE) && isInValue(child))
      words += ` ${wordsIn(child)} `;
  }
  return words;
}

/** @param {Element} element */
const isInValue = (element) =>
  attr(element, 'aria-hidden') !== 'true' &&
  Element.prototype.checkVisibility.call(element, { visibilityProperty: true });

/** A number as its author wrote it; empty for anything else. @param {string|null} text */
const numberIn = (text) => (text && Number.isFinite(Number(text)) ? text.trim() : '');

/** ARIA 1.2 §6.6: where these begin and end if their author says nothing. */
const DEFAULT_RANGES = new Set(['slider', 'scrollbar', 'progressbar', 'meter']);

/** Native ranges that end at 1 by default. @type {Record<string, string>} */
const NATIVE_ENDS = { progress: '1', meter: '1' };

/**
 * The range of a slider's value, `1..14`, or `1..14 step 2`; that of other values if it is not the usual one; of a
 * number, date or time what its author limits it to: `1..10`, `2026-01-01..`.
 * @param {Element} element
 * @param {string} role
 * @returns {string} empty if there is none
 */
export function rangeOf(element, role) {
  const tag = tagOf(element);
  if (tag === 'input') {
    if (role !== 'slider') return inputLimits(/** @type {HTMLInputElement} */ (element));
    const step = numberIn(attr(element, 'step'));
    return `${rangeBetween(element, '', '100')}${step && step !== '1' ? ` step ${step}` : ''}`;
  }
  if (NATIVE_ENDS[tag])
    return hasAttr(element, 'value') ? unlessUsual(rangeBetween(element, '', NATIVE_ENDS[tag])) : '';
  if (DEFAULT_RANGES.has(role)) {
    const range = rangeBetween(element, 'aria-value', '100');
    return role === 'slider' || (hasAttr(element, 'aria-valuenow') && !attr(element, 'aria-valuetext'))
      ? role === 'slider'
        ? range
        : unlessUsual(range)
      : '';
  }
  if (role !== 'spinbutton' || !hasAttr(element, 'aria-valuemin') || !hasAttr(element, 'aria-valuemax')) return '';
  return rangeBetween(element, 'aria-value', '');
}

/** Types of inputs that their author may limit. */
const LIMITED = /^(number|date|datetime-local|month|time|week)$/;

/** @param {HTMLInputElement} input */
function inputLimits(input) {
  if (!LIMITED.test(input.type)) return '';
  const ends = ['min', 'max'].map((name) => (attr(input, name) || '').trim());
  const [least, most] = ends.map((end) => (/^[\d.eE+-][\dTW:.eE+-]*$/.test(end) ? end : ''));
  return least || most ? `${least}..${most}` : '';
}

/** @param {string} range */
const unlessUsual = (range) => (range === '0..100' ? '' : range);

/** @param {Element} element @param {string} prefix of its attributes @param {string} end if its author says nothing */
const rangeBetween = (element, prefix, end) =>
  `${numberIn(attr(element, `${prefix}min`)) || '0'}..${numberIn(attr(element, `${prefix}max`)) || end}`;
