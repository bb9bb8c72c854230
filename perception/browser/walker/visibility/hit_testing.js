// Hit testing: what a click at a point hits, and whether a person could bring the pointer to an element at all.

import { boundsOf, clientRectsOf, matches, textContentOf, treeRootOf } from '../dom/access.js';
import { isInert } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { labelsOf } from '../dom/labels.js';
import { visibleRect } from '../layout/clips.js';
import { boxOfPart } from '../layout/image_maps.js';
import { NOWHERE, isEmpty, overlap, rectOf } from '../layout/rects.js';
import { beginWalk, walks, wholeViewport } from '../layout/viewport.js';
import { isFocusedThrough } from '../semantics/painted_fields.js';
import { probePart } from '../tree/probe.js';
import { elementAt } from './element_at.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { Part } from '../tree/part.js' */

/** Whether a click on a label is a click on its control. @param {Element} element @param {Element} hit */
const isLabelled = (element, hit) => labelsOf(element).some((label) => flatContains(label, hit));

/**
 * Where a click hits an element.
 * @param {Element} element
 * @param {Rect} visible the part of its box that no scroller clips
 * @returns {{point: [number, number]|null, blocker: Element|null}} a point that works, else what is on top
 */
export function findClickPoint(element, visible) {
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
  for (let node = /** @type {Element|null} */ (hit); node; node = flatParentOf(node)) {
    if (node === element) return inner ? 'in' : 'on';
    inner = inner || matches(node, CLICKABLE_SELECTOR);
  }
  return isLabelled(element, hit) || isFocusedThrough(element, hit) ? 'on' : '';
}

/** Controls that have a click action of their own, regardless of their container. */
const CLICKABLE_SELECTOR = 'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe';

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
  for (const rect of clientRectsOf(element)) {
    const part = overlap(rectOf(rect), visible);
    if (part && !isEmpty(part)) yield middle(part);
    if (++count >= 4) break;
  }
  const [left, top, right, bottom] = visible;
  const width = right - left,
    height = bottom - top;
  for (const fx of [0.2, 0.8])
    for (const fy of [0.25, 0.75]) yield /** @type {[number, number]} */ ([left + width * fx, top + height * fy]);
  // A large element may be visible only between what covers it, or at its edge.
  if (width < 60 && height < 60) return;
  for (const fx of [0.04, 0.5, 0.96])
    for (const fy of [0.06, 0.5, 0.94])
      if (fx !== 0.5 || fy !== 0.5) yield /** @type {[number, number]} */ ([left + width * fx, top + height * fy]);
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
  !isInert(element) && !isBehindModal(element) && getComputedStyle(element).pointerEvents !== 'none';

/**
 * Whether a transparent element covers its own painted counterpart: a picture, a drawn switch, a button's background.
 * If its surroundings are transparent too, it is invisible.
 * @param {Part} part
 * @param {[number, number]} point
 */
export function hasPictureUnder(part, point) {
  const around = flatParentOf(part.element);
  if (!around || (part.parent && part.parent.opacity < 0.05)) return false;
  const home = flatParentOf(around) || around;
  const root = /** @type {Document|ShadowRoot} */ (treeRootOf(part.element));
  for (const under of root.elementsFromPoint(point[0], point[1])) {
    if (under === part.element || flatContains(part.element, under)) continue;
    if (under === around || under === home) {
      const rect = boundsOf(under),
        own = boundsOf(part.element);
      return rect.width * rect.height <= 4 * own.width * own.height && isPainted(under);
    }
    if (!flatContains(home, under)) return false;
    if (getComputedStyle(under).opacity !== '0') return true;
  }
  return false;
}

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

/** Whether it paints something itself. @param {Element} element */
function isPainted(element) {
  const style = getComputedStyle(element);
  return (
    style.backgroundImage !== 'none' ||
    !/^(transparent|rgba\(.*, 0\))$/.test(style.backgroundColor) ||
    /\S/.test(textContentOf(element) || '')
  );
}

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
