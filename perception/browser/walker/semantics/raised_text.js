// Raised, lowered and struck text: powers, indexes, cents, old prices. A line of text has a mark for them, since a reader
// of it does not see how they stand: `10^6`, `H_2O`, `$19^99`, `~~$25~~`, `漢(kan)`. Formulas (MathML Core) have marks for
// fractions and roots, too.

import { attr, boundsOf, firstElementChildOf, parentNodeOf } from '../dom/access.js';
import { readableText } from '../dom/text.js';
import { isClippedAway } from '../layout/clips.js';

/**
 * What stands in front of a group of words; `(` for a group that only has parentheses if it needs them. Words are in the
 * same group if it has the same key.
 * @typedef {{mark: string, key: unknown, above: Group|null}} Group
 */

/** Stands around words with a line through them, as in markdown. */
export const STRUCK = '~~';

/** Stand for both parentheses around what is written above or beside words: how to pronounce them. */
export const RUBY = '()';

/** The mark of a fraction's upper part: as `(`, and a number in front of it is apart from it. */
export const NUMERATOR = '(/';

/** The marks of groups that nothing is written in front of. */
export const UNMARKED = new Set(['(', RUBY, NUMERATOR]);

/** Marks of the children of a formula's elements. @type {Record<string, string[]>} */
const FORMULA_MARKS = {
  msup: ['(', '^'],
  msub: ['(', '_'],
  msubsup: ['(', '_', '^'],
  mover: ['(', '^'],
  munder: ['(', '_'],
  munderover: ['(', '_', '^'],
  mroot: ['(', '^(1/'],
};

