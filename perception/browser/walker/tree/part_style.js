// The computed style of a part: display, opacity, position, clips.

import { Clip, containsFixed, isBlock, isClippedAway } from '../layout/clips.js';
import { isFormula } from '../semantics/raised_text.js';

/** @import { Part } from './part.js' */

/** How an element arranges its children; see `Part.flow`. @param {CSSStyleDeclaration} style */
export const flowOf = ({ display, flexDirection }) =>
  display.endsWith('flex') ? flexDirection : display.endsWith('grid') ? 'grid' : '';

/** Its `order` in its container, 0 where that has none. @param {Part|null} above @param {CSSStyleDeclaration} style */
export const orderIn = (above, style) => (above && above.flow ? Number(style.order) : 0);

/** Parts of a line by their tag: what floats beside a line is one of these, not a box beside paragraphs. */
const LINE_TAGS = /^(a|abbr|b|button|code|em|i|kbd|label|small|span|strong|time)$/;

/**
 * Whether it floats to the end of the line that follows it in the document: a time, a badge, an Edit link.
 * @param {Part|null} above
 * @param {string} tag
 * @param {CSSStyleDeclaration} style
 */
export const floatsToEnd = (above, tag, style) =>
  above !== null &&
  !above.flow &&
  LINE_TAGS.test(tag) &&
  style.display === 'block' && // as all that floats
  style.cssFloat === (style.direction === 'rtl' ? 'left' : 'right');

/** Whether it is a float; what a flex or grid container arranges is not. @param {Part|null} above @param {CSSStyleDeclaration} style */
export const isFloat = (above, style) => !(above && above.flow) && style.cssFloat !== 'none';

/** Displays of boxes that lay out their content by itself. */
const ISOLATING = /^(inline-|flow-root|flex|grid|table)/;

/** Whether floats do not reach into a part or out of it (CSS 2.2 §9.4.1). @param {Part} part */
const isIsolated = ({ display, position, floats, overflow, parent }) =>
  floats ||
  ISOLATING.test(display) ||
  position === 'absolute' ||
  position === 'fixed' ||
  (overflow !== 'visible' && overflow !== 'clip') ||
  (parent !== null && parent.flow !== '');

/** What places its content by what is around it: lines, the columns of a table, no box at all. */
const ARRANGED_FROM_OUTSIDE = /^(contents|inline|ruby.*|table-(column.*|.*group|row))$/;

/**
 * Whether its own box alone says where its content is, except for floats.
 * @param {Part} part
 * @param {CSSStyleDeclaration} style
 */
const arrangesContent = ({ display, flow, parent }, style) =>
  !ARRANGED_FROM_OUTSIDE.test(display) &&
  !(parent && parent.inColumns) &&
  !(flow === 'grid' && /subgrid/.test(style.gridTemplate));

/** Whether it sets its content in columns. @param {Part} part @param {CSSStyleDeclaration} style */
export const hasColumns = ({ block, flow }, style) =>
  block && !flow && (style.columnCount !== 'auto' || style.columnWidth !== 'auto');

/**
 * @param {Part} part
 * @param {CSSStyleDeclaration} style
 * @param {string} display
 */
export function readStyle(part, style, display) {
  const above = part.parent;
  part.display = display;
  part.block = isBlock(display) && !display.startsWith('ruby') && !isFormulaInLine(part);
  part.cursor = style.cursor;
  part.ownOpacity = style.opacity;
  part.opacity = (above ? above.opacity : 1) * parseFloat(part.ownOpacity);
  part.hidden = style.visibility !== 'visible';
  part.position = style.position;
  part.flow = flowOf(style);
  part.order = orderIn(above, style);
  part.trails = floatsToEnd(above, part.tag, style);
  // Properties that do not apply to inline elements are not read.
  part.overflow = display === 'inline' ? 'visible' : style.overflow;
  part.contentVisibility = display === 'inline' ? 'visible' : style.contentVisibility;
  part.floats = display !== 'inline' && isFloat(above, style);
  part.isolated = isIsolated(part);
  part.inColumns = (above !== null && above.inColumns) || hasColumns(part, style);
  part.arranges = arrangesContent(part, style);
  part.clippedBy = clipOf(part);
  part.clip = part.clippedBy;
  const isRoot =
    part.element === document.documentElement ||
    (part.element === document.body && (!above || above.overflow === 'visible'));
  const skips = part.contentVisibility === 'auto'; // which contains what is painted, too
  if ((part.overflow !== 'visible' || skips) && !isRoot)
    part.clip = new Clip(part, part.clippedBy, part.overflow === 'visible' ? 'clip' : part.overflow, skips);
  if (isClippedAway(style, part.position)) part.clip = new Clip(part, part.clippedBy, '');
  if (part.position !== 'static' && part.position !== 'relative') markLoose(part);
  if (FIELD_TAGS.test(part.tag)) markHoldsFields(part);
}

/** Whether it is a part of a line as a formula, or in one. @param {Part} part */
const isFormulaInLine = ({ element, tag, display }) =>
  isFormula(element) && (tag !== 'math' || !display.startsWith('block'));

/**
 * The clip of an element. An absolutely positioned one escapes scrollers up to its containing block, a fixed one all of
 * them (CSS Overflow 3 §3).
 * @param {Part} part
 * @returns {Clip|null}
 */
function clipOf(part) {
  const { position, parent } = part;
  if (position !== 'absolute' && position !== 'fixed') return parent && parent.clip;
  for (let above = parent; above; above = above.parent) {
    if ((position === 'absolute' && above.position !== 'static') || isContaining(above)) return above.clip;
  }
  return null;
}

/** @param {Part} part @returns {boolean} whether it is the containing block of fixed descendants */
export function isContaining(part) {
  if (part.isContaining === undefined) part.isContaining = containsFixed(getComputedStyle(part.element));
  return part.isContaining;
}

/** What people fill in, also where it is out of sight and something else is painted for it. */
const FIELD_TAGS = /^(input|select|textarea)$/;

/** Marks a field and all around it. @param {Part} part */
function markHoldsFields(part) {
  for (let above = /** @type {Part|null} */ (part); above && !above.holdsFields; above = above.parent)
    above.holdsFields = true;
}

/** Marks parts whose content does not move with them, up to the containing block. @param {Part} part */
function markLoose(part) {
  for (let above = part.parent; above; above = above.parent) {
    if (part.position === 'absolute' && above.position !== 'static') break;
    above.loose = true;
  }
}
