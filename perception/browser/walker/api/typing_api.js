// Typing: where the caret is, what the focused field holds, and what the page did with the input.

import { attr, matches, parentNodeOf, queryAll, queryAllIn, textContentOf, treeRootOf } from '../dom/access.js';
import { focusedElement, isEditable, isEditingHost, isFocusable, tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { shadowRootIn } from '../dom/shadow_roots.js';
import { roleOf } from '../semantics/roles.js';
import { fieldBehind, isEditor, textPaintedFor, showsContent } from '../semantics/painted_fields.js';
import { isInPrivate, scanForMarks } from '../privacy/private_content.js';
import { secrecyOf } from '../privacy/sensitive_fields.js';
import { encodeJson } from './encoding.js';

/** How long a field is watched after it was first asked for; longer than it is asked for. */
const WATCH_MS = 1000;

/** A character that a person sees: editors keep empty lines open with others. */
const SEEN = /[^\s\u200b-\u200d\u2060\ufeff]/;

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

/** @param {any} field @returns {string} */
const heldText = (field) => (isEditor(field) ? heldByEditor(field) : field.value) || '';

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
function selectionIn(field) {
  if (isEditor(field) || typeof field.selectionStart !== 'number') return null;
  return [field.selectionStart, field.selectionEnd];
}

/** @param {any} field */
function stateOf(field) {
  const isShown = showsContent(field);
  const painted = isShown ? null : textPaintedFor(field);
  const content = painted === null ? heldText(field) : painted;
  const isSecret = secrecyOf(field) !== '' || isInPrivate(field);
  return {
    text: isSecret ? '•'.repeat(content.length) : content,
    secret: isSecret,
    editor: painted !== null || isEditor(field),
    type: tagOf(field) === 'input' ? field.type : tagOf(field),
    selected: painted === null ? selectionIn(field) : null,
    most: typeof field.maxLength === 'number' ? field.maxLength : -1,
    shown: isShown || painted !== null,
    painted: painted !== null,
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

/** What takes a part of the keys of a widget. */
const MAY_FOCUS = 'a[href], button, input, select, textarea, [tabindex], [contenteditable]';

/** Roles of widgets with a handle that may have the focus in their place. */
const HANDLED_ROLES = new Set(['slider', 'spinbutton', 'scrollbar']);

/** How far around a slider what takes its keys may be. Chosen by hand. */
const MAX_HANDLE_LEVELS = 3;

/**
 * What takes the keys for an element without focus of its own: the only thing in it that can have the focus; of a
 * slider the handle in it, or around it.
 * @param {Element} element
 * @returns {any[]}
 */
function keyTakersOf(element) {
  const root = shadowRootIn(element);
  const inside = [...queryAllIn(element, MAY_FOCUS), ...(root ? queryAll(root, MAY_FOCUS) : [])].filter(
    (each) => isFocusable(each) && each.checkVisibility(),
  );
  if (!HANDLED_ROLES.has(roleOf(element))) return inside.length === 1 ? inside : [];
  if (inside.length) return inside.slice(0, 1);
  let node = flatParentOf(element);
  for (let level = 0; node && level < MAX_HANDLE_LEVELS; level++, node = flatParentOf(node))
    if (isFocusable(node)) return [node];
  return [];
}

export const typingApi = {
  /**
   * Whether the caret of the focused field is at an end of its text.
   * @param {boolean} last at the end; else at the start
   * @returns {string} `there`, `elsewhere`, or for a field that shows nobody its text `unknown`, and `suggesting` while
   *   a list of suggestions takes its keys
   */
  caretAt(last) {
    const field = focusedField();
    if (!field) return encodeJson('unknown');
    if (!showsContent(field)) return encodeJson(attr(field, 'aria-activedescendant') ? 'suggesting' : 'unknown');
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
   * Pastes lines into the focused field if it is out of sight: editors that paint them indent lines that are typed.
   * @param {string} text
   * @returns {string} whether the page took them
   */
  pasteLines(text) {
    const field = focusedField();
    if (!field || showsContent(field) || textPaintedFor(field) === null) return encodeJson(false);
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
    return encodeJson(!field.dispatchEvent(event));
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
    if (!field || !showsContent(field) || !SEEN.test(heldText(field))) return encodeJson(true);
    if (isEditor(field)) getSelection()?.selectAllChildren(field);
    else field.select();
    document.execCommand('delete');
    return encodeJson(!SEEN.test(heldText(field)));
  },

  /**
   * Selects all that the focused field holds, where keys have not.
   * @returns {string} whether it holds anything
   */
  selectFocused() {
    const field = focusedField();
    if (!field || !showsContent(field)) return encodeJson(false);
    if (!isEditor(field)) field.select();
    else if (textBeside(field, true) !== '' || textBeside(field, false) !== '' || getSelection()?.isCollapsed)
      getSelection()?.selectAllChildren(field);
    return encodeJson(SEEN.test(heldText(field)));
  },

  /**
   * Gives the focus to the field that takes the keys for what an element paints, where no pointer reaches that field.
   * @param {number} number
   * @returns {string} whether there is one, and it has the focus now
   */
  focusPaintedField(number) {
    const target = nodeOf(number);
    const field = target && fieldBehind(target);
    if (!field) return encodeJson(false);
    HTMLElement.prototype.focus.call(field, { preventScroll: true });
    return encodeJson(focusedElement() === field);
  },

  /**
   * Gives an element the focus; where it takes none, what takes its keys.
   * @param {number} number
   * @returns {string} whether it, or something in it, has the focus now
   */
  focus(number) {
    const element = nodeOf(number);
    if (!element) return encodeJson(false);
    if (matches(element, ':focus-within')) return encodeJson(true);
    for (const taker of [element, ...keyTakersOf(element)]) {
      HTMLElement.prototype.focus.call(taker, { preventScroll: true });
      if (matches(element, ':focus-within') || focusedElement() === taker) return encodeJson(true);
    }
    return encodeJson(false);
  },
};
