// Finds a selector for an element within one tree: by itself, by its content, by its container, by its position.
//
// Rule 1: what the author wrote to identify the element is preferred to its appearance, and that to its position.
// Rule 2: every selector matches only this element at that time. It is either queried, or matched against all elements
// that it can match, or each of its steps is unique within its container.

import { matches, parentNodeOf, queryAll } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { Siblings } from './siblings.js';
import {
  Candidate,
  Index,
  PLAIN_TAGS,
  escapedTag,
  isAlone,
  isFreelyPlaced,
  needsTag,
  writePlace,
  writeSelector,
} from './trait_index.js';
import { STABILITY, readTraits } from './traits.js';

/** @import { Found } from './trait_index.js' */
/** @import { Trait } from './traits.js' */

/** Limit on an element's own traits, best first, that are combined. */
const MAX_OWN = 6;

/** Containers to try as an anchor, nearest first, and how many of these may be identified by content or position. */
const MAX_ANCHORS = 20;
const MAX_ROWS = 5;

/**
 * Limits on descendants that identify an element, on the elements that share such a descendant, and on selectors tried
 * for its container.
 */
const HELD_PARTS = 60;
const HELD_ALIKE = 20;
const SHELLS = 2;

/** Tags that usually occur once. */
const DISTINCTIVE_TAGS =
  /^(?:main|nav|header|footer|aside|form|dialog|table|search|textarea|select|video|canvas|h1|fieldset)$|-/;

/** With more siblings than this, none is identified by its content: evaluating it would take a browser too long. */
const MANY_ALIKE = 100;

/** A less stable element is not an anchor for others. */
const MIN_ANCHOR_STABILITY = 0.2;

/** In a shadow tree, matches elements without a parent element: there is no `:root`. */
export const TOPMOST = ':not(* *)';

/** Stable enough to stop searching. */
const SURE_ENOUGH = 0.88;

/** @param {(Found|null)[]} found @returns {Found[]} the most stable first, the shortest of equal ones */
const mostStable = (found) =>
  found.filter((each) => each !== null).sort((a, b) => b.sure - a.sure || a.css.length - b.css.length);

/** Makes selectors in one tree, while nothing in it changes. */
export class Finder {
  /** @param {Document|ShadowRoot} root */
  constructor(root) {
    this.index = new Index(root);
    /** @type {Map<Element, Trait[]>} */
    this.traits = new Map();
    /** @type {Map<Element, Found|null>} */
    this.alone = new Map();
    /** @type {Map<Element, Found|null>} */
    this.held = new Map();
    /** By the tag of the next step. @type {Map<Element, Map<string, Found>>} */
    this.paths = new Map();
    this.siblings = new Siblings(this.index);
    /** Whether a result matches only one element. @type {Map<Found, boolean>} */
    this.sound = new Map();
    /** Selectors that were shortened without being long. */
    this.eased = 0;
  }

  /**
   * The traits that identify an element, most stable first, without its tag.
   * @param {Element} element
   * @returns {Trait[]}
   */
  traitsOf(element) {
    let traits = this.traits.get(element);
    if (!traits) {
      traits = readTraits(element)
        .sort((a, b) => b.sure - a.sure)
        .slice(0, MAX_OWN);
      this.traits.set(element, traits);
    }
    return traits;
  }

  /**
   * Selectors of an element alone: each trait, then pairs of traits.
   * @param {Element} element
   * @returns {Generator<Candidate>}
   */
  *ways(element) {
    const traits = this.traitsOf(element);
    for (const trait of traits) yield new Candidate(this.index, element, [trait]);
    for (let j = 1; j < traits.length; j++)
      for (let i = 0; i < j; i++) yield new Candidate(this.index, element, [traits[i], traits[j]]);
  }

  /**
   * A selector for an element alone, without its container.
   * @param {Element} element
   * @returns {Found|null} null if others match, too
   */
  byItself(element) {
    let found = this.alone.get(element);
    if (found === undefined) {
      found = this.byTag(element);
      for (const way of this.ways(element))
        if (way.places.length === 1) {
          found = way.found;
          break;
        }
      this.alone.set(element, found);
    }
    return found;
  }

  /**
   * The only element with its tag, if that is meaningful.
   * @param {Element} element
   * @returns {Found|null}
   */
  byTag(element) {
    const tag = tagOf(element);
    if (!DISTINCTIVE_TAGS.test(tag)) return null;
    return this.index.having(tag, []).length === 1
      ? { css: escapedTag(element), sure: STABILITY.role, why: `the only ${tag}` }
      : null;
  }

  /**
   * An element by a descendant that no similar element has: `li:has(a[href="/1"])`.
   * @param {Element} element
   * @returns {Found|null}
   */
  byHeld(element) {
    let found = this.held.get(element);
    if (found === undefined) {
      found = this.lookInside(element);
      this.held.set(element, found);
    }
    return found;
  }

