// Redaction: which areas of a picture show content that must not leave the page.

import { boundsOf, clientRectsOf, queryIn } from '../dom/access.js';
import { isEditingHost, isInert } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { visibleRect } from '../layout/clips.js';
import { areaOf, overlap, rectOf } from '../layout/rects.js';
import { beginWalk, wholeViewport } from '../layout/viewport.js';
import { PUBLIC_SELECTOR } from './private_content.js';
import { isField, isFilled, secrecyOf } from './sensitive_fields.js';
import { Part } from '../tree/part.js';
import { elementAt } from '../visibility/element_at.js';

/** @import { Clip } from '../layout/clips.js' */
/** @import { Rect } from '../layout/rects.js' */

/**
 * A redacted area larger than this share of the viewport covers only readable content: the layout has to stay visible.
 */
const MAX_REDACTED_SHARE = 0.5;

export class RedactionBoxes {
  /**
   * @param {boolean} shown whether private content may be shown
   * @param {boolean} dotted whether password fields, which are painted as dots, may be shown: nobody can read these
   */
  constructor(shown, dotted) {
    this.shown = shown;
    this.dotted = dotted;
    this.walkNumber = beginWalk();
    /** @type {Rect[]} */
    this.boxes = [];
  }

  /** @param {Part} root */
  walk(root) {
    const stack = [root];
    while (stack.length) {
      const part = /** @type {Part} */ (stack.pop());
      if (part.isPrivate && !this.shown && !part.hidden && !isField(part.element)) {
        this.content(part);
        continue;
      }
      this.control(part);
      for (const child of part.children) if (child instanceof Part) stack.push(child);
    }
    return this.boxes;
  }

  /** @param {Part} part */
  control(part) {
    const { element, tag } = part;
    if (part.hidden || (tag !== 'input' && tag !== 'select' && tag !== 'textarea' && part.role !== 'textbox')) return;
    const secrecy = secrecyOf(element) || (part.isPrivate ? 'private' : '');
    if (secrecy === '' || (secrecy === 'private' && this.shown) || !isFilled(element)) return;
    if (this.dotted && element instanceof HTMLInputElement && element.type === 'password') return;
    this.add(contentBoxOf(element), part.clippedBy, element);
    if (isEditingHost(element)) this.lines(element, part);
  }

  /** Covers everything that a marked part shows, except what is exempt. @param {Part} part */
  content(part) {
    const { element } = part;
    const whole = queryIn(element, PUBLIC_SELECTOR) === null && !this.isTooLarge(element);
    if (whole || part.picture || isField(element)) {
      for (const rect of clientRectsOf(element)) this.add(rectOf(rect), part.clippedBy, element);
    }
    if (isEditingHost(element)) this.lines(element, part);
    for (const child of part.children) {
      if (!(child instanceof Part)) this.lines(child, part);
      else if (child.isPrivate) this.content(child);
      else this.walk(child);
    }
  }

  /** @param {Element} element */
  isTooLarge(element) {
    const shown = overlap(rectOf(boundsOf(element)), wholeViewport());
    return shown !== null && areaOf(shown) > MAX_REDACTED_SHARE * innerWidth * innerHeight;
  }

  /** @param {Node} node @param {Part} part its container */
  lines(node, part) {
    if (part.hidden) return;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) this.add(rectOf(rect), part.clip, part.element);
  }

  /**
   * @param {Rect} rect
   * @param {Clip|null} clip
   * @param {Element} owner the element that shows it
   */
  add(rect, clip, owner) {
    const box = overlap(rect, visibleRect(clip, this.walkNumber));
    if (box && !this.boxes.some((other) => containsRect(box, other)) && !isFullyCovered(owner, box))
      this.boxes.push(box);
  }
}

/**
 * A painted text in pieces: consecutive text nodes, or the text of a field.
 * @typedef {{text: string, pieces: Array<{at: number, node: Text|null, part: Part}>}} TextRun
 */

/** The runs returned last. @type {TextRun[]} */
let textRuns = [];

/** Painted texts, a run for each line or block. @param {Part} root */
export function paintedTexts(root) {
  textRuns = [{ text: '', pieces: [] }];
  gatherRuns(root);
  textRuns = textRuns.filter((run) => run.text);
  return textRuns.map((run) => run.text);
}

