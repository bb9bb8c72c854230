// The rows that were served last: of a later walk only those are sent that are not the same.
//
// Rule 1: who has the rows of another walk, or none, gets all of them.

import { ROW } from '../row_layout.js';

/** @import { Row } from '../row_layout.js' */

/** The last walk that was served, by a number that no other walk has, in any world of this document. */
const served = {
  walk: Math.floor(Math.random() * 2 ** 28) * 2 ** 20,
  /** @type {Row[]} */
  rows: [],
};

/** @param {any} one @param {any} other a value of a row, or a list of them */
const isSameValue = (one, other) => {
  if (one === other) return true;
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
};

/** @param {Row} one @param {Row} other */
const isSameRow = (one, other) => {
  for (let field = 0; field < one.length; field++) if (!isSameValue(one[field], other[field])) return false;
  return true;
};

/**
 * Where the rows that were there before are now: runs of place, place before, length.
 * @param {Row[]} before
 * @param {Row[]} rows
 * @returns {number[]}
 */
function runsOfSame(before, rows) {
  /** @type {Map<number, number>|null} */
  let places = null;
  const placeOf = (/** @type {number} */ node) => {
    if (!places) places = new Map(before.map((row, at) => [row[ROW.node], at]));
    return places.get(node) ?? -1;
  };
  const runs = [];
  let shift = 0;
  let isInRun = false;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    let then = at + shift;
    if (then >= before.length || before[then][ROW.node] !== row[ROW.node]) {
      then = placeOf(row[ROW.node]);
      if (then >= 0) {
        shift = then - at;
        isInRun = false;
      }
    }
    if (then < 0 || !isSameRow(row, before[then])) isInRun = false;
    else if (isInRun) runs[runs.length - 1]++;
    else {
      runs.push(at, then, 1);
      isInRun = true;
    }
  }
  return runs;
}

/**
 * The rows of a walk, as they are sent.
 * @param {Row[]} rows
 * @param {number} base the walk whose rows the receiver has; 0 for none
 * @returns {{ rows: Row[], walk: number, length: number, same: number[]|null }} `rows` are those that are not in a run
 *   of `same`; without one they are all
 */
export function serveRows(rows, base) {
  const same = base && base === served.walk ? runsOfSame(served.rows, rows) : null;
  served.walk++;
  served.rows = rows;
  const walk = { walk: served.walk, length: rows.length, same };
  if (!same) return { ...walk, rows };
  const sent = [];
  let at = 0;
  for (let run = 0; run < same.length; run += 3) {
    while (at < same[run]) sent.push(rows[at++]);
    at += same[run + 2];
  }
  return { ...walk, rows: sent.concat(rows.slice(at)) };
}
