// Blockers: descriptions of what blocks a click.

import { COVER } from '../row_layout.js';
import { attr, idOf, queryIn } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { numberOf } from '../dom/node_numbers.js';
import { cleanText } from '../dom/text.js';
import { textBox } from '../layout/boxes.js';
import { areaOf } from '../layout/rects.js';
import { PRIVATE_SELECTOR, isInPrivate, privacy } from '../privacy/private_content.js';
import { nameOf } from '../semantics/names.js';
import { Part, partOf } from '../tree/part.js';
import { probeTree } from '../tree/probe.js';
import { elementAt } from './element_at.js';
import { showsText } from './paint_style.js';
import { popupWithPointer } from './pointer_lock.js';

/** Letters of a blocker's text: its first words are enough to recognize it. */
const MAX_TEXT = 40;

/** A person's description of a blocker as it is now, which may have appeared since the last walk. @param {Element} element */
export const describeBlockerNow = (element) => describeBlocker(element, probeTree(element));

/**
 * A person's description of a blocker, with the first words that it shows.
 * @param {Element} element
 * @param {Part|undefined} part its own; by default as of the last walk
 */
export function describeBlocker(element, part = partOf.get(element)) {
  const id = idOf(element) ? `#${idOf(element)}` : '';
  const kind = (attr(element, 'class') || '').trim().split(/\s+/)[0];
  const popup = popupWithPointer() === element ? attr(element, 'role') || tagOf(element) : '';
  const isPrivate = privacy.marked && !privacy.revealed && (isInPrivate(element) || queryIn(element, PRIVATE_SELECTOR));
  const text = isPrivate || !part ? '' : cleanText(shownText(part, '')).slice(0, MAX_TEXT);
  const label = popup && !isPrivate ? nameOf(element, popup) : '';
  if (popup) return `${popup}${label || text ? ` "${(label || text).slice(0, MAX_TEXT)}"` : ''}`;
  return `${tagOf(element)}${id}${kind ? `.${kind}` : ''}${text ? ` "${text}"` : ''}`;
}

/**
 * The first text of a part that a person can see.
 * @param {Part} part
 * @param {string} before what precedes it
 * @returns {string}
 */
function shownText(part, before) {
  if (part.opacity < 0.05 || (part.clip && part.clip.thin) || (part.clip && areaOf(part.clip.shown) < 16))
    return before;
  let text = before;
  for (const child of part.children) {
    if (text.length > 2 * MAX_TEXT) break;
    if (child instanceof Part) text = shownText(child, child.display === 'inline' ? text : `${text} `);
    else if (!part.hidden && /\S/.test(child.data) && textBox(child) && showsText(part)) text += child.data;
  }
  return text;
}

/** The number of the innermost listed element that contains another, 0 for none. @param {Element} element */
function listedNodeAround(element) {
  for (let node = /** @type {Element|null} */ (element); node; node = flatParentOf(node)) {
    const part = partOf.get(node);
    if (part && part.listed) return numberOf(node);
  }
  return 0;
}

/**
 * What covers a frame at points: [0] nothing, [1, number, words] another element, [2] the frame is not painted there.
 * @param {Element} frame
 * @param {Array<[number, number]>} points in the coordinates of the document that contains the frame
 */
export function coversOf(frame, points) {
  return points.map(([x, y]) => {
    const hit = elementAt(x, y);
    if (!hit || (hit !== frame && flatContains(hit, frame))) return [COVER.unpainted];
    return hit === frame ? [COVER.clear] : [COVER.covered, listedNodeAround(hit), describeBlocker(hit)];
  });
}
