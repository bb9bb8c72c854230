// Shadow roots, open and closed. A closed one is known once DevTools has supplied it.

import { queryAll, shadowRootOf } from './access.js';

/** @import { Root } from './access.js' */

/** Closed shadow roots, which only DevTools can enter, by host. @type {WeakMap<Element, ShadowRoot>} */
export const closedRoots = new WeakMap();

/** Elements that DevTools has been asked about. @type {WeakSet<Element>} */
export const askedHosts = new WeakSet();

/** @param {Element} element @returns {ShadowRoot|null} open or closed */
export const shadowRootIn = (element) => shadowRootOf(element) || closedRoots.get(element) || null;

/** Elements to ask DevTools about. @type {Set<Element>} */
export const suspectedHosts = new Set();

/** @param {Element} element */
export function suspectHost(element) {
  if (!askedHosts.has(element)) suspectedHosts.add(element);
}

/** All roots of this frame, the document first. @returns {Array<Document|ShadowRoot>} */
export const allRoots = () => rootsUnder(document);

/**
 * A root and the shadow roots inside it, outer ones first.
 * @param {Document|ShadowRoot} root
 * @returns {Array<Document|ShadowRoot>}
 */
export function rootsUnder(root) {
  const roots = [root];
  for (let i = 0; i < roots.length; i++) {
    for (const element of queryAll(roots[i], '*')) {
      const root = shadowRootIn(element);
      if (root) roots.push(root);
    }
  }
  return roots;
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
