// Which elements of one tree have which traits, by position in document order.

import { attr, attributeNamesOf, matches, parentNodeOf, queryAll } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { endsOf } from './counters.js';
import { MAX_VALUE, STABILITY, classesIn, hasEnds, isDescribing, keyOf } from './traits.js';

/** @import { Trait } from './traits.js' */

/**
 * A selector within one tree. `above`: the container that the selector begins with, if any; `own`: the rest, null for
 * one child step. `traits`: those that whatever the selector, or its rest, matches must have; `held`: a trait of
 * something inside of whatever it matches.
 * @typedef {{ css: string, sure: number, why: string, above?: { holder: Element, found: Found }, own?: string|null,
 *   traits?: Trait[], held?: Trait }} Found
 */

/** @type {number[]} */
const NONE = [];

/** Up to so many elements are matched one by one: a query of the whole tree takes as long. */
const FEW = 20;

/** Index of the traits of one tree's elements, by position in document order. */
export class Index {
  /** @param {Document|ShadowRoot} root */
  constructor(root) {
    this.root = root;
    /** @type {Element[]} */
    this.elements = queryAll(root, '*');
    /** @type {Map<Node, number>} */
    this.order = new Map();
    /** The position of the last descendant of each element. */
    this.end = new Int32Array(this.elements.length);
    /** @type {Map<string, number[]>} */
    this.places = new Map();
    /** Cached answers. @type {Map<string, number[]>} */
    this.sought = new Map();
    /** Keys that differ only in case, by the key in lower case. @type {Map<string, string[]>|null} */
    this.spellings = null;
    this.elements.forEach((element, at) => this.add(element, at));
    for (let at = this.elements.length - 1; at >= 0; at--) {
      this.end[at] = Math.max(this.end[at], at);
      const above = this.order.get(parentNodeOf(this.elements[at]));
      if (above !== undefined) this.end[above] = Math.max(this.end[above], this.end[at]);
    }
  }

  /** @param {Element} element @param {number} at */
  add(element, at) {
    this.order.set(element, at);
    this.put(tagOf(element), at);
    for (const name of attributeNamesOf(element)) {
      if (name === 'class') for (const key of classesIn(attr(element, name) || '').keys) this.put(key, at);
      else if (isDescribing(name)) {
        const value = attr(element, name) || '';
        if (value.length > MAX_VALUE) continue;
        this.put(keyOf(name, value), at);
        if (hasEnds(name)) for (const end of endsOf(value)) this.put(keyOf(`${name}$`, end), at);
      }
    }
  }

  /** @param {string} key @param {number} at */
  put(key, at) {
    const there = this.places.get(key);
    if (there) there.push(at);
    else this.places.set(key, [at]);
  }

  /**
   * Positions of the elements with a tag and all of these traits.
   * @param {string} tag empty for any
   * @param {Trait[]} traits two at most
   * @returns {number[]}
   */
  having(tag, traits) {
    if (!traits.length) return this.places.get(tag) || NONE;
    if (traits.length === 1) {
      const all = this.places.get(traits[0].key) || NONE;
      if (!tag || (all.length === 1 && tagOf(this.elements[all[0]]) === tag)) return all;
    }
    const key = traits.length === 1 ? `${tag} ${traits[0].key}` : `${tag} ${traits[0].key} ${traits[1].key}`;
    let found = this.sought.get(key);
    if (!found) this.sought.set(key, (found = this.seek(tag, traits)));
    return found;
  }

  /** @param {string} tag @param {Trait[]} traits */
  seek(tag, traits) {
    const lists = traits.map(({ key }) => this.places.get(key) || NONE);
    const [first, ...rest] = lists.sort((a, b) => a.length - b.length);
    return first.filter(
      (at) => (!tag || tagOf(this.elements[at]) === tag) && rest.every((list) => list[countUpTo(list, at) - 1] === at),
    );
  }

  /**
   * Positions of all elements that a selector with this trait can match. It may match others than those that have the
   * trait: CSS ignores the case of some attributes (HTML §4.16.2) and, in quirks mode, that of ids and classes.
   * @param {Trait} trait
   * @returns {number[]} in no order
   */
  matchable({ key }) {
    if (!this.spellings) {
      this.spellings = new Map();
      for (const each of this.places.keys()) {
        const lower = each.toLowerCase();
        if (lower === each) continue;
        const there = this.spellings.get(lower);
        if (there) there.push(each);
        else this.spellings.set(lower, [each]);
      }
    }
    const lower = key.toLowerCase();
    const others = this.spellings.get(lower);
    if (!others) return this.places.get(key) || NONE;
    return [...new Set([lower, ...others].flatMap((each) => this.places.get(each) || NONE))];
  }

