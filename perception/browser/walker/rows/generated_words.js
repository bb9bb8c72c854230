// Generated words in lines of text: what style sheets put before and after what an element contains.

import { attr, firstElementChildOf } from '../dom/access.js';
import { cleanText } from '../dom/text.js';
import { writtenCounter } from '../semantics/counters.js';
import { isDrawnAsIcons } from '../semantics/icon_fonts.js';
import { markerWords, paintedWords } from '../semantics/generated_content.js';
import { paintStyleOf } from '../visibility/paint_style.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { Part } from '../tree/part.js' */

/** The number of a list's item that its author gives, and nobody can count. @param {Part} part */
function numberGiven({ element, tag, display, parent }) {
  if (tag !== 'li' || display !== 'list-item') return '';
  const isFirst = parent !== null && parent.tag === 'ol' && firstElementChildOf(parent.element) === element;
  const given = attr(element, 'value') || (isFirst ? attr(parent.element, 'start') : null);
  const number = parseInt(given || '', 10);
  const { listStyleType } = getComputedStyle(element);
  return Number.isNaN(number) || /^(none|disc|circle|square)$/.test(listStyleType)
    ? ''
    : `${writtenCounter(number, listStyleType)}.`;
}

/**
 * The generated words of a part that a person reads, with spaces around those that are a separate word. An icon is none.
 * @param {Part} part
 * @param {'::before'|'::after'|'::marker'} pseudo
 * @returns {string} empty for none
 */
export function readGenerated(part, pseudo) {
  const isMarker = pseudo === '::marker';
  const made = isMarker ? { text: markerWords(part) || numberGiven(part), apart: true } : paintedWords(part, pseudo);
  if (!made || !cleanText(made.text) || part.opacity < 0.05 || paintStyleOf(part).invisible) return '';
  if (isMarker && (part.hidden || !/[\p{L}\p{N}]/u.test(made.text))) return ''; // a bullet
  if (isDrawnAsIcons(made.text, getComputedStyle(part.element, pseudo))) return '';
  return made.apart ? ` ${made.text} ` : made.text;
}

/** Width of a letter and height of a line, of the font's size: usual for Latin text. */
const LETTER_WIDTH = 0.5;
const LINE_HEIGHT = 1.2;

/**
 * The estimated box of generated words. A pseudo-element tells its position to nobody; most are in one line at the start
 * or end of their element.
 * @param {Part} part
 * @param {'::before'|'::after'|'::marker'} pseudo
 * @param {string} words
 * @param {Rect} around box of the part
 * @returns {Rect}
 */
export function generatedBox(part, pseudo, words, around) {
  const style = getComputedStyle(part.element, pseudo);
  const size = parseFloat(style.fontSize) || 16;
  const width = Math.min(words.trim().length * size * LETTER_WIDTH, around[2] - around[0]);
  const height = Math.min(size * LINE_HEIGHT, around[3] - around[1]);
  const { textAlign } = style;
  const room = around[2] - around[0] - width;
  const isAtEnd = /right|end/.test(textAlign) !== (style.direction === 'rtl' && !/left|right/.test(textAlign));
  const left = around[0] + (textAlign.includes('center') ? room / 2 : isAtEnd ? room : 0);
  const top = pseudo === '::after' ? around[3] - height : around[1];
  return [left, top, left + width, top + height];
}
