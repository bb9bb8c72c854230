// Children that stay out of view, many at a time: a page may have tens of thousands of rows side by side.

import { boundsOf } from '../dom/access.js';
import { overlap, rectOf, translated } from '../layout/rects.js';
import { Part } from '../tree/part.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { PlacingWalk } from './placement.js' */

/** Children that are passed over together, at least and at most: each run that is passed over makes the next one longer. */
const RUN = 32;
const LONGEST_RUN = 1024;

/** Fewer are looked at one by one. */
const MANY = 4 * RUN;

/** More than rounding moves an edge (CSS px): Chromium places in steps of 1/64. */
export const MOVED = 2.5 / 64;

/**
 * Which runs of a part's children are out of view and have not changed since they were last measured. What has not
 * changed moves together: if the first and the last of a run have moved by as much, so have those between them. In a
 * grid, that needs columns that are as they were.
 */
export class OutOfView {
  /**
   * @param {PlacingWalk} walk
   * @param {Part} part
   * @param {Rect} place of the part
   * @param {Rect|null} before its place at the last walk; null if it was not walked
   * @param {boolean} rigid whether its children are where they were in it
   */
  constructor(walk, part, place, before, rigid) {
    this.walk = walk;
    this.part = part;
    this.place = place;
    this.before = before;
    this.rigid = rigid;
    this.length = RUN;
  }

  /**
   * As the constructor.
   * @param {PlacingWalk} walk
   * @param {Part} part
   * @param {Rect} place
   * @param {Rect|null} before
   * @param {boolean} rigid
   * @returns {OutOfView|null} null where each child is looked at
   */
  static of(walk, part, place, before, rigid) {
    if (walk.wide || part.children.length < MANY || !hasSameTracks(part)) return null;
    return new OutOfView(walk, part, place, before, rigid);
  }

  /**
   * The run of children from an index that may be passed over, its area, and how far down its floats reach.
   * @param {number} at
   * @returns {{count: number, reach: Rect, floatsTo: number}|null}
   */
  runAt(at) {
    if (at % RUN) return null;
    const rest = this.part.children.length - at;
    while (this.length > RUN && this.length > rest) this.length /= 2;
    if (this.length > rest) return null;
    const count = this.length;
    const passed = this.reachOfRun(at, count);
    if (!passed && count === RUN) return null;
    this.length = passed ? Math.min(2 * count, LONGEST_RUN) : RUN;
    return passed ? { count, ...passed } : this.runAt(at);
  }

  /**
   * The area of a run of children and how far down its floats reach, if they may be passed over.
   * @param {number} at
   * @param {number} count
   * @returns {{reach: Rect, floatsTo: number}|null}
   */
  reachOfRun(at, count) {
    const run = this.part.children.slice(at, at + count);
    const found = reachOf(run);
    if (!found) return null;
    const { inside, floatReach } = found;
    const shift = this.rigid ? [0, 0] : this.shiftOf(run);
    if (!shift) return null;
    const reach = translated(inside, this.place[0] + shift[0], this.place[1] + shift[1]);
    const { textArea } = this.walk;
    if (overlap(reach, textArea)) return null;
    const holder = run.find((child) => child instanceof Part && child.holdsFields);
    if (holder instanceof Part && this.walk.mayHideFields(holder, reach)) return null;
    if (this.before && overlap(translated(inside, this.before[0], this.before[1]), textArea)) return null;
    if (!this.rigid) guess(run, shift);
    return { reach, floatsTo: this.place[1] + shift[1] + floatReach };
  }

  /**
   * By how much the first and the last of a run have moved in the part; null if they have not moved alike.
   * @param {Array<Part|Text>} run
   */
  shiftOf(run) {
    const parts = /** @type {Part[]} */ (run.filter((child) => child instanceof Part));
    const first = this.moveOf(parts[0]),
      last = this.moveOf(parts[parts.length - 1]);
    return first && last && Math.abs(first[0] - last[0]) < MOVED && Math.abs(first[1] - last[1]) < MOVED ? first : null;
  }

  /** @param {Part} child @returns {[number, number]|null} null if its size is another */
  moveOf(child) {
    const [left, top, right, bottom] = rectOf(boundsOf(child.element));
    const own = /** @type {Rect} */ (child.ownBox);
    if (Math.abs(right - left - own[2]) > MOVED || Math.abs(bottom - top - own[3]) > MOVED) return null;
    return [left - this.place[0] - own[0], top - this.place[1] - own[1]];
  }
}

/** Whether a part's columns are as they were when this was last asked. @param {Part} part */
function hasSameTracks(part) {
  if (part.flow !== 'grid') return true;
  const { tracks } = part;
  part.tracks = getComputedStyle(part.element).gridTemplateColumns;
  return part.tracks === tracks;
}

/**
 * What a run takes up, and how far down its floats reach, from the corner of the part around it; null if one of it has
 * to be looked at.
 * @param {Array<Part|Text>} run
 * @returns {{inside: Rect, floatReach: number}|null}
 */
function reachOf(run) {
  let left = Infinity,
    top = Infinity,
    right = -Infinity,
    bottom = -Infinity,
    floatReach = -Infinity;
  for (const child of run) {
    if (!(child instanceof Part)) {
      if (/\S/.test(child.data)) return null;
      continue;
    }
    const { ownBox, extent } = child;
    if (!child.block || child.dirty || child.loose || !ownBox || !extent || child.position !== 'static') return null;
    left = Math.min(left, ownBox[0] + extent[0]);
    top = Math.min(top, ownBox[1] + extent[1]);
    right = Math.max(right, ownBox[0] + extent[2]);
    bottom = Math.max(bottom, ownBox[1] + extent[3]);
    floatReach = Math.max(floatReach, ownBox[1] + child.floatReach);
  }
  return right > left && bottom > top ? { inside: [left, top, right, bottom], floatReach } : null;
}

/**
 * Sets where a run is by how far its ends have moved.
 * @param {Array<Part|Text>} run
 * @param {number[]} shift
 */
function guess(run, shift) {
  for (const child of run) {
    if (!(child instanceof Part) || !child.ownBox) continue;
    child.ownBox[0] += shift[0];
    child.ownBox[1] += shift[1];
    child.guessed = true;
  }
}
