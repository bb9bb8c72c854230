// Basic queries about an element: its tag, whether it accepts focus or text, the ids that it refers to.

import { attr, closest, elementById, hasAttr, localNameOf, matches, parentNodeOf, treeRootOf } from './access.js';
import { shadowRootIn } from './shadow_roots.js';

/** @import { Root } from './access.js' */

/** @param {Element} element @returns {string} lower case, without namespace prefix */
export const tagOf = (element) => localNameOf(element);

export const TICK_BOXES = 'input[type=checkbox], input[type=radio]';

/** @param {Element} element */
export const isTickBox = (element) => matches(element, TICK_BOXES);

/** @param {Element} element */
export const isSvg = (element) => element instanceof SVGElement;

/** @param {Element} element @returns {boolean} whether it toggles the <details> around it */
export function isSummary(element) {
  const parent = parentNodeOf(element);
  return parent instanceof Element && tagOf(parent) === 'details';
}

/** The body of a document that is edited as a whole (`designMode`). @param {any} element */
const isDesigned = (element) =>
  element instanceof HTMLBodyElement && document.designMode === 'on' && element === document.body;

/** @param {any} element */
export function isEditingHost(element) {
  if (isDesigned(element)) return true;
  const given = attr(element, 'contenteditable');
  return given !== null && given.toLowerCase() !== 'false' && element.isContentEditable === true;
}

/** Whether a browser operates it, whatever role it is given. @param {Element} element @param {string} tag */
export const isOperated = (element, tag) =>
  /^(?:button|input|select|textarea)$/.test(tag) ||
  (tag === 'summary' && isSummary(element)) ||
  (tag !== 'body' && isEditingHost(element));

/** @param {any} element */
export function isFocusable(element) {
  const tabindex = attr(element, 'tabindex');
  if (tabindex !== null && !Number.isNaN(parseInt(tabindex, 10))) return true;
  switch (tagOf(element)) {
    case 'a':
    case 'area':
      return hasAttr(element, 'href') || hasAttr(element, 'xlink:href');
    case 'button':
    case 'select':
    case 'textarea':
    case 'input':
      return !element.disabled;
    case 'iframe':
    case 'frame':
      return true;
    case 'summary':
      return isSummary(element);
    default:
      return isEditingHost(element);
  }
}

/** Whether only its summary is painted. @param {any} element */
export const isClosedDetails = (element) => tagOf(element) === 'details' && !shadowRootIn(element) && !element.open;

/** @param {Element} element */
export const isInert = (element) => Boolean(closest(element, '[inert]'));

/** @param {Element} element */
export const isDisabled = (element) => isInactive(element) || Boolean(closest(element, '[aria-disabled=true]'));

/** Whether the browser itself lets no input through; `aria-disabled` is the page's own word. @param {Element} element */
export const isInactive = (element) => matches(element, ':disabled') || Boolean(closest(element, '[inert]'));

/** The focused element, through shadow roots; the body only where it is edited, which may be as a whole. @returns {Element|null} */
export function focusedElement() {
  let focused = document.activeElement;
  while (focused) {
    const root = shadowRootIn(focused);
    if (!root || !root.activeElement) break;
    focused = root.activeElement;
  }
  return focused && focused === document.body && !isEditable(focused) ? null : focused;
}

/**
 * @param {Element} element
 * @param {string} attribute
 * @returns {Element[]} what an IDREF list points to, in order
 */
export function referencedElements(element, attribute) {
  const ids = attr(element, attribute);
  if (!ids) return [];
  const root = /** @type {Root} */ (treeRootOf(element));
  return /** @type {Element[]} */ (
    ids
      .split(/\s+/)
      .filter(Boolean)
      .map((id) => elementById(root, id))
      .filter(Boolean)
  );
}

/** Whether a window shows a document in an element: not known of another site's. @param {Window} inner @param {Element} element */
function isShownIn(inner, element) {
  try {
    return inner.frameElement === element && inner.document.contentType !== 'application/pdf';
  } catch {
    return false;
  }
}

/** Whether an `embed` shows a document of the same site; it says so itself only of SVG. @param {any} element */
const embedsDocument = (element) =>
  Array.from(window, (_, index) => window[index]).some((inner) => isShownIn(inner, element));

/** Whether it shows a document: an `object` and an `embed` may, too. @param {any} element @param {string} tag */
export const isFrame = (element, tag) =>
  tag === 'iframe' ||
  tag === 'frame' ||
  (tag === 'object' && element.contentWindow !== null) ||
  (tag === 'embed' && embedsDocument(element));

/** Whether it accepts typed text. @param {any} element */
export function isEditable(element) {
  const tag = tagOf(element);
  if (tag === 'textarea') return !element.readOnly && !element.disabled;
  if (tag === 'input')
    return /^(text|search|email|tel|url|number|password)$/.test(element.type) && !element.readOnly && !element.disabled;
  return element.isContentEditable === true || isDesigned(element) || Boolean(element.editContext);
}
