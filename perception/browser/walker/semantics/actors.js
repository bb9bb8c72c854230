// Actors: what reacts to a click in an element that does not, such as the words of a wide header cell that sort a table.

import { textContentOf } from '../dom/access.js';
import { cleanText } from '../dom/text.js';
import { hasListener } from '../dom/listeners.js';
import { Part } from '../tree/part.js';

/** Parts that are examined in one element. Chosen by hand. */
const MAX_EXAMINED_PARTS = 30;

/** Elements that act by themselves, whatever is in them. */
const ACTS_ITSELF = /^(?:a|area|button|input|select|textarea|summary|option|label|iframe|video|audio)$/;

/**
 * The one thing in an element that reacts to clicks and says all that the element says; null where the element reacts
 * itself, or where that is not known.
 * @param {Part} part
 * @returns {Part|null}
 */
export function actorIn(part) {
  if (!part.clickable || ACTS_ITSELF.test(part.tag) || part.cursor === 'pointer' || hasListener(part.element))
    return null;
  const actors = clickedIn(part);
  if (actors.length !== 1 || !reacts(actors[0])) return null;
  const words = cleanText(textContentOf(actors[0].element) || '');
  const isAll = words === cleanText(textContentOf(part.element) || '') || words === part.name;
  return words && isAll ? actors[0] : null;
}

/** @param {Part} part */
const reacts = (part) => !ACTS_ITSELF.test(part.tag) && (part.cursor === 'pointer' || hasListener(part.element));

/** The outermost click targets in a part. @param {Part} part */
function clickedIn(part) {
  const found = [];
  const stack = [...part.children];
  for (let examined = 0; stack.length && examined < MAX_EXAMINED_PARTS; examined++) {
    const each = stack.pop();
    if (!(each instanceof Part)) continue;
    if (each.clickable) found.push(each);
    else stack.push(...each.children);
  }
  return found;
}
