// Geometry: where things are, in CSS pixels of this frame's viewport, as [left, top, right, bottom].

/** @typedef {[number, number, number, number]} Rect */

/** @type {Rect} larger than any page */
const EVERYWHERE = [-1e7, -1e7, 1e7, 1e7];

/** @type {Rect} */
const NOWHERE = [0, 0, 0, 0];

/** @param {Rect} a @param {Rect} b @returns {Rect|null} the common part */
function overlap(a, b) {
  const left = a[0] > b[0] ? a[0] : b[0], top = a[1] > b[1] ? a[1] : b[1];
  const right = a[2] < b[2] ? a[2] : b[2], bottom = a[3] < b[3] ? a[3] : b[3];
  return left < right && top < bottom ? [left, top, right, bottom] : null;
}

/** @param {DOMRect} rect @returns {Rect} */
const rectOf = (rect) => [rect.left, rect.top, rect.right, rect.bottom];

/** @param {Rect|null} a @param {Rect|null} b @returns {Rect|null} */
function union(a, b) {
  if (!a || !b) return a || b;
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}

/** @param {Rect|null} rect */
const isEmpty = (rect) => !rect || rect[2] - rect[0] < 0.5 || rect[3] - rect[1] < 0.5;

/** @param {Rect} rect */
const areaOf = (rect) => (rect[2] - rect[0]) * (rect[3] - rect[1]);

/** Only its summary is painted. @param {any} element */
const isClosedDetails = (element) => tagOf(element) === 'details' && !rootIn(element) && !element.open;

/**
 * The part of the page an element takes up. An inline or `display: contents` element has no or a wrong box of its
 * own where it holds blocks: then its children's count.
 * @param {Element} element @param {string} display
 * @returns {Rect}
 */
function boxOf(element, display) {
  const own = rectOf(boundsOf(element));
  if (!isEmpty(own) && display !== 'inline') return own;
  let all = isEmpty(own) ? null : own;
  const closed = isClosedDetails(element);
  for (const child of paintedChildren(element)) {
    if (nodeTypeOf(child) !== Node.ELEMENT_NODE || (closed && tagOf(/** @type {Element} */ (child)) !== 'summary')) continue;
    const rect = rectOf(boundsOf(/** @type {Element} */ (child)));
    if (!isEmpty(rect)) all = union(all, rect);
    else if (getComputedStyle(/** @type {Element} */ (child)).display === 'contents') all = union(all, boxOf(/** @type {Element} */ (child), 'contents'));
  }
  if (!all && display === 'contents') {
    const range = document.createRange();
    range.selectNodeContents(element);
    all = rectOf(range.getBoundingClientRect());
  }
  return all || own;
}

/** @param {Text} node @returns {Rect|null} box of the painted text, null when nothing is painted */
function textBox(node) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const rect = rectOf(range.getBoundingClientRect());
  return isEmpty(rect) ? null : rect;
}

/** Area for each letter below which text is looked at more closely (CSS px²): a letter of 8 px type takes about 4 x 9. */
const SMALL_LETTER = 40;

/** Area for each letter below which nobody reads it (CSS px²): type of less than 4 px. */
const TINY_LETTER = 6;

/** Of the line's height, what a letter takes at least; the narrowest of usual type takes 0.2. */
const NARROW_LETTER = 0.1;

/** Letters too small to be read, or all on top of each other. @param {Text} node @param {Rect} box of it */
function isSqueezed(node, box) {
  const area = areaOf(box);
  if (area >= SMALL_LETTER * node.data.length || area >= SMALL_LETTER * node.data.replace(/\s+/g, ' ').trim().length) return false;
  const letters = node.data.replace(/[\p{M}\p{Cf}]/gu, '').replace(/\s+/g, ' ').trim().length;
  if (area >= SMALL_LETTER * letters) return false;
  const range = document.createRange();
  range.selectNodeContents(node);
  const lines = [...range.getClientRects()];
  const taken = lines.reduce((sum, line) => sum + line.width * line.height, 0) / letters;
  // The shorter side of the first line, whichever way it is written.
  const high = lines.length ? Math.max(1, letters > 4 ? Math.min(lines[0].width, lines[0].height) : lines[0].height) : 0;
  return taken < TINY_LETTER || (letters > 2 && taken < NARROW_LETTER * high * high);
}

/** @param {Rect} a @param {Rect} b @returns {boolean} one lies on the other, by more than a border */
const isOn = (a, b) => Math.min(a[2], b[2]) - Math.max(a[0], b[0]) > 2 && Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 2;

/** @param {Rect} box @param {Rect} clip @returns {boolean} big enough to be seen, on a part of the page one can get to */
function isSeen(box, clip) {
  if (areaOf(clip) < 4) return false;
  if (box[2] <= 0 && box[2] + scrollX <= 0 && !isLeftwards()) return false;
  if (box[3] <= 0 && box[3] + scrollY <= 0) return false;
  return areaOf(box) >= 4;
}

/** The page begins at its right edge, so that it scrolls to negative places. The body's writing mode is the page's (CSS Writing Modes 4 §8). */
const isLeftwards = () => {
  const root = document.body || document.documentElement;
  if (!root) return false;
  const { direction, writingMode } = getComputedStyle(root);
  return writingMode === 'vertical-rl' || writingMode === 'sideways-rl' || (direction === 'rtl' && writingMode === 'horizontal-tb');
};
