// Boxes: positions of elements and texts.

import { boundsOf, nodeTypeOf } from '../dom/access.js';
import { isClosedDetails, tagOf } from '../dom/elements.js';
import { flatChildrenOf } from '../dom/flat_tree.js';
import { areaOf, isEmpty, rectOf, union } from './rects.js';

/** @import { Rect } from './rects.js' */

/**
 * The area of the page that an element occupies. An inline or `display: contents` element that contains blocks has no
 * box or a wrong one: its children's boxes are used instead.
 * @param {Element} element
 * @param {string} display
 * @returns {Rect}
 */
export function boxOf(element, display) {
  const own = rectOf(boundsOf(element));
  if (!isEmpty(own) && display !== 'inline') return own;
  let all = isEmpty(own) ? null : own;
  const closed = isClosedDetails(element);
  for (const child of flatChildrenOf(element)) {
    if (nodeTypeOf(child) !== Node.ELEMENT_NODE || (closed && tagOf(/** @type {Element} */ (child)) !== 'summary'))
      continue;
    const rect = rectOf(boundsOf(/** @type {Element} */ (child)));
    if (!isEmpty(rect)) all = union(all, rect);
    else if (getComputedStyle(/** @type {Element} */ (child)).display === 'contents')
      all = union(all, boxOf(/** @type {Element} */ (child), 'contents'));
  }
  if (!all && display === 'contents') {
    const range = document.createRange();
    range.selectNodeContents(element);
    all = rectOf(range.getBoundingClientRect());
  }
  return all || own;
}

/** @param {Text} node @returns {Rect|null} box of the painted text, null if nothing is painted */
export function textBox(node) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const rect = rectOf(range.getBoundingClientRect());
  return isEmpty(rect) ? null : rect;
}

/**
 * Area per letter below which text is examined more closely (CSS px²): a letter of 8 px type is about 4 x 9.
 */
const SMALL_LETTER = 40;

/** Area per letter below which text is unreadable (CSS px²): type of less than 4 px. */
const TINY_LETTER = 6;

/** Minimum width of a letter as a share of the line height; common narrow fonts need 0.2. */
const NARROW_LETTER = 0.1;

/**
 * Whether letters are too small to read, or overlap each other.
 * @param {Text} node
 * @param {Rect} box of it
 */
export function isTooSmallToRead(node, box) {
  const area = areaOf(box);
  if (area >= SMALL_LETTER * node.data.length || area >= SMALL_LETTER * node.data.replace(/\s+/g, ' ').trim().length)
    return false;
  const letters = node.data
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim().length;
  if (area >= SMALL_LETTER * letters) return false;
  const range = document.createRange();
  range.selectNodeContents(node);
  const lines = [...range.getClientRects()];
  const taken = lines.reduce((sum, line) => sum + line.width * line.height, 0) / letters;
  // The shorter side of the first line, for horizontal and vertical text.
  const high = lines.length
    ? Math.max(1, letters > 4 ? Math.min(lines[0].width, lines[0].height) : lines[0].height)
    : 0;
  return taken < TINY_LETTER || (letters > 2 && taken < NARROW_LETTER * high * high);
}

/**
 * @param {Rect} box
 * @param {Rect} clip
 * @returns {boolean} whether it is large enough to be seen, on a reachable part of the page
 */
export function isLargeEnough(box, clip) {
  if (areaOf(clip) < 4) return false;
  if (box[2] <= 0 && box[2] + scrollX <= 0 && !isRightToLeft()) return false;
  if (box[3] <= 0 && box[3] + scrollY <= 0) return false;
  return areaOf(box) >= 4;
}

/**
 * Whether the page starts at its right edge and so scrolls to negative positions. The body's writing mode applies to
 * the page (CSS Writing Modes 4 §8).
 */
export const isRightToLeft = () => {
  const root = document.body || document.documentElement;
  if (!root) return false;
  const { direction, writingMode } = getComputedStyle(root);
  return (
    writingMode === 'vertical-rl' ||
    writingMode === 'sideways-rl' ||
    (direction === 'rtl' && writingMode === 'horizontal-tb')
  );
};
