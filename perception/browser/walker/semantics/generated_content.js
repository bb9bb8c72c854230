// Generated content: the words that a style sheet puts before and after an element (CSS Generated Content 3).
//
// Reading the computed style of a pseudo-element costs 2 to 5 µs, twice for each element, and few elements have generated
// words. Once the style sheets of a tree are read, only elements that share a class, id, attribute or tag with a
// generating selector are checked; but reading a rule costs 4 to 16 µs (Chromium 156), and some sheets have thousands. So
// elements are checked for as long as that costs less than the reading would have.

import { attr, hasAttr, idOf, styleSheetsOf, treeRootOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { isClippedAway } from '../layout/clips.js';
import { cleanText, isZeroWidth } from '../dom/text.js';
import { partOf } from '../tree/part.js';
import { colorOf } from '../visibility/colors.js';
import { colorContrasts } from '../visibility/paint_style.js';
import { CounterIndex, writtenCounter } from './counters.js';
import { AFTER, BEFORE } from './generated_places.js';
import { isIconLetter, leavesOut } from './icon_fonts.js';
import { quotationMark } from './quotation_marks.js';
import { countRules, rulesOf } from './sheet_rules.js';

/** @import { Counters } from './counters.js' */
/** @import { Part } from '../tree/part.js' */

/**
 * The requirements of selectors on the element they end with: one key for each, so that an element without any of the
 * keys is ruled out.
 */
export class SelectorKeys {
  constructor() {
    /** Some selector can end with any element. */
    this.any = false;
    /** @type {Set<string>} */
    this.classes = new Set();
    /** @type {Set<string>} */
    this.tags = new Set(['q']); // quotation marks, by the user-agent style sheet
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
    for (const name of this.attributes) if (hasAttr(element, name)) return true;
    return false;
  }

  /** @param {string} selector */
  add(selector) {
    const [, name, id, attribute, tag] = COMPOUND_KEY.exec(lastCompound(selector)) || [];
    if (name) this.classes.add(name.replace(/\\(.)/g, '$1'));
    else if (id) this.ids.add(id.replace(/\\(.)/g, '$1'));
    else if (attribute) this.attributes.add(attribute);
    else if (tag) this.tags.add(tag.toLowerCase());
    else this.any = true;
  }
}

/** A class, else an id, else an attribute, else a tag, at any position. */
const COMPOUND_KEY =
  /^(?:[^.]*\.((?:[\w-]|\\.|[^\0-\x7f])+)|[^#]*#((?:[\w-]|\\.|[^\0-\x7f])+)|[^[]*\[([\w-]+)|([a-z][\w-]*))/i;

/**
 * What a selector requires of the element itself. Values and functions are removed first, which only loosens it.
 * @param {string} selector
 */
function lastCompound(selector) {
  const bare = selector
    .replace(/::?(?:before|after)\b.*$/, '')
    .replace(/\[\s*([\w-]+)[^\]]*\]/g, '[$1]')
    .replace(/:[\w-]+\((?:[^()]|\([^()]*\))*\)/g, '');
  return bare.slice(bare.search(/[^\s>+~]*$/));
}

/** @typedef {{before: SelectorKeys, after: SelectorKeys}} Generators */
/** By tree, for one walk of the page. @type {Map<Node, Generators>} */
const keysByRoot = new Map();

/** Elements without generated words, for one walk of the page: names and lines of text both ask. */
const wordless = {
  /** @type {WeakSet<Element>} */
  before: new WeakSet(),
  /** @type {WeakSet<Element>} */
  after: new WeakSet(),
};

/** Forgets what holds for one walk of the page. */
export function forgetGenerated() {
  keysByRoot.clear();
  wordless.before = new WeakSet();
  wordless.after = new WeakSet();
}

/**
 * The same across walks, with its inputs.
 * @type {WeakMap<Node, {parts: string[][], keys: Generators}>}
 */
const knownKeys = new WeakMap();

/** Reading one rule costs as much as checking so many elements. */
const CHECKS_PER_RULE = 2;

/**
 * How many elements of a tree were checked, and after how many its style sheets are read.
 * @type {WeakMap<Node, {done: number, worth: number}>}
 */
const checksByRoot = new WeakMap();

/**
 * @param {Element} element
 * @returns {number} where it may have words, BEFORE and AFTER it; 0 if it certainly has none
 */
export function generatedPlaces(element) {
  const root = treeRootOf(element);
  let keys = keysByRoot.get(root);
  if (!keys) {
    if (!isWorthReading(root)) return BEFORE | AFTER;
    keys =
      root instanceof Document || root instanceof ShadowRoot
        ? keysOf(root)
        : { before: new SelectorKeys(), after: new SelectorKeys() };
    keysByRoot.set(root, keys);
  }
  return (keys.before.mayFit(element) ? BEFORE : 0) | (keys.after.mayFit(element) ? AFTER : 0);
}

/** Whether to read the style sheets of a tree now, rather than check one more of its elements. @param {Node} root */
function isWorthReading(root) {
  let checks = checksByRoot.get(root);
  if (!checks) {
    const sheets = root instanceof Document || root instanceof ShadowRoot ? styleSheetsOf(root) : [];
    checks = { done: 0, worth: CHECKS_PER_RULE * sheets.reduce((sum, sheet) => sum + countRules(sheet), 0) };
    checksByRoot.set(root, checks);
  }
  return checks.done++ >= checks.worth;
}

/** @param {Document|ShadowRoot} root @returns {Generators} */
function keysOf(root) {
  const parts = styleSheetsOf(root).map((sheet) => rulesOf(sheet).generating);
  const known = knownKeys.get(root);
  if (known && known.parts.length === parts.length && known.parts.every((part, index) => part === parts[index]))
    return known.keys;
  const keys = { before: new SelectorKeys(), after: new SelectorKeys() };
  for (const selector of parts.flat()) (/:before\b/.test(selector) ? keys.before : keys.after).add(selector);
  knownKeys.set(root, { parts, keys });
  return keys;
}

/** @typedef {{text: string, apart: boolean}} Words generated words, and whether they form a separate word */

/** Counters of one walk of the page, and how many generated words with counters its names have left out. */
export const counting = {
  /** @type {CounterIndex|null} */
  index: null,
  leftOut: 0,
};

/**
 * The generated words that are part of a name: all but counters (Chromium 156).
 * @param {Element} element
 * @param {'::before'|'::after'} pseudo
 * @returns {Words|null} null for none
 */
export function generatedText(element, pseudo) {
  const style = styleWithWords(element, pseudo);
  if (!style) return null;
  if (style.content.includes('counter')) counting.leftOut++;
  const words = wordsOf(element, style, null);
  if (words && words.text && leavesOut(words.text, element, pseudo)) words.text = ' ';
  return words;
}

/**
 * The generated words that a person reads, with counters.
 * @param {Part} part
 * @param {'::before'|'::after'} pseudo
 * @returns {Words|null} null for none
 */
export function paintedWords({ element }, pseudo) {
  const style = styleWithWords(element, pseudo);
  if (style && isClippedAway(style, style.position)) return null; // words for assistive technology alone
  return style && wordsOf(element, style, style.content.includes('counter') ? countersAt(element, pseudo) : null);
}

/**
 * The style of a pseudo-element that has content.
 * @param {Element} element
 * @param {'::before'|'::after'} pseudo
 */
function styleWithWords(element, pseudo) {
  const without = pseudo === '::before' ? wordless.before : wordless.after;
  if (without.has(element)) return null;
  const style = getComputedStyle(element, pseudo);
  const { content } = style;
  if (content && content !== 'none' && content !== 'normal') return style;
  without.add(element);
  return null;
}

/**
 * The words of a list item's marker that its author wrote; empty for the usual bullets and numbers.
 * @param {Part} part
 */
export function markerWords({ element, display }) {
  if (display !== 'list-item') return '';
  const style = getComputedStyle(element, '::marker');
  const { content } = style;
  if (content === 'none') return '';
  if (content !== 'normal') return textOfContent(element, style, countersAt(element, '::marker'));
  const type = getComputedStyle(element).listStyleType;
  return type.startsWith('"') ? unescaped(type.slice(1, -1)) : '';
}

/** @param {Element} element @param {'::before'|'::after'|'::marker'} pseudo */
function countersAt(element, pseudo) {
  if (counting.index === null) {
    let top = partOf.get(element);
    while (top && top.parent) top = top.parent;
    if (!top) return null;
    counting.index = new CounterIndex(top, generatedPlaces);
  }
  return counting.index.at(element, pseudo);
}

/**
 * @param {Element} element
 * @param {CSSStyleDeclaration} style of the pseudo-element
 * @param {Counters|null} counters null leaves counters out
 * @returns {Words|null}
 */
function wordsOf(element, style, counters) {
  const { content, display } = style;
  if (display === 'none' || style.visibility !== 'visible') return null;
  const written = textOfContent(element, style, counters);
  if (written && cleanText(written) && isInvisibleText(element, style)) return null;
  const text = isIconLetter(element, style, written) ? '' : written;
  return {
    text: withGaps(text, style),
    apart:
      (display !== 'inline' && !isStrut(style, text)) ||
      (text !== '' && content.includes('" / "')) ||
      content.startsWith('url('),
  };
}

/** What makes up the width of a box in a line. */
const WIDTHS = ['width', 'marginLeft', 'marginRight', 'paddingLeft', 'paddingRight'];

/** Whether a box with such a text takes no room in its line. @param {any} style @param {string} text */
const isStrut = (style, text) =>
  (!text || isZeroWidth(text)) &&
  (/^(absolute|fixed)$/.test(style.position) ||
    (style.display.startsWith('inline') && WIDTHS.every((each) => !parseFloat(style[each]))));

/** Least space around generated words that parts them from others, over the font size. Chosen by hand. */
const MIN_GAP = 0.1;

/** The words with spaces where the style of the pseudo-element has them. @param {string} text @param {CSSStyleDeclaration} style */
function withGaps(text, style) {
  if (!/^[\p{L}\p{N}]|[\p{L}\p{N}]$/u.test(text)) return text;
  const least = MIN_GAP * parseFloat(style.fontSize);
  const isBefore = parseFloat(style.marginInlineStart) + parseFloat(style.paddingInlineStart) > least;
  const isAfter = parseFloat(style.marginInlineEnd) + parseFloat(style.paddingInlineEnd) > least;
  return `${isBefore && /^[\p{L}\p{N}]/u.test(text) ? ' ' : ''}${text}${isAfter && /[\p{L}\p{N}]$/u.test(text) ? ' ' : ''}`;
}

/**
 * Whether the generated words are invisible by the pseudo-element's own style.
 * @param {Element} element
 * @param {CSSStyleDeclaration} style of the pseudo-element
 */
function isInvisibleText(element, style) {
  if (parseFloat(style.opacity) < 0.05 || parseFloat(style.fontSize) < 2 || parseFloat(style.textIndent) < -999)
    return true;
  const fill = colorOf(style.webkitTextFillColor),
    ground = colorOf(style.backgroundColor);
  if (!fill || !ground || style.textShadow !== 'none') return false;
  if (fill[3] < 0.05 && !style.backgroundClip.includes('text')) return true;
  const part = partOf.get(element);
  return (
    part !== undefined &&
    ground[3] === 0 &&
    style.backgroundImage === 'none' &&
    style.position === 'static' &&
    !colorContrasts(fill, part)
  );
}

/**
 * The words of a `content` value as CSSOM serializes it; the text after a slash replaces the visible one.
 * @param {Element} element
 * @param {CSSStyleDeclaration} style of the pseudo-element
 * @param {Counters|null} counters null leaves counters out
 */
function textOfContent(element, { content, quotes }, counters) {
  let said = '';
  for (const [token, quoted] of content.matchAll(
    /"((?:[^"\\]|\\.)*)"|\/|[a-z-]+(?:\((?:"(?:[^"\\]|\\.)*"|[^)"])*\))?/g,
  )) {
    if (quoted !== undefined) said += unescaped(quoted);
    else if (token === '/') said = '';
    else if (token.startsWith('counter')) said += counters ? textOfCounter(token, counters) : '';
    else if (/^(open|close)-quote$/.test(token)) said += quotationMark(element, quotes, token === 'close-quote');
  }
  return said;
}

/** @param {string} text inside the quotation marks of a CSS string */
const unescaped = (text) =>
  text.replace(/\\([0-9a-f]{1,6}) ?|\\(.)/gi, (_, code, char) =>
    code ? String.fromCodePoint(parseInt(code, 16)) : char,
  );

/**
 * @param {string} written `counter(name)`, `counter(name, style)`, `counters(name, "separator", style)`
 * @param {Counters} counters
 */
function textOfCounter(written, counters) {
  const [, many, name, separator = '', style = 'decimal'] =
    /^counter(s?)\(\s*([^\s,)]+)\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?(?:,\s*([\w-]+)\s*)?\)$/.exec(written) || [];
  if (!name) return '';
  const values = counters.get(name) || [];
  const shown = many ? values : values.slice(-1);
  return (shown.length ? shown : [0]).map((value) => writtenCounter(value, style)).join(unescaped(separator));
}
