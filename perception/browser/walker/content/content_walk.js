// Visible text of this frame and its grouping into lines. For the reading rpcs, which cover the whole page, in view or
// scrolled out of it.

import { queryIn } from '../dom/access.js';
import { isSvg } from '../dom/elements.js';
import { isLargeEnough, textBox } from '../layout/boxes.js';
import { visibleRect } from '../layout/clips.js';
import { boxOfPart } from '../layout/image_maps.js';
import { isEmpty, overlap } from '../layout/rects.js';
import { couldScrollIntoView } from '../layout/scrolling.js';
import { wholeViewport } from '../layout/viewport.js';
import { Part } from '../tree/part.js';
import { isFadingIn } from '../visibility/fading.js';
import { Overlays, hasUnderlay, isCovered, isOpaque, mostlyInside } from '../visibility/occlusion.js';
import { paintStyleOf, showsText } from '../visibility/paint_style.js';
import { FrameWalk } from '../rows/frame_walk.js';

/** @import { Rect } from '../layout/rects.js' */

/**
 * How many texts in the color of their background are checked for something beneath them; each walk covers the whole
 * page.
 */
const MAX_UNDERLAYS = 200;

/** Elements that never share a line with others, regardless of their position. */
const STRUCTURE_TAGS = new Set([
  'p',
  'pre',
  'blockquote',
  'hr',
  'ul',
  'ol',
  'li',
  'table',
  'figure',
  'iframe',
  'frame',
  'details',
  'textarea',
  'br',
  'dl',
]);
const STRUCTURE_ROLES = new Set([
  'heading',
  'list',
  'listitem',
  'table',
  'grid',
  'treegrid',
  'row',
  'cell',
  'tree',
  'treeitem',
  'main',
  'article',
  'navigation',
]);

/**
 * A text higher than this is several lines, or a title on a line of its own (CSS px). Usual text is 12 to 20 px high,
 * its lines up to 32.
 */
const ONE_LINE = 34;

/** Shares a line with nothing. */
const NO_LINE = { top: 0, bottom: -1 };

/** Starts and ends a line. @param {Part} part */
export const endsLine = ({ block, element, tag }) =>
  (block && !isSvg(element)) || (tag === 'svg' && queryIn(element, 'text, foreignObject') !== null);

/** @param {{top: number, bottom: number}} a @param {{top: number, bottom: number}} b */
const isSameLine = (a, b) =>
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5 * Math.min(a.bottom - a.top, b.bottom - b.top);

/** What permanently covers text: fixed content does not count unless it covers the whole viewport. */
class StayingOverlays extends Overlays {
  /** @param {Part} part */
  add(part) {
    for (let each = /** @type {Part|null} */ (part); each; each = each.parent) {
      if (each.position !== 'fixed' && each.position !== 'sticky') continue;
      if (!mostlyInside(wholeViewport(), part.place) || !isOpaque(part, wholeViewport())) return;
      break;
    }
    super.add(part);
  }
}

/** The first pass. */
export class ContentWalk extends FrameWalk {
  constructor() {
    super(wholeViewport(), true);
    this.overlays = new StayingOverlays();
    /**
     * Visible text by node, with its position; `plain`: its color contrasts with the background of its container.
     * @type {Map<Text, {box: Rect, plain: boolean}>}
     */
    this.texts = new Map();
    this.underlays = 0;
    /** @type {Map<Part, {top: number, bottom: number}|null>} */
    this.partLines = new Map();
    /** @type {Part|null} */
    this.root = null;
  }

  /** @param {Part|null} root */
  walk(root) {
    this.root = root;
    return super.walk(root);
  }

  /**
   * @param {Part} part
   * @param {number} _
   * @param {Rect} place
   */
  addOwnRow(part, _, place) {
    part.walkNumber = this.number;
    part.place = place;
    return -1;
  }

  /**
   * @param {Text} node
   * @param {Part} part
   * @returns {Rect|null}
   */
  addText(node, part) {
    if (part.hidden || !/\S/.test(node.data)) return null;
    const box = textBox(node);
    if (box && this.showsText(node, box, part)) this.texts.set(node, { box, plain: showsText(part) });
    return box;
  }

  /** @param {Text} node */
  boxOf(node) {
    const known = this.texts.get(node);
    return known ? known.box : null;
  }

  /** The second pass reads generated words itself. */
  addGenerated() {}

  /** @param {Text} node @param {Part} part its container */
  sees(node, part) {
    const known = this.texts.get(node);
    if (!known || !this.root) return false;
    if (known.plain) {
      // Nothing covers what is scrolled out of view.
      const shown = overlap(known.box, visibleRect(part.clip, this.number));
      return shown === null || !isCovered(shown, part, this.overlays, true);
    }
    return ++this.underlays <= MAX_UNDERLAYS && hasUnderlay(this.root, known.box, part, this.number);
  }

  /** Whether a part's box is visible, now or after scrolling. @param {Part} part */
  seesBox(part) {
    const box = part.display === 'inline' || part.display === 'contents' ? boxOfPart(part) : part.place;
    if (part.hidden || isEmpty(box) || (part.opacity < 0.05 && !isFadingIn(part)) || paintStyleOf(part).invisible)
      return false;
    const clip = visibleRect(part.clippedBy, this.number);
    const shown = overlap(box, clip);
    if (part.clippedBy && part.clippedBy.thin) return false;
    if (shown && !isLargeEnough(box, clip)) return false;
    return (
      (shown !== null && overlap(shown, this.viewport) !== null) ||
      couldScrollIntoView(box, part.clippedBy, part, this.number)
    );
  }

  /** Which children share a line with what precedes them, by index. @param {Array<Part|Text>} children */
  joinsOf(children) {
    const joins = new Set();
    let last = -1;
    for (let i = 0; i < children.length; i++) {
      const child = children[i];
      if (!(child instanceof Part)) {
        if (/\S/.test(child.data)) last = -1;
        continue;
      }
      const line = endsLine(child) ? this.lineOf(child) : NO_LINE;
      if (line === null) continue; // it has no text
      const before = last >= 0 ? this.lineOf(/** @type {Part} */ (children[last])) : null;
      if (before && line !== NO_LINE && before !== NO_LINE && isSameLine(before, line))
        for (let j = last + 1; j <= i; j++) joins.add(j);
      last = i;
    }
    return joins;
  }

  /**
   * The one line of a part's text; NO_LINE for several, null for no text.
   * @param {Part} part
   * @returns {{top: number, bottom: number}|null}
   */
  lineOf(part) {
    const known = this.partLines.get(part);
    if (known !== undefined) return known;
    /** @type {{top: number, bottom: number}|null} */
    let line = STRUCTURE_TAGS.has(part.tag) || STRUCTURE_ROLES.has(part.role) ? NO_LINE : null;
    for (const child of part.children) {
      if (line === NO_LINE) break;
      const next = child instanceof Part ? this.lineOf(child) : this.textLine(child);
      if (next === null) continue;
      line =
        line === null
          ? next
          : next === NO_LINE || !isSameLine(line, next)
            ? NO_LINE
            : { top: Math.min(line.top, next.top), bottom: Math.max(line.bottom, next.bottom) };
    }
    this.partLines.set(part, line);
    return line;
  }

  /** @param {Text} node */
  textLine(node) {
    const known = this.texts.get(node);
    if (!known) return null;
    const [, top, , bottom] = known.box;
    return bottom - top > ONE_LINE ? NO_LINE : { top, bottom };
  }
}
