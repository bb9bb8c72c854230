// Shadow roots, open and closed. A closed one is known once DevTools has supplied it.

import { queryAll, queryIn, shadowRootOf } from './access.js';

/** @import { Root } from './access.js' */

/** Closed shadow roots, which only DevTools can enter, by host. @type {WeakMap<Element, ShadowRoot>} */
export const closedRoots = new WeakMap();

/** Elements for which DevTools has answered. @type {WeakSet<Element>} */
const askedHosts = new WeakSet();

/** Those that were seen, without most of those that are gone. @type {Set<ShadowRoot>} */
const seenRoots = new Set();

/** @param {Element} element @returns {ShadowRoot|null} open or closed */
export function shadowRootIn(element) {
  const root = shadowRootOf(element) || closedRoots.get(element) || null;
  if (root) seenRoots.add(root);
  return root;
}

/** The shadow roots of this frame that were seen. */
export function* knownShadowRoots() {
  for (const root of seenRoots) {
    if (root.isConnected) yield root;
    else seenRoots.delete(root);
  }
}

/** Elements to ask DevTools about, and the last round in which it was asked; 0 for none. @type {Map<Element, number>} */
export const suspectedHosts = new Map();

/** @param {Element} element */
export function suspectHost(element) {
  if (!askedHosts.has(element) && !suspectedHosts.has(element)) suspectedHosts.set(element, 0);
}

/** Whether DevTools has said of an element that it has no closed root, or is to be asked. @param {Element} element */
export const isHostDecided = (element) =>
  askedHosts.has(element) || suspectedHosts.has(element) || shadowRootIn(element) !== null;

/**
 * DevTools is being asked about all suspected elements.
 * @returns {number} of this round; drawn by lot, so that a late answer is not taken for that of another document
 */
export function startAsking() {
  const round = Math.random();
  for (const element of suspectedHosts.keys()) suspectedHosts.set(element, round);
  return round;
}

/** DevTools has answered. @param {number} round */
export function endAsking(round) {
  for (const [element, asked] of suspectedHosts) {
    if (asked !== round) continue; // suspected since, or asked about once more
    suspectedHosts.delete(element);
    askedHosts.add(element);
  }
}

/** All roots of this frame, the document first. @returns {Array<Document|ShadowRoot>} */
export const allRoots = () => rootsUnder(document);

/**
 * A root, or an element, and the shadow roots inside it, outer ones first.
 * @template {Root} R
 * @param {R} root
 * @returns {Array<R|ShadowRoot>}
 */
export function rootsUnder(root) {
  const roots = /** @type {Array<R|ShadowRoot>} */ ([root]);
  for (let i = 0; i < roots.length; i++) {
    for (const element of queryAll(roots[i], '*')) {
      const root = shadowRootIn(element);
      if (root) roots.push(root);
    }
  }
  return roots;
}

/**
 * The first element in an element, or else in the shadow trees in it, that a selector matches.
 * @param {Element} element
 * @param {string} selector
 * @returns {Element|null}
 */
export function queryThrough(element, selector) {
  const found = queryIn(element, selector);
  if (found || !seenRoots.size) return found;
  const own = shadowRootIn(element);
  for (const root of [...(own ? rootsUnder(own) : []), ...rootsUnder(element).slice(1)]) {
    const [inner] = queryAll(root, selector);
    if (inner) return inner;
  }
  return null;
}

/**
 * All elements below a root; those of shadow roots follow their host.
 * @param {Root} root
 * @returns {Generator<Element>}
 */
export function* everyElement(root) {
  for (const element of queryAll(root, '*')) {
    yield element;
    const inner = shadowRootIn(element);
    if (inner) yield* everyElement(inner);
  }
}
