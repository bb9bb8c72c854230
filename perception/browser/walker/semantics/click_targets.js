// Click targets: what a person can operate, by role, by cursor or by listener.

import { attr, boundsOf, closest, hasAttr, queryAllIn, queryIn, textContentOf } from '../dom/access.js';
import { hasListener } from '../dom/listeners.js';
import { isFocusable, isSvg, tagOf } from '../dom/elements.js';
import { labelsOf } from '../dom/labels.js';
import { HEADER_ROLES, isHeaderControl, isPartOfHeader } from './header_cells.js';
import { MAX_PARTS, wholeTextOf } from './names.js';
import { NAMED_BY_CONTENT } from './naming_rules.js';
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
  return !Element.prototype.checkVisibility.call(control, { visibilityProperty: true });
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
  if (INTERACTIVE_ROLES.has(role) && (role !== 'gridcell' || isFocusable(element)) && tag !== 'option') return true;
  if (HEADER_ROLES.has(role) && isHeaderControl(element, role)) return true;
  if (
    INTERACTIVE_ROLES.has(role) ||
    tag === 'html' ||
    tag === 'body' ||
    tag === 'iframe' ||
    tag === 'frame' ||
    tag === 'label'
  )
    return false;
  if (!isPointerTarget(element, style, cursorAbove) && !(hasListener(element) && !isDelegatingListener(element, role)))
    return false;
  if ((isSvg(element) && isIconOfControl(element)) || isPartOfHeader(element)) return false;
  // A target that covers most of the page is a page with a listener.
  const rect = boundsOf(element);
  return rect.width * rect.height < 0.5 * innerWidth * innerHeight;
}

/** Longer text is more than the label of one target (characters). */
const MAX_LABEL_LETTERS = 300;

/**
 * Whether a target that only its cursor or listener reveals has more text than a label: it is listed line by line.
 * @param {Element} element
 * @param {string} role
 */
export function isMoreThanLabel(element, role) {
  if (INTERACTIVE_ROLES.has(role) || NAMED_BY_CONTENT.has(role)) return false;
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
  if (queryIn(element, CONTROL_SELECTOR)) return !isCard(element);
  for (const inner of queryAllIn(element, '*')) if (hasListener(inner)) return true;
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (const child of element.children) {
    if (isDrawn && !DRAWN_CONTAINERS.has(tagOf(child))) continue; // the shapes of one node
    const kind = `${tagOf(child)} ${attr(child, 'class') || ''}`;
    const alike = (kinds.get(kind) || 0) + 1;
    if (alike > 2 || (alike > 1 && /^(li|tr|dt|dd|tbody|a) /.test(kind))) return true;
    kinds.set(kind, alike);
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
