// Scales: numbers in rows that are clicked each, such as the days of a calendar, years, or minutes.

import { boundsOf, parentNodeOf } from '../dom/access.js';
import { isEditable, tagOf } from '../dom/elements.js';
import { aroundFromListener, rowAround } from './surroundings.js';

/** Elements on each side of a number that are examined, and how many steps between them have to be equal. */
const MAX_BESIDE_NUMBER = 3;
const LEAST_STEPS = 3;

/** How far around a number the element may be that listens for clicks on it. */
const MAX_SCALE_LEVELS = 8;

/** Longer text is more than a number and space around it (characters). */
const MAX_NUMBER_LETTERS = 32;

/** A whole number that is all that an element says: of much text no more is read than tells. @param {Element} element */
export function wholeNumberIn(element) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = '';
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    text += /** @type {Text} */ (node).data;
    if (text.length > MAX_NUMBER_LETTERS) return null;
  }
  return /^\s*\d{1,4}\s*$/.test(text) ? parseInt(text, 10) : null;
}

/** Days of the longest month. */
const MOST_DAYS = 31;

/**
 * The day that a cell of a calendar begins with, in an element of its own, before what is on that day; null for none.
 * @param {Element} element
 */
function dayIn(element) {
  if (!/^(?:td|div)$/.test(tagOf(element))) return null;
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let first = texts.nextNode();
  while (first && !/\S/.test(/** @type {Text} */ (first).data)) first = texts.nextNode();
  const holder = first && parentNodeOf(first);
  const day = holder instanceof Element && holder !== element ? wholeNumberIn(holder) : null;
  return day !== null && day >= 1 && day <= MOST_DAYS ? day : null;
}

/**
 * Whether it is a number among others in rows, with equal steps between them, in an element that listens for
 * clicks: a day, a year, a minute; or a day with what is on it.
 * @param {Element} element
 */
export function isOfScale(element) {
  if (!/^(?:td|div|span)$/.test(tagOf(element))) return false;
  const [list] = aroundFromListener(element, MAX_SCALE_LEVELS);
  if (!list || isEditable(list) || (wholeNumberIn(element) === null && dayIn(element) === null)) return false;
  return isBesideNumbers(element);
}

/** Whether it is a day of a calendar with something on it. @param {Element} element */
export const isBusyDay = (element) => dayIn(element) !== null && wholeNumberIn(element) === null && isOfScale(element);

/** @param {Element} element */
function isBesideNumbers(element) {
  const row = rowAround(element, MAX_BESIDE_NUMBER);
  const numbers = row.map(wholeNumberIn);
  // Boxes that are numbered and say more are steps of a list; cells of a table are not.
  const isCalendar = tagOf(element) === 'td' || numbers.some((each) => each !== null);
  const shown = numbers.map((each, at) => each ?? (isCalendar ? dayIn(row[at]) : null));
  /** @type {Map<number, number>} */
  const steps = new Map();
  let isAcross = false;
  for (let at = 1; at < row.length; at++) {
    const [before, after] = [shown[at - 1], shown[at]];
    if (before === null || after === null) continue;
    const step = after === 1 && before >= 28 && before <= 31 ? 1 : after - before; // the next month
    if (step > 0) steps.set(step, (steps.get(step) || 0) + 1);
    isAcross = isAcross || boundsOf(row[at]).left >= boundsOf(row[at - 1]).right - 1;
  }
  return isAcross && Math.max(0, ...steps.values()) >= LEAST_STEPS;
}
