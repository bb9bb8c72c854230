// Copying and pasting by key, without the browser's clipboard: see input/clipboard_keys.py.

import { encodeJson } from './encoding.js';

/** @type {KeyboardEvent|null} */
let lastKey = null;
/** @param {KeyboardEvent} event */
const noteKey = (event) => {
  lastKey = event;
};

/** The innermost focused element, or the body. @returns {any} */
function focusedNode() {
  let element = /** @type {any} */ (document.activeElement);
  while (element && element.shadowRoot && element.shadowRoot.activeElement) element = element.shadowRoot.activeElement;
  return element || document.body || document.documentElement;
}

/** Whether it is a field with a selection of its own. @param {any} element */
const isPlainField = (element) => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;

/** Where an event of the clipboard goes: the field, or where the selection begins. */
function clipboardTarget() {
  const focused = focusedNode();
  if (isPlainField(focused)) return focused;
  const anchor = getSelection()?.anchorNode;
  return (anchor instanceof Element ? anchor : anchor?.parentElement) || focused;
}

/** The selection as text and HTML. @param {any} target */
function selectedContent(target) {
  if (isPlainField(target)) {
    const { type, value, selectionStart: start, selectionEnd: end } = target;
    return { text: type === 'password' || start === null || end === null ? '' : value.slice(start, end), html: '' };
  }
  const selected = getSelection();
  if (!selected || !selected.rangeCount) return { text: '', html: '' };
  const holder = document.createElement('div');
  holder.append(selected.getRangeAt(0).cloneContents());
  return { text: String(selected), html: holder.innerHTML };
}

/** @param {string} kind @param {DataTransfer} clipboardData */
const clipboardEvent = (kind, clipboardData) =>
  new ClipboardEvent(kind, { clipboardData, bubbles: true, cancelable: true, composed: true });

/** HTML without what runs; empty where this browser cannot tell. @param {string} html */
function harmless(html) {
  const holder = /** @type {any} */ (document.createElement('div'));
  if (typeof holder.setHTML !== 'function') return '';
  holder.setHTML(html);
  return String(holder.innerHTML);
}

export const clipboardApi = {
  /** What the page has copied by itself. @param {string} secret name of the event that asks for it */
  takeCopied(secret) {
    let given = '';
    const take = (/** @type {any} */ event) => {
      given = typeof event.detail === 'string' ? event.detail : '';
    };
    addEventListener(`${secret}:`, take, { once: true });
    dispatchEvent(new CustomEvent(secret));
    removeEventListener(`${secret}:`, take);
    return given || 'null';
  },

  /** Remembers the next key that goes down. */
  watchKey() {
    lastKey = null;
    addEventListener('keydown', noteKey, { capture: true });
    return encodeJson(true);
  },

  /** Whether the page has kept the browser from acting on the last key that went down. Ends the watch. */
  keyWasPrevented() {
    removeEventListener('keydown', noteKey, { capture: true });
    return encodeJson(lastKey !== null && lastKey.defaultPrevented);
  },

  /**
   * Copies the selection, or what the page puts in its place; cuts it out where asked.
   * @param {boolean} cuts
   * @param {number} limit characters
   * @returns {string} `null` where nothing is selected; `length` alone where it is too long
   */
  copySelection(cuts, limit) {
    const target = clipboardTarget();
    const clipboardData = new DataTransfer();
    const isTaken = !target.dispatchEvent(clipboardEvent(cuts ? 'cut' : 'copy', clipboardData));
    const { text, html } = isTaken
      ? { text: clipboardData.getData('text/plain'), html: clipboardData.getData('text/html') }
      : selectedContent(target);
    if (!text && !html) return encodeJson(null);
    const length = text.length + html.length;
    if (length > limit && text.length > limit) return encodeJson({ length });
    if (cuts && !isTaken) document.execCommand('delete');
    return encodeJson({ length, text, html: length > limit ? '' : html, at: Date.now() });
  },

  /**
   * Offers a text to the page as a paste; puts HTML into a rich editor that leaves that to the browser.
   * @param {string} text
   * @param {string} html
   * @returns {string} `done`, `text` where the text has still to be inserted, or `nowhere`
   */
  paste(text, html) {
    const focused = focusedNode();
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    if (html) clipboardData.setData('text/html', html);
    const target = isPlainField(focused) ? focused : clipboardTarget();
    if (!target.dispatchEvent(clipboardEvent('paste', clipboardData))) return encodeJson('done');
    if (isPlainField(focused)) return encodeJson(focused.readOnly || focused.disabled ? 'nowhere' : 'text');
    if (focused.isContentEditable !== true) return encodeJson('nowhere');
    const clean = html && harmless(html);
    return encodeJson(clean && document.execCommand('insertHTML', false, clean) ? 'done' : 'text');
  },
};
