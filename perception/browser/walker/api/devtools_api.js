// Data exchanged with DevTools: nodes, closed shadow roots, listeners.

import { clickListeners, hasListener } from '../dom/click_listeners.js';
import { keepOrder, placesInOrder, takeFromOrder } from '../dom/document_order.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { askedHosts, closedRoots, suspectedHosts } from '../dom/shadow_roots.js';
import { isDelegatingListener } from '../semantics/click_targets.js';
import { roleOf } from '../semantics/roles.js';
import { changes, countChanges, ownListeners } from '../tree/changes.js';
import { partOf } from '../tree/part.js';
import { encodeJson } from './encoding.js';

/**
 * Registers elements that listen for clicks.
 * @param {Array<any>} elements
 * @returns {number} how many of them were not known to be controls
 */
function addClickListeners(elements) {
  let news = 0;
  const fresh = elements.filter((element) => element instanceof Element && !hasListener(element));
  for (const element of fresh) clickListeners.add(element);
  for (const element of fresh) {
    const part = partOf.get(element);
    if (!part) continue;
    const isTarget =
      !part.interactive && !(part.parent && part.parent.silenced) && !isDelegatingListener(element, part.role);
    if (isTarget || roleOf(element) !== part.role) {
      changes.reported.add(element);
      news++;
    }
  }
  return news;
}

export const devtoolsApi = {
  /** @param {number[]} wanted @returns {Array<Node|null>} */
  nodes: (wanted) => wanted.map(nodeOf),

  /** @param {Node} node @returns {string} its number */
  numberOf: (node) => encodeJson(numberOf(node)),

  /**
   * Elements to ask DevTools about: they may have a closed shadow root.
   * @param {number|null} also the number of one more element
   */
  takeSuspectedHosts(also) {
    const more = also === null ? null : nodeOf(also);
    const asked = [...suspectedHosts, ...(more ? [more] : [])];
    suspectedHosts.clear();
    for (const element of asked) askedHosts.add(element);
    return asked;
  },

  /** Registers closed shadow roots, given as pairs of host and root. @param {Array<any>} pairs */
  addShadowRoots(...pairs) {
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      closedRoots.set(pairs[i], pairs[i + 1]);
      changes.reported.add(pairs[i]);
      countChanges(1);
    }
    return encodeJson(pairs.length / 2);
  },

  /** How many event listeners the walker itself has. */
  ownListeners: () => encodeJson(ownListeners.count),

  /** Registers elements that listen for clicks. @param {Array<any>} elements @returns {string} as `addClickListeners` */
  addClickListeners: (...elements) => encodeJson(addClickListeners(elements)),

  /** Watches the order of the document's elements. @param {string} purpose @returns {string} how many there are */
  keepOrder: (purpose) => encodeJson(keepOrder(purpose)),

  /**
   * Where nodes are in the order that `keepOrder` watches; `null` if it has changed.
   * @param {string} purpose
   * @param {number[]} numbers
   */
  placesInOrder: (purpose, numbers) => encodeJson(placesInOrder(purpose, numbers.map(nodeOf))),

  /**
   * As `addClickListeners`, by places in the order that `keepOrder` watches.
   * @param {number[]} places
   * @returns {string} -1 where the order has changed
   */
  addClickListenersAt(places) {
    const elements = takeFromOrder('listeners', places);
    return encodeJson(elements ? addClickListeners(elements) : -1);
  },
};
