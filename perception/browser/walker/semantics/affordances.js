// Affordances: what a person does with an element besides clicking it. They drag it, drop on it, hover over it, open its
// context menu, or move a border by it.
//
// Rule 1: what an element does on behalf of its content is not its own: a root of an application listens for everything.
// Rule 2: an element that is acted on as a whole and has content of its own, such as a column of cards, is a zone: its
// content is listed, and its name is that of its heading, as the name must stay when the content changes.

import {
  attr,
  boundsOf,
  childNodesOf,
  clientRectsOf,
  matches,
  parentNodeOf,
  queryAllIn,
  queryIn,
  textContentOf,
} from '../dom/access.js';
import { LISTENS, listensFor } from '../dom/listeners.js';
import { queryThrough } from '../dom/shadow_roots.js';
import { cleanText } from '../dom/text.js';
import { textBox } from '../layout/boxes.js';
import { CONTROL_SELECTOR, isCard, isDelegatingListener } from './click_targets.js';
import { revealsByHover } from './hover_rules.js';
import { INTERACTIVE_ROLES } from './role_tables.js';

/** @import { Part } from '../tree/part.js' */

/** Elements that are never acted on as a whole: a label is used by its control. */
const WITHOUT_AFFORDANCES = new Set(['html', 'body', 'iframe', 'frame', 'label', 'option', 'optgroup', 'br']);

/** Cursors of what is dragged, and of what moves a border. */
const GRABS = /^(?:grab|move|all-scroll)$/;
const RESIZES = /-resize$/;

/**
 * Classes by which libraries and pages say what the mouse drags, by their last word: `ui-draggable`,
 * `fc-event-draggable`; and by what it is held: `ui-slider-handle`, `drag-handle`, `grip`.
 */
const DRAGGABLE_CLASS = /(?:^|[\s_-])(?<!\b(?:not|non|no|un)[_-])draggable(?=\s|$)/;
const HANDLE_CLASS = /(?:(?:^|[\s_-])(?:handler?|grip|grabber|dragger)|[a-z](?:Handler?|Grip|Grabber|Dragger))(?=\s|$)/;

/** Classes of what is disabled: `disabled`, `is-disabled`, `ui-state-disabled`, `-disabled-`. */
export const DISABLED_CLASS = /(?:^|[\s_-])disabled(?:[\s_-]|$)/i;

/** How far around a handle the element may be that listens for the press on it: a slider around its handles. */
const MAX_HANDLE_HOLDERS = 2;

/** Longer text is more than the label of one thing (characters). */
const MAX_ITEM_LETTERS = 300;

/** The longest name that a zone takes from its content (characters). */
const MAX_ZONE_NAME = 80;

const OWN_PARTS = `${CONTROL_SELECTOR}, [draggable=true], [tabindex], h1, h2, h3, h4, h5, h6, ul, ol, dl, table`;

/**
 * What a person does with an element besides clicking it, in the words of its states.
 * @param {Part} part
 * @param {string} role
 * @param {string} cursorAbove
 * @returns {string[]}
 */
export function affordancesOf(part, role, cursorAbove) {
  const { element, tag, cursor } = part;
  const isPointedAt = cursor !== cursorAbove && (GRABS.test(cursor) || RESIZES.test(cursor));
  const isDraggable = attr(element, 'draggable') === 'true';
  const isHeld = isHeldByMouse(element) && !RESIZES.test(cursor);
  const isHovered =
    !part.interactive &&
    (listensFor(element, LISTENS.hover) || knownHoverables.has(element) || revealsByHover(element));
  if (!isDraggable && !isHeld && !isPointedAt && !isHovered && !listensFor(element, ANY_AFFORDANCE))
    return NO_AFFORDANCES;
  if (WITHOUT_AFFORDANCES.has(tag)) return NO_AFFORDANCES;
  const found = [];
  const isNativelyDragged = tag === 'img' || matches(element, 'a[href]');
  if (isDraggable || (isNativelyDragged && listensFor(element, LISTENS.drag))) found.push('draggable');
  if (isMostOfPage(element)) return found;
  if (isHovered && (knownHoverables.has(element) || !hasShownControls(element))) {
    knownHoverables.add(element);
    found.push('hoverable');
  }
  if (isApplicationRoot(element)) return found;
  if (isHeld || (isPointedAt && GRABS.test(cursor))) found.push('draggable');
  if (isPointedAt && !part.interactive && RESIZES.test(cursor)) found.push('resizes');
  if (listensFor(element, LISTENS.drop)) found.push('droppable');
  if (listensFor(element, LISTENS.menu) && !isDelegatingListener(element, role)) found.push('context menu');
  return [...new Set(found)];
}

