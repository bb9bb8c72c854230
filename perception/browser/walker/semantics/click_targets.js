// Click targets: what a person can operate, by role, by cursor or by listener.

import {
  attr,
  boundsOf,
  childNodesOf,
  closest,
  firstElementChildOf,
  hasAttr,
  nodeTypeOf,
  parentNodeOf,
  queryAllIn,
  queryIn,
  textContentOf,
} from '../dom/access.js';
import { hasListener } from '../dom/listeners.js';
import { queryThrough } from '../dom/shadow_roots.js';
import { isEditable, isFocusable, isOperated, isSvg, tagOf } from '../dom/elements.js';
import { labelsOf } from '../dom/labels.js';
import { HEADER_ROLES, isHeaderControl, isPartOfHeader } from './header_cells.js';
import { isToggleOfHost } from './hidden_toggles.js';
import { MAX_PARTS, wholeTextOf } from './names.js';
import { NAMED_BY_CONTENT } from './naming_rules.js';
import { isOutOfTheWay } from './painted_fields.js';
import { isOfScale, wholeNumberIn } from './scales.js';
import { aroundFromListener, onlyShownChild, rowAround } from './surroundings.js';
import { itemMenus } from './target_words.js';
import { CONTAINER_ROLES, DIGEST_CONTAINERS, INTERACTIVE_ROLES } from './role_tables.js';

/** @import { Part } from '../tree/part.js' */

/** Native controls: an element that contains one needs no ref for its cursor alone. */
export const CONTROL_SELECTOR =
  'a[href], button, input, select, textarea, summary, [role=button], [role=link], ' +
  '[role=checkbox], [role=menuitem], [role=tab]';

/**
 * Attributes that indicate a click target: a handler, a framework's equivalent, a state that only controls have.
 */
const HANDLER_ATTRIBUTES = [
  'onclick',
  'ng-click',
  'data-action',
  'phx-click',
  'aria-expanded',
  'aria-pressed',
  'aria-haspopup',
];

/**
 * Whether an element without an explaining role is a click target: it declares so itself, or its cursor is a hand where
 * its parent's is not (a cursor is inherited, so only the outermost counts).
 * @param {Element} element
 * @param {CSSStyleDeclaration} style
 * @param {string} parentCursor
 */
function isPointerTarget(element, style, parentCursor) {
  if (HANDLER_ATTRIBUTES.some((name) => hasAttr(element, name))) return true;
  const tabindex = attr(element, 'tabindex');
  if (tabindex !== null && parseInt(tabindex, 10) >= 0) return true;
  return (
    style.cursor === 'pointer' &&
    parentCursor !== 'pointer' &&
    tagOf(element) !== 'label' &&
    (!queryIn(element, CONTROL_SELECTOR) || isCard(element))
  );
}

/** Whether a control around it shows nothing else: a click on it is a click on the control. @param {Element} element */
function isAllOfControl(element) {
  const control = closest(element, `${CONTROL_SELECTOR}, [role=combobox], [role=switch], [role=radio], [role=option]`);
  if (!control || textContentOf(control) !== textContentOf(element)) return false;
  for (let inner = element; inner !== control;) {
    const around = parentNodeOf(inner);
    if (!(around instanceof Element) || onlyShownChild(around) !== inner) return false;
    inner = around;
  }
  return control !== element;
}

/**
 * Whether it belongs to the one drawing of a control without text: a click on it is a click on the control.
 * @param {Element} element of a drawing
 */
function isIconOfControl(element) {
  const control = closest(element, CONTROL_SELECTOR);
  if (!control || queryIn(control, CONTROL_SELECTOR)) return false;
  const drawings = queryAllIn(control, 'svg:not(svg svg)');
  const lengthOf = (/** @type {Element} */ each) => (textContentOf(each) || '').replace(/\s+/g, '').length;
  return drawings.length === 1 && !isSvg(control) && lengthOf(control) === lengthOf(drawings[0]);
}

/**
 * Whether it is a checkbox, radio or file input whose label a person sees and clicks instead.
 * @param {Element} element
 * @param {string} tag
 */
