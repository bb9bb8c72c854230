// Frame elements: their position, what covers them, and scrolling points of them into view.

import { COVER } from '../row_layout.js';
import { boundsOf } from '../dom/access.js';
import { nodeOf } from '../dom/node_numbers.js';
import { frameOrigin, isTurned } from '../layout/frames.js';
import { rectOf } from '../layout/rects.js';
import { canScrollTo, revealPoint } from '../layout/scrolling.js';
import { shownArea } from '../layout/viewport.js';
import { probePart } from '../tree/probe.js';
import { coversOf } from '../visibility/blockers.js';
import { encodeJson } from './encoding.js';

/** @import { Rect } from '../layout/rects.js' */

export const frameApi = {
  /** What a person sees of this frame's viewport where the page is zoomed: see shownArea. */
  shownArea() {
    return encodeJson(shownArea());
  },

  /** The current position of a frame. @param {number} number of its iframe element */
  frameOrigin(number) {
    const element = nodeOf(number);
    return encodeJson(
      element ? { ...frameOrigin(element), box: rectOf(boundsOf(element)), turned: isTurned(element) } : null,
    );
  },

  /**
   * What covers a frame at the given points: see coversOf.
   * @param {number} number
   * @param {Array<[number, number]>} points
   */
  frameCovers(number, points) {
    const element = nodeOf(number);
    return encodeJson(element ? coversOf(element, points) : points.map(() => [COVER.unpainted]));
  },

  /**
   * Scrolls a point of a frame into view.
   * @param {number} number of its iframe element
   * @param {number} x
   * @param {number} y in the frame's own pixels
   * @returns {string} the point's new position, in this frame's pixels
   */
  scrollPointIntoView(number, x, y) {
    const element = nodeOf(number);
    return encodeJson(element ? revealPoint(element, x, y) : null);
  },

  /**
   * Whether boxes in a frame can be scrolled into view.
   * @param {number} number of its iframe element
   * @param {Rect[]} boxes in the frame's own pixels
   */
  canScrollIntoView(number, boxes) {
    const element = nodeOf(number);
    if (!element) return encodeJson(boxes.map(() => false));
    const part = probePart(element);
    const { x, y, scaleX, scaleY } = frameOrigin(element);
    return encodeJson(
      boxes.map((box) =>
        canScrollTo(
          [x + box[0] * scaleX, y + box[1] * scaleY, x + box[2] * scaleX, y + box[3] * scaleY],
          part.clippedBy,
          part,
        ),
      ),
    );
  },
};
