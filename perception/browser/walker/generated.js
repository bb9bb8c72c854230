// Generated content: the words that a style sheet puts before and after an element (CSS Generated Content 3).
//
// Asking for the computed style of a pseudo-element costs 2 µs, twice for each element of a name. Few elements have any:
// on a page with many names only those are asked about that share a class, id, attribute or tag with a selector that generates words.

/** What selectors ask of the element they end with: one thing of each, so that an element without any of them is out. */
class Keys {
  constructor() {
    /** Some selector ends with what could be any element. */
    this.any = false;
    /** @type {Set<string>} */
    this.classes = new Set();
    /** @type {Set<string>} */
    this.tags = new Set(['q']); // quotation marks, by the browser's own style sheet
    /** @type {Set<string>} */
    this.ids = new Set();
    /** @type {Set<string>} */
    this.attributes = new Set();
  }

  /** @param {Element} element */
  mayFit(element) {
    if (this.any || this.tags.has(tagOf(element))) return true;
    if (this.classes.size) {
      const names = attr(element, 'class');
      if (names) for (const name of names.split(/\s+/)) if (this.classes.has(name)) return true;
    }
    if (this.ids.size && this.ids.has(idOf(element))) return true;
    for (const name of this.attributes) if (has(element, name)) return true;
    return false;
  }

  /** @param {string} selector of a pseudo-element */
  add(selector) {
    const [, name, id, attribute, tag] = KEY.exec(lastCompound(selector)) || [];
    if (name) this.classes.add(name.replace(/\\(.)/g, '$1'));
    else if (id) this.ids.add(id.replace(/\\(.)/g, '$1'));
    else if (attribute) this.attributes.add(attribute);
    else if (tag) this.tags.add(tag.toLowerCase());
    else this.any = true;
  }
}

/** A class, else an id, else an attribute, else a tag, wherever each stands. */
const KEY = /^(?:[^.]*\.((?:[\w-]|\\.|[^\0-\x7f])+)|[^#]*#((?:[\w-]|\\.|[^\0-\x7f])+)|[^[]*\[([\w-]+)|([a-z][\w-]*))/i;

/** What a selector asks of the element itself; less is asked once values and functions are left out. @param {string} selector */
function lastCompound(selector) {
  const bare = selector.replace(/::?(?:before|after)\b.*$/, '').replace(/\[\s*([\w-]+)[^\]]*\]/g, '[$1]').replace(/:[\w-]+\((?:[^()]|\([^()]*\))*\)/g, '');
  return bare.slice(bare.search(/[^\s>+~]*$/));
}

/** By style sheet, with the number of its rules: another number of rules, another answer. @type {WeakMap<CSSStyleSheet, {rules: number, selectors: string[]}>} */
const generating = new WeakMap();

/** @typedef {{before: Keys, after: Keys}} Generators */
/** By tree, for one look at the page. @type {Map<Node, Generators>} */
let generators = new Map();

/** The same from look to look, with what it was made of. @type {WeakMap<Node, {parts: string[][], keys: Generators}>} */
const made = new WeakMap();

/** Reading the rules of large style sheets takes as long as asking about so many elements. */
const WORTH_READING = 1000;

let asked = 0;

const BEFORE = 1, AFTER = 2;

/** @param {Element} element @returns {number} where it may have words, BEFORE and AFTER it; 0 where it surely has none */
function generates(element) {
  if (asked < WORTH_READING) {
    asked++;
    return BEFORE | AFTER;
  }
  const root = rootOf(element);
  let keys = generators.get(root);
  if (!keys) {
    keys = root instanceof Document || root instanceof ShadowRoot ? keysOf(root) : { before: new Keys(), after: new Keys() };
    generators.set(root, keys);
  }
  return (keys.before.mayFit(element) ? BEFORE : 0) | (keys.after.mayFit(element) ? AFTER : 0);
}

/** @param {Document|ShadowRoot} root @returns {Generators} */
function keysOf(root) {
  const parts = sheetsOf(root).map(selectorsOf);
  const known = made.get(root);
  if (known && known.parts.length === parts.length && known.parts.every((part, index) => part === parts[index])) return known.keys;
  const keys = { before: new Keys(), after: new Keys() };
  for (const selector of parts.flat()) (/:before\b/.test(selector) ? keys.before : keys.after).add(selector);
  made.set(root, { parts, keys });
  return keys;
}

/** Another origin's style sheet: nobody may read it. */
const UNREADABLE = ['*::before', '*::after'];

/** @type {string[]} */
const NOTHING = [];

/** @param {CSSStyleSheet} sheet @returns {string[]} selectors of what it generates words for */
function selectorsOf(sheet) {
  if (sheet.disabled) return NOTHING;
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return UNREADABLE;
  }
  const known = generating.get(sheet);
  if (known && known.rules === rules.length) return known.selectors;
  /** @type {string[]} */
  const selectors = [];
  collect(rules, selectors);
  generating.set(sheet, { rules: rules.length, selectors });
  return selectors;
}

/** @param {any} rules @param {string[]} selectors gets those that generate words */
function collect(rules, selectors) {
  for (const rule of rules) {
    const selector = rule.selectorText;
    if (selector !== undefined && /:(?:before|after)\b/.test(selector) && saysSomething(rule.style.content)) {
      selectors.push(...selector.split(/,(?![^([]*[)\]])/).filter((/** @type {string} */ each) => /:(?:before|after)\b/.test(each)));
    }
    if (rule.styleSheet) selectors.push(...selectorsOf(rule.styleSheet));
    else if (rule.cssRules && rule.cssRules.length) collect(rule.cssRules, selectors);
  }
}

/** @param {string} content as a rule has it */
const saysSomething = (content) => content !== '' && !/^(?:""|''|none|normal|inherit|initial|unset)$/.test(content);

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
  if (text && tidy(text) && isWithoutInk(element, style)) return null;
  return { text, apart: display !== 'inline' || (text !== '' && content.includes('" / "')) || content.startsWith('url(') };
}

/** Nobody sees the words that are generated, as the element's own style tells. @param {Element} element @param {CSSStyleDeclaration} style of the pseudo-element */
function isWithoutInk(element, style) {
  if (parseFloat(style.opacity) < 0.05 || parseFloat(style.fontSize) < 2 || parseFloat(style.textIndent) < -999) return true;
  const fill = colourOf(style.webkitTextFillColor), ground = colourOf(style.backgroundColor);
  if (!fill || !ground || style.textShadow !== 'none') return false;
  if (fill[3] < 0.05 && !style.backgroundClip.includes('text')) return true;
  const part = partOf.get(element);
  return part !== undefined && ground[3] === 0 && style.backgroundImage === 'none' && style.position === 'static' && !differsFrom(fill, part);
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
