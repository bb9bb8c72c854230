// What style sheets say that no computed style does: which elements they generate words for, and what they reveal while
// the pointer is over something. Each sheet is read once, for all of it: reading a rule costs 4 to 16 µs (Chromium 156).

/**
 * A rule that reveals something while the pointer is over an element.
 * @typedef {{trigger: string, revealed: string}} HoverRule
 */

/** @typedef {{generating: string[], hovering: HoverRule[]}} SheetRules */

/**
 * By style sheet, with its number of rules: a different number invalidates the entry.
 * @type {WeakMap<CSSStyleSheet, {rules: number, found: SheetRules}>}
 */
const rulesBySheet = new WeakMap();

/** Lists of more rules are not searched for rules inside rules: to do that costs as much as to read them. */
const MAX_LISTED_RULES = 100;

/** A style sheet of another origin, which cannot be read: it may generate words for any element. @type {SheetRules} */
const UNREADABLE = { generating: ['*::before', '*::after'], hovering: [] };

/** @type {SheetRules} */
const NO_RULES = { generating: [], hovering: [] };

/**
 * About how many rules a style sheet or a rule holds, in few steps.
 * @param {any} holder
 * @returns {number} 0 also for a style sheet of another origin, which cannot be read
 */
export function countRules(holder) {
  let rules;
  try {
    rules = holder.styleSheet ? holder.styleSheet.cssRules : holder.cssRules;
  } catch {
    return 0;
  }
  if (!rules) return 0;
  if (rules.length > MAX_LISTED_RULES) return rules.length;
  return [...rules].reduce((sum, rule) => sum + countRules(rule), rules.length);
}

/** @param {CSSStyleSheet} sheet @returns {SheetRules} */
export function rulesOf(sheet) {
  if (sheet.disabled) return NO_RULES;
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return UNREADABLE;
  }
  const known = rulesBySheet.get(sheet);
  if (known && known.rules === rules.length) return known.found;
  /** @type {SheetRules} */
  const found = { generating: [], hovering: [] };
  collectRules(rules, found);
  rulesBySheet.set(sheet, { rules: rules.length, found });
  return found;
}

/** @param {any} rules @param {SheetRules} found receives what they say */
function collectRules(rules, found) {
  for (const rule of rules) {
    const selector = rule.selectorText;
    if (selector !== undefined && /:(?:before|after)\b/.test(selector) && hasContentWords(rule.style.content)) {
      found.generating.push(
        ...splitSelectors(selector).filter((/** @type {string} */ each) => /:(?:before|after)\b/.test(each)),
      );
    } else if (selector !== undefined && selector.includes(':hover') && isRevealing(rule.style)) {
      for (const each of splitSelectors(selector)) {
        const hover = hoverRuleOf(each.trim());
        if (hover) found.hovering.push(hover);
      }
    }
    if (rule.styleSheet) {
      const inner = rulesOf(rule.styleSheet);
      found.generating.push(...inner.generating);
      found.hovering.push(...inner.hovering);
    } else if (rule.cssRules && rule.cssRules.length) collectRules(rule.cssRules, found);
  }
}

/** @param {string} selectors @returns {string[]} */
const splitSelectors = (selectors) => selectors.split(/,(?![^([]*[)\]])/);

/** @param {string} content as written in a rule */
const hasContentWords = (content) => content !== '' && !/^(?:""|''|none|normal|inherit|initial|unset)$/.test(content);

/** Whether a rule may show what was hidden. @param {CSSStyleDeclaration} style */
const isRevealing = (style) =>
  (style.display !== '' && style.display !== 'none') ||
  style.visibility === 'visible' ||
  parseFloat(style.opacity) > 0 ||
  parseFloat(style.maxHeight) > 0 ||
  parseFloat(style.height) > 0;

/** `.menu:hover > .list` as a rule; null where what is hovered over is what is styled. @param {string} selector */
function hoverRuleOf(selector) {
  const [, before = '', after = '', beyond = ''] =
    /^([^:]*(?::(?!hover)[^:]*)*):hover([^\s>+~]*)(\s*[\s>+~].*)$/.exec(selector) || [];
  if (!beyond.trim() || /[(:]hover|::/.test(beyond) || before.includes('(')) return null;
  const trigger = `${before}${after}`.trim();
  return trigger && !trigger.startsWith('&') ? { trigger, revealed: `${trigger}${beyond}` } : null;
}
