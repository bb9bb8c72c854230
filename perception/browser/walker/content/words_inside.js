// What is said inside an element that acts: its name says all of it in one, and a person may mean a part.

import { nodeTypeOf } from '../dom/access.js';
import { flatChildrenOf } from '../dom/flat_tree.js';
import { tagOf } from '../dom/elements.js';
import { cleanText, isBlank } from '../dom/text.js';
import { isInPrivate } from '../privacy/private_content.js';

/** What has no painted texts, or says them otherwise. */
const UNREAD = /^(script|style|noscript|template|select|textarea|input|svg|iframe)$/;

/** Pieces of one element. Chosen by hand. */
const MAX_PIECES = 300;

/** A text, or an element whose words are in several parts, and the elements around it, from the outermost inwards.
 * @typedef {{ node: Node, words: string, around: Element[] }} Piece */

/**
 * What an element says, in document order, an element after its parts. Whether a piece is painted is not checked.
 * @param {Element} element
 * @returns {Piece[]}
 */
export function wordsInside(element) {
  /** @type {Piece[]} */
  const pieces = [];
  if (!isInPrivate(element)) readInside(element, [], pieces);
  return pieces;
}

/** @param {Element} element @param {Element[]} above @param {Piece[]} pieces it adds to @returns {string} its words */
function readInside(element, above, pieces) {
  const style = getComputedStyle(element);
  if (UNREAD.test(tagOf(element)) || style.display === 'none' || pieces.length > MAX_PIECES) return '';
  const around = [...above, element];
  let words = '';
  let parts = 0;
  for (const child of flatChildrenOf(element)) {
    let said = '';
    if (nodeTypeOf(child) === Node.TEXT_NODE) {
      said = /** @type {Text} */ (child).data;
      if (!isBlank(said)) pieces.push({ node: child, words: cleanText(said), around });
    } else if (child instanceof Element && !isInPrivate(child)) {
      said = tagOf(child) === 'br' ? '\n' : readInside(child, around, pieces);
    }
    words += said;
    if (!isBlank(said)) parts++;
  }
  if (parts > 1) pieces.push({ node: element, words: cleanText(words), around });
  return style.display.startsWith('inline') ? words : ` ${words} `;
}
