// Lists that a page paints in place of a native one, which it keeps out of sight to hold the value.

import { attr, boundsOf, matches, queryAllIn } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { cleanText } from '../dom/text.js';
import { isCutAway } from '../layout/clips.js';
import { isEmpty, rectOf } from '../layout/rects.js';
import { isOutOfTheWay } from './painted_fields.js';

/** A list's own widget reaches at most so many levels above it: Choices.js has two. */
const MAX_LEVELS_AROUND = 3;

const OPENER_SELECTOR = '[role=combobox], [aria-haspopup=listbox], [aria-haspopup=true]';

/** @param {Element} element */
const hasPaintedBox = (element) =>
  Element.prototype.checkVisibility.call(element, { visibilityProperty: true }) && !isEmpty(rectOf(boundsOf(element)));

/** What opens a list in an element, itself included; null where that is none or several. @param {Element} element */
function openerIn(element) {
  if (matches(element, OPENER_SELECTOR)) return element;
  const found = [...queryAllIn(element, OPENER_SELECTOR)].filter(
    (each) => tagOf(each) !== 'select' && hasPaintedBox(each),
  );
  const outer = found.filter((each) => !found.some((other) => other !== each && flatContains(other, each)));
  return outer.length === 1 ? outer[0] : null;
}

/** Whether a native list is kept where nobody sees it. @param {Element} list */
const isKeptOutOfSight = (list) => tagOf(list) === 'select' && (!hasPaintedBox(list) || isOutOfTheWay(list, 'select'));

/** The elements around a list that hold no other one, itself first. @param {Element} list */
function levelsAround(list) {
  const levels = [];
  for (let node = /** @type {Element|null} */ (list); node; node = flatParentOf(node)) {
    if (levels.length === MAX_LEVELS_AROUND || [...queryAllIn(node, 'select')].some((each) => each !== list)) break;
    levels.push(node);
  }
  return levels;
}

/** @param {Element} node @returns {Element[]} what is painted on either side of an element, without another native list */
const paintedBeside = (node) =>
  [node.nextElementSibling, node.previousElementSibling].flatMap((each) =>
    each && hasPaintedBox(each) && !queryAllIn(each, 'select').length ? [each] : [],
  );

/**
 * The list that a page paints for a native one that nobody sees: beside it, or around both, with no other list there.
 * @param {Element} list
 * @returns {Element|null}
 */
export function listPaintedFor(list) {
  if (!isKeptOutOfSight(list)) return null;
  for (const node of levelsAround(list)) {
    const isOwn = node !== list && !matches(node, 'form, body, main, dialog');
    for (const place of [...(isOwn ? [node] : []), ...paintedBeside(node)]) {
      const opener = openerIn(place);
      if (opener && attr(opener, 'aria-disabled') !== 'true') return opener;
    }
  }
  return null;
}

/** Whether an element is clipped to nothing, as some libraries do with a list that is closed. @param {Element} element */
const isHiddenByClip = (element) => isCutAway(getComputedStyle(element));

/** The text of an element, without what is in parts of it that are clipped to nothing. @param {Element} element @returns {string} */
function uncutText(element) {
  if (!(element instanceof HTMLElement) || isHiddenByClip(element)) return '';
  const hasCut = [...queryAllIn(element, '*')].some(isHiddenByClip);
  return hasCut ? [...element.children].map(uncutText).join(' ') : element.innerText;
}

/**
 * Whether a page paints a text beside a native list that nobody sees, without certain words.
 * @param {Element} list
 * @param {string[]} words
 */
export function isPaintLeftBehind(list, words) {
  if (!isKeptOutOfSight(list)) return false;
  const beside = levelsAround(list).slice(0, 2).flatMap(paintedBeside);
  const shown = cleanText(beside.map(uncutText).join(' '));
  return shown !== '' && !words.every((each) => shown.includes(each));
}
