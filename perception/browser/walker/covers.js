// Covers: what lies over a text, or under it, of what does not hold it.
//
// Asked of few: of text that lies in what is placed over the page or overlaps what stands beside it, and of text that has
// the colour of its ground.

/** Share of a text's box that a cover hides. */
const HIDDEN_SHARE = 0.9;

/** Points along a text at which it has to be covered. */
const ALONG = [0.08, 0.5, 0.92];

/** Height of the bands that what lies over a page is sorted into (CSS px), and how many of them it may cross: what is taller is
 * in all of them. */
const BAND = 200, MAX_BANDS = 20;

/** What may lie over others, by where it is: a page may hold thousands of lines and of placed boxes. */
class Overlays {
  constructor() {
    /** @type {Map<number, Part[]>} */
    this.bands = new Map();
    /** @type {Part[]} */
    this.tall = [];
  }

  /** @param {Part} part placed in this look */
  add(part) {
    const first = Math.floor(part.place[1] / BAND), last = Math.floor(part.place[3] / BAND);
    if (last - first > MAX_BANDS) { this.tall.push(part); return; }
    for (let band = first; band <= last; band++) {
      const known = this.bands.get(band);
      if (known) known.push(part);
      else this.bands.set(band, [part]);
    }
  }

  /** Whether any of them lies over a box in a way. @param {Rect} box @param {(overlay: Part) => boolean} isOver asked of those that may lie over its middle */
  some(box, isOver) {
    const beside = this.bands.get(Math.floor((box[1] + box[3]) / 2 / BAND));
    return (beside !== undefined && beside.some(isOver)) || this.tall.some(isOver);
  }
}

/**
 * What paints over all of a text.
 * @param {Rect} box of the text @param {Part} part that it stands in @param {Overlays} overlays
 * @returns {boolean}
 */
function isCovered(box, part, overlays) {
  return overlays.some(box, (each) => {
    if (each === part || !mostlyIn(box, each.place) || isAround(each, part)) return false;
    const cover = coverIn(each, box, part);
    return cover !== null && liesOver(cover, each, part, box);
  });
}

/** A picture or heading that nobody sees, for what is done to it or lies over it. @param {Part} part @param {Rect} box @param {Overlays} overlays */
function isUnpainted(part, box, overlays) {
  if (part.tag === 'iframe' && part.opacity < 0.05) return true;
  if (part.picture && inkOf(part).lost) return true;
  return !part.acts && (part.picture !== '' || part.role === 'heading') && !isEmpty(box) && isCovered(box, part, overlays);
}

/** @param {Rect} box @param {Rect} outer */
const mostlyIn = (box, outer) => {
  const width = Math.min(box[2], outer[2]) - Math.max(box[0], outer[0]), height = Math.min(box[3], outer[3]) - Math.max(box[1], outer[1]);
  return width > 0 && height > 0 && width * height >= HIDDEN_SHARE * areaOf(box);
};

/** One part holds the other, or is it. @param {Part} outer @param {Part} inner */
function isAround(outer, inner) {
  let each = /** @type {Part|null} */ (inner);
  while (each && each.depth > outer.depth) each = each.parent;
  return each === outer;
}

/** The part in another one that hides a box. @param {Part} part @param {Rect} box @param {Part} text @returns {Part|null} */
function coverIn(part, box, text) {
  if (part.opacity < 0.95) return null;
  if (!part.hidden && mostlyIn(box, part.place) && isOpaque(part, box)) return part;
  for (const child of part.children) {
    if (!(child instanceof Part) || isAround(child, text)) continue;
    const found = coverIn(child, box, text);
    if (found) return found;
  }
  return null;
}

/** Nothing shows through a part where a box lies. @param {Part} part @param {Rect} box */
function isOpaque(part, box) {
  const { element, tag } = part;
  const style = getComputedStyle(element);
  if (style.filter.includes('opacity(') || style.mixBlendMode !== 'normal' || style.maskImage !== 'none' || style.clipPath !== 'none') return false;
  const colour = colourOf(style.backgroundColor);
  if (colour && colour[3] >= 0.95 && style.backgroundClip.startsWith('border-box')) return true;
  if (style.backgroundImage.includes('gradient(') && !style.backgroundImage.includes('url(')) {
    return gradientColours(style.backgroundImage).every((each) => each !== null && each[3] >= 0.95);
  }
  return (tag === 'img' || tag === 'canvas' || tag === 'video') && isFullAt(element, box, rectOf(boundsOf(element)));
}

/** Pixels across which a picture is looked at where it lies over a text. */
const LOOKED = 8;

