// Typing: what the focused field holds, and what the page did with the input.

import { focusOn, hasAttr, matches, queryAll, queryAllIn } from '../dom/access.js';
import { focusedElement, isEditable, isFocusable, tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { shadowRootIn } from '../dom/shadow_roots.js';
import { setOwnTimer, waitFor } from '../dom/timers.js';
import { focusedField, heldText, selectionIn } from '../semantics/focused_field.js';
import { shownInPlaceOf, traitsOf } from '../semantics/replacements.js';
import { roleOf } from '../semantics/roles.js';
import { fieldBehind, isEditor, textPaintedFor, showsContent } from '../semantics/painted_fields.js';
import { scanForMarks } from '../privacy/private_content.js';
import { isSecret } from '../privacy/sensitive_fields.js';
import { REST_MS, noteTypedCaret, textBeside } from './caret_api.js';
import { encodeJson } from './encoding.js';

/**
 * An editor of Lexical (0.21), which takes from its own nodes what the browser has put there: of several lines it loses
 * breaks, or their order.
 */
const LEXICAL = 'data-lexical-editor';

/** How long a field is watched after it was first asked for; longer than it is asked for. */
const WATCH_MS = 1000;

/** A character that a person sees: editors keep empty lines open with others. */
const SEEN = /[^\s\u200b-\u200d\u2060\ufeff]/;

/** Letters and digits, of which a mask makes its own form. */
const LETTERS = /[\p{L}\p{N}]/gu;

/** What a mask or a page that writes text in capitals keeps of it. @param {string} text */
const typedWords = (text) => (text.match(LETTERS) || [text]).join('').toLowerCase();

/**
 * Typing that is under way: the field, the trusted `input` events in it, the changes of the document outside of it, what
 * it held first, whether it held something else since, what the browser has made of the keys, whether the page wrote
 * something else, what the field is known again by, whether another one is in its place now, and whether that was focused
 * by script.
 * @type {{ field: any, inputs: number, moved: number, observer: MutationObserver, count: (event: Event) => void,
 *   end: number, initial: string, touched: boolean, native: string, rewritten: boolean,
 *   traits: import('../semantics/replacements.js').Traits, replaced: boolean, refocused: boolean }|null}
 */
let typing = null;

/** The different texts of one field, in the order in which they were read. @type {{ field: any, texts: string[] }} */
let textsRead = { field: null, texts: [] };

/** The place of a text in `textsRead`: tells texts apart that are not to be shown. @param {any} field @param {string} text */
function versionOf(field, text) {
  if (textsRead.field !== field) textsRead = { field, texts: [] };
  if (!textsRead.texts.includes(text)) textsRead.texts.push(text);
  return textsRead.texts.indexOf(text);
}

/** @param {any} field */
function stateOf(field) {
  const isShown = showsContent(field);
  const painted = isShown ? null : textPaintedFor(field);
  const content = painted === null ? heldText(field) : painted;
  const secret = isSecret(field);
  return {
    text: secret ? '•'.repeat(content.length) : content,
    version: versionOf(field, content),
    letters: (content.match(LETTERS) || []).length,
    secret,
    editor: painted !== null || isEditor(field),
    type: tagOf(field) === 'input' ? field.type : tagOf(field),
    selected: painted === null ? selectionIn(field) : null,
    most: typeof field.maxLength === 'number' ? field.maxLength : -1,
    shown: isShown || painted !== null,
    painted: painted !== null,
    inputs: typing ? typing.inputs : 0,
    touched: Boolean(typing && typing.touched),
    moved: typing ? typing.moved + outsideOf(field, typing.observer.takeRecords()) : 0,
    focused: focusedField() === field,
    replaced: Boolean(typing && typing.replaced),
    refocused: Boolean(typing && typing.refocused),
  };
}

/** Goes on with what the page shows in place of the watched field, where it has removed that. */
function followField() {
  if (!typing || typing.field.isConnected) return;
  const field = shownInPlaceOf(typing.traits);
  if (!field) return;
  if (textsRead.field === typing.field) textsRead.field = field;
  typing.field = field;
  typing.replaced = true;
}

/**
 * Gives the focus to what is in place of the watched field, where the page has removed that and nothing has the focus
 * since. The caret goes where it was.
 * @returns {boolean} whether something takes the next key
 */
function refocusField() {
  if (!typing || focusedElement()) return true;
  const removed = typing.field;
  followField();
  const { field } = typing;
  if (!field.isConnected || isEditor(field)) return false;
  focusOn(field);
  typing.refocused = true;
  const caret = removed.selectionEnd;
  if (typeof caret === 'number' && typeof field.selectionEnd === 'number') field.setSelectionRange(caret, caret);
  return focusedElement() === field;
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

/** What takes a part of the keys of a widget. */
const MAY_FOCUS = 'a[href], button, input, select, textarea, [tabindex], [contenteditable]';

/** Roles of widgets with a handle that may have the focus in their place. */
const HANDLED_ROLES = new Set(['slider', 'spinbutton', 'scrollbar']);

/** Roles of the cells of a sheet. */
const SHEET_CELLS = new Set(['cell', 'gridcell']);

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
   * Begins to watch the focused field.
   * @param {boolean} again versions of its text are those of the last watch
   * @returns {string} what it holds; `null` where nothing takes text
   */
  watchTyping(again) {
    endTyping();
    if (!again) textsRead = { field: null, texts: [] };
    const field = focusedField();
    if (!field || !isEditable(field)) return encodeJson(null);
    const observer = new MutationObserver((records) => {
      if (typing) typing.moved += outsideOf(field, records);
    });
    observer.observe(document, { childList: true, characterData: true, attributes: true, subtree: true });
    const count = (/** @type {Event} */ event) => {
      if (!typing || !event.isTrusted) return;
      typing.inputs += 1;
      typing.native = heldText(typing.field);
    };
    addEventListener('input', count, true);
    scanForMarks();
    const initial = heldText(field);
    const keys = { initial, touched: false, native: initial, rewritten: false };
    const replacement = { traits: traitsOf(field), replaced: false, refocused: false };
    typing = { field, inputs: 0, moved: 0, observer, count, end: 0, ...keys, ...replacement };
    return encodeJson(stateOf(field));
  },

  /**
   * Pastes lines into the focused field if it is out of sight, as editors that paint them indent lines that are typed,
   * or if it is known to lose lines that are inserted.
   * @param {string} text
   * @returns {string} whether the page took them
   */
  pasteLines(text) {
    const field = focusedField();
    const isPasted = field && (hasAttr(field, LEXICAL) || (!showsContent(field) && textPaintedFor(field) !== null));
    if (!isPasted) return encodeJson(false);
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
    return encodeJson(!field.dispatchEvent(event));
  },

  /**
   * What the watched field holds now. The watch ends soon after it was first asked for.
   * @param {boolean} last ends the watch now
   * @param {string} text that was typed; of a field that is not sensitive it is not needed
   * @returns {string} `null` where the field is gone, and nothing is in its place
   */
  typedText(last, text) {
    followField();
    const field = typing && typing.field;
    if (!field || !field.isConnected) {
      endTyping();
      return encodeJson(null);
    }
    const state = { ...stateOf(field), is_given: typedWords(heldText(field)) === typedWords(text) };
    if (tagOf(field) === 'input' && typing && typing.initial !== field.value) noteTypedCaret(field);
    if (last) endTyping();
    else if (typing && !typing.end) typing.end = setOwnTimer(endTyping, WATCH_MS);
    return encodeJson(state);
  },

  /**
   * Waits after a key until the next one may come: a page that writes the field itself puts the caret in it later on, and
   * one that draws the field again may focus it later on.
   * @returns {Promise<string>} false where the page has removed the field, and nothing takes the next key
   */
  async keyTaken() {
    if (!typing) return encodeJson(true);
    if (!typing.field.isConnected) {
      if (!focusedElement()) await waitFor(REST_MS);
      if (!refocusField()) return encodeJson(false);
      followField();
      return encodeJson(true);
    }
    const held = heldText(typing.field);
    typing.touched = typing.touched || held !== typing.initial;
    typing.rewritten = typing.rewritten || held !== typing.native;
    typing.native = held;
    if (typing.rewritten) await waitFor(REST_MS);
    return encodeJson(true);
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
    focusOn(field);
    return encodeJson(focusedElement() === field);
  },

  /**
   * Whether an element is a cell with nothing in it that a press would work. A sheet selects its cells by a press: the
   * focus alone selects none.
   * @param {number} number
   */
  isPlainCell(number) {
    const element = nodeOf(number);
    return encodeJson(Boolean(element && SHEET_CELLS.has(roleOf(element)) && !queryAllIn(element, MAY_FOCUS).length));
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
      focusOn(taker);
      if (matches(element, ':focus-within') || focusedElement() === taker) return encodeJson(true);
    }
    return encodeJson(false);
  },
};
