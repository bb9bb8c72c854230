// Scrolling: whether an area can be scrolled into view, and the remaining scroll distance.

import { boundsOf } from '../dom/access.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { LISTENS, listensFor } from '../dom/listeners.js';
import { isRightToLeft } from './boxes.js';
import { frameOrigin } from './frames.js';
import { NOWHERE, isEmpty, isSamePlace, overlap } from './rects.js';
import { pageExtent, walks, wholeViewport } from './viewport.js';
import { isContaining } from '../tree/part_style.js';
import { containsPart } from '../tree/part.js';

/** @import { Clip } from './clips.js' */
/** @import { Rect } from './rects.js' */
/** @import { Part } from '../tree/part.js' */

const SCROLLS = /auto|scroll/;

/** Whether a box that hides what is beyond it moves that itself, as the wheel turns. @param {Clip} clip */
export const isWheeled = ({ overflow, part }) =>
  overflow.includes('hidden') && listensFor(part.element, LISTENS.wheel) && part.element !== document.body;

/**
 * Whether scrolling, as a person does it, brings an area into view: the area must be within the scrollable range of
 * each scroller around it.
 * @param {Rect} box
 * @param {Clip|null} clip
 * @param {Part} part
 * @returns {boolean}
 */
export function canScrollTo(box, clip, part) {
  let place = box;
  /** What comes into view and brings it. @type {Rect|null} */
  let holder = null;
  for (; clip; clip = clip.by) {
    if (holder && SCROLLS.test(clip.overflow)) [place, holder] = [holder, null];
    const inside = clip.overflow ? clip.inside() : NOWHERE;
    if (isEmpty(inside)) return false; // scrolling moves content behind an opening that does not exist
    if (comesInto(clip, place, inside, holder)) {
      holder ||= inside;
      continue;
    }
    const scroller = clip.part.element;
    const width = Math.min(place[2] - place[0], inside[2] - inside[0]),
      height = Math.min(place[3] - place[1], inside[3] - inside[1]);
    const left = Math.max(inside[0], Math.min(place[0], inside[2] - width));
    const top = Math.max(inside[1], Math.min(place[1], inside[3] - height));
    const byX = place[2] <= inside[0] || place[0] >= inside[2];
    const byY = place[3] <= inside[1] || place[1] >= inside[3];
    if (
      (byX && !scrollsTo(scroller, clip, place, inside, 'x')) ||
      (byY && !scrollsTo(scroller, clip, place, inside, 'y'))
    )
      return false;
    if (byX || byY) place = [left, top, left + width, top + height];
  }
  return isOnPage(holder || place, part);
}

/**
 * Whether an area out of view can be scrolled into view, judged from its clips only: a scroller can show all its
 * content.
 * @param {Rect} box
 * @param {Clip|null} clip
 * @param {Part} part
 * @param {number} look
 */
export function couldScrollIntoView(box, clip, part, look) {
  let place = box;
  /** As there. @type {Rect|null} */
  let holder = null;
  for (; clip; clip = clip.by) {
    if (holder && SCROLLS.test(clip.overflow)) [place, holder] = [holder, null];
    clip.rect(look);
    const inside = clip.within;
    if (overlap(place, inside)) continue;
    if (!clip.thin && comesInto(clip, place, inside, holder)) {
      holder ||= inside;
      continue;
    }
    const [across, down = across] = clip.overflow.split(' ');
    const isBeside = place[2] <= inside[0] || place[0] >= inside[2],
      isBeyond = place[3] <= inside[1] || place[1] >= inside[3];
    if (clip.thin || (isBeside && !SCROLLS.test(across)) || (isBeyond && !SCROLLS.test(down) && !isWheeled(clip)))
      return false;
    place = inside;
  }
  return isOnPage(holder || place, part);
}

/**
 * Whether an area below an element is in it as soon as that is in view.
 * @param {Clip} clip
 * @param {Rect} place
 * @param {Rect} inside
 * @param {Rect|null} holder something in the element that becomes higher then
 */
