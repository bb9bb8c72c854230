// Occlusion: whether an element that does not contain a text is above or below it.
//
// Checked only for text that overlaps positioned or neighboring elements, and for text in the color of its
// background.

import { boundsOf } from '../dom/access.js';
import { isInert, tagOf } from '../dom/elements.js';
import { flatContains } from '../dom/flat_tree.js';
import { scrollsFromUnder } from '../layout/scrolling.js';
import { areaOf, isEmpty, overlap, rectOf } from '../layout/rects.js';
import { Part, containsPart } from '../tree/part.js';
import { colorOf, gradientColors } from './colors.js';
import { elementAt } from './element_at.js';
import { hasContrastingColor, paintStyleOf, paintsAround } from './paint_style.js';

/** @import { Rect } from '../layout/rects.js' */

/** Share of a text's box that a cover must hide. */
const HIDDEN_SHARE = 0.9;

/** Points along a text that must be covered. */
const SAMPLE_SHARES = [0.08, 0.5, 0.92];

/**
 * Height of the bands by which overlays are indexed (CSS px), and how many of them one may cross: a taller overlay is
 * in all bands.
 */
const BAND = 200;
const MAX_BANDS = 20;

/** Possible overlays, indexed by position: a page may have thousands of lines and positioned boxes. */
export class Overlays {
  constructor() {
    /** @type {Map<number, Part[]>} */
    this.bands = new Map();
    /** @type {Part[]} */
    this.tall = [];
  }

  /** @param {Part} part placed in this walk */
  add(part) {
    const first = Math.floor(part.place[1] / BAND),
      last = Math.floor(part.place[3] / BAND);
    if (last - first > MAX_BANDS) {
      this.tall.push(part);
      return;
    }
    for (let band = first; band <= last; band++) {
      const known = this.bands.get(band);
      if (known) known.push(part);
      else this.bands.set(band, [part]);
    }
  }

  /**
   * Whether any overlay covers a box.
   * @param {Rect} box
   * @param {(overlay: Part) => boolean} isOver called for overlays that may cover the middle of the box
   */
  some(box, isOver) {
    const beside = this.bands.get(Math.floor((box[1] + box[3]) / 2 / BAND));
    return (beside !== undefined && beside.some(isOver)) || this.tall.some(isOver);
  }
}

/**
 * Whether an overlay hides all of a text.
 * @param {Rect} box of the text
 * @param {Part} part the text's container
 * @param {Overlays} overlays
 * @param {boolean} wide where it can be scrolled to counts, not only where it is
 * @returns {boolean}
 */
export function isCovered(box, part, overlays, wide) {
  return overlays.some(box, (each) => {
    if (each === part || !mostlyInside(box, each.place) || containsPart(each, part)) return false;
    const cover = findCover(each, box, part);
    if (cover === null || !isPaintedOnTop(cover, each, part, box)) return false;
    return !wide || !scrollsFromUnder(box, part, cover.place, cover);
  });
}

/**
 * Whether a picture or heading is invisible, by its own style or because something covers it.
 * @param {Part} part
 * @param {Rect} box
 * @param {Overlays} overlays
 * @param {boolean} wide as in `isCovered`
 */
export function isUnpainted(part, box, overlays, wide) {
  if (part.tag === 'iframe' && part.opacity < 0.05) return true;
  if (part.picture && paintStyleOf(part).invisible) return true;
  return (
    !part.interactive &&
    (part.picture !== '' || part.role === 'heading') &&
    !isEmpty(box) &&
    isCovered(box, part, overlays, wide)
  );
}

/** @param {Rect} box @param {Rect} outer */
export const mostlyInside = (box, outer) => {
  const width = Math.min(box[2], outer[2]) - Math.max(box[0], outer[0]),
    height = Math.min(box[3], outer[3]) - Math.max(box[1], outer[1]);
  return width > 0 && height > 0 && width * height >= HIDDEN_SHARE * areaOf(box);
};

/**
 * The part inside another one that hides a box.
 * @param {Part} part
 * @param {Rect} box
 * @param {Part} text
 * @returns {Part|null}
 */
function findCover(part, box, text) {
  if (part.opacity < 0.95) return null;
  if (!part.hidden && mostlyInside(box, part.place) && isOpaque(part, box)) return part;
  for (const child of part.children) {
    if (!(child instanceof Part) || containsPart(child, text)) continue;
    const found = findCover(child, box, text);
    if (found) return found;
  }
  return null;
}

/** Whether a part is opaque within a box. @param {Part} part @param {Rect} box */
export function isOpaque(part, box) {
  const { element, tag } = part;
  const style = getComputedStyle(element);
  if (
    style.filter.includes('opacity(') ||
    style.mixBlendMode !== 'normal' ||
    style.maskImage !== 'none' ||
    style.clipPath !== 'none'
  )
    return false;
  const color = colorOf(style.backgroundColor);
  if (color && color[3] >= 0.95 && style.backgroundClip.startsWith('border-box')) return true;
  if (style.backgroundImage.includes('gradient(') && !style.backgroundImage.includes('url(')) {
    return gradientColors(style.backgroundImage).every((each) => each !== null && each[3] >= 0.95);
  }
  return (tag === 'img' || tag === 'canvas' || tag === 'video') && isOpaqueAt(element, box, rectOf(boundsOf(element)));
}

/** Pixels per side at which a picture is sampled where it covers a text. */
const SAMPLE_PX = 8;

/**
 * Whether a picture has no transparent pixel within a box; false if its pixels cannot be read.
 * @param {any} picture
 * @param {Rect} box
 * @param {Rect} place of the picture
 */
