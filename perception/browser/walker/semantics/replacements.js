// Replacements: what a page shows in place of an element that it has removed, when it draws a part of itself again.

import { queryAll, treeRootOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { allRoots } from '../dom/shadow_roots.js';
import { forgetIndexes, nameOf } from './names.js';
import { roleOf } from './roles.js';

/**
 * What an element is known again by: its kind, role and name, and its place among those of its kind in its root.
 * @typedef {{ kind: string, root: any, role: string, name: string, place: number }} Traits
 */

const TYPED_KINDS = new Set(['input', 'textarea', 'select']);

/** @param {any} field @returns {Traits} */
export function traitsOf(field) {
  forgetIndexes();
  const root = /** @type {any} */ (treeRootOf(field));
  const role = roleOf(field);
  const kind = TYPED_KINDS.has(tagOf(field)) ? tagOf(field) : '[contenteditable]';
  return { kind, root, role, name: nameOf(field, role), place: queryAll(root, kind).indexOf(field) };
}

/**
 * The element that the page shows in place of one that it has removed: the only one with its traits, or of several the
 * one at its place; null for none.
 * @param {Traits} traits
 * @returns {any}
 */
export function shownInPlaceOf({ kind, root, role, name, place }) {
  forgetIndexes();
  const all = root.isConnected ? queryAll(root, kind) : allRoots().flatMap((each) => queryAll(each, kind));
  const alike = all.filter((each) => roleOf(each) === role && nameOf(each, role) === name);
  if (alike.length === 1) return alike[0];
  return root.isConnected && alike.includes(all[place]) ? all[place] : null;
}

/** What may be checked or pressed. */
const STATEFUL = 'input, button, [role], [aria-checked], [aria-pressed]';

/**
 * What a box is known again by whose name may follow its state: its place among those of its role in its root.
 * @typedef {{ root: any, role: string, place: number, count: number }} BoxTraits
 */

/** @param {any} root @param {string} role @returns {Element[]} */
const ofRole = (root, role) => queryAll(root, STATEFUL).filter((each) => roleOf(each) === role);

/** @param {Element} box @returns {BoxTraits} */
export function boxTraitsOf(box) {
  forgetIndexes();
  const root = /** @type {any} */ (treeRootOf(box));
  const role = roleOf(box);
  const all = ofRole(root, role);
  return { root, role, place: all.indexOf(box), count: all.length };
}

/** Whether no other element that is checked or pressed has its role and name. @param {Element} box */
export function isOnlyOfName(box) {
  forgetIndexes();
  const role = roleOf(box);
  const name = nameOf(box, role);
  const all = allRoots().flatMap((root) => ofRole(root, role));
  return all.every((each) => each === box || nameOf(each, role) !== name);
}

/**
 * The box at the place of one that the page has removed; null where there are more or fewer of its role now.
 * @param {BoxTraits} traits
 * @returns {Element|null}
 */
export function boxInPlaceOf({ root, role, place, count }) {
  forgetIndexes();
  const all = root.isConnected ? ofRole(root, role) : [];
  return all.length === count ? all[place] || null : null;
}
