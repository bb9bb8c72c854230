// A line of text, as it is assembled from text nodes and generated words.

import { union } from '../layout/rects.js';
import { groupOf, isFormulaCell, struckGroup } from '../semantics/raised_text.js';
import { RunText } from '../semantics/run_text.js';
import { isTextWithheld } from '../privacy/private_content.js';
import { paintStyleOf } from '../visibility/paint_style.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { Group } from '../semantics/raised_text.js' */
/** @import { Part } from '../tree/part.js' */

/**
 * The group of the words in a part, by its style and those of its containers in the line.
 * @param {Part} part
 * @returns {Group|null}
 */
export function groupOfPart(part) {
  const { tag, element, parent } = part;
  if (part.block && tag !== 'sup' && tag !== 'sub') return null;
  const above = part.block || !parent ? null : groupOfPart(parent);
  return groupOf(element, tag, paintStyleOf(part).verticalAlign, above);
}

/** Whether it is in a term of a description list. @param {Part} part @returns {boolean} */
export const isTerm = ({ block, tag, parent }) => tag === 'dt' || (!block && parent !== null && isTerm(parent));

/** Gap under which texts touch (CSS px), and share of the lower one's height that texts of one line have in common. */
const TOUCHING = 1;
const LEVEL = 0.5;

/**
 * Whether it is in a box that may stand beside others: of a flex container or grid, a float, an inline block, or one that
 * its author places.
 * @param {Part} part
 * @returns {boolean}
 */
function isInBoxOfLine({ display, position, floats, parent }) {
  if (parent === null || display === 'table-cell') return false;
  const isBeside = floats || parent.flow !== '' || display.startsWith('inline-') || position === 'absolute';
  return isBeside || isInBoxOfLine(parent);
}

export class TextLine {
  /**
   * @param {string} words
   * @param {Text|Element} node its text node; of generated words the element
   * @param {Rect} box
   * @param {Part} part
   * @param {number} above row of its container
   * @param {boolean} seen its position and size make it visible
   * @param {boolean} plain its color contrasts with its container's background
   * @param {boolean} [isIcon] its words are drawn as an icon: they count only where there are no others
   */
  constructor(words, node, box, part, above, seen, plain, isIcon = false) {
    this.withheld = isTextWithheld(part);
    this.words = this.withheld ? '' : words;
    const group = groupOfPart(part);
    this.group = paintStyleOf(part).struck ? struckGroup(group) : group;
    /** All words, where there are several. @type {RunText|null} */
    this.runs = null;
    this.node = node;
    this.box = box;
    this.part = part;
    this.above = above;
    this.seen = seen;
    this.plain = plain;
    this.isIcon = isIcon;
    /** The runs that it is made of, where there are several. @type {TextLine[]|null} */
    this.pieces = null;
  }

  /** The same words as a line of their own. @returns {TextLine} */
  copy() {
    const { words, node, box, part, above, seen, plain, isIcon } = this;
    return new TextLine(words, node, box, part, above, seen, plain, isIcon);
  }

  /**
   * What of it passes a test, as a line.
   * @param {(piece: TextLine) => boolean} isShown
   * @returns {TextLine|null} the line itself where all does; null where nothing does
   */
  shown(isShown) {
    if (this.pieces === null) return isShown(this) ? this : null;
    const [first, ...more] = this.pieces.filter(isShown);
    if (!first || more.length + 1 === this.pieces.length) return first ? this : null;
    const line = first.copy();
    for (const each of more) line.append(each);
    return line;
  }

  /** @param {TextLine} other */
  isLike(other) {
    return this.seen === other.seen && this.plain === other.plain;
  }

  /**
   * Whether it is painted as one word with a line that has ended: they touch side by side, in boxes of one line.
   * @param {TextLine} before
   */
  goesOn(before) {
    if (this.above !== before.above || !this.isLike(before) || !this.textNode) return false;
    const last = before.pieces ? before.pieces[before.pieces.length - 1] : before;
    const [left, top, right, bottom] = this.box;
    const isRightToLeft = left < last.box[0];
    const distance = isRightToLeft ? last.box[0] - right : left - last.box[2];
    const shared = Math.min(bottom, last.box[3]) - Math.max(top, last.box[1]);
    if (Math.abs(distance) >= TOUCHING || shared < LEVEL * Math.min(bottom - top, last.box[3] - last.box[1]))
      return false;
    if (!last.textNode || isTerm(last.part) !== isTerm(this.part)) return false;
    if (!(isInBoxOfLine(this.part) || isInBoxOfLine(last.part))) return false;
    return isRightToLeft === (getComputedStyle(this.part.element).direction === 'rtl');
  }

  /** Its text node; generated words have none. */
  get textNode() {
    return this.node instanceof Text ? this.node : null;
  }

  get text() {
    return this.runs === null && this.group === null ? this.words : this.assembled().text;
  }

  /** Its words as several runs. */
  assembled() {
    if (this.runs === null) {
      this.runs = new RunText();
      this.runs.add(this.words, false, this.textNode, this.group, this.box);
    }
    return this.runs;
  }

  /** A part begins or ends here. @param {Part} part */
  cross({ tag, display }) {
    if (tag === 'br' || isFormulaCell(tag)) this.appendSpace();
    else if (display.startsWith('inline-')) this.assembled().isEdge = true;
  }

  /** Adds white space. @param {string} [space] */
  appendSpace(space = ' ') {
    this.assembled().add(space);
  }

  /** Adds what follows. @param {TextLine} next */
  append(next) {
    if (this.pieces === null) this.pieces = [this.copy()];
    this.pieces.push(next);
    if (next.isIcon && !this.isIcon) {
      this.appendSpace();
      return;
    }
    if (this.isIcon && !next.isIcon) {
      this.isIcon = false;
      this.words = ' ';
      this.runs = null;
      this.box = next.box;
    }
    const runs = this.assembled();
    if (next.withheld) runs.add(' ');
    else runs.add(next.words, false, next.textNode, next.group, next.box);
    this.withheld = this.withheld || next.withheld;
    // A line is where its own text is, if it has any: the boxes of generated words are estimates.
    const isText = next.node instanceof Text;
    if (isText === this.node instanceof Text) this.box = /** @type {Rect} */ (union(this.box, next.box));
    else if (isText) {
      this.node = next.node;
      this.box = next.box;
      this.part = next.part;
    }
  }
}
