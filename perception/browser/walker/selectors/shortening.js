// Shorter selectors: steps between the container that identifies an element and the element itself are left out where
// the rest still matches this element alone. What is left out can no longer break the selector either.

import { queryAll } from '../dom/access.js';
import { isAlone } from './trait_index.js';

/** @import { Finder } from './finder.js' */
/** @import { Found } from './trait_index.js' */

/** A selector up to this length is read at a glance (characters). Chosen by hand. */
const SHORT_ENOUGH = 80;

/** In a longer one, containers in between are named by their tags alone where that is enough. Chosen by hand. */
const LONG = 120;

/** Limit on selectors that are tried for one element: each is a query of the whole tree. */
const MAX_TRIED = 12;

/** Limit on selectors of one tree that are shortened only because they count siblings. Chosen by hand. */
const MAX_EASED = 400;

/** A step that counts the parts of a page, or little better; and the stability without it (chosen by hand). */
const FRAGILE = 0.5;
const WITHOUT = 0.7;
const MOST_WITHOUT = 0.45;

/**
 * The steps of a selector, from the outermost container, each with the combinator before it, and the stability that
 * it leaves.
 * @param {Found} found
 * @returns {Array<{combinator: string, css: string, share: number}>}
 */
function stepsOf(found) {
  const steps = [];
  let at = found;
  for (; at.above; at = at.above.found) {
    const rest = at.css.slice(at.above.found.css.length);
    const combinator = rest.startsWith(' > ') ? ' > ' : ' ';
    steps.unshift({ combinator, css: rest.slice(combinator.length), share: at.sure / at.above.found.sure });
  }
  steps.unshift({ combinator: '', css: at.css, share: 1 });
  return steps;
}

/** @param {Array<{combinator: string, css: string}>} steps */
const join = (steps) => steps.map(({ combinator, css }) => combinator + css).join('');

/**
 * A selector without the steps that it does not need; the same one if it needs all of them, or is short and counts
 * nothing.
 * @param {Finder} finder
 * @param {Element} element
 * @param {Found|null} found
 * @returns {Found|null}
 */
export function shorten(finder, element, found) {
  if (!found || !found.above) return found;
  if (found.css.length <= SHORT_ENOUGH && !(found.css.includes(':nth-') && finder.eased++ < MAX_EASED)) return found;
  const { root } = finder.index;
  let steps = stepsOf(found);
  let { sure } = found;
  for (let at = 1, tried = 0; at < steps.length - 1 && tried < MAX_TRIED; tried++) {
    const fewer = [...steps.slice(0, at), { ...steps[at + 1], combinator: ' ' }, ...steps.slice(at + 2)];
    if (isAlone(queryAll(root, join(fewer)), element)) {
      const { share } = steps[at];
      if (share < FRAGILE) sure = Math.max(sure, Math.min((sure / share) * WITHOUT, MOST_WITHOUT));
      steps = fewer;
    } else at++;
  }
  for (let at = 1; at < steps.length - 1 && join(steps).length > LONG; at++) {
    const tag = /^[a-z][\w-]*(?=[.[])/.exec(steps[at].css);
    if (!tag) continue;
    const plainer = steps.with(at, { ...steps[at], css: tag[0] });
    if (isAlone(queryAll(root, join(plainer)), element)) steps = plainer;
  }
  return { css: join(steps), sure, why: found.why };
}
