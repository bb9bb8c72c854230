// Code editors (CodeMirror 5 and 6, Monaco, Ace): where their lines of code are, and what is only a gutter.

import { attr, closest } from '../dom/access.js';
import { Part } from '../tree/part.js';
import { languageOf } from './markup.js';

/**
 * What an editor is made of, by class: itself, the holder of its lines, a line, and what stands beside the lines.
 * `row`: what holds the parts of a line that is wrapped.
 */
const CODE_EDITORS = [
  { editor: 'cm-editor', holder: 'cm-content', row: '', line: 'cm-line', gutters: ['cm-gutters'] },
  {
    editor: 'CodeMirror',
    holder: 'CodeMirror-code',
    row: '',
    line: 'CodeMirror-line',
    gutters: ['CodeMirror-gutters', 'CodeMirror-gutter-wrapper'],
  },
  { editor: 'monaco-editor', holder: 'view-lines', row: '', line: 'view-line', gutters: ['margin'] },
  { editor: 'ace_editor', holder: 'ace_text-layer', row: 'ace_line_group', line: 'ace_line', gutters: ['ace_gutter'] },
];

const EDITOR_CLASS = /(?:^|\s)(?:cm-|CodeMirror-|view-lines|margin|ace_)/;

/** @param {Part} part */
const classesOf = (part) => (attr(part.element, 'class') || '').split(/\s+/);

/**
 * What a part is of a code editor: its code, its gutter, or neither.
 * @param {Part} part
 * @returns {'code'|'gutter'|''}
 */
export function editorPart(part) {
  if (!EDITOR_CLASS.test(attr(part.element, 'class') || '')) return '';
  const classes = classesOf(part);
  for (const { editor, holder, gutters } of CODE_EDITORS) {
    const isHolder = classes.includes(holder);
    if (!isHolder && !gutters.some((each) => classes.includes(each))) continue;
    if (closest(part.element, `.${editor}`)) return isHolder ? 'code' : 'gutter';
  }
  return '';
}

/**
 * The lines of an editor's code from top to bottom, each as the parts that it is painted in: editors reuse the elements
 * of lines in any order.
 * @param {Part} holder
 * @returns {Part[][]}
 */
export function editorLines(holder) {
  const classes = classesOf(holder);
  const known = CODE_EDITORS.find((each) => classes.includes(each.holder));
  if (!known) return [];
  const rows = known.row ? partsOfClass(holder, known.row) : [];
  const lines = rows.length
    ? rows.map((row) => partsOfClass(row, known.line))
    : partsOfClass(holder, known.line).map((line) => [line]);
  return lines.filter((line) => line.length > 0).sort((a, b) => a[0].place[1] - b[0].place[1]);
}

/** @param {Part} holder @param {string} name @returns {Part[]} in document order, none within another */
function partsOfClass(holder, name) {
  /** @type {Part[]} */
  const found = [];
  for (const child of holder.children) {
    if (!(child instanceof Part)) continue;
    if (classesOf(child).includes(name)) found.push(child);
    else found.push(...partsOfClass(child, name));
  }
  return found;
}

/** @param {Part} holder @returns {string} empty if unknown */
export function editorLanguage(holder) {
  for (const { editor } of CODE_EDITORS) {
    const element = closest(holder.element, `.${editor}`);
    if (!element) continue;
    const mode = attr(element, 'data-mode-id') || attr(element, 'data-mode') || '';
    const file = /\.(\w{1,10})$/.exec(attr(element, 'data-uri') || '');
    const named = mode.replace(/^.*\//, '') || (file ? file[1] : '');
    return (
      languageOf(holder.element) || languageOf(element) || (/^[\w+#.-]{1,30}$/.test(named) ? named : '').toLowerCase()
    );
  }
  return '';
}

/** What editors write for a space, or for nothing. @param {string} text */
export const editorText = (text) => text.replace(/\u00a0/g, ' ').replace(/[\u200b\ufeff]/g, '');
