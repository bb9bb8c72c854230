// Names that authors give, compared with what is painted.

import { attr, hasAttr, textContentOf } from '../dom/access.js';
import { isSvg } from '../dom/elements.js';
import { cleanText } from '../dom/text.js';
import { nameOf } from './names.js';
import { formulaBehind } from './raised_text.js';

/**
 * Letters that a name may have beyond the painted text: `(opens in a new window)`, `about the annual report of 2023`.
 */
export const MAX_UNPAINTED_LETTERS = 40;

/** @param {string} text @returns {string[]} its words, normalized for comparison */
const comparedWords = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];

/**
 * Whether a name omits painted text, or has much text that is not painted.
 * @param {string} name
 * @param {string} painted
 */
export function contradicts(name, painted) {
  const shown = comparedWords(painted),
    said = comparedWords(name);
  // A symbol or a single letter is not a word: ×, an avatar's initials. A digit is one: the number of a badge.
  if ((shown.join('').length < 2 && !/[0-9]/.test(shown.join(''))) || isInitials(shown, said)) return false;
  const known = new Set(said),
    whole = said.join('');
  return (
    shown.some((word) => !known.has(word) && !whole.includes(word)) ||
    (shown.join(' ').match(NUMBERS) || []).some((each) => !hasNumber(known, whole, each)) ||
    name.length > painted.length + MAX_UNPAINTED_LETTERS
  );
}

/** The numbers of words with blanks between them, `1 250` as one. */
const NUMBERS = /(?<![\p{L}\p{N}])[0-9]+(?: [0-9]+)*(?![\p{L}\p{N}])/gu;

/**
 * Whether a number is in a name, and not as a part of a longer one.
 * @param {Set<string>} known its words
 * @param {string} whole its words without blanks
 * @param {string} number
 */
const hasNumber = (known, whole, number) =>
  number.split(' ').every((each) => known.has(each)) ||
  new RegExp(`(?<![0-9])${number.replace(/ /g, '')}(?![0-9])`).test(whole);

/** `JD` for Jane Doe. @param {string[]} shown @param {string[]} said */
const isInitials = (shown, said) =>
  shown.length === 1 &&
  shown[0].length <= 3 &&
  said
    .map((word) => word[0])
    .join('')
    .startsWith(shown[0]);

/** One emoji, with what modifies it: it says as much as its name. */
const ONE_EMOJI = /^\p{Emoji_Presentation}[\p{M}\p{Cf}\p{Emoji_Modifier}\ufe0f]*$/u;

/** Limit on the letters of a picture that are compared with its name. */
const MAX_DRAWN_LETTERS = 400;

/**
 * The name of a picture that is drawn with characters: `★★★☆☆` as 3 of 5 stars. Empty for any other. `tells`: the name
 * says all of the characters, and stands for them.
 * @param {Element} element with the role of a picture
 */
export function drawnPicture(element) {
  const text = isSvg(element) || !hasAttr(element, 'role') ? '' : cleanText(textContentOf(element) || '');
  const isNamed = hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby') || attr(element, 'title');
  if (!text || !isNamed || ONE_EMOJI.test(text)) return { name: '', tells: false };
  const name = nameOf(element, 'img');
  return { name, tells: name !== '' && !contradicts(name, text.slice(0, MAX_DRAWN_LETTERS)) };
}

/** A formula as a line of text where an element paints one by other means; empty for none. @param {Element} element */
export function drawnFormula(element) {
  const formula = formulaBehind(element);
  return formula ? nameOf(formula, 'math') : '';
}
