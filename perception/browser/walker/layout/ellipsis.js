// Ellipses: how much of a text a block shows that cuts its lines (`text-overflow`, `line-clamp`).

import { boundsOf } from '../dom/access.js';
import { rectOf } from './rects.js';
import { textBox } from './boxes.js';

/** @import { Clip } from './clips.js' */
/** @import { Rect } from './rects.js' */
/** @import { Part } from '../tree/part.js' */

/** Width of `…` over the font size: 1 in Arial, 0.8 in DejaVu Sans; the lesser cuts no letter that is painted. */
const ELLIPSIS_EM = 0.8;

/** Rounding of layout (CSS px): what goes over an edge by less is not cut. */
const SLACK_PX = 1;

/**
 * Where the letters of a block that cuts its text with an ellipsis end; null if nothing is cut. Of each block this is
 * found once in a walk.
 * @param {Clip} clip
 * @param {number} look number of the walk
 * @returns {Rect|null}
 */
function limitsOf(clip, look) {
  if (clip.cut.look !== look) clip.cut = { look, limits: measureLimits(clip, look) };
  return clip.cut.limits;
}

/**
 * @param {Clip} clip
 * @param {number} look
 * @returns {Rect|null}
 */
function measureLimits(clip, look) {
  if (!/hidden|clip/.test(clip.overflow)) return null;
  const element = /** @type {HTMLElement} */ (clip.part.element);
  const style = getComputedStyle(element);
  const clamps = style.webkitLineClamp !== 'none';
  const shortens = style.textOverflow === 'ellipsis' || clamps;
  if (!shortens) return null;
  const isWide = !clamps && element.scrollWidth > element.clientWidth;
  const isHigh = clamps && element.scrollHeight > element.clientHeight;
  if (!isWide && !isHigh) return null;
  clip.rect(look);
  const [left, top, right, bottom] = clip.within;
  if (isHigh) return [-1e7, top, 1e7, bottom];
  const scale = boundsOf(element).width / (element.offsetWidth || 1) || 1; // of a transform
  const dots = ELLIPSIS_EM * parseFloat(style.fontSize);
  return style.direction === 'rtl'
    ? [left + (parseFloat(style.paddingLeft) + dots) * scale, -1e7, 1e7, 1e7]
    : [-1e7, -1e7, right - (parseFloat(style.paddingRight) + dots) * scale, 1e7];
}

/** @param {Text} node @param {number} at @param {Rect} limits */
function showsLetter(node, at, limits) {
  const range = document.createRange();
  range.setStart(node, at);
  range.setEnd(node, at + 1);
  const [left, top, right, bottom] = rectOf(range.getBoundingClientRect());
  if (left === right && top === bottom) return true; // white space that is not painted
  return left >= limits[0] - SLACK_PX && right <= limits[2] + SLACK_PX && (top + bottom) / 2 <= limits[3] + SLACK_PX;
}

/**
 * How many characters of a text stand before the ellipsis that cuts it; all of them where none does.
 * @param {Text} node
 * @param {Part} part its container
 * @param {number} look number of the walk
 */
export function uncutLength(node, part, look) {
  const length = node.data.length;
  const limits = part.clip && limitsOf(part.clip, look);
  const box = limits && textBox(node);
  if (!limits || !box) return length;
  if (box[0] >= limits[0] && box[2] <= limits[2] && box[3] <= limits[3]) return length;
  // A text against the direction of its block is cut at its start: which letters these are is unknown.
  if (showsLetter(node, length - 1, limits)) return length;
  let shown = 0,
    end = length;
  while (shown < end) {
    const middle = (shown + end) >> 1;
    if (showsLetter(node, middle, limits)) shown = middle + 1;
    else end = middle;
  }
  return shown;
}