  /** @param {Element} element @returns {Found|null} */
  lookInside(element) {
    const { index } = this;
    const at = /** @type {number} */ (index.order.get(element));
    const shells = [
      { css: escapedTag(element), sure: 1 },
      ...this.traitsOf(element)
        .slice(0, SHELLS)
        .map((trait) => writeSelector(element, [trait])),
    ];
    /** @type {Found|null} */
    let best = null;
    for (let inner = at + 1; inner <= Math.min(index.end[at], at + HELD_PARTS); inner++) {
      const part = index.elements[inner];
      for (const trait of this.traitsOf(part)) {
        const sure = trait.sure * STABILITY.part;
        if (sure < 0.5 || (best && sure <= best.sure)) break;
        const places = index.having(needsTag([trait]) ? tagOf(part) : '', [trait]);
        if (places.length > HELD_ALIKE) continue;
        const isChild = parentNodeOf(part) === element;
        const shell = shells.find((each) => this.isOnlyHolder(element, each.css, places, isChild));
        if (!shell || (best && shell.sure <= best.sure)) continue;
        best = {
          css: `${shell.css}:has(${isChild ? '> ' : ''}${writeSelector(part, [trait]).css})`,
          sure: Math.min(sure, shell.sure),
          why: `what it holds: ${trait.why}`,
          held: trait,
        };
        break;
      }
      if (best && best.sure >= 0.75) break;
    }
    return best;
  }

  /**
   * Whether all elements at these positions are inside no other element that matches the shell.
   * @param {Element} holder
   * @param {string} shell selector of the container
   * @param {number[]} places
   * @param {boolean} asChild whether only parents count
   */
  isOnlyHolder(holder, shell, places, asChild) {
    for (const at of places) {
      for (
        let node = parentNodeOf(this.index.elements[at]);
        node instanceof Element;
        node = asChild ? null : parentNodeOf(node)
      ) {
        if (node !== holder && matches(node, shell)) return false;
      }
    }
    return true;
  }

  /**
   * The containers of an element that can be identified, nearest first.
   * @param {Element} element
   * @returns {Generator<{holder: Element, found: Found}>}
   */
  *anchors(element) {
    let tried = 0;
    for (
      let node = parentNodeOf(element);
      node instanceof Element && tried < MAX_ANCHORS;
      node = parentNodeOf(node), tried++
    ) {
      if (tagOf(node) === 'body' || tagOf(node) === 'html') return;
      const found = this.byItself(node) || (tried < MAX_ROWS ? this.byHeld(node) || this.path(node) : null);
      if (found && found.sure >= MIN_ANCHOR_STABILITY) yield { holder: node, found };
    }
  }

  /**
   * The most stable selector for an element within its containers.
   * @param {Element} element
   * @returns {Found|null}
   */
  within(element) {
    const tag = tagOf(element);
    const ways = [...this.ways(element), new Candidate(this.index, element, [])];
    /** @type {Found|null} */
    let best = null;
    for (const { holder, found: anchor } of this.anchors(element)) {
      const at = /** @type {number} */ (this.index.order.get(holder));
      const way = ways.find((each) => this.index.inside(each.places, at) === 1);
      if (!way) {
        if (anchor.sure >= SURE_ENOUGH) break;
        continue;
      } // outer containers have more similar descendants
      const sure =
        anchor.sure *
        (way.traits.length ? way.found.sure : PLAIN_TAGS.test(tag) ? STABILITY.onlyPlain : STABILITY.only);
      const { css, why, traits } = way.found;
      if (!best || sure > best.sure)
        best = {
          css: `${anchor.css} ${css}`,
          sure,
          why: `${why} in ${anchor.why}`,
          above: { holder, found: anchor },
          own: css,
          traits,
        };
      if (anchor.sure >= 0.8) break; // no other anchor makes it much more stable
    }
    return best;
  }

