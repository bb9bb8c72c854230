// Timers: the walker's own, and how many the page's scripts have set.

const ownTimers = { count: 0 };

/**
 * As `setTimeout`: what the walker sets by it is not counted as the page's.
 * @param {() => void} action
 * @param {number} ms
 */
export function setOwnTimer(action, ms) {
  ownTimers.count++;
  return setTimeout(action, ms);
}

/** @param {number} ms */
export const waitFor = (ms) => new Promise((resolve) => setOwnTimer(() => resolve(undefined), ms));

/**
 * How many timers scripts of this document have set so far: it numbers those of all worlds in one row (Chromium 156).
 */
export function countPageTimers() {
  const number = setOwnTimer(() => {}, 0);
  clearTimeout(number);
  return number - ownTimers.count;
}
