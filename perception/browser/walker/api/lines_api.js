// Text of several lines in an editor: Chromium (156) leaves the caret too early between lines with a margin, and makes
// blocks of the lines of an editor of plain text.

import { treeRootOf } from '../dom/access.js';
import { focusedField } from '../semantics/focused_field.js';
import { isEditor } from '../semantics/painted_fields.js';
import { encodeJson } from './encoding.js';

/**
 * Lines that are to be inserted in an editor: the length of the text that follows them, and the event that the page may
 * answer by inserting them itself.
 * @type {{ field: any, rest: number, event: Event|null, note: (event: Event) => void }|null}
 */
let insertion = null;

const SPACES = /\s+/gu;

/** @param {any} field @returns {Selection|null} */
function selectionAround(field) {
  const root = /** @type {any} */ (treeRootOf(field));
  const selection = /** @type {Selection|null} */ (root.getSelection ? root.getSelection() : getSelection());
  return selection && selection.rangeCount && Node.prototype.contains.call(field, selection.focusNode)
    ? selection
    : null;
}

/** The text from a place in a field to the field's end, or to its beginning. @param {any} field @param {Node} node @param {number} at @param {boolean} after */
function textFrom(field, node, at, after) {
  const range = document.createRange();
  range.selectNodeContents(field);
  if (after) range.setStart(node, at);
  else range.setEnd(node, at);
  return range.toString();
}

/** The first place in a field that so many characters of text follow. @param {any} field @param {number} rest @returns {[Node, number]|null} */
function placeBefore(field, rest) {
  const walker = Document.prototype.createTreeWalker.call(document, field, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  let left = rest;
  for (const text of texts.reverse()) {
    if (text.length > left) return [text, text.length - left];
    left -= text.length;
  }
  return left ? null : [field, 0];
}

/** Where a selection has its caret. @param {Selection} selection @returns {[Node, number]} */
const caretOf = ({ focusNode, focusOffset }) => [/** @type {Node} */ (focusNode), focusOffset];

/**
 * Whether a caret is before a place, as a person sees it: one step brings it not further than there. Moves the caret.
 * @param {Selection} selection
 * @param {[Node, number]} place
 */
function isBefore(selection, place) {
  const [node, at] = caretOf(selection);
  selection.modify('move', 'forward', 'character');
  const reach = document.createRange();
  reach.setStart(...caretOf(selection));
  return reach.comparePoint(node, at) < 0 && reach.comparePoint(...place) >= 0;
}

export const linesApi = {
  /**
   * Before lines are inserted into the focused field: inserts them into an editor of plain text, as a paste does.
   * @param {string} text
   * @returns {string} whether they are inserted
   */
  beginLines(text) {
    insertion = null;
    const field = focusedField();
    const selection = field && isEditor(field) && !field.editContext ? selectionAround(field) : null;
    if (!selection) return encodeJson(false);
    if (field.contentEditable === 'plaintext-only') {
      for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
        if (index) document.execCommand('insertLineBreak');
        if (line) document.execCommand('insertText', false, line);
      }
      return encodeJson(true);
    }
    const { endContainer, endOffset } = selection.getRangeAt(0);
    const note = (/** @type {Event} */ event) => {
      if (insertion && event.isTrusted) insertion.event = event;
    };
    insertion = { field, rest: textFrom(field, endContainer, endOffset, true).length, event: null, note };
    addEventListener('beforeinput', note, { capture: true, once: true });
    return encodeJson(false);
  },

  /**
   * After lines were inserted: puts the caret behind them, where it is before that.
   * @param {string} text the end of the inserted one
   * @returns {string} whether it was
   */
  endLines(text) {
    if (!insertion) return encodeJson(false);
    const { field, rest, event, note } = insertion;
    insertion = null;
    removeEventListener('beforeinput', note, { capture: true });
    if (!event || event.defaultPrevented || focusedField() !== field) return encodeJson(false);
    const selection = selectionAround(field);
    const place = selection && selection.isCollapsed ? placeBefore(field, rest) : null;
    if (!selection || !place) return encodeJson(false);
    const lines = text.trimEnd().split(/[\r\n]/);
    const held = textFrom(field, ...place, false).replace(SPACES, '');
    if (!held.endsWith(lines[lines.length - 1].replace(SPACES, ''))) return encodeJson(false);
    const was = caretOf(selection);
    selection.collapse(...place);
    const ends = (/[\r\n]*$/.exec(text.replace(/\r\n/g, '\n')) || [''])[0].length;
    for (let end = 0; end < ends; end++) selection.modify('move', 'forward', 'character');
    const behind = caretOf(selection);
    selection.collapse(...was);
    const isMoved = isBefore(selection, behind);
    selection.collapse(...(isMoved ? behind : was));
    return encodeJson(isMoved);
  },
};