  /**
   * One step from an element's container: by a trait that its siblings lack, by its number among those that share a
   * trait or content, or by its tag.
   * @param {Element} element
   * @param {Element|null} child the next step down, if this is not the last
   */
  step(element, child) {
    const alike = this.siblings.of(element, null);
    const isPlain = PLAIN_TAGS.test(tagOf(element));
    let best = {
      css: writePlace(element, alike),
      sure:
        alike.length === 1
          ? isPlain
            ? STABILITY.onlyPlain
            : STABILITY.only
          : isPlain
            ? STABILITY.placePlain
            : STABILITY.place,
    };
    for (const trait of this.traitsOf(element)) {
      const fitting = alike.length === 1 ? alike : this.siblings.of(element, trait);
      const sure = fitting.length === 1 ? STABILITY.step * trait.sure : STABILITY.among * Math.sqrt(trait.sure);
      if (sure <= best.sure) continue;
      const css = `${escapedTag(element)}${trait.css}`; // the siblings were compared within their tag
      best = { css: fitting.length === 1 ? css : `:nth-child(${fitting.indexOf(element) + 1} of ${css})`, sure };
    }
    if (!child || best.sure >= STABILITY.among * STABILITY.part || alike.length > MANY_ALIKE) return best;
    const css = `${escapedTag(element)}:has(> ${escapedTag(child)})`;
    const fitting = this.siblings.of(element, {
      css: `:has(> ${escapedTag(child)})`,
      key: `> ${tagOf(child)}`,
      sure: 1,
      why: 'position',
    });
    return fitting.length === 1
      ? { css, sure: STABILITY.onlyPlain }
      : { css: `:nth-child(${fitting.indexOf(element) + 1} of ${css})`, sure: STABILITY.among * STABILITY.part };
  }

  /**
   * An element by its position below the nearest container that can be identified.
   * @param {Element} element
   * @param {Element|null} child the next step down, if this is not the last
   * @returns {Found}
   */
  path(element, child = null) {
    let ways = this.paths.get(element);
    if (!ways) this.paths.set(element, (ways = new Map()));
    const kind = child ? tagOf(child) : '';
    const known = ways.get(kind);
    if (known) return known;
    const above = parentNodeOf(element);
    const step = this.step(element, child);
    /** @type {Found} */
    let found;
    if (!(above instanceof Element)) {
      const css =
        element === document.documentElement
          ? ':root'
          : isAlone(queryAll(this.index.root, step.css), element)
            ? step.css
            : step.css + TOPMOST;
      found = { css, sure: step.sure, why: 'position' };
    } else {
      const own = above === document.body ? { css: 'body', sure: 1, why: 'position' } : this.byItself(above);
      const anchor = own || this.path(above, element);
      const why = own && own.why !== 'position' ? `position in ${own.why}` : 'position';
      const isFree = step.sure <= STABILITY.onlyPlain && isFreelyPlaced(element, above);
      const sure = step.sure * (isFree ? STABILITY.placeFree : 1);
      found = {
        css: `${anchor.css} > ${step.css}`,
        sure: own ? anchor.sure * sure : Math.min(anchor.sure, sure) * STABILITY.placeMore,
        why,
        above: { holder: above, found: anchor },
        own: null,
      };
    }
    ways.set(kind, found);
    return found;
  }

  /**
   * Whether a result matches only this element.
   * @param {Element} element
   * @param {Found} found
   * @returns {boolean}
   */
  verify(element, found) {
    let sound = this.sound.get(found);
    if (sound === undefined) {
      const { above, own, css, traits = [], held } = found;
      if (held) sound = this.index.isAloneByHeld(css, element, held);
      else if (!above) sound = this.index.isAlone(css, element, traits, null);
      else
        sound =
          this.verify(above.holder, above.found) &&
          (own ? this.index.isAlone(own, element, traits, above.holder) : matches(element, css));
      this.sound.set(found, sound);
    }
    return sound;
  }

  /**
   * The most stable unique selector of an element; the shortest if several are equally stable.
   * @param {Element} element
   * @returns {Found|null}
   */
  find(element) {
    if (!this.index.order.has(element)) return null; // in no tree that selectors reach
    const own = this.byItself(element);
    if (own && own.sure >= SURE_ENOUGH && this.verify(element, own)) return own;
    const near = mostStable([own, this.byHeld(element)]).find((each) => this.verify(element, each));
    if (near && near.sure > this.limitOfOuter(element)) return near;
    const candidates = mostStable([own, this.byHeld(element), this.within(element), this.path(element)]);
    return candidates.find((each) => this.verify(element, each)) || this.bare(element);
  }

  /** The greatest stability that a selector by containers or by position can have. @param {Element} element */
  limitOfOuter(element) {
    const [best] = this.traitsOf(element);
    return Math.max(STABILITY.only, best ? best.sure * Math.max(STABILITY.id, STABILITY.step) : 0);
  }

  /** An element by its position only. @param {Element} element @returns {Found|null} */
  bare(element) {
    const steps = [];
    let node = /** @type {any} */ (element);
    for (; node instanceof Element; node = parentNodeOf(node)) {
      const topmost = parentNodeOf(node) instanceof Element ? '' : TOPMOST;
      steps.unshift(
        node === document.documentElement ? ':root' : writePlace(node, this.siblings.of(node, null)) + topmost,
      );
    }
    const found = { css: steps.join(' > '), sure: STABILITY.placePlain ** steps.length, why: 'position' };
    return this.verify(element, found) ? found : null;
  }
}