export const isClickedByLabel = (element, tag) =>
  tag === 'input' &&
  /^(checkbox|radio|file)$/.test(/** @type {HTMLInputElement} */ (element).type) &&
  labelsOf(element).some((label) => label.checkVisibility({ visibilityProperty: true }));

/**
 * Whether it is the label of a control that has no row to be named in: a page hides that and paints another one.
 * @param {Part} part
 */
export function isSpeakingLabel({ element, tag, parent, listed }) {
  if (tag !== 'label' || listed || (parent !== null && parent.silenced)) return false;
  const { control } = /** @type {HTMLLabelElement} */ (element);
  if (!control || isClickedByLabel(control, tagOf(control))) return false;
  return (
    isOutOfTheWay(control, tagOf(control)) ||
    !Element.prototype.checkVisibility.call(control, { visibilityProperty: true })
  );
}

/**
 * Whether it is a control, or a target that only its cursor or listener reveals.
 * @param {Part} part
 * @param {string} role
 * @param {CSSStyleDeclaration} style
 * @param {string} cursorAbove
 */
export function isClickTarget(part, role, style, cursorAbove) {
  const { element, tag } = part;
  if (tag === 'input' && isToggleOfHost(element, role)) return false;
  if (INTERACTIVE_ROLES.has(role) && (role !== 'gridcell' || isFocusable(element)) && tag !== 'option') return true;
  if (isOperated(element, tag)) return true;
  if (HEADER_ROLES.has(role) && isHeaderControl(element, role)) return true;
  if (
    (INTERACTIVE_ROLES.has(role) && role !== 'gridcell') ||
    tag === 'html' ||
    tag === 'body' ||
    tag === 'iframe' ||
    tag === 'frame' ||
    tag === 'label'
  )
    return false;
  const isTarget =
    isPointerTarget(element, style, cursorAbove) ||
    (hasListener(element) && !isDelegatingListener(element, role)) ||
    isListenedFor(element) ||
    isInScale(element);
  if (!isTarget) return false;
  if ((isSvg(element) && isIconOfControl(element)) || isPartOfHeader(element) || isAllOfControl(element)) return false;
  // A target that covers most of the page is a page with a listener.
  const rect = boundsOf(element);
  return rect.width * rect.height < 0.5 * innerWidth * innerHeight;
}

/** Longer text is more than the label of one target (characters). */
const MAX_LABEL_LETTERS = 300;

/** Headings and rows of tables, which are listed by themselves. */
const SECTIONS = 'h1, h2, h3, h4, h5, h6, tr, [role=heading], [role=row]';

/**
 * Whether a target that only its cursor or listener reveals has more text than a label, or, where no hand shows that it
 * is one thing, headings or rows of tables: it is listed line by line.
 * @param {Element} element
 * @param {string} role
 */
export function isMoreThanLabel(element, role) {
  if (INTERACTIVE_ROLES.has(role) || NAMED_BY_CONTENT.has(role)) return false;
  if (queryThrough(element, SECTIONS) && getComputedStyle(element).cursor !== 'pointer') return true;
  const { length } = textContentOf(element) || '';
  if (length <= MAX_LABEL_LETTERS && queryAllIn(element, '*').length <= MAX_PARTS) return false;
  const name = wholeTextOf(element);
  return name === null || name.length > MAX_LABEL_LETTERS;
}

/** Whether it has words of its own and contains one or a few controls. @param {Element} element */
export function isCard(element) {
  const text = (textContentOf(element) || '').replace(/\s+/g, '');
  if (text.length > MAX_LABEL_LETTERS) return false;
  const controls = [...queryAllIn(element, CONTROL_SELECTOR)];
  const theirs = controls.reduce((sum, control) => sum + (textContentOf(control) || '').replace(/\s+/g, '').length, 0);
  return controls.length > 0 && controls.length <= 4 && text.length > theirs;
}

/** Elements of a drawing that contain others. */
const DRAWN_CONTAINERS = new Set(['g', 'a', 'svg', 'use']);

/**
 * Whether it listens on behalf of its content: controls, or children that are all alike.
 * @param {Element} element
 * @param {string} role
 */
