// Editors: what is typed where no field holds it. Some take text in a field that nobody sees and paint it elsewhere,
// some in an editable document, some prevent the browser's own input and write the text by script.

import { boundsOf, closest, parentNodeOf } from '../dom/access.js';
import { isEditingHost, tagOf } from '../dom/elements.js';

/** A field of less than this (CSS px²) in view is seen by nobody. */
const MIN_SEEN_AREA = 40;

/** An editor is at least so large (CSS px²). */
const MIN_EDITOR_AREA = 2000;

/** How far up the editor around a field is searched. */
const MAX_ABOVE_FIELD = 8;

/** Beside the lines of an editor, and in empty lines. */
const NOT_WRITTEN = /[\d\s\u200b\u200c\ufeff\u00b7]+/g;

/** @param {any} element */
export const isTextField = (element) =>
  isEditingHost(element) ||
  Boolean(element.editContext) ||
  (document.designMode === 'on' && element === document.body) ||
  tagOf(element) === 'textarea' ||
  (tagOf(element) === 'input' && !/^(checkbox|radio|file|button|submit|reset|image|hidden)$/.test(element.type));

/** The field or editable element that an element is in. @param {any} element */
export function hostOf(element) {
  if (!element.isContentEditable) return element;
  if (document.designMode === 'on') return document.body || element;
  while (!isEditingHost(element) && element.parentElement) element = element.parentElement;
  return element;
}

/** Whether it is an editable element, and not a field. @param {any} element */
export const isEditableContent = (element) =>
  isTextField(element) && element.isContentEditable === true && !element.editContext;

/** What an editable element says, without what editors write for nothing. @param {any} element */
export const writtenText = (element) =>
  element.innerText
    .replace(/[\u200b\ufeff]/g, '')
    .replace(/\u00a0/g, ' ')
    .replace(/\n$/, '');

/** The part of an element that its containers leave in view, CSS px². @param {Element} element */
function seenArea(element) {
  const rect = boundsOf(element);
  let [left, top, right, bottom] = [rect.left, rect.top, rect.right, rect.bottom];
  let node = parentNodeOf(element);
  for (let step = 0; step < MAX_ABOVE_FIELD && node instanceof Element; step++, node = parentNodeOf(node)) {
    if (getComputedStyle(node).overflow === 'visible') continue;
    const around = boundsOf(node);
    left = Math.max(left, around.left);
    top = Math.max(top, around.top);
    right = Math.min(right, around.right);
    bottom = Math.min(bottom, around.bottom);
  }
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}

/** Whether a field only takes the keys for an editor that paints the text itself. @param {any} element */
export function isHiddenField(element) {
  if (element.editContext) return true;
  if (element.isContentEditable || (tagOf(element) !== 'textarea' && tagOf(element) !== 'input')) return false;
  const style = getComputedStyle(element);
  return Number(style.opacity) < 0.1 || style.visibility === 'hidden' || seenArea(element) < MIN_SEEN_AREA;
}

/** The editor that a hidden field takes the keys for: what a person sees around it. @param {Element} field */
export function editorAround(field) {
  let node = parentNodeOf(field);
  for (let step = 0; step < MAX_ABOVE_FIELD && node instanceof Element; step++, node = parentNodeOf(node)) {
    if (node === document.body) break;
    if (seenArea(node) >= MIN_EDITOR_AREA) return node;
  }
  return null;
}

/** Whether an editor shows a text; numbers of lines are none. @param {any} editor */
const hasText = (editor) => editor.innerText.replace(NOT_WRITTEN, '') !== '';

/** Whether a click only gave the focus to the field or editor that it is in. @param {Element} hit */
export function isFocusingClick(hit) {
  const isPage = hit === document.documentElement || hit === document.body;
  if (isPage && document.body && document.body.isContentEditable) return true;
  if (/** @type {any} */ (hit).isContentEditable) return !closest(hit, 'button, [role=button]');
  const focused = /** @type {any} */ (document.activeElement);
  if (!focused || !isTextField(focused) || !isHiddenField(focused)) return false;
  const editor = editorAround(focused);
  return editor !== null && editor.contains(hit);
}

/**
 * What was typed by way of a hidden field since it got the focus. Where the editor had a text before that was not
 * replaced as a whole, nobody knows where in it the new text stands.
 */
export class HiddenTyping {
  /** @type {any} */
  field = null;
  text = '';
  clear = false;
  isKnown = true;
  #isAllSelected = false;

  /** @param {any} field */
  begin(field) {
    if (this.field === field) return;
    Object.assign(this, { field, text: '', clear: false, isKnown: true });
    this.#isAllSelected = false;
  }

  /** Keys that select or move. @param {KeyboardEvent} event */
  press(event) {
    const chord = event.ctrlKey || event.metaKey;
    if (chord && event.key.toLowerCase() === 'a') this.#isAllSelected = true;
    else if (/^(Arrow|Home|End|Page)/.test(event.key)) {
      this.#isAllSelected = false;
      if (this.text) this.isKnown = false;
    } else if (this.#isAllSelected && /^(Delete|Backspace)$/.test(event.key)) this.#replaceAll();
    else if (/^(Delete|Backspace)$/.test(event.key)) {
      if (event.key === 'Backspace' && this.text && !chord) this.text = this.text.slice(0, -1);
      else this.isKnown = this.isKnown && !this.#hadText();
    } else if (event.key === 'Enter' && !chord && !event.altKey) this.add('\n');
  }

  /** A part of the text. @param {string} text */
  add(text) {
    if (this.#isAllSelected) this.#replaceAll();
    if (!this.text && !this.clear && this.#hadText()) this.isKnown = false;
    this.text += text;
  }

  #replaceAll() {
    Object.assign(this, { text: '', clear: true, isKnown: true });
    this.#isAllSelected = false;
  }

  #hadText() {
    const editor = editorAround(this.field);
    return editor === null || hasText(editor);
  }
}
