// Passwords that a page shows in another field: "show password" may put a text field in the place of the password field.

import { attr, boundsOf, idOf, parentNodeOf } from '../dom/access.js';
import { afterDocumentOpen } from '../dom/document_open.js';

/** Password fields that are remembered; the oldest go first. */
const MAX_FIELDS = 20;

/** Characters: a shorter value counts only beside the password field, as other fields may hold the same by chance. */
const TELLING_VALUE = 8;

/**
 * A password field as it was last seen.
 * @typedef {{field: WeakRef<any>, parent: WeakRef<Node>|null, name: string, id: string, value: string}} SeenField
 */

/** Of this document, the newest last. @type {SeenField[]} */
const seenFields = [];

let followsInput = false;

afterDocumentOpen(() => {
  seenFields.length = 0;
  followsInput = false;
});

/** Remembers a password field and what it holds. @param {any} field */
export function notePasswordField(field) {
  const at = seenFields.findIndex((each) => each.field.deref() === field);
  if (at >= 0) seenFields.splice(at, 1);
  const parent = parentNodeOf(field);
  seenFields.push({
    field: new WeakRef(field),
    parent: parent && new WeakRef(parent),
    name: attr(field, 'name') || '',
    id: idOf(field),
    value: field.value,
  });
  if (seenFields.length > MAX_FIELDS) seenFields.shift();
  if (!followsInput) addEventListener('input', followInput, true);
  followsInput = true;
}

/** What is typed between two looks. @param {Event} event */
function followInput(event) {
  const [field] = event.composedPath();
  const seen = seenFields.find((each) => each.field.deref() === field);
  if (seen) seen.value = /** @type {any} */ (field).value;
}

/** Whether a text field shows what a password field held that has made way for it. @param {any} field */
export const showsPassword = (field) =>
  seenFields.some((seen) => !isInSight(seen.field.deref(), field) && isSameField(seen, field));

/** @param {SeenField} seen @param {any} field */
function isSameField(seen, field) {
  const hasSameValue = seen.value !== '' && seen.value === field.value;
  if (hasSameValue && seen.value.length >= TELLING_VALUE) return true;
  if (!seen.parent || seen.parent.deref() !== parentNodeOf(field)) return false;
  const isNamesake = [seen.name && seen.name === attr(field, 'name'), seen.id && seen.id === idOf(field)].some(Boolean);
  return hasSameValue || isNamesake;
}

/** Whether a password field is there to be seen, beside the field in question. @param {any} field @param {any} other */
function isInSight(field, other) {
  if (!field || !field.isConnected) return false;
  if (field === other) return true;
  const { width, height } = boundsOf(field);
  return width > 1 && height > 1 && field.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}
