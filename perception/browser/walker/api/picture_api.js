// Whether a picture of this document that was taken before is still true.

import { setOwnTimer } from '../dom/timers.js';
import { runningAnimations } from '../tree/animations.js';
import { changes } from '../tree/changes.js';
import { Part } from '../tree/part.js';
import { tree } from '../tree/update.js';
import { encodeJson } from './encoding.js';

/**
 * What may show something new without a frame of its document: a canvas that a worker draws on or that is not
 * synchronized with frames, a video, a plug-in.
 */
const PRESENTS_ALONE = new Set(['canvas', 'video', 'embed', 'object', 'fencedframe', 'marquee']);

/** Whether the painted tree has such an element, and at which count of changes that was found. */
const presenting = { alone: true, at: -1 };

function presentsAlone() {
  if (!tree.root) return true;
  if (presenting.at !== changes.count) {
    presenting.at = changes.count;
    presenting.alone = hasPart(tree.root, ({ tag }) => PRESENTS_ALONE.has(tag));
  }
  return presenting.alone;
}

/** @param {Part} root @param {(part: Part) => boolean} wanted */
function hasPart(root, wanted) {
  const stack = [root];
  while (stack.length) {
    const part = /** @type {Part} */ (stack.pop());
    if (wanted(part)) return true;
    for (const child of part.children) if (child instanceof Part) stack.push(child);
  }
  return false;
}

/**
 * @param {number} limit ms
 * @returns {Promise<boolean>} true after a frame, whose painting is reported by then; false if none comes in time
 */
const nextFrame = (limit) =>
  new Promise((resolve) => {
    const timer = setOwnTimer(() => resolve(false), limit);
    requestAnimationFrame(() =>
      setOwnTimer(() => {
        clearTimeout(timer);
        resolve(true);
      }, 0),
    );
  });

export const pictureApi = {
  /**
   * Whether all that was to be painted is painted now, and whether Chromium reports all that is painted.
   * @param {number} limit ms
   */
  async paintAll(limit) {
    const framed = await nextFrame(limit);
    return encodeJson({ framed, alone: presentsAlone() || runningAnimations().length > 0 });
  },
};
