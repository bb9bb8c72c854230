// A line of text, as it is assembled from text nodes and generated words.

import { union } from '../layout/rects.js';
import { isTextWithheld } from '../privacy/private_content.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { Part } from '../tree/part.js' */

export class TextLine {
  /**
   * @param {string} words
   * @param {Text|Element} node its text node; of generated words the element
   * @param {Rect} box
   * @param {Part} part
   * @param {number} above row of its container
   * @param {boolean} seen its position and size make it visible
   * @param {boolean} plain its colour contrasts with its container's background
   */
  constructor(words, node, box, part, above, seen, plain) {
    this.withheld = isTextWithheld(part);
    this.parts = [this.withheld ? '' : words];
    this.node = node;
    this.box = box;
    this.part = part;
    this.above = above;
    this.seen = seen;
    this.plain = plain;
  }

  /** @param {TextLine} other */
  isLike(other) {
    return this.seen === other.seen && this.plain === other.plain;
  }

  /** Adds what follows. @param {TextLine} next */
  append(next) {
    this.parts.push(next.withheld ? ' ' : next.parts[0]);
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
