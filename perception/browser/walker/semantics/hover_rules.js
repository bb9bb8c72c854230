// Hover rules: which elements reveal something while the pointer is over them, by the style sheets.

import { matches, queryIn, queryAllIn, styleSheetsOf, textContentOf, treeRootOf } from '../dom/access.js';
import { walks } from '../layout/viewport.js';
import { SelectorKeys } from './generated_content.js';
import { countRules, rulesOf } from './sheet_rules.js';

/** @import { HoverRule } from './sheet_rules.js' */

/**
 * Of a tree with more rules than this, none is read: 4 to 16 µs each (Chromium 156) is more than most pages take to be
 * walked.
 */
const MAX_READ_RULES = 1000;

/** Elements that a rule may reveal for one element, and that are examined. Chosen by hand. */
const MAX_REVEALED = 20;

/** Siblings that a rule may reveal, as far as they are examined. Chosen by hand. */
const MAX_BESIDE = 4;

const SHOWS_SOMETHING = 'a[href], button, input, select, textarea, img, svg, [role]';

/** @typedef {{keys: SelectorKeys, rules: HoverRule[]}} HoverRules */

/**
 * By tree, with the style sheets that they are of, and the walk in which those were compared.
 * @type {WeakMap<Node, {look: number, sheets: CSSStyleSheet[], rules: HoverRules|null}>}
 */
const hoverRules = new WeakMap();

/** @param {Node} root @returns {HoverRules|null} null for none */
function hoverRulesOf(root) {
  if (!(root instanceof Document || root instanceof ShadowRoot)) return null;
  const known = hoverRules.get(root);
  if (known && known.look === walks.count) return known.rules;
  const sheets = styleSheetsOf(root);
  if (known && known.sheets.length === sheets.length && known.sheets.every((sheet, at) => sheet === sheets[at])) {
    known.look = walks.count;
    return known.rules;
  }
  const isMuch = sheets.reduce((sum, sheet) => sum + countRules(sheet), 0) > MAX_READ_RULES;
  const found = isMuch ? [] : sheets.flatMap((sheet) => rulesOf(sheet).hovering);
  const keys = new SelectorKeys();
  for (const { trigger } of found) keys.add(trigger);
  const rules = found.length ? { keys, rules: found } : null;
  hoverRules.set(root, { look: walks.count, sheets, rules });
  return rules;
}

/** Whether something that a person would see or use appears while the pointer is over an element. @param {Element} element */
export function revealsByHover(element) {
  const found = hoverRulesOf(treeRootOf(element));
  if (!found || !found.keys.mayFit(element)) return false;
  return found.rules.some(({ trigger, revealed }) => matches(element, trigger) && isRevealedBy(element, revealed));
}

/** @param {Element} element @param {string} revealed */
function isRevealedBy(element, revealed) {
  let examined = 0;
  for (const each of queryAllIn(element, revealed)) {
    if (++examined > MAX_REVEALED) break;
    if (isHiddenContent(each)) return true;
  }
  let beside = element.nextElementSibling;
  for (let level = 0; beside && level < MAX_BESIDE; level++, beside = beside.nextElementSibling)
    if (matches(beside, revealed) && isHiddenContent(beside)) return true;
  return false;
}

/** Whether it would show something, and is not shown. @param {Element} element */
const isHiddenContent = (element) =>
  !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
  (/\S/.test(textContentOf(element) || '') ||
    matches(element, SHOWS_SOMETHING) ||
    queryIn(element, SHOWS_SOMETHING) !== null);
