// Generated content: the words that a style sheet puts before and after an element (CSS Generated Content 3).
//
// Asking for the computed style of a pseudo-element costs 2 µs, twice for each element of a name. Most style sheets
// generate for a few selectors or none: elements that none of them fits are not asked about.

/** More selectors than this are dearer to try than the computed style is to ask for. */
const FEW_SELECTORS = 24;

/** By style sheet: selectors of what it generates words for; `*` for one that cannot be read. @type {WeakMap<CSSStyleSheet, {rules: number, selectors: string[]}>} */
const generating = new WeakMap();

/** By tree, for one look at the page: a selector of what has generated words; empty where nothing has. @type {Map<Node, string>} */
let generators = new Map();

/** @param {Element} element @returns {boolean} may have words before or after it */
function isGenerating(element) {
  if (tagOf(element) === 'q') return true; // quotation marks, by the browser's own style sheet
  const root = rootOf(element);
  let selector = generators.get(root);
  if (selector === undefined) {
    selector = generatorOf(/** @type {any} */ (root));
    generators.set(root, selector);
  }
  return selector === '*' || (selector !== '' && fits(element, selector));
}

/** @param {Document|ShadowRoot} root */
function generatorOf(root) {
  const sheets = [...(root.styleSheets || []), ...(root.adoptedStyleSheets || [])];
  const selectors = new Set(sheets.flatMap(selectorsOf));
  // What styles an element from another tree (`::slotted`, `:host`, `::part`) is not found by its selector.
  if (selectors.has('*') || selectors.size > FEW_SELECTORS || root instanceof ShadowRoot && selectors.size) return '*';
  const selector = [...selectors].join(', ');
  try {
    if (selector) document.createDocumentFragment().querySelector(selector);
  } catch {
    return '*'; // a selector that only holds with its pseudo-element
  }
  return selector;
}

/** @param {CSSStyleSheet} sheet @returns {string[]} */
function selectorsOf(sheet) {
  if (sheet.disabled) return [];
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return ['*']; // another origin's
  }
  const known = generating.get(sheet);
  if (known && known.rules === rules.length) return known.selectors;
  /** @type {string[]} */
  const selectors = [];
  collect(rules, selectors);
  generating.set(sheet, { rules: rules.length, selectors });
  return selectors;
}

/** @param {any} rules @param {string[]} selectors gets what they generate words for */
function collect(rules, selectors) {
  for (const rule of rules) {
    if (rule.styleSheet) selectors.push(...selectorsOf(rule.styleSheet));
    const selector = rule.selectorText;
    if (selector !== undefined) {
      if (!/::?(before|after)\b/.test(selector) || !/["'(]|quote/.test(rule.style.content) || /^(""|'')$/.test(rule.style.content)) {
        // Nested rules generate for what this one selects.
        if (rule.cssRules && rule.cssRules.length && /(before|after)\b/.test(rule.cssText)) selectors.push('*');
        continue;
      }
      selectors.push(...selector.split(/,(?![^(]*\))/).filter((/** @type {string} */ each) => /(before|after)\b/.test(each)).map(withoutPseudo));
    } else if (rule.cssRules) collect(rule.cssRules, selectors);
  }
}

/** @param {string} selector @returns {string} that of the element */
const withoutPseudo = (selector) => selector.trim().replace(/(^|[\s>+~])::?(before|after)\b/g, '$1*').replace(/::?(before|after)\b/g, '');

const QUOTES = { 'open-quote': '“', 'close-quote': '”', 'no-open-quote': '', 'no-close-quote': '' };

/**
 * @param {Element} element @param {'::before'|'::after'} pseudo
 * @returns {{text: string, apart: boolean}|null} its words, and whether it stands on its own; null for none
 */
function generated(element, pseudo) {
  const style = getComputedStyle(element, pseudo);
  const content = style.content;
  if (!content || content === 'none' || content === 'normal') return null;
  const display = style.display;
  if (display === 'none' || style.visibility !== 'visible') return null;
  const text = spoken(content);
  return { text, apart: display !== 'inline' || (text !== '' && content.includes('" / "')) || content.startsWith('url(') };
}

/** Strings as CSSOM serialises them; what follows a slash is said instead of what is shown. Counters are not part of names (Chromium 156). @param {string} content */
function spoken(content) {
  let said = '';
  for (const [token, quoted] of content.matchAll(/"((?:[^"\\]|\\.)*)"|\/|[a-z-]+(?:\((?:"(?:[^"\\]|\\.)*"|[^)"])*\))?/g)) {
    if (quoted !== undefined) said += quoted.replace(/\\([0-9a-f]{1,6}) ?|\\(.)/gi, (_, code, char) => (code ? String.fromCodePoint(parseInt(code, 16)) : char));
    else if (token === '/') said = '';
    else said += QUOTES[/** @type {keyof typeof QUOTES} */ (token)] || '';
  }
  return said;
}
