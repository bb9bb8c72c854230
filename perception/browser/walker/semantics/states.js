// States and values: checked, expanded, disabled, the text in a field.

import { attr, hasAttr, matches } from '../dom/access.js';
import { isDisabled, isEditingHost, isSummary, isTickBox, tagOf } from '../dom/elements.js';
import { readableText } from '../dom/text.js';
import { tellingLabel } from './option_labels.js';
import { rangeOf, shownValue, showsItsValue } from './shown_values.js';

const RANGED = new Set(['meter', 'progressbar', 'scrollbar', 'slider', 'spinbutton']);

/** Roles of fields that `readonly` keeps from being typed into; it does nothing to a checkbox (HTML §4.10.5.3.3). */
const TYPED = /^(?:textbox|searchbox|combobox|spinbutton)$/;

/**
 * The current value in the page's own words. sensitive_fields.js decides whether it may be revealed; a password never
 * may.
 * @param {any} element
 * @param {string} role
 */
export function valueOf(element, role) {
  const tag = tagOf(element);
  if (tag === 'input') {
    if (/^(button|submit|reset|image|checkbox|radio|hidden|password)$/.test(element.type)) return '';
    if (element.type === 'file') return [...element.files].map((file) => file.name).join(', ');
    return element.value;
  }
  if (tag === 'textarea') return element.value;
  if (tag === 'select') return [...element.selectedOptions].map((option) => tellingLabel(option, element)).join(', ');
  if (tag === 'progress' || tag === 'meter') return hasAttr(element, 'value') ? String(element.value) : '';
  if (isEditingHost(element)) return editedText(element);
  if (showsItsValue(element, role)) return shownValue(element);
  return RANGED.has(role) ? attr(element, 'aria-valuetext') || attr(element, 'aria-valuenow') || '' : '';
}

/** What an editing host contains, line by line, as a textarea's value: with the spaces that are painted. @param {HTMLElement} element */
const editedText = (element) =>
  (element.innerText || '')
    .split('\n')
    .map((line) =>
      readableText(line)
        .replace(/[^\S\t]/g, ' ')
        .trimEnd(),
    )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');

/** Whether an element is checked or not, by its role or because the page says so. @param {Element} element @param {string} role */
export const isCheckable = (element, role) =>
  /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role) || hasAttr(element, 'aria-checked');

/** Whether it is checked or not, and says so to nobody. @param {Element} element @param {string} role */
export const isUntold = (element, role) =>
  isCheckable(element, role) && !hasAttr(element, 'aria-checked') && tagOf(element) !== 'input';

/**
 * @param {any} element
 * @param {string} role
 * @param {Element|null} focused
 * @returns {string[]}
 */
export function statesOf(element, role, focused) {
  const states = [];
  const aria = (/** @type {string} */ name) => attr(element, `aria-${name}`);
  if (isDisabled(element)) states.push('disabled');
  const isTick = isTickBox(element);
  if (isTick ? element.indeterminate : aria('checked') === 'mixed' || aria('pressed') === 'mixed') states.push('mixed');
  else if (isTick ? element.checked : aria('checked') === 'true') states.push('checked');
  const popover =
    hasAttr(element, 'popovertarget') && /^(button|input)$/.test(tagOf(element)) ? element.popoverTargetElement : null;
  if (tagOf(element) === 'summary' && isSummary(element))
    states.push(element.parentElement.open ? 'expanded' : 'collapsed');
  else if (aria('expanded') === 'true') states.push('expanded');
  else if (aria('expanded') === 'false') states.push('collapsed');
  else if (popover) states.push(matches(popover, ':popover-open') ? 'expanded' : 'collapsed');
  if (aria('selected') === 'true' || (tagOf(element) === 'option' && element.selected)) states.push('selected');
  if (aria('pressed') === 'true') states.push('pressed');
  if (aria('current') && aria('current') !== 'false') states.push('current');
  if (element.required || aria('required') === 'true') states.push('required');
  if ((element.readOnly && TYPED.test(role)) || aria('readonly') === 'true') states.push('readonly');
  if (aria('invalid') && aria('invalid') !== 'false') states.push('invalid');
  if (aria('haspopup') && aria('haspopup') !== 'false') states.push('haspopup');
  const sort = aria('sort');
  if (sort === 'ascending' || sort === 'descending') states.push(`sort=${sort}`);
  if (role === 'listbox' && tagOf(element) === 'select' ? element.multiple : aria('multiselectable') === 'true')
    states.push('multiselectable');
  const range = RANGED.has(role) || tagOf(element) === 'input' ? rangeOf(element, role) : '';
  if (range) states.push(`range=${range}`);
  if (role === 'heading') states.push(`level=${aria('level') || (/^h([1-6])$/.exec(tagOf(element)) || [0, 2])[1]}`);
  if (role === 'dialog' && (aria('modal') === 'true' || matches(element, ':modal'))) states.push('modal');
  if (element === focused) states.push('focused');
  return states;
}
