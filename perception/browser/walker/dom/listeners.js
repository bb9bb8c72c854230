// What elements listen for, as DevTools reports it.

/** Kinds of listeners: one bit each, as in `perception/browser/capture/listeners.py`. */
export const LISTENS = { click: 1, drag: 2, drop: 4, hover: 8, menu: 16, press: 32, wheel: 64 };

/** Kinds that an element listens for, as a sum. @type {WeakMap<Element, number>} */
const listening = new WeakMap();

/**
 * @param {Element} element
 * @param {number} kinds
 * @returns {number} those that were not known
 */
export function addListener(element, kinds) {
  const known = listening.get(element) || 0;
  listening.set(element, known | kinds);
  return kinds & ~known;
}

/** @param {Element} element @param {number} kind */
export const listensFor = (element, kind) => ((listening.get(element) || 0) & kind) !== 0;

/** Whether it listens for clicks. @param {Element} element */
export const hasListener = (element) => listensFor(element, LISTENS.click);
