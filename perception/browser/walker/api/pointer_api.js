// Which elements are at a point, and which are inside an element, by node number.

import { tagOf } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { frameOrigin } from '../layout/frames.js';
import { pageExtent } from '../layout/viewport.js';
import { forgetIndexes } from '../semantics/names.js';
import { fieldBehind } from '../semantics/painted_fields.js';
import { describeBlockerNow } from '../visibility/blockers.js';
import { elementAt } from '../visibility/element_at.js';
import { clickablePoints } from '../visibility/hit_testing.js';
import { isLayerOver } from '../visibility/layers.js';
import { encodeJson } from './encoding.js';

/**
 * Limit on the ancestors of a hit. Deeper pages are generated, and their outermost containers are irrelevant to a
 * point.
 */
const MAX_HOLDERS = 200;

/**
 * What a click at a point hits: the innermost element, then its ancestors, from inside out. A label is followed by its
 * control, which receives the click; at the end is the field out of sight that the click gives the focus to.
 * @param {Element} hit
 * @returns {number[]}
 */
function holdersOf(hit) {
  const found = new Set();
  for (let node = /** @type {Element|null} */ (hit); node && found.size < MAX_HOLDERS; node = flatParentOf(node)) {
    found.add(numberOf(node));
    const { control } = /** @type {HTMLLabelElement} */ (node);
    if (tagOf(node) === 'label' && control) found.add(numberOf(control));
  }
  const field = fieldBehind(hit);
  if (field) found.add(numberOf(field));
  return [...found];
}

export const pointerApi = {
  /**
   * What a click at a point hits: the node numbers of the element and its ancestors, innermost first; the origin if it
   * is a frame.
   * @param {number} x
   * @param {number} y
   */
  hitTest(x, y) {
    const hit = elementAt(x, y);
    if (!hit) return encodeJson(null);
    const tag = tagOf(hit);
    const frame = tag === 'iframe' || tag === 'frame' ? frameOrigin(hit) : null;
    return encodeJson({ numbers: holdersOf(hit), frame });
  },

  /**
   * What clicks at points hit: the innermost element of each, 0 for none, and its origin if it is a frame.
   * @param {number[][]} points
   */
  hitTestAll: (points) =>
    encodeJson(
      points.map(([x, y]) => {
        const hit = elementAt(x, y);
        const tag = hit ? tagOf(hit) : '';
        return {
          number: hit ? numberOf(hit) : 0,
          frame: hit && (tag === 'iframe' || tag === 'frame') ? frameOrigin(hit) : null,
        };
      }),
    ),

  /**
   * Which of the given texts are in an element or around it, not below it.
   * @param {number} hit
   * @param {number[]} given
   */
  textsAround(hit, given) {
    const element = nodeOf(hit);
    return encodeJson(
      given.map((number) => {
        const text = nodeOf(number);
        const parent = text && flatParentOf(text);
        return Boolean(element && parent) && (flatContains(parent, element) || flatContains(element, parent));
      }),
    );
  },

  /**
   * Which of the given nodes are an element or inside it; null if the element is gone.
   * @param {number} root
   * @param {number[]} given
   */
  nodesInside(root, given) {
    const element = nodeOf(root);
    if (!element) return encodeJson(null);
    // Nodes of a page share ancestors: each ancestor is checked once.
    const known = new Map([[element, true]]);
    /** @param {Node|null} node @returns {boolean} */
    const lies = (node) => {
      const path = [];
      while (node && !known.has(node)) {
        path.push(node);
        node = flatParentOf(node);
      }
      const inside = Boolean(node && known.get(node));
      for (const each of path) known.set(each, inside);
      return inside;
    };
    return encodeJson(given.map((number) => lies(nodeOf(number))));
  },

  /**
   * What keeps a click at a point from a picture: empty if it hits the picture, its inside or a layer of it.
   * @param {number} number
   * @param {number} x
   * @param {number} y
   */
  blockerAt(number, x, y) {
    const picture = nodeOf(number);
    const hit = elementAt(x, y);
    if (!picture || !hit) return encodeJson('outside');
    return encodeJson(flatContains(picture, hit) || isLayerOver(picture, hit) ? '' : describeBlockerNow(hit));
  },

  /**
   * Points at which a click on each element would hit it, as far as this frame knows, best first.
   * @param {number[]} wanted
   */
  clickPoints(wanted) {
    forgetIndexes();
    return encodeJson(
      wanted.map((number) => {
        const element = nodeOf(number);
        return element ? clickablePoints(element) : [];
      }),
    );
  },

  /** Scroll positions of the page and of the scrollers around a point. @param {number} x @param {number} y */
  scrollPositions(x, y) {
    const around = [];
    for (let node = elementAt(x, y); node; node = flatParentOf(node)) around.push(node.scrollLeft, node.scrollTop);
    return encodeJson({ scroll: [scrollX, scrollY, ...pageExtent()], around });
  },
};
