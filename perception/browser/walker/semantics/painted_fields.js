// Fields that take the keys for a text that is painted beside them: code editors, terminals and tables keep such a field
// out of sight, and no pointer reaches it.

import {
  attr,
  boundsOf,
  closest,
  matches,
  parentNodeOf,
  queryAllIn,
  textContentOf,
  treeRootOf,
} from '../dom/access.js';
import { focusedElement, isEditable, isEditingHost, isFocusable } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { boxOf, isRightToLeft } from '../layout/boxes.js';
import { isCutAway } from '../layout/clips.js';
import { rectOf } from '../layout/rects.js';
import { wholeViewport } from '../layout/viewport.js';
import { isSecret } from '../privacy/sensitive_fields.js';
import { elementAt } from '../visibility/element_at.js';

/**
 * A field with a side shorter than this shows nobody what it holds: editors take the keys in it and paint the text
 * elsewhere. Letters that can be read are taller.
 */
const MIN_SHOWN = 6;

/** A field's own widget reaches at most so many levels above it. Code editors have one to three. */
const MAX_WIDGET_LEVELS = 3;

/** How far above a painted line the part that holds its field may be. Code editors have up to eight levels. */
const MAX_LINE_LEVELS = 10;

const MAY_TAKE_KEYS = 'textarea, input, [contenteditable], [role=textbox], [tabindex]';

/** What does something else than to show a text. */
const OTHER_CONTROLS =
  'a[href], button, input, select, textarea, summary, iframe, dialog, [role=button], [role=link], [role=dialog]';

const TRANSPARENT = /^(transparent|rgba\(.*, 0\))$/;

/** @param {any} field */
export const isEditor = (field) => field.isContentEditable === true || isEditingHost(field);

/** Whether a person sees what a field holds, in the field. @param {any} field */
export function showsContent(field) {
  if (field.editContext || !(isEditor(field) || typeof field.value === 'string')) return false;
  const box = field === document.body ? wholeViewport() : boxOf(field, 'block');
  if (isThin(box) || isInThinClip(field)) return false;
  if (!Element.prototype.checkVisibility.call(field, { opacityProperty: true, visibilityProperty: true })) return false;
  return !TRANSPARENT.test(getComputedStyle(field).webkitTextFillColor) || !hasPaintingOver(field);
}

/** @param {import('../layout/rects.js').Rect} box */
const isThin = ([left, top, right, bottom]) => right - left < MIN_SHOWN || bottom - top < MIN_SHOWN;

/** Whether a container that shows next to nothing clips a field. @param {Element} field */
function isInThinClip(field) {
  let node = flatParentOf(field);
  for (let level = 0; node && level < MAX_WIDGET_LEVELS && !isPageItself(node); level++, node = flatParentOf(node))
    if (isThin(rectOf(boundsOf(node))) && getComputedStyle(node).overflow !== 'visible') return true;
  return false;
}

/**
 * Whether a page keeps a list of choices where nobody sees what it holds, and paints another one: it is thin, clipped,
 * beside the page, or neither seen nor clicked.
 * @param {Element} element
 * @param {string} tag
 */
export function isOutOfTheWay(element, tag) {
  if (tag !== 'select') return false;
  const box = rectOf(boundsOf(element));
  if (isThin(box) || box[3] + scrollY <= 0 || isInThinClip(element)) return true;
  const style = getComputedStyle(element);
  const isBeside = box[2] + scrollX <= 0 && !isRightToLeft();
  if (style.pointerEvents === 'none' && Number(style.opacity) < 0.05) return true;
  return isBeside || isCutAway(style);
}

/** The part of the page around a field that may paint its text; null where that is the page. @param {Element} field */
function widgetOf(field) {
  let widget = null;
  let node = flatParentOf(field);
  for (let level = 0; node && level < MAX_WIDGET_LEVELS && !isPageItself(node); level++, node = flatParentOf(node))
    widget = node;
  return widget;
}

/** @param {Element} element */
const isPageItself = (element) => element === document.body || element === document.documentElement;

/** Whether its own widget, and no other control, paints something. @param {Element} element @param {Element} painted */
function isOfItsWidget(element, painted) {
  const widget = widgetOf(element);
  if (!widget || flatContains(element, painted) || !flatContains(widget, painted)) return false;
  for (
    let node = /** @type {Element|null} */ (painted);
    node && !flatContains(node, element);
    node = flatParentOf(node)
  )
    if (matches(node, OTHER_CONTROLS)) return false;
  return true;
}

/** @param {Element} element @returns {[number, number]} */
export function middleOf(element) {
  const [left, top, right, bottom] = boxOf(element, 'block');
  return [(left + right) / 2, (top + bottom) / 2];
}

