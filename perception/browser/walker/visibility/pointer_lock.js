// Pointer locks: an open popup that has switched the pointer off for the rest of the page, as component libraries do with
// `pointer-events: none` on the body or on the root of the application.

import { boundsOf, queryAll, queryAllIn } from '../dom/access.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { allRoots } from '../dom/shadow_roots.js';
import { areaOf, rectOf } from '../layout/rects.js';
import { walks } from '../layout/viewport.js';

const POPUPS =
  'dialog[open], [role=dialog], [role=alertdialog], [role=menu], [role=listbox], [role=tree], [role=grid], ' +
  ':popover-open';

/** The open popup that holds the pointer, and the walk in which it was looked for. @type {{look: number, popup: Element|null}} */
const pointerLock = { look: 0, popup: null };

/** @param {Element} element */
const takesPointer = (element) => getComputedStyle(element).pointerEvents !== 'none';

/** Whether a person sees it, and it takes the pointer. @param {Element} popup */
const isOpen = (popup) =>
  takesPointer(popup) &&
  areaOf(rectOf(boundsOf(popup))) > 0 &&
  popup.checkVisibility({ opacityProperty: true, visibilityProperty: true });

/** The part of the page around an element that the body contains, or the body itself. @param {Element} element */
function topLevelAround(element) {
  let top = element;
  for (
    let node = /** @type {Element|null} */ (element);
    node && node !== document.documentElement;
    node = flatParentOf(node)
  ) {
    if (node === document.body && takesPointer(node)) break;
    top = node;
  }
  return top;
}

/** Children of the body that are examined: the root of an application is among the first. Chosen by hand. */
const MAX_TOP_LEVEL = 10;

const CLICKED_CONTROLS = 'a[href], button, input, select, textarea, [tabindex]';

/** Whether an element and controls in it take no pointer: what only shows something, as a place for toasts, has none.
 * @param {Element} part */
const isOff = (part) =>
  !takesPointer(part) && [...queryAllIn(part, CLICKED_CONTROLS)].some((each) => !takesPointer(each));

/** Whether the page, or a part of it, takes no pointer. @param {Element} body */
const isAnyOff = (body) => [document.documentElement, body, ...[...body.children].slice(0, MAX_TOP_LEVEL)].some(isOff);

/** The popup that holds the pointer of a document whose body, or a part of it, takes none; null where none is open. */
export function popupWithPointer() {
  if (pointerLock.look === walks.count) return pointerLock.popup;
  pointerLock.look = walks.count;
  pointerLock.popup = null;
  const { body } = document;
  if (body && isAnyOff(body)) {
    const popups = allRoots().flatMap((root) => queryAll(root, POPUPS));
    pointerLock.popup = popups.reverse().find(isOpen) || null;
  }
  return pointerLock.popup;
}

/**
 * The open popup because of which an element takes no clicks; null for none.
 * @param {Element} element that no click hits
 */
export function popupInsteadOf(element) {
  if (takesPointer(element)) return null;
  const popup = popupWithPointer();
  const around = popup && topLevelAround(element);
  return around && around !== element && !takesPointer(around) ? popup : null;
}
