// Typing: where the caret is, what the focused field holds, and what the page did with the input.

import { matches, parentNodeOf, textContentOf, treeRootOf } from '../dom/access.js';
import { focusedElement, isEditable, isEditingHost, tagOf } from '../dom/elements.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { boxOf } from '../layout/boxes.js';
import { isInPrivate, scanForMarks } from '../privacy/private_content.js';
import { secrecyOf } from '../privacy/sensitive_fields.js';
import { encodeJson } from './encoding.js';

/**
 * A field with a side shorter than this shows nobody what it holds: editors take the keys in it and paint the text
 * elsewhere. Letters that can be read are taller.
 */
const MIN_SHOWN = 6;

/** How long a field is watched after it was first asked for; longer than it is asked for. */
const WATCH_MS = 1000;

/** Not counted as text: what a mask shows for letters that are still to come. */
const FILLER = /[^\p{L}\p{N}]/gu;

/**
 * Typing that is under way: the field, the trusted `input` events in it, and the changes of the document outside of it.
 * @type {{ field: any, inputs: number, moved: number, observer: MutationObserver, count: (event: Event) => void,
 *   end: number }|null}
 */
let typing = null;

/** The element that holds what is typed into the focused one: of an editor, its host. @returns {any} */
function focusedField() {
  const focused = /** @type {any} */ (focusedElement());
  if (!focused || !isEditor(focused) || focused.editContext) return focused;
  let host = focused;
  for (let node = focused; node instanceof Element; node = /** @type {any} */ (parentNodeOf(node)))
    if (isEditingHost(node)) host = node;
  return host;
}

/** @param {any} field */
const isEditor = (field) => field.isContentEditable === true || isEditingHost(field);

/** @param {any} field @returns {string} */
const heldText = (field) => (isEditor(field) ? textContentOf(field) : field.value) || '';

/** Whether a person sees what a field holds. @param {any} field */
function showsContent(field) {
  if (field.editContext || !(isEditor(field) || typeof field.value === 'string')) return false;
  const box = field === document.body ? [0, 0, innerWidth, innerHeight] : boxOf(field, 'block');
  if (box[2] - box[0] < MIN_SHOWN || box[3] - box[1] < MIN_SHOWN) return false;
  return Element.prototype.checkVisibility.call(field, { opacityProperty: true, visibilityProperty: true });
}

/** @param {any} field @returns {[number, number]|null} the selected part of a field's value; null where it has none */
function selectionIn(field) {
  if (isEditor(field) || typeof field.selectionStart !== 'number') return null;
  return [field.selectionStart, field.selectionEnd];
}

/** @param {any} field */
function stateOf(field) {
  const content = heldText(field);
  const isSecret = secrecyOf(field) !== '' || isInPrivate(field);
  return {
    text: isSecret ? '•'.repeat(content.length) : content,
    secret: isSecret,
    editor: isEditor(field),
    type: tagOf(field) === 'input' ? field.type : tagOf(field),
    selected: selectionIn(field),
    most: typeof field.maxLength === 'number' ? field.maxLength : -1,
    shown: showsContent(field),
    inputs: typing ? typing.inputs : 0,
    moved: typing ? typing.moved + outsideOf(field, typing.observer.takeRecords()) : 0,
    focused: focusedField() === field,
  };
}

/** @param {Node} field @param {MutationRecord[]} records @returns {number} of changes outside of a field */
const outsideOf = (field, records) =>
  records.filter(({ target }) => !Node.prototype.contains.call(field, target)).length;

function endTyping() {
  if (!typing) return;
  typing.observer.disconnect();
  removeEventListener('input', typing.count, true);
  clearTimeout(typing.end);
  typing = null;
}