export function isDelegatingListener(element, role) {
  if (role === 'row') return false;
  // Every node of a drawing is a group: it is a container only where its author says so.
  const isDrawn = isSvg(element) && tagOf(element) !== 'svg' && !hasAttr(element, 'role');
  const isContainer =
    !hasAttr(element, 'draggable') && // which makes it a group
    (CONTAINER_ROLES.has(role) ||
      DIGEST_CONTAINERS.has(role) ||
      role === 'rowgroup' ||
      /^(table|tbody|ul|ol|dl)$/.test(tagOf(element)));
  if (isContainer && !isDrawn) return true;
  if (queryThrough(element, CONTROL_SELECTOR)) return !isCard(element);
  for (const inner of queryAllIn(element, '*')) if (hasListener(inner)) return true;
  if (hasOwnWords(element)) return false; // a text: what it has parts of is no list
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (const child of element.children) {
    if (isDrawn && !DRAWN_CONTAINERS.has(tagOf(child))) continue; // the shapes of one node
    const kind = `${tagOf(child)} ${attr(child, 'class') || ''}`;
    const alike = (kinds.get(kind) || 0) + 1;
    if (alike > 2 || (alike > 1 && (/^(li|tr|dt|dd|tbody|a) /.test(kind) || opensMore(child)))) return true;
    kinds.set(kind, alike);
  }
  return listensForItems(element);
}

/** @param {Element} element */
const hasOwnWords = (element) =>
  [...childNodesOf(element)].some((each) => nodeTypeOf(each) === Node.TEXT_NODE && /[\p{L}\p{N}]/u.test(each.data));

/** How many elements around an item hold it alone at most, besides the one that listens. */
const MAX_LIST_WRAPPERS = 2;

/** Parts of a table, which hold nothing that is not its own. */
const TABLE_PARTS = /^(?:thead|tbody|tfoot|caption|colgroup)$/;

/** What is an item where its list listens for it: not the words of a text, and not its sections. */
const ITEM = /^(?:li|tr|dd|dt|div)$/;
const NO_ITEM = `${CONTROL_SELECTOR}, [role=gridcell], h1, h2, h3, h4, h5, h6, ul, ol`;

/** A star of a rating, a swatch: drawn, without text, at most so large (CSS px), among others like it. Chosen by hand. */
const MARK = /^(?:span|i|img|svg)$/;
const MAX_MARK_SIZE = 64;
const LEAST_MARKS = 3;

/** @param {Element} element */
function isMark(element) {
  if (/\S/.test(textContentOf(element) || '')) return false;
  const { width, height } = boundsOf(element);
  if (!width || !height || Math.max(width, height) > MAX_MARK_SIZE) return false;
  return rowAround(element, 2).filter((each) => tagOf(each) === tagOf(element)).length >= LEAST_MARKS;
}

const TREE_PARTS = /^(?:ul|ol|li)$/;

/**
 * Whether a list listens for clicks on it: it is one of several alike in an element that listens and holds nothing else,
 * or the label of one that has a list of its own.
 * @param {Element} element
 */
function isListenedFor(element) {
  if (MARK.test(tagOf(element)) && !isMark(element)) return false;
  const item = listItemOf(element);
  if (!item || !hasAlikeBeside(item)) return false;
  const list = listeningList(item);
  if (!list || isEditable(list) || closest(element, CONTROL_SELECTOR)) return false;
  const { length } = (textContentOf(element) || '').trim();
  if (length > MAX_LABEL_LETTERS || queryIn(element, NO_ITEM)) return false;
  if (!length && !isMark(element)) return false;
  if (tagOf(element) === 'div' && wholeNumberIn(element) !== null) return false; // of a line of code
  for (const inner of queryAllIn(element, '*')) if (hasListener(inner)) return false;
  if (item.parentElement && listOfMenu(item)) itemMenus.add(item.parentElement);
  return true;
}

