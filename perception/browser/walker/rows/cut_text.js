// Texts that an ellipsis cuts: what is painted, and what nobody sees.

import { uncutLength } from '../layout/ellipsis.js';
import { showsText } from '../visibility/paint_style.js';
import { TextLine } from './text_line.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { Part } from '../tree/part.js' */
/** @import { FrameWalk } from './frame_walk.js' */

/**
 * A text as it is painted: up to the ellipsis that cuts it, if one does, and the invisible rest.
 * @param {FrameWalk} walk
 * @param {Text} node
 * @param {Rect} box
 * @param {Part} part
 * @param {number} above row of its container
 * @returns {TextLine[]}
 */
export function linesOfText(walk, node, box, part, above) {
  const seen = walk.showsText(node, box, part);
  const line = (/** @type {string} */ words, /** @type {boolean} */ isSeen) =>
    new TextLine(words, node, box, part, above, isSeen, !isSeen || showsText(part));
  const shown = seen ? uncutLength(node, part, walk.number) : node.data.length;
  if (shown === node.data.length) return [line(node.data, seen)];
  const rest = line(node.data.slice(shown), false);
  return shown ? [line(`${node.data.slice(0, shown).trimEnd()}…`, true), rest] : [rest];
}
