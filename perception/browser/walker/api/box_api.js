// Boxes that are checked or pressed: which one the page shows in place of one that it draws again with its new state.

import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { boxInPlaceOf, boxTraitsOf, isOnlyOfName } from '../semantics/replacements.js';
import { encodeJson } from './encoding.js';

/** The box that is about to be clicked. @type {import('../semantics/replacements.js').BoxTraits|null} */
let watchedBox = null;

export const boxApi = {
  /**
   * Begins to watch a box.
   * @param {number} number
   * @returns {string} whether it is the only one of its role and name
   */
  watchBox(number) {
    const box = nodeOf(number);
    watchedBox = box instanceof Element ? boxTraitsOf(box) : null;
    return encodeJson(box instanceof Element && isOnlyOfName(box));
  },

  /** @returns {string} the number of the box in place of the watched one, which is gone; 0 for none */
  boxInPlace() {
    const box = watchedBox && boxInPlaceOf(watchedBox);
    return encodeJson(box ? numberOf(box) : 0);
  },
};
