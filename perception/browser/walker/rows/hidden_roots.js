// Closed shadow roots around content that is seen: what is painted before it in its box is nowhere in the document.

import { isHostDecided, suspectHost } from '../dom/shadow_roots.js';
import { isEmpty } from '../layout/rects.js';
import { generatedPlaces } from '../semantics/generated_content.js';
import { BEFORE } from '../semantics/generated_places.js';
import { SHADOW_HOSTS } from '../tree/build.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { Part } from '../tree/part.js' */

/** Less room holds no control and no word (CSS px). */
const MIN_ROOM = 8;

/**
 * Suspects an element of a closed shadow root if its first text or inline child is not painted, or does not begin where
 * its content begins.
 * @param {Text|Part} first
 * @param {Part} part the element
 * @param {Rect|null} box of the child
 * @param {Rect} place of the element
 */
export function noteFirstContent(first, part, box, place) {
  if (part.children[0] !== first || !SHADOW_HOSTS.has(part.tag) || isEmpty(place)) return;
  if (box && box[0] - place[0] < MIN_ROOM && box[1] - place[1] < MIN_ROOM) return;
  if (!isHostDecided(part.element) && (!box || isDisplaced(part, box, place))) suspectHost(part.element);
}

/** @param {Part} part @param {Rect} box @param {Rect} place */
function isDisplaced({ element, flow }, box, place) {
  if (flow || generatedPlaces(element) & BEFORE) return false;
  const style = getComputedStyle(element);
  const size = (/** @type {string} */ length) => parseFloat(style.getPropertyValue(length)) || 0;
  const down = box[1] - place[1] - size('padding-top') - size('border-top-width');
  if (down >= MIN_ROOM && down >= size('line-height')) return true;
  if (style.direction === 'rtl' || !/^(start|left|justify)$/.test(style.textAlign)) return false;
  return box[0] - place[0] - size('padding-left') - size('border-left-width') - size('text-indent') >= MIN_ROOM;
}
