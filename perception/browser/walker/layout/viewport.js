// The viewport of this frame, and the walk counter.

import { scrollHeightOf, scrollWidthOf } from '../dom/access.js';

/** @import { Rect } from './rects.js' */

/**
 * The visible area of this frame, without its scroll bars. Of a page that is zoomed in, as by two fingers, it is a part
 * of the viewport; of one that is zoomed out to fit a small screen, all of it.
 * @returns {Rect}
 */
export function wholeViewport() {
  const shown = window.visualViewport;
  if (!shown) return [0, 0, innerWidth, innerHeight];
  const { offsetLeft: left, offsetTop: top } = shown;
  return [left, top, Math.min(innerWidth, left + shown.width), Math.min(innerHeight, top + shown.height)];
}

/**
 * What a person sees of this frame's viewport where the page is zoomed: left, top, width and height without scroll
 * bars, and the zoom.
 * @returns {[number, number, number, number, number]}
 */
export function shownArea() {
  const shown = window.visualViewport;
  return shown
    ? [shown.offsetLeft, shown.offsetTop, shown.width, shown.height, shown.scale]
    : [0, 0, innerWidth, innerHeight, 1];
}

/** Width and height of all that this frame scrolls over; 0 for a document without a root. */
export function pageExtent() {
  const root = document.scrollingElement || document.documentElement;
  return root ? [scrollWidthOf(root), scrollHeightOf(root)] : [0, 0];
}

/** Identifies the size and the zoom of the viewport. */
export const viewportState = () => [innerWidth, innerHeight, devicePixelRatio, ...shownArea()].join(' ');

/** Counts walks of the page, so that measurements of different walks are not mixed. */
export const walks = { count: 0 };

/** Starts a walk. @returns {number} its number */
export function beginWalk() {
  walks.count += 1;
  return walks.count;
}
