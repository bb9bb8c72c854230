// Hit testing: what a click at a point hits, and whether a person could bring the pointer to an element at all.

import { boundsOf, clientRectsOf, hasAttr, matches, queryIn, treeRootOf } from '../dom/access.js';
import { isInert, isTickBox } from '../dom/elements.js';
import { flatChildrenOf, flatContains, flatParentOf } from '../dom/flat_tree.js';
import { labelsOf } from '../dom/labels.js';
import { hasListener } from '../dom/listeners.js';
import { contentRects, textBox } from '../layout/boxes.js';
import { visibleRect } from '../layout/clips.js';
import { boxOfPart } from '../layout/image_maps.js';
import { NOWHERE, isEmpty, overlap, rectOf } from '../layout/rects.js';
import { beginWalk, walks, wholeViewport } from '../layout/viewport.js';
import { actingPartOf, isHeaderCell } from '../semantics/header_cells.js';
import { isBusyDay } from '../semantics/scales.js';
import { isRangeInput, thumbAround } from '../semantics/slider_thumbs.js';
import { isFocusedThrough, isOpenedThrough } from '../semantics/painted_fields.js';
import { probePart } from '../tree/probe.js';
import { isDrawnOver } from './counterparts.js';
import { elementAt } from './element_at.js';

/** @import { Rect } from '../layout/rects.js' */

/** Whether a click on a label is a click on its control. @param {Element} element @param {Element} hit */
const isLabeled = (element, hit) => labelsOf(element).some((label) => flatContains(label, hit));

/**
 * Where a click hits an element: a header cell of a table, where it acts.
 * @param {Element} element
 * @param {Rect} visible the part of its box that no scroller clips
 * @returns {{point: [number, number]|null, blocker: Element|null}} a point that works, else what is on top
 */
export function findClickPoint(element, visible) {
  const acting = isHeaderCell(element) ? actingPartOf(element) : null;
  const shown = acting && overlap(rectOf(boundsOf(acting)), visible);
  const found = acting && shown && findClickPoint(acting, shown);
  if (found && found.point) return found;
  let blocker = null,
    inner = null;
  for (const [x, y] of samplePoints(element, visible)) {
    const hit = elementAt(x, y);
    if (!hit) continue;
    const how = clickOutcome(element, hit);
    if (how === 'on') return { point: [x, y], blocker: null };
    if (how === 'in') inner = inner || /** @type {[number, number]} */ ([x, y]);
    else blocker = blocker || hit;
  }
  return { point: inner, blocker: inner ? null : blocker };
}

/** What takes the pointer where an element is: the element, or what is around it. @param {Element} element */
export function pointerTargetOf(element) {
  let target = /** @type {Element|null} */ (element);
  while (target && getComputedStyle(target).pointerEvents === 'none') target = flatParentOf(target);
  return target;
}

/** Whether a click goes through a tick box to what is around it, such as a row that ticks it. @param {Element} element */
const isClickedThrough = (element) => isTickBox(element) && pointerTargetOf(element) === flatParentOf(element);

/**
 * What takes the clicks on an element of a shadow tree that takes no pointer events, and acts for it: the tree's host, or
 * what is around it in the tree, where that or an ancestor listens.
 * @param {Element} element
 * @returns {Element|null}
 */
function actingHost(element) {
  const root = treeRootOf(element);
  if (!(root instanceof ShadowRoot)) return null;
  const target = pointerTargetOf(element);
  if (!target || target === element || !flatContains(root.host, target)) return null;
  for (let node = /** @type {Element|null} */ (target); node && node !== document.body; node = flatParentOf(node))
    if (hasListener(node) || hasAttr(node, 'onclick')) return target;
  return null;
}

/**
 * Where a click hits a text. One that takes no pointer events is hit through: the click goes to what is around it.
 * @param {Element} around the element that it is painted in
 * @param {Text} text
 * @param {Rect} visible the part of its box that no scroller clips
 * @returns {{point: [number, number]|null, blocker: Element|null}} as `findClickPoint`
 */
