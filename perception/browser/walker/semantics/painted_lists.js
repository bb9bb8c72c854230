// Lists that a page paints in place of a native one, which it keeps out of sight to hold the value.

import { attr, boundsOf, childNodesOf, matches, queryAllIn, queryIn, textContentOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { flatContains, flatParentOf } from '../dom/flat_tree.js';
import { cleanText } from '../dom/text.js';
import { isCutAway } from '../layout/clips.js';
import { isEmpty, rectOf } from '../layout/rects.js';
import { elementAt } from '../visibility/element_at.js';
import { isOutOfTheWay, middleOf } from './painted_fields.js';

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
const isKeptOutOfSight = (list) =>
  tagOf(list) === 'select' && (!hasPaintedBox(list) || isOutOfTheWay(list, 'select') || isTransparentUnder(list));

/** Whether a list is transparent, and something else takes its clicks. @param {Element} list */
const isTransparentUnder = (list) => Number(getComputedStyle(list).opacity) < 0.05 && !isHitInMiddle(list);

/** Whether nothing else takes the clicks in the middle of an element. @param {Element} element */
export function isHitInMiddle(element) {
  const hit = elementAt(...middleOf(element));
  return hit === null || flatContains(element, hit);
}

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
 * One without a role is known by the label of what is selected, which it shows.
 * @param {Element} list
 * @returns {Element|null}
 */
export function listPaintedFor(list) {
  if (!isKeptOutOfSight(list)) return null;
  const levels = levelsAround(list);
  for (const node of levels) {
    const isOwn = node !== list && !matches(node, 'form, body, main, dialog');
    for (const place of [...(isOwn ? [node] : []), ...paintedBeside(node)]) {
      const opener = openerIn(place);
      if (opener && attr(opener, 'aria-disabled') !== 'true') return opener;
    }
  }
  const plain = levels.flatMap(paintedBeside).find((place) => showsChosen(place, list)) || null;
  if (plain) nativeBehind.set(plain, list);
  return plain;
}

/** The native list of each painted one that has no role. @type {WeakMap<Element, Element>} */
const nativeBehind = new WeakMap();

/**
 * Whether the label of what is selected in a native list is all that an element shows, besides its rows where it is open.
 * @param {Element} place
 * @param {any} list
 */
function showsChosen(place, list) {
  const [chosen, all] = [list.selectedOptions, list.options].map((options) =>
    wordsAlone([...options].map((each) => each.label).join(' ')),
  );
  return chosen !== '' && [chosen, `${chosen} ${all}`].includes(wordsAlone(shownWords(place)));
}

/** @param {string} text @returns {string} its words without signs */
const wordsAlone = (text) => cleanText(text.replace(/[^\p{L}\p{N}]+/gu, ' '));

/** What is painted of an element's text. @param {Node} node @returns {string} */
const shownWords = (node) =>
  node instanceof Element
    ? isPaintedBelow(node, node.parentElement)
      ? [...childNodesOf(node)].map(shownWords).join(' ')
      : ''
    : node instanceof Text
      ? node.data
      : '';

/**
 * The native list for which a page paints an element without a role, or what is in it or around it; null for none.
 * @param {Element} painted
 */
export function listBehind(painted) {
  let node = /** @type {Element|null} */ (painted);
  for (let level = 0; node && level < MAX_LEVELS_AROUND; level++, node = flatParentOf(node)) {
    for (const beside of [node, node.previousElementSibling, node.nextElementSibling]) {
      const list = !beside || matches(beside, 'select') ? beside : queryIn(beside, 'select');
      const found = list && listPaintedFor(list);
      if (found && (flatContains(found, painted) || flatContains(painted, found))) return list;
    }
  }
  return null;
}

/**
 * What an element without a role paints of the labels of its native list, by label, in it and in popups beside it: rows,
 * and what shows the selected one. Null for an element that is painted for none.
 * @param {Element} box
 * @returns {{ native: any, shown: Map<string, Element[]> }|null}
 */
export function labelsShownBy(box) {
  const native = /** @type {any} */ (nativeBehind.get(box));
  if (!native) return null;
  const labels = new Set([...native.options].map((each) => cleanText(each.label)));
  const shown = new Map();
  const beside = [...(box.parentElement?.children || [])].filter((each) =>
    /^(absolute|fixed)$/.test(getComputedStyle(each).position),
  );
  for (const place of new Set([box, ...beside]))
    for (const each of flatContains(place, native) ? [] : queryAllIn(place, '*')) {
      const label = cleanText(textContentOf(each) || '');
      if (!label || !labels.has(label) || !isPaintedBelow(each, box.parentElement)) continue;
      const known = (shown.get(label) || []).filter((/** @type {Element} */ other) => !flatContains(other, each));
      shown.set(label, [...known, each]);
    }
  return { native, shown };
}

/** Whether an element is painted, as far as the elements up to one around it tell. @param {Element} element @param {Element|null} around */
function isPaintedBelow(element, around) {
  if (!hasPaintedBox(element)) return false;
  const isOpaque = Element.prototype.checkVisibility.call(element, { opacityProperty: true });
  if (!isOpaque && !flatContains(element, elementAt(...middleOf(element)))) return false; // else it begins to fade in
  for (let node = /** @type {Element|null} */ (element); node && node !== around; node = flatParentOf(node))
    if (isHiddenByClip(node)) return false;
  return true;
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
