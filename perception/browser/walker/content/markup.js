// Maps elements to markup.

import { attr, queryIn } from '../dom/access.js';
import { isEditingHost, tagOf } from '../dom/elements.js';
import { generatedPlaces } from '../semantics/generated_content.js';
import { Part } from '../tree/part.js';
import { PAINTERS } from '../visibility/occlusion.js';
import { keepsIndents, paintStyleOf } from '../visibility/paint_style.js';
import { isDrawnAsIcons } from '../semantics/icon_fonts.js';

/** Elements that format words, by the tag written for them. @type {Record<string, string>} */
const MARK_TAGS = {
  strong: 'strong',
  b: 'strong',
  em: 'em',
  i: 'em',
  sub: 'sub',
  sup: 'sup',
  mark: 'mark',
  code: 'code',
  kbd: 'code',
  samp: 'code',
  tt: 'code',
  rt: 'rt',
};

/** The same by role. @type {Record<string, string>} */
const ROLE_MARKS = {
  strong: 'strong',
  emphasis: 'em',
  subscript: 'sub',
  superscript: 'sup',
  mark: 'mark',
  code: 'code',
};

/** The tag for the words in an element; empty for none. @param {Part} part */
export const markOf = (part) =>
  MARK_TAGS[part.tag] ||
  ROLE_MARKS[part.role] ||
  (part.display.startsWith('inline') ? { super: 'sup', sub: 'sub' }[paintStyleOf(part).verticalAlign] || '' : '');

/** Elements that mark which part of a page is its content. @type {Record<string, string>} */
export const LANDMARK_TAGS = {
  main: 'main',
  article: 'article',
  navigation: 'nav',
  complementary: 'aside',
  banner: 'header',
  contentinfo: 'footer',
  search: 'search',
  dialog: 'dialog',
  alertdialog: 'dialog',
};

/** Roles of cells, by the tag written for them. @type {Record<string, string>} */
export const CELL_ROLES = { cell: 'td', gridcell: 'td', columnheader: 'th', rowheader: 'th' };

/** Whether its text is drawn as icons. @param {string} text @param {Part} part @param {'::before'|'::after'} [pseudo] */
export const isIcons = (text, part, pseudo) => isDrawnAsIcons(text, getComputedStyle(part.element, pseudo));

/** @param {Element} element */
export const levelOf = (element) =>
  Math.min(
    6,
    Math.max(
      1,
      Math.round(Number(attr(element, 'aria-level') || (/^h([1-6])$/.exec(tagOf(element)) || [0, 2])[1]) || 2),
    ),
  );

/** Whether it is a text whose lines are indented. @param {Part} part */
const hasIndents = (part) =>
  part.block &&
  part.children.some((child) => !(child instanceof Part) && /\S[^\n]*\n[ \t]+\S/.test(child.data)) &&
  part.children.every((child) => !(child instanceof Part)) &&
  keepsIndents(part);

/** Whether it shows code: preformatted, or laid out like it in a monospaced font. @param {Part} part */
export function isCode(part) {
  if (hasIndents(part)) return true;
  if (part.tag === 'pre' || part.tag === 'listing' || part.tag === 'xmp') return true;
  if (
    !part.block ||
    (part.role !== 'code' && part.tag !== 'code' && !isEditingHost(part.element) && part.role !== 'textbox')
  )
    return false;
  const style = getComputedStyle(part.element);
  return style.whiteSpaceCollapse === 'preserve' && /mono|courier|consolas|menlo/i.test(style.fontFamily);
}

/** Classes that name the language of code (highlight.js, Prism, Pygments, GitHub, SyntaxHighlighter). */
export const LANGUAGE = /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s*|sourceCode\s+)([\w+#.-]+)/i;

/** @param {Element} element @returns {string} empty if unknown */
export function languageOf(element) {
  for (const each of [
    element,
    queryIn(element, 'code'),
    element.parentElement,
    element.parentElement && element.parentElement.parentElement,
  ]) {
    if (!each) continue;
    const given =
      attr(each, 'data-lang') ||
      attr(each, 'data-language') ||
      (LANGUAGE.exec(attr(each, 'class') || '') || ['', ''])[1];
    if (given && /^[\w+#.-]{1,30}$/.test(given) && !/^(none|text|plaintext|default|notranslate)$/i.test(given))
      return given.toLowerCase();
  }
  return '';
}

/** Whether it contains a picture. @param {Part} part @returns {boolean} */
export const paintsPicture = (part) =>
  PAINTERS.has(part.tag) ||
  getComputedStyle(part.element).backgroundImage !== 'none' ||
  generatedPlaces(part.element) !== 0 ||
  part.children.some((child) => (child instanceof Part ? paintsPicture(child) : true));