export function findTextPoint(around, text, visible) {
  let blocker = null;
  const target = pointerTargetOf(around);
  const range = document.createRange();
  range.selectNodeContents(text);
  for (const line of range.getClientRects()) {
    const shown = overlap(rectOf(line), visible);
    if (!shown || isEmpty(shown)) continue;
    const [left, top, right, bottom] = shown;
    const y = (top + bottom) / 2;
    for (const share of [0.5, 0.2, 0.8]) {
      const x = left + (right - left) * share;
      const hit = elementAt(x, y);
      if (hit && target && clickOutcome(target, hit)) return { point: [x, y], blocker: null };
      blocker = blocker || hit;
    }
  }
  return { point: null, blocker };
}

/**
 * All points at which a click would hit an element.
 * @param {Element} element
 * @returns {Array<[number, number]>}
 */
export function clickablePoints(element) {
  const part = probePart(element);
  const shown = overlap(overlap(boxOfPart(part), visibleRect(part.clippedBy, beginWalk())) || NOWHERE, wholeViewport());
  if (!shown) return [];
  return [...samplePoints(element, shown)].filter(([x, y]) => {
    const hit = elementAt(x, y);
    return hit !== null && clickOutcome(element, hit) === 'on';
  });
}

/** What takes a click in an element first. @param {Element} element */
function takersIn(element) {
  if (matches(element, ITEM_SELECTOR)) return `${CLICKABLE_SELECTOR}, ${ITEM_SELECTOR}`;
  return isBusyDay(element) ? `${CLICKABLE_SELECTOR}, ${EVENT_SELECTOR}` : CLICKABLE_SELECTOR;
}

/**
 * Whether a click that hits one element does what a click on another does: `on` if so, `in` if a control inside takes
 * it first, and empty if it does something else.
 * @param {Element} element
 * @param {Element} hit
 * @returns {'on'|'in'|''}
 */
export function clickOutcome(element, hit) {
  if (hit === element) return 'on';
  let inner = false;
  const takers = takersIn(element);
  for (let node = /** @type {Element|null} */ (hit); node; node = flatParentOf(node)) {
    if (node === element) return inner ? 'in' : 'on';
    inner = inner || matches(node, takers);
  }
  const isOn =
    isLabeled(element, hit) ||
    isFocusedThrough(element, hit) ||
    isOpenedThrough(element, hit) ||
    thumbAround(element) === hit ||
    isDrawnOver(element, hit) ||
    (isClickedThrough(element) && flatParentOf(element) === hit) ||
    actingHost(element) === hit;
  return isOn ? 'on' : '';
}

/** Controls that have a click action of their own, regardless of their container. */
const CLICKABLE_SELECTOR =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, ' +
  '[role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab]';

/** What is on a day of a calendar: a click on it is none on the day. */
const EVENT_SELECTOR = 'a, [tabindex], [draggable=true]';

/** Items that hold items: a click on one of a tree's branches is none on the branch around it. */
const ITEM_SELECTOR = 'li, [role=treeitem], [role=menuitem], [role=option], [role=row], [role=listitem]';

/**
 * The middle first, then the middles of its lines, then points towards the corners.
 * @param {Element} element
 * @param {Rect} visible
 */
function* samplePoints(element, visible) {
  const middle = (/** @type {Rect} */ r) => /** @type {[number, number]} */ ([(r[0] + r[2]) / 2, (r[1] + r[3]) / 2]);
  if (element instanceof SVGGeometryElement) yield* pointsOn(element);
  yield middle(visible);
  let count = 0;
  const own = clientRectsOf(element);
  for (const rect of own.length ? Array.from(own, rectOf) : contentRects(element)) {
    const part = overlap(rect, visible);
    if (part && !isEmpty(part)) yield middle(part);
    if (++count >= 4) break;
  }
  if (matches(element, ITEM_SELECTOR) && queryIn(element, ITEM_SELECTOR)) yield* pointsBesideItems(element, visible);
  const [left, top, right, bottom] = visible;
  const width = right - left,
    height = bottom - top;
  for (const fx of [0.2, 0.8])
    for (const fy of [0.25, 0.75]) yield /** @type {[number, number]} */ ([left + width * fx, top + height * fy]);
  if (isRangeInput(element)) yield* thumbPoints(/** @type {HTMLInputElement} */ (element), visible);
  // A large element may be visible only between what covers it, or at its edge.
  if (width < 60 && height < 60) return;
  for (const fx of [0.04, 0.5, 0.96])
    for (const fy of [0.06, 0.5, 0.94])
      if (fx !== 0.5 || fy !== 0.5) yield /** @type {[number, number]} */ ([left + width * fx, top + height * fy]);
}

