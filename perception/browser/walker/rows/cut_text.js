// Texts that an ellipsis cuts: what is painted, and what nobody sees.

import { uncutLength } from '../layout/ellipsis.js';
import { LINE_BREAK } from '../dom/text.js';
import { isTextDrawnAsIcon } from '../semantics/icon_fonts.js';
import { keepsIndents, keepsLines, showsText } from '../visibility/paint_style.js';
import { TextLine } from './text_line.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { Part } from '../tree/part.js' */
/** @import { FrameWalk } from './frame_walk.js' */

/** A text whose line breaks are marked, if they are rendered. @param {string} words @param {Part} part */
export const withLineBreaks = (words, part) =>
  words.includes('\n') && keepsLines(part)
    ? words.replace(keepsIndents(part) ? /\n/g : /\n[ \t]*/g, LINE_BREAK)
    : words;

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
  const isIcon = isTextDrawnAsIcon(node.data, box, part.element);
  const line = (/** @type {string} */ words, /** @type {boolean} */ isSeen) =>
    new TextLine(withLineBreaks(words, part), node, box, part, above, isSeen, !isSeen || showsText(part), isIcon);
  const shown = seen ? uncutLength(node, part, walk.number) : node.data.length;
  if (shown === node.data.length) return [line(node.data, seen)];
  const rest = line(node.data.slice(shown), false);
  return shown ? [line(`${node.data.slice(0, shown).trimEnd()}…`, true), rest] : [rest];
}