  /**
   * Whether a selector matches only this element, below a container if one is given.
   * @param {string} css
   * @param {Element} element
   * @param {Trait[]} traits without which it matches nothing
   * @param {Element|null} holder
   */
  isAlone(css, element, traits, holder) {
    const whole = traits.filter((trait) => !trait.isEnd); // others may end alike that the index does not know
    const places = whole.map((trait) => this.matchable(trait)).sort((a, b) => a.length - b.length)[0];
    if (!places || places.length > FEW) return isAlone(queryAll(holder || this.root, css), element);
    const from = holder ? /** @type {number} */ (this.order.get(holder)) : -1;
    const to = holder ? this.end[from] : this.elements.length;
    return (
      matches(element, css) &&
      places.every((at) => at <= from || at > to || this.elements[at] === element || !matches(this.elements[at], css))
    );
  }

  /**
   * Whether a selector matches only this element, by something that is inside of it.
   * @param {string} css
   * @param {Element} element
   * @param {Trait} held without which it matches nothing
   */
  isAloneByHeld(css, element, held) {
    const places = this.matchable(held);
    if (held.isEnd || places.length > FEW) return isAlone(queryAll(this.root, css), element);
    const holders = new Set();
    for (const at of places)
      for (let node = parentNodeOf(this.elements[at]); node instanceof Element; node = parentNodeOf(node))
        holders.add(node);
    holders.delete(element);
    return matches(element, css) && ![...holders].some((each) => matches(each, css));
  }

  /**
   * How many of these sorted positions are inside the element at a position.
   * @param {number[]} places
   * @param {number} holder
   */
  inside(places, holder) {
    return countUpTo(places, this.end[holder]) - countUpTo(places, holder);
  }
}

/**
 * How many of the ascending numbers are not above a limit.
 * @param {number[]} numbers
 * @param {number} limit
 */
function countUpTo(numbers, limit) {
  let low = 0,
    high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A selector from some of an element's traits, or its tag alone; other matches are found on demand. */
export class Candidate {
  /** @type {number[]|null} */
  #places = null;
  /** @type {Found|null} */
  #found = null;

  /**
   * @param {Index} index
   * @param {Element} element
   * @param {Trait[]} traits
   */
  constructor(index, element, traits) {
    this.index = index;
    this.element = element;
    this.traits = traits;
  }

  /** All matches, in order. @returns {number[]} */
  get places() {
    if (!this.#places) this.#places = this.index.having(needsTag(this.traits) ? tagOf(this.element) : '', this.traits);
    return this.#places;
  }

  get found() {
    if (!this.#found) this.#found = writeSelector(this.element, this.traits);
    return this.#found;
  }
}

/** Traits that need no tag in the selector. @param {Trait[]} traits */
export const needsTag = (traits) => !traits.some(({ why }) => why === 'id' || why === 'test id');

/**
 * @param {Element} element
 * @param {Trait[]} traits
 * @returns {Found}
 */
export function writeSelector(element, traits) {
  const tag = needsTag(traits) ? escapedTag(element) : '';
  if (!traits.length) return { css: tag, sure: STABILITY.only, why: 'position' };
  const sure = traits.length === 1 ? traits[0].sure : Math.min(...traits.map((each) => each.sure)) * 0.97;
  return {
    css: tag + traits.map((each) => each.css).join(''),
    sure,
    why: traits.map((each) => each.why).join(' + '),
    traits,
  };
}

/** @type {Map<string, string>} */
const escapedTags = new Map();

/** An element's tag as CSS. @param {Element} element */
export function escapedTag(element) {
  const tag = tagOf(element);
  let escaped = escapedTags.get(tag);
  if (escaped === undefined) {
    escaped = CSS.escape(tag);
    if (escapedTags.size > 5000) escapedTags.clear();
    escapedTags.set(tag, escaped);
  }
  return escaped;
}

/** Elements without meaning: another one may be inserted anywhere. */
export const PLAIN_TAGS = /^(?:div|span|li|tr|td|p|i|b)$/;

/** What they contain is laid out freely: a deployment inserts other parts between its parts. */
const FREE_TAGS = /^(?:body|main|form|article)$/;

/** Whether an element without meaning is one of the parts of a page. @param {Element} element @param {Element} above */
export const isFreelyPlaced = (element, above) => PLAIN_TAGS.test(tagOf(element)) && FREE_TAGS.test(tagOf(above));

/**
 * Its tag, and its number among the siblings with that tag.
 * @param {Element} element
 * @param {Element[]} alike
 */
export function writePlace(element, alike) {
  const tag = escapedTag(element);
  return alike.length === 1 ? tag : `${tag}:nth-of-type(${alike.indexOf(element) + 1})`;
}

/** @param {Element[]} found @param {Element} element */
export const isAlone = (found, element) => found.length === 1 && found[0] === element;
