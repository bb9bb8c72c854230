// CSS counters (CSS Lists 3 §4): the numbers that style sheets put before headings, items and figures.
//
// No interface of the browser tells the value of a counter, so the painted tree is counted once in a walk, when the
// first counter is asked for.

import { attr } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { Part } from '../tree/part.js';
import { AFTER, BEFORE } from './generated_places.js';

/** @typedef {Map<string, number[]>} Counters the values of each counter, outermost first */

/** A value that belongs to one place: of an element, of what is before its content, or after it. */
const PLACES = { '': 'own', '::before': 'before', '::after': 'after', '::marker': 'own' };

/** The counters of one walk of the painted tree. */
export class CounterIndex {
  /**
   * @param {Part} root
   * @param {(element: Element) => number} placesOf where an element may have generated words
   */
  constructor(root, placesOf) {
    this.placesOf = placesOf;
    /** @type {Counters} */
    this.values = new Map();
    /** The counters that were made among the children of each open element. @type {Array<Set<string>>} */
    this.scopes = [new Set()];
    /** By place, where they are not the counters of the place before. @type {Map<Element, Record<string, Counters>>} */
    this.known = new Map();
    this.count(root);
  }

  /** @param {Element} element @param {keyof typeof PLACES} pseudo @returns {Counters} */
  at(element, pseudo) {
    const known = this.known.get(element);
    return (known && known[PLACES[pseudo]]) || new Map();
  }

  /** @param {Part} part */
  count(part) {
    const { element } = part;
    const style = getComputedStyle(element);
    this.change(style, part);
    const where = this.placesOf(element);
    const isItem = part.display === 'list-item';
    /** @type {Record<string, Counters>|null} */
    const found = where || isItem ? {} : null;
    if (found) this.known.set(element, found);
    if (found && isItem) found.own = this.copy();
    this.scopes.push(new Set());
    if (found && where & BEFORE) found.before = this.countPseudo(element, '::before');
    for (const child of part.children) if (child instanceof Part) this.count(child);
    if (found && where & AFTER) found.after = this.countPseudo(element, '::after');
    for (const name of /** @type {Set<string>} */ (this.scopes.pop())) this.list(name).pop();
  }

  /** @param {Element} element @param {'::before'|'::after'} pseudo */
  countPseudo(element, pseudo) {
    const style = getComputedStyle(element, pseudo);
    if (style.content !== 'none' && style.content !== 'normal' && style.display !== 'none') this.change(style, null);
    return this.copy();
  }

  /**
   * Applies what a style does to counters, in the order of the specification.
   * @param {CSSStyleDeclaration} style
   * @param {Part|null} part null for a pseudo-element
   */
  change(style, part) {
    const own = part ? listNumbering(part) : null;
    if (own && own.start !== null) this.reset('list-item', own.start);
    for (const [name, value] of namesAndValues(style.counterReset, 0)) this.reset(name, value);
    for (const [name, value] of namesAndValues(style.counterIncrement, 1)) this.set(name, this.last(name) + value);
    if (own && own.step && !/\blist-item\b/.test(style.counterIncrement))
      this.set('list-item', own.value === null ? this.last('list-item') + own.step : own.value);
    for (const [name, value] of namesAndValues(style.counterSet, 0)) this.set(name, value);
  }

  /** @param {string} name @param {number} value */
  reset(name, value) {
    const scope = this.scopes[this.scopes.length - 1];
    if (scope.has(name)) this.list(name).pop();
    scope.add(name);
    this.list(name).push(value);
  }

  /** @param {string} name @param {number} value */
  set(name, value) {
    const values = this.list(name);
    if (values.length) values[values.length - 1] = value;
    else this.reset(name, value);
  }

  /** @param {string} name @returns {number[]} */
  list(name) {
    let values = this.values.get(name);
    if (!values) this.values.set(name, (values = []));
    return values;
  }

  /** @param {string} name */
  last(name) {
    return this.list(name).at(-1) || 0;
  }

  copy() {
    return new Map([...this.values].map(([name, values]) => [name, [...values]]));
  }
}

/** `chapter 0 section 2` as pairs. @param {string} written @param {number} usual @returns {Array<[string, number]>} */
const namesAndValues = (written, usual) =>
  !written || written === 'none'
    ? []
    : [...written.matchAll(/(?:reversed\()?(-?[^\s\d()-][^\s()]*)\)?(?:\s+(-?\d+))?/g)].map(([, name, value]) => [
        name,
        value === undefined ? usual : parseInt(value, 10),
      ]);

/**
 * What lists and their items do to the counter `list-item` by themselves (HTML §15.3.7).
 * @param {Part} part
 * @returns {{start: number|null, step: number, value: number|null}|null}
 */
export function listNumbering({ element, tag, display }) {
  if (tag === 'ol' || tag === 'ul' || tag === 'menu') {
    const list = /** @type {HTMLOListElement} */ (element);
    if (tag !== 'ol') return { start: 0, step: 0, value: null };
    const items = list.reversed ? [...list.children].filter((child) => tagOf(child) === 'li').length : 1;
    const start = parseInt(attr(list, 'start') || '', 10);
    const first = Number.isNaN(start) ? items : start;
    return { start: first - (list.reversed ? -1 : 1), step: 0, value: null };
  }
  if (display !== 'list-item') return null;
  const value = tag === 'li' ? parseInt(attr(element, 'value') || '', 10) : NaN;
  const list = element.parentElement;
  const isReversed = list !== null && tagOf(list) === 'ol' && /** @type {HTMLOListElement} */ (list).reversed;
  return { start: null, step: isReversed ? -1 : 1, value: Number.isNaN(value) ? null : value };
}

/** Roman numerals, largest first. @type {Array<[number, string]>} */
const ROMAN = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const GREEK = 'αβγδεζηθικλμνξοπρστυφχψω';

/**
 * A counter's value in a counter style (CSS Counter Styles 3 §6); other styles are written as decimal numbers.
 * @param {number} value
 * @param {string} style
 */
export function writtenCounter(value, style) {
  const lower = style.replace('upper-', 'lower-');
  const written = lowerCounter(value, lower);
  return lower === style ? written : written.toUpperCase();
}

/** @param {number} value @param {string} style */
function lowerCounter(value, style) {
  if (/^(disc|circle|square|none|disclosure-open|disclosure-closed)$/.test(style)) return '';
  if (style === 'decimal-leading-zero') return `${value < 0 ? '-' : ''}${String(Math.abs(value)).padStart(2, '0')}`;
  if (style === 'lower-roman' && value > 0 && value < 4000) return romanOf(value);
  if (/^lower-(alpha|latin)$/.test(style) && value > 0) return lettersOf(value, LATIN);
  if (style === 'lower-greek' && value > 0) return lettersOf(value, GREEK);
  return String(value);
}

/** @param {number} value */
function romanOf(value) {
  let left = value,
    said = '';
  for (const [worth, letters] of ROMAN) for (; left >= worth; left -= worth) said += letters;
  return said;
}

/** `a`, …, `z`, `aa`. @param {number} value @param {string} letters */
function lettersOf(value, letters) {
  let said = '';
  for (let left = value; left > 0; left = Math.floor((left - 1) / letters.length))
    said = letters[(left - 1) % letters.length] + said;
  return said;
}
