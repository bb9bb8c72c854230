// The field that has the focus, and what it holds.

import { parentNodeOf, queryAllIn, textContentOf } from '../dom/access.js';
import { focusedElement, isEditingHost } from '../dom/elements.js';
import { isEditor } from './painted_fields.js';

/** The element that holds what is typed into the focused one: of an editor, its host. @returns {any} */
export function focusedField() {
  const focused = /** @type {any} */ (focusedElement());
  if (!focused || !isEditor(focused) || focused.editContext) return focused;
  let host = focused;
  for (let node = focused; node instanceof Element; node = /** @type {any} */ (parentNodeOf(node)))
    if (isEditingHost(node)) host = node;
  return host;
}

/** @param {any} field @returns {string} */
export const heldText = (field) => (isEditor(field) ? heldByEditor(field) : field.value) || '';

/**
 * The text of an editor without what nobody can edit or select in it, such as a placeholder that stands for no text.
 * @param {any} editor
 */
function heldByEditor(editor) {
  const all = textContentOf(editor) || '';
  const apart = [...queryAllIn(editor, '[contenteditable=false]')].filter(
    (each) => getComputedStyle(each).userSelect === 'none',
  );
  if (!apart.length) return all;
  const walker = Document.prototype.createTreeWalker.call(document, editor, NodeFilter.SHOW_TEXT);
  let text = '';
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    if (!apart.some((each) => Node.prototype.contains.call(each, node))) text += node.data;
  }
  return text;
}

/** @param {any} field @returns {[number, number]|null} the selected part of a field's value; null where it has none */
export function selectionIn(field) {
  if (isEditor(field) || typeof field.selectionStart !== 'number') return null;
  return [field.selectionStart, field.selectionEnd];
}