/** What opens around a matrix or a binomial. */
const FENCE = /^\s*[([{|‖⟨⌈⌊]\s*$/;

/** Signs that mean something as a power or a limit: others are accents. */
const MEANT_SIGN = /[∞*∗⋆+−±∓×∘⊗⊕⊥⊤∅†‡]/;

/** Operators whose limits stand above and below them. */
const LARGE_OPERATOR = /^\s*[∑∏∐∫-∳⋀-⋃⨀-⨆]\s*$/;

/** @param {Element} element */
export const isFormula = (element) => element instanceof MathMLElement;

/** @param {Text} node */
export function isInFormula(node) {
  const parent = parentNodeOf(node);
  return parent instanceof Element && isFormula(parent);
}

/**
 * The text of a formula's element without the white space around it, which a no-break space is not (MathML Core, 2.1.7).
 * @param {string} text
 */
export const formulaText = (text) => readableText(text).replace(/^[ \t\r\n\f]+|[ \t\r\n\f]+$/g, '');

/** Limit on the size of what is there for assistive technology alone, in CSS px. */
const UNSEEN = 2;

/**
 * The formula that an element paints by other means, such as boxes with letters or a drawing, and has beside them for
 * assistive technology alone, as KaTeX and MathJax do; null for none.
 * @param {Element} element
 * @returns {Element|null}
 */
export function formulaBehind(element) {
  const first = firstElementChildOf(element),
    last = element.lastElementChild;
  if (!first || !last || first.nextElementSibling !== last) return null;
  const [painted, other] = attr(last, 'aria-hidden') === 'true' ? [last, first] : [first, last];
  if (attr(painted, 'aria-hidden') !== 'true') return null;
  const formula = isFormula(other) ? other : firstElementChildOf(other);
  if (!formula || !isFormula(formula)) return null;
  const style = getComputedStyle(other);
  const { width, height } = boundsOf(other);
  const isUnseen = isClippedAway(style, style.position) || (width <= UNSEEN && height <= UNSEEN);
  return isUnseen ? formula : null;
}

/**
 * Whether it arranges rows or columns in a formula: what is in each is apart. Those of a matrix have marks.
 * @param {Element} element
 * @param {string} tag
 */
export const isFormulaCell = (element, tag) =>
  (tag === 'mtd' || tag === 'mtr' || tag === 'mlabeledtr') && !isInMatrix(element, tag);

/** Whether a part of a table has a bracket in front of the table. @param {Element} element @param {string} tag */
function isInMatrix(element, tag) {
  const row = tag === 'mtd' ? parentNodeOf(element) : element;
  const table = row && parentNodeOf(row);
  return table instanceof Element && isFenced(table);
}

/** @param {Element} element */
const isFenced = ({ previousElementSibling: before }) => before !== null && FENCE.test(before.textContent || '');

/**
 * The group of the words in an element; that of its container for most.
 * @param {Element} element
 * @param {string} tag
 * @param {string} verticalAlign its own; empty if that does not apply
 * @param {Group|null} above group of its container
 * @returns {Group|null}
 */
export function groupOf(element, tag, verticalAlign, above) {
  if (isFormula(element)) {
    const mark = formulaMark(element);
    const group = mark ? { mark, key: element, above } : above;
    return tag === 'msqrt' ? { mark: '√', key: element, above: group } : group;
  }
  if (tag === 'rt') return { mark: RUBY, key: element, above };
  const role = attr(element, 'role');
  const mark =
    tag === 'sup' || verticalAlign === 'super' || role === 'superscript'
      ? '^'
      : tag === 'sub' || verticalAlign === 'sub' || role === 'subscript'
        ? '_'
        : '';
  return mark && (above === null || above.mark !== mark || tag === 'sup' || tag === 'sub')
    ? { mark, key: mark, above }
    : above;
}

/** Whether a line goes through an element's text by its own style. @param {CSSStyleDeclaration} style */
export const isStruckThrough = (style) => style.textDecorationLine.includes('line-through');

/**
 * Whether a line through what is around an element goes through its text, too (CSS Text Decoration 3 §2).
 * @param {CSSStyleDeclaration} style
 */
export const takesDecoration = ({ display, position, cssFloat }) =>
  !display.startsWith('inline-') && !/^(absolute|fixed)$/.test(position) && cssFloat === 'none';

/** Whether words have a line through them. @param {Group|null} group @returns {boolean} */
export const isStruck = (group) => group !== null && (group.key === STRUCK || isStruck(group.above));

/** The group of words without the line through them. @param {Group|null} group @returns {Group|null} */
export const unstruckGroup = (group) =>
  group === null || group.key === STRUCK ? null : { ...group, above: unstruckGroup(group.above) };

/**
 * The group of words with a line through them: around all that they are in otherwise.
 * @param {Group|null} group
 * @returns {Group}
 */
export function struckGroup(group) {
  if (group === null) return { mark: STRUCK, key: STRUCK, above: null };
  return group.key === STRUCK ? group : { ...group, above: struckGroup(group.above) };
}

/** @param {Element} element of a formula */
function formulaMark(element) {
  const parent = parentNodeOf(element);
  if (!(parent instanceof Element)) return '';
  let at = 0;
  for (let before = element.previousElementSibling; before; before = before.previousElementSibling) at++;
  const tag = parent.localName;
  if (tag === 'mfrac') return fractionMark(parent, at);
  if (tag === 'mtr') return matrixMark(element, parent, at);
  return (FORMULA_MARKS[tag] || [])[at] || '';
}

/** @param {Element} fraction @param {number} at */
function fractionMark(fraction, at) {
  const hasBar = !/^0+(?:\.0*)?\D*$/.test(attr(fraction, 'linethickness') || '1');
  if (at === 0) return hasBar ? NUMERATOR : '(';
  return hasBar ? '/' : isFenced(fraction) ? ' choose ' : '; ';
}

/** The mark of a cell: `[1, 2; 3, 4]`. @param {Element} cell @param {Element} row @param {number} at */
function matrixMark(cell, row, at) {
  if (!isInMatrix(cell, 'mtd')) return '';
  return at > 0 ? ', ' : row.previousElementSibling ? '; ' : '';
}

/** Whether signs that are raised or lowered mean something there. @param {Group} group @param {string} signs */
export const isMeantSign = ({ key }, signs) => key instanceof Element && MEANT_SIGN.test(signs);

/** Whether it is a limit of a large operator. @param {Group} group */
export function isLimit({ key, mark }) {
  const parent = key instanceof Element && (mark === '^' || mark === '_') ? parentNodeOf(key) : null;
  const base = parent instanceof Element ? firstElementChildOf(parent) : null;
  return base !== null && LARGE_OPERATOR.test(base.textContent || '');
}

/** @param {Group|null} group @returns {Group[]} itself and what it is in, outermost first */
export function groupsOf(group) {
  const all = [];
  for (let each = group; each; each = each.above) all.unshift(each);
  return all;
}