/** @param {Part} part */
function gatherRuns(part) {
  const { element } = part;
  if (part.block) textRuns.push({ text: '', pieces: [] });
  const shown = part.hidden ? '' : shownIn(element, part.tag);
  if (shown) textRuns.push({ text: shown, pieces: [{ at: 0, node: null, part }] }, { text: '', pieces: [] });
  for (const child of part.children) {
    if (child instanceof Part) {
      gatherRuns(child);
      continue;
    }
    if (part.hidden) continue;
    const run = textRuns[textRuns.length - 1],
      text = child.data;
    run.pieces.push({ at: run.text.length, node: child, part });
    run.text += text;
  }
  if (part.block) textRuns.push({ text: '', pieces: [] });
}

/**
 * The text that a control paints.
 * @param {any} element
 * @param {string} tag
 * @returns {string}
 */
function shownIn(element, tag) {
  if (tag === 'textarea') return element.value || element.placeholder;
  if (tag === 'select') return Array.from(element.selectedOptions, (each) => each.label).join('\n');
  if (tag !== 'input' || /^(password|hidden|checkbox|radio|file|range|color|image)$/.test(element.type)) return '';
  return element.value || element.placeholder;
}

/** @param {Array<[number, number, number]>} parts @returns {Rect[]} */
export function boxesOfTextParts(parts) {
  const areas = new RedactionBoxes(false, false);
  for (const [index, start, end] of parts) {
    const run = textRuns[index];
    if (!run) continue;
    for (const { at, node, part } of run.pieces) {
      if (!node) {
        areas.add(contentBoxOf(part.element), part.clippedBy, part.element);
        continue;
      }
      const from = Math.max(0, start - at),
        to = Math.min(node.length, end - at);
      if (from >= to) continue;
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      for (const rect of range.getClientRects()) areas.add(rectOf(rect), part.clip, part.element);
    }
  }
  return areas.boxes;
}

/** @param {Rect} inner @param {Rect} outer */
const containsRect = (inner, outer) =>
  inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3];

/**
 * A control's box without its border, if it is not rotated or scaled.
 * @param {any} element
 * @returns {Rect}
 */
function contentBoxOf(element) {
  const bounds = boundsOf(element);
  if (Math.abs(bounds.width - element.offsetWidth) > 1 || Math.abs(bounds.height - element.offsetHeight) > 1)
    return rectOf(bounds);
  const left = bounds.left + element.clientLeft,
    top = bounds.top + element.clientTop;
  return [left, top, left + element.clientWidth, top + element.clientHeight];
}

/**
 * Whether a box is fully covered by something opaque. When in doubt it counts as visible.
 * @param {Element} owner
 * @param {Rect} box
 */
function isFullyCovered(owner, box) {
  const [left, top, right, bottom] = box;
  const middle = elementAt((left + right) / 2, (top + bottom) / 2);
  if (!middle || flatContains(owner, middle) || getComputedStyle(owner).pointerEvents === 'none' || isInert(owner))
    return false;
  const cover = opaqueAround(middle, owner, box);
  if (!cover) return false;
  const inside = (/** @type {number} */ x, /** @type {number} */ y) => {
    const hit = elementAt(x, y);
    return hit !== null && flatContains(cover, hit);
  };
  return [left + 1, right - 1].every((x) => [top + 1, bottom - 1].every((y) => inside(x, y)));
}

/**
 * The element painted over a box, below the common ancestor.
 * @param {Element} hit
 * @param {Element} owner
 * @param {Rect} box
 * @returns {Element|null}
 */
function opaqueAround(hit, owner, box) {
  /** @type {Element|null} */
  let cover = null;
  for (let node = /** @type {Element|null} */ (hit); node && !flatContains(node, owner); node = flatParentOf(node)) {
    const style = getComputedStyle(node);
    if (
      style.opacity !== '1' ||
      style.mixBlendMode !== 'normal' ||
      style.filter !== 'none' ||
      style.maskImage !== 'none'
    )
      return null;
    // `rgb()` is used for opaque colors only (CSSOM 1 §6.7.2).
    if (
      !cover &&
      style.backgroundColor.startsWith('rgb(') &&
      style.backgroundClip === 'border-box' &&
      containsRect(box, rectOf(boundsOf(node)))
    )
      cover = node;
  }
  return cover;
}
