// Shorter selectors: steps between the container that identifies an element and the element itself are left out where
// the rest still matches this element alone. What is left out can no longer break the selector either.

import { queryAll } from '../dom/access.js';
import { isAlone } from './trait_index.js';

/** @import { Found } from './trait_index.js' */

/** A selector up to this length is read at a glance (characters). Chosen by hand. */
const SHORT_ENOUGH = 80;

/** In a longer one, containers in between are named by their tags alone where that is enough. Chosen by hand. */
const LONG = 120;

/** Limit on selectors that are tried for one element: each is a query of the whole tree. */
const MAX_TRIED = 12;

/**
 * The steps of a selector, from the outermost container, each with the combinator before it.
 * @param {Found} found
 * @returns {Array<{combinator: string, css: string}>}
 */
function stepsOf(found) {
  const steps = [];
  let at = found;
  for (; at.above; at = at.above.found) {
    const rest = at.css.slice(at.above.found.css.length);
    const combinator = rest.startsWith(' > ') ? ' > ' : ' ';
    steps.unshift({ combinator, css: rest.slice(combinator.length) });
  }
  steps.unshift({ combinator: '', css: at.css });
  return steps;
}

/** @param {Array<{combinator: string, css: string}>} steps */
const join = (steps) => steps.map(({ combinator, css }) => combinator + css).join('');

/**
 * A selector without the steps that it does not need; the same one if it is short, or needs all of them.
 * @param {Document|ShadowRoot} root
 * @param {Element} element
 * @param {Found|null} found
 * @returns {Found|null}
 */
export function shorten(root, element, found) {
  if (!found || found.css.length <= SHORT_ENOUGH || !found.above) return found;
  let steps = stepsOf(found);
  let tried = 0;
  for (let at = 1; at < steps.length - 1 && tried < MAX_TRIED; tried++) {
    const fewer = [...steps.slice(0, at), { ...steps[at + 1], combinator: ' ' }, ...steps.slice(at + 2)];
    if (isAlone(queryAll(root, join(fewer)), element)) steps = fewer;
    else at++;
  }
  for (let at = 1; at < steps.length - 1 && join(steps).length > LONG; at++) {
    const tag = /^[a-z][\w-]*(?=[.[])/.exec(steps[at].css);
    if (!tag) continue;
    const plainer = steps.with(at, { ...steps[at], css: tag[0] });
    if (isAlone(queryAll(root, join(plainer)), element)) steps = plainer;
  }
  return { css: join(steps), sure: found.sure, why: found.why };
}
