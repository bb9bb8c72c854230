// Sensitive fields: passwords never leave the page. Payment card numbers, one-time codes and content that a page marks
// as private leave it only for callers that request it.

import { attr, closest, idOf, matches, queryAllIn, textContentOf } from '../dom/access.js';
import { isEditingHost, referencedElements, tagOf } from '../dom/elements.js';
import { namingLabelsOf } from '../dom/labels.js';
import { cleanText } from '../dom/text.js';
import {
  ABOUT_PASSWORDS,
  CARD_WORDS,
  CODE_WORDS,
  CVC_WORDS,
  EXPIRY_WORDS,
  PASSWORD_WORDS,
  PIN_WORDS,
  plainWords,
} from './field_words.js';
import { PRIVATE_INPUT_SELECTOR, isInPrivate, isPaintedAsDots, privacy } from './private_content.js';
import { notePasswordField, showsPassword } from './shown_passwords.js';

/** @import { Secrecy } from './private_content.js' */
/** @import { Part } from '../tree/part.js' */

/**
 * Inputs that have been password fields, with their name: one that shows its password stays a password field.
 * @type {WeakMap<Element, string>}
 */
const formerPasswords = new WeakMap();

/** The names of a field in its source. @param {Element} element */
const sourceName = (element) => `${attr(element, 'name')} ${idOf(element)} ${attr(element, 'autocomplete')}`;

/** Input types that accept typed text. */
const TYPED_INPUT = /^(text|tel|number|search|month)$/;

/** The secrecy of a control's value. @param {any} element @returns {Secrecy} */
export function secrecyOf(element) {
  const tag = tagOf(element);
  if (tag !== 'input' && tag !== 'select' && tag !== 'textarea' && !isEditingHost(element)) return '';
  if (tag === 'input') {
    const { type } = element;
    if (type === 'password') {
      formerPasswords.set(element, sourceName(element));
      notePasswordField(element);
      return 'password';
    }
    if (!TYPED_INPUT.test(type)) return '';
    if (type === 'text' && formerPasswords.get(element) === sourceName(element)) return 'password';
    if (type === 'text' && showsPassword(element)) {
      formerPasswords.set(element, sourceName(element));
      return 'password';
    }
  }
  const named = secrecyByName(element);
  if (named) return named;
  if (tag !== 'select' && (isPaintedAsDots(getComputedStyle(element)) || isOneOfBoxes(element))) return 'private';
  return closest(element, PRIVATE_INPUT_SELECTOR) ? 'private' : '';
}

/** Whether a field is sensitive, or in private content. @param {Element} field */
export const isSecret = (field) => secrecyOf(field) !== '' || isInPrivate(field);

/**
 * Tokens of `autocomplete` (HTML §4.10.18.7.1) which declare that a field holds no secret, regardless of its name.
 */
const HARMLESS_AUTOCOMPLETE = new RegExp(
  [
    String.raw`(^|\s)(name|honorific-prefix|given-name|additional-name|family-name|nickname|username|`,
    String.raw`organization|organization-title|street-address|address-\S+|country|country-name|`,
    String.raw`postal-code|transaction-\S+|language|bday\S*|sex|url|photo|tel\S*|email|impp)$`,
  ].join(''),
);

/** Results by the names of a field: each is judged once. @type {Map<string, Secrecy|'expiry'>} */
const knownVerdicts = new Map();

/** @param {any} element @returns {Secrecy} */
function secrecyByName(element) {
  const given = (attr(element, 'autocomplete') || '').trim().toLowerCase();
  if (/(^|\s)(cc-\S+|one-time-code)(\s|$)/.test(given)) return 'private';
  const declared = tagOf(element) !== 'select' && /(?:^|\s)(current|new)-password(?:\s|$)/.exec(given);
  if (declared && (declared[1] === 'current' || !isCalledOtherwise(element))) return 'password';
  if (HARMLESS_AUTOCOMPLETE.test(given)) return '';
  const found = classifyField(element);
  if (found === 'expiry') return isInCardForm(element) ? 'private' : '';
  return found === 'password' && (tagOf(element) !== 'input' || element.type !== 'text') ? '' : found;
}

/** Around the field of a list of choices, by the classes of libraries. */
const LIST_FIELD = '[role=combobox], [class*=select i], [class*=combobox i], [class*=autocomplete i]';

/**
 * Whether it is the field of a list, and a person is told of something else than a password: libraries declare a new one
 * so that browsers offer no earlier entries (Selectize).
 * @param {any} element
 */
