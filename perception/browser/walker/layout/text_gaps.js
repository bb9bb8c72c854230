// Gaps between texts: whether two texts, one after the other, are painted as one word.

import { attr, localNameOf, parentNodeOf } from '../dom/access.js';
import { textBox } from './boxes.js';
import { rectOf } from './rects.js';

/** @import { Rect } from './rects.js' */

/**
 * How a text is painted next to the one before it. `gap`: between them, in letter heights; null if they share no line.
 * `shift`: `^` or `_` if it is smaller, and raised or lowered; `=` if both have the same size and baseline.
 * @typedef {{gap: number|null, shift: ''|'^'|'_'|'='}} Junction
 */

/** Height of a line of text over its font size: 1.15 in Arial, 1.17 in DejaVu Sans. */
const LINE_EM = 1.2;

/** Where the baseline is, from the bottom of a text over its height: 0.18 in Arial, 0.2 in DejaVu Sans. */
const BASELINE = 0.2;

/** Share of the lower text's height by which texts overlap that are in one line: a superscript does by 0.75. */
const IN_LINE = 0.4;

/** Greatest height of a raised or lowered text over that of its base: `sup` has 0.83. */
const SMALLER = 0.87;

/** Least shift of the baseline over the height of the base: `super` has 0.3, `sub` 0.18. */
const RAISED = 0.15;
const LOWERED = 0.1;

/** Edges that differ by less are the same: rounding of layout (CSS px). */
const SAME_PX = 1;

/** Gaps that differ by less are alike, in letter heights. */
const ALIKE_GAPS = 0.05;

/** Characters next to the junction that are measured: all of a usual text. */
const MEASURED = 40;

/**
 * How many junctions between elements of the same looks are measured in a walk: if all are alike by then, the others are,
 * too. To measure one takes 20 µs, to tell looks 2 µs (Chromium 156).
 */
const MEASURED_ALIKE = 20;

/** Junctions by looks, for one walk of the page. @type {Map<string, {junction: Junction|null, count: number}>} */
const junctionsByLooks = new Map();

/** Forgets what holds for one walk of the page. */
export const forgetJunctions = () => junctionsByLooks.clear();

/** @type {Junction} */
const ONE_WORD = { gap: 0, shift: '=' };

/**
 * @param {Text} before
 * @param {Rect|null} beforeBox
 * @param {Text} after
 * @param {Rect|null} afterBox
 * @returns {Junction|null} null if one of them is not painted
 */
export function junctionOf(before, beforeBox, after, afterBox) {
  if (beforeBox && afterBox) return measureJunction(before, beforeBox, after, afterBox);
  const looks = `${looksAround(before)}~${looksAround(after)}`;
  const known = junctionsByLooks.get(looks);
  if (known && known.count >= MEASURED_ALIKE) return known.junction;
  const junction = measureJunction(before, beforeBox, after, afterBox);
  if (!known) junctionsByLooks.set(looks, { junction, count: 1 });
  else known.count = isAlike(known.junction, junction) ? known.count + 1 : -Infinity;
  return junction;
}

/** Tags, classes and styles of the elements around a text. @param {Text} node */
function looksAround(node) {
  let looks = '';
  let around = parentNodeOf(node);
  for (let level = 0; level < 3 && around instanceof Element; level++) {
    looks += `${localNameOf(around)} ${attr(around, 'class') || ''}|${attr(around, 'style') || ''}<`;
    around = parentNodeOf(around);
  }
  return looks;
}

/** @param {Junction|null} one @param {Junction|null} other */
const isAlike = (one, other) =>
  one === other ||
  (one !== null &&
    other !== null &&
    one.shift === other.shift &&
    one.gap !== null &&
    other.gap !== null &&
    Math.abs(one.gap - other.gap) < ALIKE_GAPS);

/**
 * @param {Text} before
 * @param {Rect|null} beforeBox
 * @param {Text} after
 * @param {Rect|null} afterBox
 * @returns {Junction|null}
 */
function measureJunction(before, beforeBox, after, afterBox) {
  const one = beforeBox || textBox(before);
  const two = afterBox || textBox(after);
  if (!one || !two) return null;
  // Boxes of the same height side by side have one line each.
  const isLevel = Math.abs(one[1] - two[1]) < SAME_PX && Math.abs(one[3] - two[3]) < SAME_PX;
  const distance = Math.max(two[0] - one[2], one[0] - two[2]);
  if (isLevel && distance < SAME_PX) return ONE_WORD;
  const around = /** @type {Element} */ (parentNodeOf(after));
  const isVertical = around instanceof Element && !getComputedStyle(around).writingMode.startsWith('horizontal');
  if (isLevel && !isVertical) return { gap: (distance * LINE_EM) / (one[3] - one[1]), shift: '=' };
  return nearestInLine(rectsAt(before, true), rectsAt(after, false), isVertical ? turned : same);
}

/**
 * @param {Rect[]} before
 * @param {Rect[]} after
 * @param {(rect: Rect) => Rect} upright
 * @returns {Junction}
 */
function nearestInLine(before, after, upright) {
  let gap = Infinity;
  /** @type {Junction} */
  let nearest = { gap: null, shift: '' };
  for (const one of before.map(upright)) {
    for (const two of after.map(upright)) {
      const [high, low] = [one[3] - one[1], two[3] - two[1]];
      const lesser = Math.min(high, low);
      const shared = Math.min(one[3], two[3]) - Math.max(one[1], two[1]);
      const distance = Math.max(0, two[0] - one[2], one[0] - two[2]);
      if (shared < IN_LINE * lesser || distance >= gap) continue;
      gap = distance;
      nearest = { gap: distance < SAME_PX ? 0 : (distance * LINE_EM) / lesser, shift: shiftOf(one, two) };
    }
  }
  return nearest;
}

/** @param {Rect} base @param {Rect} next @returns {Junction['shift']} */
function shiftOf(base, next) {
  const high = base[3] - base[1],
    low = next[3] - next[1];
  const rise = base[3] - BASELINE * high - (next[3] - BASELINE * low);
  if (Math.abs(high - low) <= SAME_PX) return Math.abs(rise) <= SAME_PX ? '=' : '';
  if (low > SMALLER * high) return '';
  return rise >= RAISED * high ? '^' : rise <= -LOWERED * high ? '_' : '';
}

/** The lines at the end or start of a text. @param {Text} node @param {boolean} isEnd @returns {Rect[]} */
function rectsAt(node, isEnd) {
  const range = document.createRange();
  const { length } = node.data;
  range.setStart(node, isEnd ? Math.max(0, length - MEASURED) : 0);
  range.setEnd(node, isEnd ? length : Math.min(length, MEASURED));
  return [...range.getClientRects()].map(rectOf).filter((rect) => rect[2] > rect[0] && rect[3] > rect[1]);
}

/** @param {Rect} rect */
const same = (rect) => rect;

/** Of vertical text: along the line first. @param {Rect} rect @returns {Rect} */
const turned = ([left, top, right, bottom]) => [top, left, bottom, right];