const comesInto = (clip, place, inside, holder) =>
  place[1] >= inside[3] &&
  place[2] > inside[0] &&
  place[0] < inside[2] &&
  (holder ? clip.heightNow().grows : clip.isPlaceholder());

/** Whether an area is in view, or scrolling the page brings it there. @param {Rect} place @param {Part} part */
function isOnPage(place, part) {
  if (pageScroll.look !== walks.count) measurePage();
  return overlap(place, pageScroll.view) !== null || (!isFixed(part) && rootScrollsTo(place));
}

/**
 * @param {Element} scroller
 * @param {Clip} clip
 * @param {Rect} place
 * @param {Rect} inside
 * @param {'x'|'y'} axis
 */
function scrollsTo(scroller, clip, place, inside, axis) {
  const style = getComputedStyle(scroller);
  const overflow = axis === 'x' ? style.overflowX : style.overflowY;
  if (overflow !== 'auto' && overflow !== 'scroll' && !(axis === 'y' && isWheeled(clip))) return false;
  const [start, end, near] = axis === 'x' ? [place[0], place[2], inside[0]] : [place[1], place[3], inside[1]];
  // Scroll positions are in the element's own pixels, which `zoom` and transforms scale.
  const scale = frameOrigin(scroller)[axis === 'x' ? 'scaleX' : 'scaleY'];
  const at = scale * (axis === 'x' ? scroller.scrollLeft : scroller.scrollTop);
  const room = scale * (axis === 'x' ? scroller.scrollWidth : scroller.scrollHeight);
  const size = scale * (axis === 'x' ? scroller.clientWidth : scroller.clientHeight);
  const from = axis === 'x' && style.direction === 'rtl' ? -(room - size) : 0;
  return end - near + at > from + 1 && start - near + at < from + room - 1;
}

/** Whether it keeps its position when the page scrolls. @param {Part} part */
function isFixed(part) {
  for (let above = /** @type {Part|null} */ (part); above; above = above.parent) {
    if (above.position !== 'fixed') continue;
    for (above = above.parent; above && !isContaining(above);) above = above.parent;
    if (!above) return true;
  }
  return false;
}

/**
 * The visible area and the scrollable range of the page, as found in a walk, and whether vertical or horizontal
 * scrolling is blocked.
 */
const pageScroll = {
  look: 0,
  /** The walk since which all this is the same. */
  since: 0,
  /** @type {Rect} */ view: NOWHERE,
  /** @type {Rect} */ places: NOWHERE,
  lockedX: false,
  lockedY: false,
};

/** @param {Rect} place @returns {boolean} whether scrolling the page brings it into view */
function rootScrollsTo(place) {
  if ((place[3] <= 0 || place[1] >= innerHeight) && pageScroll.lockedY) return false;
  if ((place[2] <= 0 || place[0] >= innerWidth) && pageScroll.lockedX) return false;
  return overlap(place, pageScroll.places) !== null;
}

/**
 * Whether scrolling the page takes a place out from under what keeps its position.
 * @param {Rect} place
 * @param {Part} part that it is in
 * @param {Rect} bar the place of what is above it
 * @param {Part} above
 */
export function scrollsFromUnder(place, part, bar, above) {
  if (!isFixed(above) || isFixed(part)) return isStuckBeside(above, part);
  if (pageScroll.look !== walks.count) measurePage();
  if (pageScroll.lockedY) return false;
  const [, top, , bottom] = pageScroll.places;
  const height = place[3] - place[1];
  const goesAbove = bar[1] >= height && place[3] - bar[1] <= bottom - innerHeight;
  return goesAbove || (innerHeight - bar[3] >= height && bar[3] - place[1] <= -top);
}

/** Whether it sticks to a scroller's edge, over another part of its content. @param {Part} above @param {Part} part */
function isStuckBeside(above, part) {
  for (let each = /** @type {Part|null} */ (above); each && !containsPart(each, part); each = each.parent)
    if (each.position === 'sticky') return true;
  return false;
}