/**
 * The middles of what an item shows itself, not in the items that it holds.
 * @param {Element} element
 * @param {Rect} visible
 * @returns {Generator<[number, number]>}
 */
function* pointsBesideItems(element, visible) {
  for (const child of flatChildrenOf(element)) {
    if (child instanceof Element) {
      if (matches(child, ITEM_SELECTOR)) continue;
      if (queryIn(child, ITEM_SELECTOR)) {
        yield* pointsBesideItems(child, visible);
        continue;
      }
    }
    const box = child instanceof Text ? textBox(child) : child instanceof Element && rectOf(boundsOf(child));
    const shown = box && overlap(box, visible);
    if (shown && !isEmpty(shown)) yield [(shown[0] + shown[2]) / 2, (shown[1] + shown[3]) / 2];
  }
}

/** Widths of a slider's thumb: Chromium's own, and that of most style sheets (CSS px). */
const THUMB_WIDTHS = [16, 20, 24];

/**
 * Where the thumb of a slider is: of two sliders on one track, only the thumbs take clicks.
 * @param {HTMLInputElement} slider
 * @param {Rect} visible
 * @returns {Generator<[number, number]>}
 */
function* thumbPoints(slider, [left, top, right, bottom]) {
  const least = Number(slider.min || 0),
    most = Number(slider.max || 100);
  const share = most > least ? (slider.valueAsNumber - least) / (most - least) : 0;
  const from = getComputedStyle(slider).direction === 'rtl' ? 1 - share : share;
  for (const width of THUMB_WIDTHS) yield [left + width / 2 + from * (right - left - width), (top + bottom) / 2];
  for (const width of THUMB_WIDTHS) yield [(left + right) / 2, bottom - width / 2 - share * (bottom - top - width)];
}

/**
 * Points on the outline of a drawn shape: a thin or hollow one cannot be hit elsewhere.
 * @param {SVGGeometryElement} shape
 * @returns {Generator<[number, number]>}
 */
function* pointsOn(shape) {
  const matrix = shape.getScreenCTM();
  const length = shape.getTotalLength();
  if (!matrix || !(length > 0)) return;
  const style = getComputedStyle(shape);
  if (style.fill !== 'none') return;
  for (const share of [0.5, 0.25, 0.75, 0.1, 0.9]) {
    const point = shape.getPointAtLength(length * share).matrixTransform(matrix);
    yield [point.x, point.y];
  }
}

/** @param {Element} element */
export const takesClicks = (element) =>
  !isInert(element) &&
  !isBehindModal(element) &&
  (getComputedStyle(element).pointerEvents !== 'none' ||
    isRangeInput(element) || // its thumb may take them
    isClickedThrough(element) ||
    actingHost(element) !== null);

/** Whether its generated content covers its content: an overlay while something loads. @param {Element} element */
export const hasOverlay = (element) =>
  ['::before', '::after'].some((pseudo) => {
    const style = getComputedStyle(element, pseudo);
    return (
      style.content !== 'none' &&
      style.content !== 'normal' &&
      (style.position === 'absolute' || style.position === 'fixed') &&
      style.pointerEvents !== 'none'
    );
  });

/** The topmost modal dialog, and the walk in which it was found. @type {{look: number, dialog: Element|null}} */
const modal = { look: 0, dialog: null };

/** Whether a modal dialog prevents clicks on an element. @param {Element} element */
function isBehindModal(element) {
  if (modal.look !== walks.count) {
    modal.look = walks.count;
    modal.dialog = [...document.querySelectorAll(':modal')].pop() || null;
  }
  return modal.dialog !== null && !flatContains(modal.dialog, element);
}
