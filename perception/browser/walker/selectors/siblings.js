// Siblings: the children of a node that share a tag and a trait.

import { childNodesOf, matches, nodeTypeOf, parentNodeOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { writeSelector } from './trait_index.js';

/** @import { Index } from './trait_index.js' */
/** @import { Trait } from './traits.js' */

/** Siblings in one tree, while nothing in it changes. */
export class Siblings {
  /** @param {Index} index */
  constructor(index) {
    this.index = index;
    /** Children of each node by their tag. @type {Map<Node, Map<string, Element[]>>} */
    this.byTag = new Map();
    /** Those of a tag that share a trait, by its key. @type {Map<Element[], Map<string, Element[]>>} */
    this.byTrait = new Map();
  }

  /**
   * Children of an element's parent that share its tag and a trait, including the element.
   * @param {Element} element
   * @param {Trait|null} trait
   * @returns {Element[]}
   */
  of(element, trait) {
    const all = this.alike(element);
    if (!trait) return all;
    let known = this.byTrait.get(all);
    if (!known) this.byTrait.set(all, (known = new Map()));
    let fitting = known.get(trait.key);
    if (!fitting) known.set(trait.key, (fitting = this.having(all, element, trait)));
    return fitting;
  }

  /** @param {Element} element @returns {Element[]} */
  alike(element) {
    const above = parentNodeOf(element);
    let known = this.byTag.get(above);
    if (!known) {
      this.byTag.set(above, (known = new Map()));
      for (const child of childNodesOf(above)) {
        if (nodeTypeOf(child) !== Node.ELEMENT_NODE) continue;
        const tag = tagOf(/** @type {Element} */ (child));
        const there = known.get(tag);
        if (there) there.push(/** @type {Element} */ (child));
        else known.set(tag, [/** @type {Element} */ (child)]);
      }
    }
    return /** @type {Element[]} */ (known.get(tagOf(element)));
  }

  /**
   * @param {Element[]} all
   * @param {Element} element
   * @param {Trait} trait
   */
  having(all, element, trait) {
    const css = writeSelector(element, [trait]).css;
    if (trait.key.startsWith('> ')) return all.filter((each) => matches(each, css));
    const places = new Set(this.index.matchable(trait));
    return all.filter((each) => places.has(/** @type {number} */ (this.index.order.get(each))) && matches(each, css));
  }
}