/** Whether a picture has no transparent pixel where a box lies. Not so where it must not be asked. @param {any} picture @param {Rect} box @param {Rect} place of the picture */
function isFullAt(picture, box, place) {
  const width = picture.naturalWidth || picture.videoWidth || (tagOf(picture) === 'canvas' ? picture.width : 0);
  const height = picture.naturalHeight || picture.videoHeight || (tagOf(picture) === 'canvas' ? picture.height : 0);
  const shared = overlap(box, place);
  if (!width || !height || !shared) return false;
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(LOOKED, LOOKED).getContext('2d', { willReadFrequently: true }));
  const scaleX = width / (place[2] - place[0]), scaleY = height / (place[3] - place[1]);
  try {
    context.drawImage(picture, (shared[0] - place[0]) * scaleX, (shared[1] - place[1]) * scaleY, (shared[2] - shared[0]) * scaleX, (shared[3] - shared[1]) * scaleY, 0, 0, LOOKED, LOOKED);
    return context.getImageData(0, 0, LOOKED, LOOKED).data.every((value, index) => index % 4 !== 3 || value > 240);
  } catch (error) {
    // Of another origin, which nobody may read, or broken: it may be transparent.
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/**
 * Whether what is opaque is painted over a text. A click tells, where both take it; else the order of painting does.
 * @param {Part} cover @param {Part} holder of the cover, that lies beside the text @param {Part} part that the text stands in @param {Rect} box
 */
function liesOver(cover, holder, part, box) {
  if (!takesHits(cover.element) || !takesHits(part.element)) return isPaintedOver(holder, part);
  const y = (box[1] + box[3]) / 2;
  let hits = 0, asked = 0;
  for (const share of ALONG) {
    const x = box[0] + (box[2] - box[0]) * share;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    asked++;
    const hit = elementAt(x, y);
    if (hit && holds(cover.element, hit)) hits++;
    // Something else on top of both tells nothing of them.
    else if (hit && !holds(part.element, hit) && !holds(hit, part.element) && isPaintedOver(holder, part)) hits++;
  }
  return asked > 0 ? hits === asked : isPaintedOver(holder, part);
}

/** @param {Element} element */
const takesHits = (element) => getComputedStyle(element).pointerEvents !== 'none' && !isInert(element);

/** Whether one part is painted after another that it does not hold (CSS 2.2, appendix E), told from where their ways part. @param {Part} over @param {Part} under */
function isPaintedOver(over, under) {
  const [mine, theirs] = [wayTo(over), wayTo(under)];
  let at = 0;
  while (at < mine.length && at < theirs.length && mine[at] === theirs[at]) at++;
  const shared = mine[at - 1];
  if (!shared || at >= mine.length) return false;
  const ranks = [rankOf(mine.slice(at)), rankOf(theirs.slice(at))];
  if (ranks[0] !== ranks[1]) return ranks[0] > ranks[1];
  if (at >= theirs.length) return ranks[0] >= 0;
  return shared.children.indexOf(mine[at]) > shared.children.indexOf(theirs[at]);
}

/** Parts from the root down to one. @param {Part} part */
function wayTo(part) {
  const way = [];
  for (let each = /** @type {Part|null} */ (part); each; each = each.parent) way.push(each);
  return way.reverse();
}

/** What is in flow ranks below what is positioned, unless that is sent behind. */
const IN_FLOW = -0.5;

/** Where a branch is painted: by the first of it that is placed in the order of painting. @param {Part[]} way */
function rankOf(way) {
  let rank = IN_FLOW;
  for (const part of way) {
    const { zIndex } = getComputedStyle(part.element);
    const ranked = zIndex !== 'auto' && (part.position !== 'static' || /flex|grid/.test(part.parent ? part.parent.display : ''));
    if (ranked) return parseInt(zIndex, 10);
    if (part.position !== 'static' || part.ownOpacity !== '1') rank = 0;
  }
  return rank;
}

/** Tags that paint pixels of their own. */
const PAINTERS = new Set(['img', 'canvas', 'video', 'svg', 'iframe', 'frame', 'object', 'embed',
  'path', 'rect', 'circle', 'ellipse', 'polygon', 'polyline', 'line', 'image', 'use']);

/**
 * Whether something that does not hold a text paints where it stands, and so may be its ground.
 * @param {Part} root @param {Rect} box of the text @param {Part} part that it stands in @param {number} look that has told all places
 */
function hasUnderlay(root, box, part, look) {
  const stack = [root];
  while (stack.length) {
    const each = /** @type {Part} */ (stack.pop());
    if (each.at === look && !each.hidden && each.opacity >= 0.05 && overlap(each.place, box) && !isAround(each, part) && paintsGround(each, part)) return true;
    for (const child of each.children) if (child instanceof Part) stack.push(child);
  }
  return false;
}

/** It paints something else than the ground that a text stands on. @param {Part} part @param {Part} text */
function paintsGround(part, text) {
  if (PAINTERS.has(part.tag)) return true;
  const style = getComputedStyle(part.element);
  if (style.backgroundImage !== 'none') return true;
  return hasOther([colourOf(style.backgroundColor)], inkOf(text).ground) || paintsAround(part.element);
}
