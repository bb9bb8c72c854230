// The animations that are running.

import { knownShadowRoots } from '../dom/shadow_roots.js';

/** What a transition only draws an edge anew by, as of a field that gets the focus: it moves, shows and hides nothing. */
const EDGES = /^(?:border-(?:[a-z]+-)*color|outline(?:-[a-z]+)?|box-shadow)$/;

/** @param {Animation} animation */
const isOfEdge = (animation) => animation instanceof CSSTransition && EDGES.test(animation.transitionProperty);

/** How many animations run, and how many of them are finite. */
export function animationCounts() {
  const all = runningAnimations().filter((each) => !isOfEdge(each));
  return {
    running: all.length,
    moving: all.filter((each) => each.effect && Number.isFinite(each.effect.getComputedTiming().endTime)).length,
  };
}

/** @returns {Animation[]} those that currently change something; a document leaves out those in its shadow trees */
export const runningAnimations = () =>
  [document, ...knownShadowRoots()]
    .flatMap((root) => root.getAnimations())
    .filter((animation) => animation.playState === 'running');
