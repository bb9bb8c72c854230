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