function isOpaqueAt(picture, box, place) {
  const width = picture.naturalWidth || picture.videoWidth || (tagOf(picture) === 'canvas' ? picture.width : 0);
  const height = picture.naturalHeight || picture.videoHeight || (tagOf(picture) === 'canvas' ? picture.height : 0);
  const shared = overlap(box, place);
  if (!width || !height || !shared) return false;
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (
    new OffscreenCanvas(SAMPLE_PX, SAMPLE_PX).getContext('2d', { willReadFrequently: true })
  );
  const scaleX = width / (place[2] - place[0]),
    scaleY = height / (place[3] - place[1]);
  try {
    context.drawImage(
      picture,
      (shared[0] - place[0]) * scaleX,
      (shared[1] - place[1]) * scaleY,
      (shared[2] - shared[0]) * scaleX,
      (shared[3] - shared[1]) * scaleY,
      0,
      0,
      SAMPLE_PX,
      SAMPLE_PX,
    );
    return context
      .getImageData(0, 0, SAMPLE_PX, SAMPLE_PX)
      .data.every((value, index) => index % 4 !== 3 || value > 240);
  } catch (error) {
    // Of another origin and so unreadable, or broken: it may be transparent.
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/**
 * Whether an opaque part is painted over a text. Hit testing decides if both take clicks; else the painting order does.
 * @param {Part} cover
 * @param {Part} holder ancestor of the cover, next to the text
 * @param {Part} part the text's container
 * @param {Rect} box
 */
function isPaintedOnTop(cover, holder, part, box) {
  if (!takesPointerEvents(cover.element) || !takesPointerEvents(part.element)) return isPaintedOver(holder, part);
  const y = (box[1] + box[3]) / 2;
  let hits = 0,
    asked = 0;
  for (const share of SAMPLE_SHARES) {
    const x = box[0] + (box[2] - box[0]) * share;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    asked++;
    const hit = elementAt(x, y);
    if (hit && flatContains(cover.element, hit)) hits++;
    // Something on top of both decides nothing.
    else if (hit && !flatContains(part.element, hit) && !flatContains(hit, part.element) && isPaintedOver(holder, part))
      hits++;
  }
  return asked > 0 ? hits === asked : isPaintedOver(holder, part);
}

/** @param {Element} element */
const takesPointerEvents = (element) => getComputedStyle(element).pointerEvents !== 'none' && !isInert(element);

/**
 * Whether one part is painted after another that it does not contain (CSS 2.2, appendix E), decided below their common
 * ancestor.
 * @param {Part} over
 * @param {Part} under
 */
function isPaintedOver(over, under) {
  const [mine, theirs] = [pathTo(over), pathTo(under)];
  let at = 0;
  while (at < mine.length && at < theirs.length && mine[at] === theirs[at]) at++;
  const shared = mine[at - 1];
  if (!shared || at >= mine.length) return false;
  const ranks = [paintOrderOf(mine.slice(at)), paintOrderOf(theirs.slice(at))];
  if (ranks[0] !== ranks[1]) return ranks[0] > ranks[1];
  if (at >= theirs.length) return ranks[0] >= 0;
  const isLater = shared.children.indexOf(mine[at]) > shared.children.indexOf(theirs[at]);
  return shared.flow.endsWith('-reverse') ? !isLater : isLater; // reversed places are painted in the usual order
}

/** Parts from the root down to one. @param {Part} part */
function pathTo(part) {
  const way = [];
  for (let each = /** @type {Part|null} */ (part); each; each = each.parent) way.push(each);
  return way.reverse();
}

/** In-flow content is painted below positioned content, unless that has a negative z-index. */
const IN_FLOW = -0.5;

/** The painting order of a branch: that of its first positioned part. @param {Part[]} way */
function paintOrderOf(way) {
  let rank = IN_FLOW;
  for (const part of way) {
    const { zIndex } = getComputedStyle(part.element);
    const ranked =
      zIndex !== 'auto' && (part.position !== 'static' || /flex|grid/.test(part.parent ? part.parent.display : ''));
    if (ranked) return parseInt(zIndex, 10);
    if (part.position !== 'static' || part.ownOpacity !== '1') rank = 0;
  }
  return rank;
}

/** Tags that paint pixels of their own. */
export const PAINTERS = new Set([
  'img',
  'canvas',
  'video',
  'svg',
  'iframe',
  'frame',
  'object',
  'embed',
  'path',
  'rect',
  'circle',
  'ellipse',
  'polygon',
  'polyline',
  'line',
  'image',
  'use',
]);

/**
 * Whether an element that does not contain a text paints at its position, and so may be its background.
 * @param {Part} root
 * @param {Rect} box of the text
 * @param {Part} part the text's container
 * @param {number} look a walk in which all positions were set
 */
export function hasUnderlay(root, box, part, look) {
  const stack = [root];
  while (stack.length) {
    const each = /** @type {Part} */ (stack.pop());
    if (
      each.walkNumber === look &&
      !each.hidden &&
      each.opacity >= 0.05 &&
      overlap(each.place, box) &&
      !containsPart(each, part) &&
      paintsGround(each, part)
    )
      return true;
    for (const child of each.children) if (child instanceof Part) stack.push(child);
  }
  return false;
}

/**
 * Whether it paints something other than the text's background color.
 * @param {Part} part
 * @param {Part} text
 */
function paintsGround(part, text) {
  if (PAINTERS.has(part.tag)) return true;
  const style = getComputedStyle(part.element);
  if (style.backgroundImage !== 'none') return true;
  return hasContrastingColor([colorOf(style.backgroundColor)], paintStyleOf(text).ground) || paintsAround(part.element);
}
