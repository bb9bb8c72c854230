// Fading in: elements that are transparent now and visible soon.

import { walks } from '../layout/viewport.js';
import { runningAnimations } from '../tree/animations.js';

/** @import { Part } from '../tree/part.js' */

/** An element that takes longer to become visible counts as invisible (ms). */
const FADE_MS = 5000;

/** Whether anything is animated, as found in a walk. */
const fading = { look: -1, any: false };

/** Whether a transparent part is being faded in and will be visible soon. @param {Part} part */
export function isFadingIn(part) {
  if (fading.look !== walks.count) {
    fading.look = walks.count;
    fading.any = runningAnimations().length > 0;
  }
  if (!fading.any) return false;
  for (let each = /** @type {Part|null} */ (part); each; each = each.parent) {
    if (parseFloat(each.ownOpacity) < 0.5 && !each.element.getAnimations().some(endsVisible)) return false;
  }
  return true;
}

/**
 * @param {Animation} animation
 * @returns {boolean} whether it ends soon, in a visible state
 */
function endsVisible(animation) {
  const effect = animation.effect;
  if (animation.playState !== 'running' || !(effect instanceof KeyframeEffect)) return false;
  const { endTime } = effect.getComputedTiming();
  const left = (Number(endTime) - Number(animation.currentTime || 0)) / Math.abs(animation.playbackRate || 1);
  const frames = effect.getKeyframes();
  const last = frames[animation.playbackRate < 0 ? 0 : frames.length - 1];
  return left <= FADE_MS && last !== undefined && last.opacity !== undefined && parseFloat(String(last.opacity)) >= 0.1;
}