/**
 * Whether its classes say that it is dragged with the mouse, or held for that, and the page listens for the press: it
 * needs no `draggable` attribute then, nor a cursor of its own.
 * @param {Element} element
 */
function isHeldByMouse(element) {
  const given = attr(element, 'class');
  if (!given || DISABLED_CLASS.test(given)) return false;
  if (HANDLE_CLASS.test(given)) return isPressWatched(element, MAX_HANDLE_HOLDERS);
  if (!DRAGGABLE_CLASS.test(given) || !isPressWatched(element, Infinity)) return false;
  return ![...queryAllIn(element, '[class*=handle i]')].some((each) => HANDLE_CLASS.test(attr(each, 'class') || ''));
}

/** Whether it, or an element at most so far around it, listens for presses. @param {Element} element @param {number} levels */
function isPressWatched(element, levels) {
  let node = /** @type {Node|null} */ (element);
  for (let level = 0; node instanceof Element && level <= levels; level++, node = parentNodeOf(node))
    if (listensFor(node, LISTENS.press)) return true;
  return false;
}

/** Elements to hover over, which they stay while what they have opened is shown. @type {WeakSet<Element>} */
const knownHoverables = new WeakSet();

/** @type {string[]} */
const NO_AFFORDANCES = [];

const ANY_AFFORDANCE = LISTENS.drag | LISTENS.drop | LISTENS.menu;

/** Whether it covers most of the page. @param {Element} element */
function isMostOfPage(element) {
  const rect = boundsOf(element);
  return rect.width * rect.height >= 0.5 * innerWidth * innerHeight;
}

/** Whether it holds all that the page shows, with what is used in it. @param {Element} element */
function isApplicationRoot(element) {
  if (!queryIn(element, `${CONTROL_SELECTOR}, [draggable=true]`)) return false;
  for (let node = /** @type {Node|null} */ (element); node && node !== document.body; node = parentNodeOf(node)) {
    const around = parentNodeOf(node);
    if (!(around instanceof Element)) return false;
    for (const beside of around.children) if (beside !== node && boundsOf(beside).height > 0) return false;
  }
  return true;
}

/** Controls that are examined to find one that is shown. */
const MAX_EXAMINED_CONTROLS = 20;

/** Whether it contains controls that a person sees: they are what is pointed at. @param {Element} element */
function hasShownControls(element) {
  const controls = [...queryAllIn(element, CONTROL_SELECTOR)].slice(0, MAX_EXAMINED_CONTROLS);
  const inner = controls.length ? null : queryThrough(element, CONTROL_SELECTOR);
  return (inner ? [inner] : controls).some((control) =>
    control.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
  );
}

/**
 * Whether an element that is acted on has content of its own, which is listed.
 * @param {Element} element
 * @param {string} role
 * @param {string[]} affordances
 */
function isZone(element, role, affordances) {
  if (!affordances.length || INTERACTIVE_ROLES.has(role) || role === 'row') return false;
  const isItem = affordances.every((each) => each === 'draggable' || each === 'context menu');
  if (!isItem) return queryThrough(element, OWN_PARTS) !== null || hasHiddenContent(element);
  return (
    (queryThrough(element, CONTROL_SELECTOR) !== null && !isCard(element)) || lengthOfText(element) > MAX_ITEM_LETTERS
  );
}

/** @param {Element} element */
const lengthOfText = (element) => (textContentOf(element) || '').replace(/\s+/g, '').length;

/** Whether part of its content is not shown now: it may be soon. @param {Element} element */
const hasHiddenContent = (element) => [...element.children].some((child) => !child.checkVisibility());

/**
 * Sets what a person does with an element.
 * @param {Part} part
 * @param {string} role
 * @param {boolean} acts whether it is a click target
 * @param {string} cursorAbove
 */
export function noteAffordances(part, role, acts, cursorAbove) {
  part.clickable = part.interactive = acts;
  part.affordances = affordancesOf(part, role, cursorAbove);
  part.zone = !acts && isZone(part.element, role, part.affordances);
  part.interactive = acts || part.affordances.length > 0;
}

/** The name of a zone: that of its heading, or its own words, if they are laid out. @param {Element} zone */
export function zoneName(zone) {
  const heading = [...queryAllIn(zone, 'h1, h2, h3, h4, h5, h6, [role=heading]')].find(hasBoxes);
  const words = heading
    ? textContentOf(heading)
    : [...childNodesOf(zone)].map((node) => (node instanceof Text && textBox(node) ? node.data : ' ')).join('');
  return cleanText(words || '').slice(0, MAX_ZONE_NAME);
}

/** @param {Element} element */
const hasBoxes = (element) => clientRectsOf(element).length > 0;
