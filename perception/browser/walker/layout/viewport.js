// The viewport of this frame, and the walk counter.

/** @import { Rect } from './rects.js' */

/** The visible area of this frame, without its scroll bars. @returns {Rect} */
export function wholeViewport() {
  const shown = window.visualViewport;
  return shown
    ? [0, 0, Math.min(innerWidth, shown.width * shown.scale), Math.min(innerHeight, shown.height * shown.scale)]
    : [0, 0, innerWidth, innerHeight];
}

/** Counts walks of the page, so that measurements of different walks are not mixed. */
export const walks = { count: 0 };

/** Starts a walk. @returns {number} its number */
export function beginWalk() {
  walks.count += 1;
  return walks.count;
}
