// What a person has typed into fields and editors, or chosen in them, as far as the page has let it stand.

import { textContentOf } from '../dom/access.js';
import { isEditingHost, tagOf } from '../dom/elements.js';

const typed = {
  /** How often a person has typed so far. */
  count: 0,
  /** What a field held then, and when that was, by `count`. @type {WeakMap<Element, { said: string, count: number }>} */
  byField: new WeakMap(),
};

/** What a field or editor holds, without what pages tidy up in it: case, spaces, punctuation. @param {any} field */
function heldBy(field) {
  if (field.type === 'password') return '';
  const isSelect = tagOf(field) === 'select';
  const held = isEditingHost(field) ? textContentOf(field) : isSelect ? field.selectedIndex : field.value;
  return String(held || '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
}

/** Keeps what a field holds after input. @param {Event} event */
export function noteTyping(event) {
  const [field] = event.composedPath();
  if (!event.isTrusted || !(field instanceof Element)) return;
  typed.byField.set(field, { said: heldBy(field), count: ++typed.count });
}

export const typedSoFar = () => typed.count;

/** Whether a field holds what a person has typed since. @param {Element} field @param {number} since */
export function holdsTyped(field, since) {
  const known = typed.byField.get(field);
  return known !== undefined && known.count > since && known.said === heldBy(field);
}