/** Whether a click on an element would land on what its own widget paints. @param {Element} element */
function isUnderItsWidget(element) {
  const hit = elementAt(...middleOf(element));
  return hit !== null && isOfItsWidget(element, hit);
}

/** Whether its own widget paints over it, whatever else lies over both. @param {Element} element */
function hasPaintingOver(element) {
  const root = /** @type {Document|ShadowRoot} */ (treeRootOf(element));
  const stack = root.elementsFromPoint(...middleOf(element));
  const above = stack.includes(element) ? stack.slice(0, stack.indexOf(element)) : [];
  return above.some((each) => isOfItsWidget(element, each) && !flatContains(each, element));
}

/** Whether a field takes the keys for what is painted elsewhere. @param {any} field */
export const isUnseen = (field) => isEditable(field) && isFocusable(field) && !showsContent(field);

/** Texts that are read to find one that invites to write: numbers of lines may be before it. Chosen by hand. */
const MAX_TEXTS_INSIDE = 20;

/** Whether a person would click on it to write there. @param {Element} element */
function invitesText(element) {
  if (matches(element, OTHER_CONTROLS)) return isUnderItsWidget(element);
  if (hasTextCursor(element)) return true;
  const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_TEXT);
  for (let read = 0; read < MAX_TEXTS_INSIDE && walker.nextNode(); read++) {
    const holder = parentNodeOf(walker.currentNode);
    if (holder instanceof Element && hasTextCursor(holder)) return true;
  }
  return false;
}

/** @param {Element} element */
const hasTextCursor = (element) => getComputedStyle(element).cursor === 'text';

/**
 * The field that takes the keys for what an element paints: itself where it has the focus, or under its own painting,
 * or the only field around painted text, if it is out of sight. Null for what a person uses otherwise.
 * @param {any} target
 * @returns {any}
 */
export function fieldBehind(target) {
  if (isEditable(target))
    return isUnseen(target) && (focusedElement() === target || isUnderItsWidget(target)) ? target : null;
  if (!invitesText(target)) return null;
  let node = target;
  for (let level = 0; node && level <= MAX_LINE_LEVELS && !isPageItself(node); level++, node = flatParentOf(node)) {
    const fields = [...queryAllIn(node, MAY_TAKE_KEYS)].filter(isEditable);
    if (fields.length) return fields.length === 1 && isUnseen(fields[0]) ? fields[0] : null;
  }
  return null;
}

/**
 * Whether a click on what a widget paints gives the focus to a field that is out of sight.
 * @param {any} field
 * @param {Element} painted
 */
export function isFocusedThrough(field, painted) {
  if (!isUnseen(field) || !isOfItsWidget(field, painted)) return false;
  return fieldBehind(painted) === field || (hasTextCursor(painted) && isUnderItsWidget(field));
}

/**
 * Whether what is painted over a combobox's field is of a combobox around both, which opens the same list.
 * @param {Element} field
 * @param {Element} painted
 */
export function isOpenedThrough(field, painted) {
  if (attr(field, 'role') !== 'combobox' || !isOfItsWidget(field, painted)) return false;
  const around = closest(painted, '[role=combobox]');
  return around !== null && around !== field && flatContains(around, field);
}

/**
 * The element that paints what a field out of sight holds, and where a click gives that field the focus, or opens its
 * list; null for none.
 * @param {any} field
 * @returns {Element|null}
 */
export function paintingOf(field) {
  if (!isUnseen(field)) return null;
  let node = flatParentOf(field);
  for (let level = 0; node && level < MAX_WIDGET_LEVELS && !isPageItself(node); level++, node = flatParentOf(node)) {
    const hit = elementAt(...middleOf(node));
    if (hit && flatContains(node, hit) && (isFocusedThrough(field, hit) || isOpenedThrough(field, hit))) return node;
  }
  return null;
}

/**
 * The text that a widget paints for a field that is out of sight, also in boxes for single letters; null where it paints
 * pixels, or nobody knows where. Another field's secret is no part of it.
 * @param {Element} field
 */
export function textPaintedFor(field) {
  const widget = widgetOf(field);
  if (!widget) return null;
  const under = document.elementsFromPoint(...middleOf(widget));
  if (!under.some((each) => flatContains(widget, each)) || under.some((each) => each instanceof HTMLCanvasElement))
    return null;
  const isOwnSecret = isSecret(field); // then none of it is said
  const inputs = /** @type {HTMLInputElement[]} */ ([...queryAllIn(widget, 'input')]);
  const boxes = inputs.filter((each) => each !== field && each.type === 'text' && (isOwnSecret || !isSecret(each)));
  return [textContentOf(widget), ...boxes.map(({ value }) => value)].join('');
}
