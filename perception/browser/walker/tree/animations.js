// The animations that are running.

/** How many animations run, and how many of them are finite. */
export function animationCounts() {
  const all = runningAnimations();
  return {
    running: all.length,
    moving: all.filter((each) => each.effect && Number.isFinite(each.effect.getComputedTiming().endTime)).length,
  };
}

/** @returns {Animation[]} those that currently change something */
export const runningAnimations = () =>
  document.getAnimations().filter((animation) => animation.playState === 'running');
