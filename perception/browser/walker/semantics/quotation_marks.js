// Quotation marks that the browser generates (CSS Generated Content 4, 3.3).

import { attr, closest, parentNodeOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';

/** Marks of the first level and of those within it, opening and closing. */
const USUAL_MARKS = '“”‘’';

/**
 * Marks by language, as Chromium 156 paints them for `quotes: auto` (read from its accessibility tree); others have the
 * usual ones.
 * @type {Array<[string, string]>}
 */
const MARKS = [
  ['am fa', '«»‹›'],
  ['ar ur', '”“’‘'],
  ['bg lt', '„“„“'],
  ['ca el it pt-pt', '«»“”'],
  ['cs de et hr sk sl', '„“‚‘'],
  ['fi he sv', '””’’'],
  ['fr', '«»«»'],
  ['fr-ca', '«»”“'],
  ['fr-ch', '«»‹›'],
  ['hu', '„”»«'],
  ['ja zh-hant', '「」『』'],
  ['nb nn no', '«»‘’'],
  ['nl ti-er', '‘’‘’'],
  ['pl ro', '„”«»'],
  ['ru uk', '«»„“'],
  ['sr', '„”’’'],
];

/** @type {Map<string, string>} */
const marksByLanguage = new Map(
  MARKS.flatMap(([languages, marks]) => languages.split(' ').map((language) => [language, marks])),
);

/**
 * The mark that stands for `open-quote` or `close-quote` in what an element generates.
 * @param {Element} element
 * @param {string} quotes computed value
 * @param {boolean} isClosing
 */
export function quotationMark(element, quotes, isClosing) {
  if (quotes === 'none') return '';
  const given = quotes === 'auto' ? null : [...quotes.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, mark]) => mark);
  const marks = given || [...marksOfLanguage(element)];
  const level = Math.min(levelOfQuote(element), marks.length / 2 - 1);
  return (marks[2 * level + (isClosing ? 1 : 0)] || '').replace(/\\(.)/g, '$1');
}

/** How many quotations an element is in. @param {Element} element */
function levelOfQuote(element) {
  let level = 0;
  for (let above = parentNodeOf(element); above instanceof Element; above = parentNodeOf(above))
    if (tagOf(above) === 'q') level++;
  return level;
}

/** The marks are those of the text around the quotation. @param {Element} element */
function marksOfLanguage(element) {
  const around = element.parentElement && closest(element.parentElement, '[lang]');
  const language = ((around && attr(around, 'lang')) || '').toLowerCase();
  return marksByLanguage.get(language) || marksByLanguage.get(language.split('-')[0]) || USUAL_MARKS;
}