/** The item that it is, or is the label of. @param {Element} element @returns {Element|null} */
function listItemOf(element) {
  if (ITEM.test(tagOf(element)) || MARK.test(tagOf(element))) return element;
  if (TREE_PARTS.test(tagOf(element))) return null;
  const around = parentNodeOf(element);
  const isLabel = around instanceof Element && tagOf(around) === 'li' && firstElementChildOf(around) === element;
  return isLabel && queryIn(around, 'ul, ol') ? around : null;
}

/** What items that are alike have in common: the tag, and of a `div` the first class, as others say its state. @param {Element} element */
const alikeKindOf = (element) =>
  tagOf(element) === 'div' ? `div ${(attr(element, 'class') || '').split(' ')[0]}` : tagOf(element);

/** A row of a tree begins with one of these, which opens and closes what is in it; a line of a card does not. */
const OPENING_MARK = /^\s*[▸▹▶▷►▻▾▿▼▽⊞⊟+−]\s*[\p{L}\p{N}]/u;

/** @param {Element} row */
const opensMore = (row) => OPENING_MARK.test(textContentOf(row) || '');

/** Whether there are others like it beside it. @param {Element} item @returns {boolean} */
function hasAlikeBeside(item) {
  const kind = alikeKindOf(item);
  const alike = rowAround(item, 2).filter((each) => alikeKindOf(each) === kind).length - 1;
  const list = parentNodeOf(item);
  const isInItem = list instanceof Element && TREE_PARTS.test(tagOf(list)) && closest(list, 'li') !== null;
  return (
    alike >= (tagOf(item) === 'div' && !opensMore(item) ? 2 : 1) ||
    isInItem ||
    (alike === 1 && listOfMenu(item) !== null)
  );
}

/** Menus that open beside an item of a menu: how many levels. */
const MAX_MENU_LEVELS = 3;

/**
 * The list that listens for an item of a menu which opens beside one of its own.
 * @param {Element} item
 * @returns {Element|null}
 */
function listOfMenu(item, levels = MAX_MENU_LEVELS) {
  const menu = item.parentElement;
  const opener = menu && menu.parentElement;
  if (!levels || !opener || !ITEM.test(tagOf(opener))) return null;
  const list = listeningList(opener, levels - 1);
  const isBeside = list !== null && hasAlikeBeside(opener);
  return isBeside && /^(?:absolute|fixed)$/.test(getComputedStyle(menu).position) ? list : null;
}

/** The element around an item that listens and holds nothing but items. @param {Element} item @returns {Element|null} */
function listeningList(item, levels = MAX_MENU_LEVELS) {
  const [list, ...inner] = aroundFromListener(item, MAX_LIST_WRAPPERS, TREE_PARTS);
  if (!list) return listOfMenu(item, levels);
  const isTree = TREE_PARTS.test(tagOf(list));
  const holds = inner.every(
    (each, at) =>
      TABLE_PARTS.test(tagOf(each)) ||
      (TREE_PARTS.test(tagOf(each)) && (at > 0 || isTree)) ||
      onlyShownChild(inner[at - 1] || list) === each,
  );
  return holds ? list : null;
}

/** Whether it is a number among others that is clicked, and no part of a control. @param {Element} element */
const isInScale = (element) => isOfScale(element) && !closest(element, CONTROL_SELECTOR);

/** Elements in a list that are examined to find an item. */
const MAX_EXAMINED_ITEMS = 50;

/** Whether an element listens for the items in it. @param {Element} element */
export function listensForItems(element) {
  let examined = 0;
  for (const inner of queryAllIn(element, 'li, tr, dd, dt, div, td, span, i, img, svg')) {
    if (isListenedFor(inner) || isInScale(inner)) return true;
    if (++examined === MAX_EXAMINED_ITEMS) break;
  }
  return false;
}

/** Roles for which an empty name is a state, not a defect. @param {string} role */
export const mayBeEmpty = (role) => role === 'option' || role === 'gridcell';

/** @param {Element} element @param {string} role */
export const isControl = (element, role) =>
  INTERACTIVE_ROLES.has(role)
    ? role !== 'gridcell' || isFocusable(element)
    : [...HANDLER_ATTRIBUTES, 'tabindex'].some((name) => hasAttr(element, name));
