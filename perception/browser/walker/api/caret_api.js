// Carets: where the caret of the focused field is, and where text that is to follow the field's own goes.
//
// Rule: a mask fills a field with places for what is still to come, `dd/mm/yyyy`. Only the page knows them: a click puts
// its caret where the next character goes, and text behind the filling is lost.

import { attr, treeRootOf } from '../dom/access.js';
import { focusedElement, tagOf } from '../dom/elements.js';
import { allRoots } from '../dom/shadow_roots.js';
import { waitFor } from '../dom/timers.js';
import { focusedField, heldText, selectionIn } from '../semantics/focused_field.js';
import { isEditor, showsContent } from '../semantics/painted_fields.js';
import { encodeJson } from './encoding.js';

/**
 * How long a caret must have stayed where it is. Masks place it by timers of up to 10 ms after a click (Inputmask 5,
 * jquery.maskedinput 1.4, jquery-mask-plugin 1.14); in one document a later timer runs after an earlier one.
 */
export const REST_MS = 20;

/** How long a page may take to see a caret that was set: react-input-mask 2 reads it in each frame. Chosen by hand. */
const SEEN_MS = 50;

/** How often a caret that has moved is waited for. Chosen by hand. */
const MAX_RESTS = 5;

/** What fields held when they were last aimed at without the focus, or typed into. @type {WeakMap<Element, string>} */
const restingTexts = new WeakMap();

/** Where the button was pressed on the field that was aimed at last. @type {{ x: number, y: number }|null} */
let lastPress = null;

/** Where the page itself has put the caret, before a filling. @type {{ field: Element, at: number }|null} */
let placedCaret = null;

/** Where typing has ended in a field, and what the field held then. @type {{ field: Element, text: string, at: number }|null} */
let typedCaret = null;

/** Not counted as text: what a mask shows for letters that are still to come. */
const FILLER = /[^\p{L}\p{N}]/gu;

/** The text after the caret, or before it, in the focused field. @param {any} field @param {boolean} after */
export function textBeside(field, after) {
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

/** Remembers what a field holds before the pointer comes to it. @param {any} element that is aimed at */
export function noteAim(element) {
  if (tagOf(element) !== 'input') return;
  if (focusedElement() !== element) noteRestingText(element);
  lastPress = null;
  addEventListener('mousedown', keepPress, true);
}

/** @param {any} field */
const noteRestingText = (field) => restingTexts.set(field, field.value);

/** Remembers where typing has ended that has changed a field. @param {any} field */
export function noteTypedCaret(field) {
  noteRestingText(field);
  typedCaret = { field, text: field.value, at: field.selectionStart };
}

/** @param {MouseEvent} event */
function keepPress(event) {
  if (!event.isTrusted) return;
  lastPress = { x: event.clientX, y: event.clientY };
  removeEventListener('mousedown', keepPress, true);
}

/** Whether the caret is not where the browser puts it for the last press. @param {any} field */
function isPlacedByPage(field) {
  const selected = selectionIn(field);
  if (!lastPress || !selected || selected[0] !== selected[1]) return false;
  const shadowRoots = allRoots().filter((root) => root instanceof ShadowRoot);
  const place = /** @type {any} */ (document).caretPositionFromPoint(lastPress.x, lastPress.y, { shadowRoots });
  return place !== null && place.offsetNode === field && place.offset !== selected[0];
}

/**
 * As `caretAt`, of an input that shows its text.
 * @param {any} field
 * @param {boolean} last
 */
function caretOfInput(field, last) {
  const beside = textBeside(field, last);
  const isPlaced = last && isPlacedByPage(field);
  placedCaret = isPlaced && !/\p{N}/u.test(beside) ? { field, at: field.selectionStart } : null;
  if (!beside || (isPlaced && restingTexts.get(field) === '')) return 'there';
  if (!beside.replace(FILLER, '') && (isPlaced || !lastPress)) return 'there';
  return isPlaced ? 'placed' : 'elsewhere';
}

/** Where the blanks begin that end a text, as in `31/12/____`; -1 without any. @param {string} text */
function blanksIn(text) {
  const [end] = /[^\p{L}\p{N}]*$/u.exec(text) || [''];
  return end.includes('_') ? text.length - end.length + end.indexOf('_') : -1;
}

/** Where typing has ended, where the page put the caret, or where blanks begin; -1 where none is known. @param {any} field */
function startOfFilling(field) {
  if (typedCaret && typedCaret.field === field && typedCaret.text === field.value) return typedCaret.at;
  if (placedCaret && placedCaret.field === field) return placedCaret.at;
  return blanksIn(field.value);
}

export const caretApi = {
  /**
   * Whether the caret of the focused field is at an end of its text.
   * @param {boolean} last at the end; else at the start
   * @returns {string} `there`; `elsewhere`, of which `placed` is where the page itself has put it; or for a field that
   *   shows nobody its text `unknown`, and `suggesting` while a list of suggestions takes its keys
   */
  caretAt(last) {
    const field = focusedField();
    if (!field) return encodeJson('unknown');
    if (!showsContent(field)) return encodeJson(attr(field, 'aria-activedescendant') ? 'suggesting' : 'unknown');
    if (tagOf(field) === 'input') return encodeJson(caretOfInput(field, last));
    return encodeJson(textBeside(field, last).replace(FILLER, '') ? 'elsewhere' : 'there');
  },

  /** As `caretAt`, once the caret rests. @param {boolean} last */
  async restingCaret(last) {
    const whereabouts = () => JSON.stringify([focusedField()?.value, focusedField()?.selectionStart]);
    for (let rest = 0, was = ''; rest <= MAX_RESTS && was !== whereabouts(); rest++) {
      was = whereabouts();
      await waitFor(REST_MS);
    }
    return caretApi.caretAt(last);
  },

  /**
   * Puts the caret where a mask's filling may begin, and waits until the page has seen it there.
   * @returns {Promise<string>} whether it was elsewhere
   */
  async caretBeforeFilling() {
    const field = focusedField();
    if (!field || tagOf(field) !== 'input' || !selectionIn(field)) return encodeJson(false);
    const at = startOfFilling(field);
    if (at < 0 || at === field.selectionStart) return encodeJson(false);
    field.setSelectionRange(at, at);
    await waitFor(SEEN_MS);
    return encodeJson(true);
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
};