const isCalledOtherwise = (element) =>
  closest(element, LIST_FIELD) !== null &&
  (/\p{L}/u.test(attr(element, 'aria-label') || '') || namingLabelsOf(element).length > 0) &&
  !classifyField(element);

/** @param {any} element @returns {Secrecy|'expiry'} */
export function classifyField(element) {
  const names = namesIn(element);
  const known = knownVerdicts.get(names);
  if (known !== undefined) return known;
  if (knownVerdicts.size > 5000) knownVerdicts.clear();
  const found = classifyNames(names);
  knownVerdicts.set(names, found);
  return found;
}

/** @param {string} names one per line @returns {Secrecy|'expiry'} */
function classifyNames(names) {
  const all = names.split('\n').filter(Boolean).map(plainWords);
  if (
    all.some(
      (words) => CODE_WORDS.test(words) || CARD_WORDS.test(words) || CVC_WORDS.test(words) || PIN_WORDS.test(words),
    )
  )
    return 'private';
  if (all.some((words) => PASSWORD_WORDS.test(words)) && !all.some((words) => ABOUT_PASSWORDS.test(words)))
    return 'password';
  return all.some((words) => EXPIRY_WORDS.test(words)) ? 'expiry' : '';
}

/** All names of a field, one per line. @param {any} element */
function namesIn(element) {
  const names = ['name', 'id', 'aria-label', 'placeholder', 'title', 'data-stripe'].map(
    (each) => attr(element, each) || '',
  );
  for (const other of [...namingLabelsOf(element), ...referencedElements(element, 'aria-labelledby')])
    names.push(cleanText(textContentOf(other) || ''));
  if (names.slice(2).every((name) => !name)) names.push(cleanText(textBefore(element)));
  return names.map((name) => name.slice(0, 80)).join('\n');
}

/** A short text before a field, or in the table cell before its own. @param {Element} element */
function textBefore(element) {
  const cell = closest(element, 'td, th, dd');
  for (const node of [element.previousSibling, element.previousElementSibling, cell && cell.previousElementSibling]) {
    const text = node ? textContentOf(node) || '' : '';
    if (/\S/.test(text)) return text.length <= 80 ? text : '';
  }
  return '';
}

/**
 * Nearby fields of the same form.
 * @param {any} element
 * @returns {Iterable<any>}
 */
const formOf = (element) =>
  queryAllIn(
    element.form || closest(element, 'form, fieldset, section, dialog, [role=dialog], body') || element,
    'input, select',
  );

/** Whether another field of the same form accepts a card's number or code. @param {any} element */
function isInCardForm(element) {
  for (const other of formOf(element)) {
    if (other === element || other.type === 'hidden') continue;
    const names = `${attr(other, 'name')}\n${namesIn(other)}`.split('\n').map(plainWords);
    if (
      /cc-(number|csc)/.test(attr(other, 'autocomplete') || '') ||
      names.some((words) => CARD_WORDS.test(words) || CVC_WORDS.test(words))
    )
      return true;
  }
  return false;
}

/** Accepts one character. */
const ONE_CHARACTER =
  ['text', 'tel', 'number', 'password'].map((type) => `input[type=${type}][maxlength="1"]`).join(', ') +
  ', input:not([type])[maxlength="1"]';

/** Whether it is one of 4 to 8 single-character boxes: a code. More than 8 are a puzzle. @param {any} element */
function isOneOfBoxes(element) {
  if (!matches(element, ONE_CHARACTER)) return false;
  if (queryAllIn(element.ownerDocument.documentElement, ONE_CHARACTER).length > 12) return false;
  let around = element.parentElement;
  for (let step = 0; around && step < 5; step++, around = around.parentElement) {
    const count = queryAllIn(around, ONE_CHARACTER).length;
    if (count >= 4) return count <= 8;
  }
  return false;
}

/**
 * The secrecy of what a part shows; empty if the caller has requested private content.
 * @param {Part} part
 * @returns {Secrecy}
 */
export function secrecyOfPart(part) {
  const secrecy = secrecyOf(part.element) || (part.isPrivate ? 'private' : '');
  return secrecy === 'private' && privacy.revealed ? '' : secrecy;
}

/** Whether a control has content. @param {any} element */
export const isFilled = (element) =>
  isEditingHost(element) ? /\S/.test(textContentOf(element) || '') : Boolean(element.value);

/** Controls that are named by their surroundings, not by their content. @param {any} element */
export function isField(element) {
  const tag = tagOf(element);
  return (
    tag === 'select' ||
    tag === 'textarea' ||
    isEditingHost(element) ||
    (tag === 'input' && !/^(button|submit|reset|image)$/.test(element.type))
  );
}