/** The text after the caret, or before it, in the focused field. @param {any} field @param {boolean} after */
function textBeside(field, after) {
  if (!isEditor(field)) {
    const selected = selectionIn(field);
    if (!selected) return heldText(field);
    if (selected[0] !== selected[1]) return heldText(field);
    return after ? heldText(field).slice(selected[1]) : heldText(field).slice(0, selected[0]);
  }
  const root = /** @type {any} */ (treeRootOf(field));
  const selection = /** @type {Selection|null} */ (root.getSelection ? root.getSelection() : getSelection());
  if (!selection || !selection.rangeCount || !selection.isCollapsed) return heldText(field);
  const caret = selection.getRangeAt(0);
  if (!Node.prototype.contains.call(field, caret.startContainer)) return heldText(field);
  const rest = document.createRange();
  rest.selectNodeContents(field);
  if (after) rest.setStart(caret.endContainer, caret.endOffset);
  else rest.setEnd(caret.startContainer, caret.startOffset);
  return rest.toString();
}

export const typingApi = {
  /**
   * Whether the caret of the focused field is at an end of its text.
   * @param {boolean} last at the end; else at the start
   * @returns {string} `there`, `elsewhere`, or `unknown` for a field that shows nobody its text
   */
  caretAt(last) {
    const field = focusedField();
    if (!field || field.editContext) return encodeJson('unknown');
    if (!heldText(field).replace(FILLER, '')) return encodeJson(showsContent(field) ? 'there' : 'unknown');
    if (!showsContent(field)) return encodeJson('unknown');
    return encodeJson(textBeside(field, last).replace(FILLER, '') ? 'elsewhere' : 'there');
  },

  /** Puts the caret at an end of the focused field's text, where keys do not. @param {boolean} last */
  placeCaret(last) {
    const field = focusedField();
    if (!field) return encodeJson(false);
    if (isEditor(field)) {
      const selection = getSelection();
      if (selection) selection.selectAllChildren(field);
      if (selection && selection.rangeCount) last ? selection.collapseToEnd() : selection.collapseToStart();
    } else if (typeof field.selectionStart === 'number') {
      const at = last ? field.value.length : 0;
      field.setSelectionRange(at, at);
    }
    return encodeJson(true);
  },

  /** Begins to watch the focused field. @returns {string} what it holds; `null` where nothing takes text */
  watchTyping() {
    endTyping();
    const field = focusedField();
    if (!field || !isEditable(field)) return encodeJson(null);
    const observer = new MutationObserver((records) => {
      if (typing) typing.moved += outsideOf(field, records);
    });
    observer.observe(document, { childList: true, characterData: true, attributes: true, subtree: true });
    const count = (/** @type {Event} */ event) => {
      if (typing && event.isTrusted) typing.inputs += 1;
    };
    addEventListener('input', count, true);
    scanForMarks();
    typing = { field, inputs: 0, moved: 0, observer, count, end: 0 };
    return encodeJson(stateOf(field));
  },

  /**
   * What the watched field holds now. The watch ends soon after it was first asked for.
   * @param {boolean} last ends the watch now
   * @returns {string} `null` where the field is gone
   */
  typedText(last) {
    const field = typing && typing.field;
    if (!field || !field.isConnected) {
      endTyping();
      return encodeJson(null);
    }
    const state = stateOf(field);
    if (last) endTyping();
    else if (typing && !typing.end) typing.end = setTimeout(endTyping, WATCH_MS);
    return encodeJson(state);
  },

  /** Number of the document's body where it is an editor, 0 where it is not. */
  editingBody: () => encodeJson(document.body && isEditable(document.body) ? numberOf(document.body) : 0),

  /**
   * Removes what keys have left in the focused field: a page may suppress their effect.
   * @returns {string} whether it is empty now
   */
  clearFocused() {
    const field = focusedField();
    if (!field || !heldText(field)) return encodeJson(true);
    if (isEditor(field)) getSelection()?.selectAllChildren(field);
    else field.select();
    document.execCommand('delete');
    return encodeJson(heldText(field).trim() === '');
  },

  /**
   * Gives an element the focus.
   * @param {number} number
   * @returns {string} whether it, or something in it, has the focus now
   */
  focus(number) {
    const element = nodeOf(number);
    if (!element) return encodeJson(false);
    if (!matches(element, ':focus-within')) HTMLElement.prototype.focus.call(element, { preventScroll: true });
    return encodeJson(matches(element, ':focus-within'));
  },
};
