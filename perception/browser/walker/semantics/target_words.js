// What stands in a target that its content names, and is none of its words.

import { childNodesOf, hasAttr, matches, textContentOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { hasListener } from '../dom/listeners.js';
import { isBlank } from '../dom/text.js';
import { isCutAway } from '../layout/clips.js';

/** As of what is listed: less is not seen. */
const LEAST_OPACITY = 0.05;

/** Menus that open beside an item of a list, and whose own items are listed each. @type {WeakSet<Element>} */
export const itemMenus = new WeakSet();

/** Whether a menu says nothing but what its items say. @param {Element} menu */
const isAllItems = (menu) => {
  for (const node of childNodesOf(menu)) {
    const isItem = node instanceof Element && tagOf(node) === 'div';
    if (!isItem && !isBlank(node.textContent)) return false;
  }
  return true;
};

/**
 * Whether something in a target is none of its words: it is fully transparent or clipped to nothing, or acts by itself
 * and is no word.
 * @param {Element} child
 * @param {CSSStyleDeclaration} style
 * @param {string} controls a selector
 */
export function isBesideWords(child, style, controls) {
  if (parseFloat(style.opacity) < LEAST_OPACITY || isCutAway(style) || matches(child, controls)) return true;
  if (itemMenus.has(child)) return isAllItems(child);
  const isSymbol = !/[\p{L}\p{N}]/u.test(textContentOf(child) || '');
  return isSymbol && (hasListener(child) || hasAttr(child, 'onclick'));
}
