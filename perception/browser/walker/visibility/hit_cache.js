// Areas where a click may hit another element than at the last walk. Elements elsewhere that have not moved are not
// hit-tested again: hit testing is the most expensive query of a walk.

import { NOWHERE, isSamePlace, overlap, translated, union } from '../layout/rects.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { Part } from '../tree/part.js' */

/** With more stale areas than this, the whole view is stale. */
const MAX_STALE_PLACES = 64;

export const staleHits = {
  /** The last walk of the whole tree, and its view. */
  look: 0,
  /** @type {Rect} */
  view: NOWHERE,
  /** All cached hits are invalid. */
  all: true,
  /** @type {Rect[]} */
  places: [],
};

/** @param {Rect|null} place */
export function markStale(place) {
  if (staleHits.all || !place || !overlap(place, staleHits.view)) return;
  staleHits.places.push(place);
  if (staleHits.places.length > MAX_STALE_PLACES) markAllStale();
}

export function markAllStale() {
  staleHits.all = true;
  staleHits.places = [];
}

/**
 * Marks the effect of a move: the intersection of both areas stays valid.
 * @param {Rect} from
 * @param {Rect} to
 */
export function markMoveStale(from, to) {
  if (isSamePlace(from, to)) return;
  const both = overlap(from, to);
  if (!both) {
    markStale(from);
    markStale(to);
    return;
  }
  const all = /** @type {Rect} */ (union(from, to));
  markStale([all[0], all[1], both[0], all[3]]);
  markStale([both[2], all[1], all[2], all[3]]);
  markStale([all[0], all[1], all[2], both[1]]);
  markStale([all[0], both[3], all[2], all[3]]);
}

/**
 * The area of a part and its content at the last walk; null if it was not walked.
 * @param {Part} part
 * @returns {Rect|null}
 */
export const lastExtent = (part) =>
  part.walkNumber === staleHits.look && part.extent ? translated(part.extent, part.place[0], part.place[1]) : null;

/**
 * @param {Rect} view
 * @returns {boolean} whether the last walk's hits are valid in a view, except in stale areas
 */
export const areHitsValid = (view) => !staleHits.all && view.every((side, index) => side === staleHits.view[index]);

/** Ends a walk of the whole tree. @param {number} look @param {Rect} view */
export function finishWalk(look, view) {
  staleHits.look = look;
  staleHits.view = view;
  staleHits.all = false;
  staleHits.places = [];
}