/** The walk since which scrolling the page has shown the same places. */
export function pageScrollSince() {
  if (pageScroll.look !== walks.count) measurePage();
  return pageScroll.since;
}

function measurePage() {
  const { view, places, lockedX, lockedY } = pageScroll;
  pageScroll.look = walks.count;
  readPageScroll();
  const isSame =
    isSamePlace(view, pageScroll.view) &&
    isSamePlace(places, pageScroll.places) &&
    lockedX === pageScroll.lockedX &&
    lockedY === pageScroll.lockedY;
  if (!isSame) pageScroll.since = walks.count;
}

function readPageScroll() {
  pageScroll.view = wholeViewport();
  const [html, body] = [document.documentElement, document.body].map((each) => (each ? getComputedStyle(each) : null));
  const locked = (/** @type {'overflowX'|'overflowY'} */ axis) => {
    const by = html && html[axis] !== 'visible' ? html[axis] : body ? body[axis] : 'visible';
    return by === 'hidden' || by === 'clip';
  };
  pageScroll.lockedX = locked('overflowX');
  pageScroll.lockedY = locked('overflowY');
  const [width, height] = pageExtent();
  const left = (isRightToLeft() ? innerWidth - width : 0) - scrollX;
  pageScroll.places = [left + 1, 1 - scrollY, left + width - 1, height - 1 - scrollY];
}

/**
 * @param {Element} element
 * @returns {Array<number>|null} CSS px up, down, left and right, as a person scrolls; null if it cannot be scrolled
 */
export function leftToScroll(element) {
  const { overflowX, overflowY, direction } = getComputedStyle(element);
  const down = SCROLLS.test(overflowY) ? element.scrollHeight - element.clientHeight : 0,
    right = SCROLLS.test(overflowX) ? element.scrollWidth - element.clientWidth : 0;
  if (down < 8 && right < 8) return null;
  const up = down && element.scrollTop;
  const left = right && (direction === 'rtl' ? right + element.scrollLeft : element.scrollLeft);
  return [up, Math.max(0, down - up), left, Math.max(0, right - left)].map(Math.round);
}

/**
 * Scrolls the containers of a frame until a point of it is in view.
 * @param {Element} frame
 * @param {number} x
 * @param {number} y in the frame's own pixels
 */
export function revealPoint(frame, x, y) {
  return revealPlace(frame, () => {
    const { x: left, y: top, scaleX, scaleY } = frameOrigin(frame);
    return { x: left + x * scaleX, y: top + y * scaleY };
  });
}

/**
 * Scrolls the containers of a node until a place in it is in view.
 * @param {Node} inner
 * @param {() => {x: number, y: number}} place where it is now
 */
export function revealPlace(inner, place) {
  for (let node = flatParentOf(inner); node; node = flatParentOf(node)) {
    if (
      node === document.documentElement ||
      node.scrollHeight + node.scrollWidth <= node.clientHeight + node.clientWidth
    )
      continue;
    const box = boundsOf(node),
      at = place();
    const inside = at.x > box.left && at.x < box.right && at.y > box.top && at.y < box.bottom;
    if (!inside)
      node.scrollBy({
        left: at.x - (box.left + box.right) / 2,
        top: at.y - (box.top + box.bottom) / 2,
        behavior: 'instant',
      });
  }
  const at = place();
  if (at.x < 0 || at.x > innerWidth || at.y < 0 || at.y > innerHeight) {
    scrollBy({
      left: at.x < 0 || at.x > innerWidth ? at.x - innerWidth / 2 : 0,
      top: at.y < 0 || at.y > innerHeight ? at.y - innerHeight / 2 : 0,
      behavior: 'instant',
    });
  }
  return place();
}

/** A scroller smaller than this has no content worth scrolling to (CSS px²). */
export const MIN_SCROLLER = 50 * 50;
