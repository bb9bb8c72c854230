// Data exchanged with DevTools: nodes, closed shadow roots, listeners.

import { keepOrder, placesInOrder, takeFromOrder } from '../dom/document_order.js';
import { queryAllIn, treeRootOf } from '../dom/access.js';
import { LISTENS, addListener, hasListener } from '../dom/listeners.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { closedRoots, endAsking, shadowRootIn, startAsking, suspectedHosts } from '../dom/shadow_roots.js';
import { isWheeled } from '../layout/scrolling.js';
import { affordancesOf } from '../semantics/affordances.js';
import { isDelegatingListener, listensForItems } from '../semantics/click_targets.js';
import { roleOf } from '../semantics/roles.js';
import { changes, countChanges, countCollections, ownListeners } from '../tree/changes.js';
import { partOf } from '../tree/part.js';
import { encodeJson } from './encoding.js';

/**
 * Whether what is around a part speaks for it; a row does only for as long as nothing in it is a target.
 * @param {import('../tree/part.js').Part} part
 */
function isSilenced({ parent }) {
  if (parent === null || !parent.silenced) return false;
  let speaker = parent;
  while (speaker.parent !== null && speaker.parent.silenced) speaker = speaker.parent;
  return speaker.role !== 'row';
}

/** Elements in one that listens that are examined for a shadow tree. */
const MAX_EXAMINED_FOR_TREES = 50;

/** Whether an element that listens may act for what takes no clicks: it has a shadow tree, is in one or around one. @param {Element} element */
const mayActForOthers = (element) =>
  treeRootOf(element) instanceof ShadowRoot ||
  [element, ...[...queryAllIn(element, '*')].slice(0, MAX_EXAMINED_FOR_TREES)].some(
    (each) => shadowRootIn(each) !== null,
  );

/**
 * Registers elements that listen.
 * @param {number} kinds for what: a sum of `LISTENS`
 * @param {Array<any>} elements
 * @returns {number} how many of them were not known to be targets
 */
function addListeners(kinds, elements) {
  let news = 0;
  const fresh = elements.filter((element) => element instanceof Element && addListener(element, kinds));
  for (const element of fresh) {
    const part = partOf.get(element);
    if (!part) continue;
    const isHeard = hasListener(element) && !isSilenced(part);
    const isTarget = isHeard && !part.clickable && !isDelegatingListener(element, part.role);
    const affords = affordancesOf(part, part.role, part.parent ? part.parent.cursor : 'auto');
    const isNews = isTarget || roleOf(element) !== part.role || (isHeard && listensForItems(element));
    const { clip } = part;
    const isScroller = (kinds & LISTENS.wheel) !== 0 && clip !== null && clip.part === part && isWheeled(clip);
    if (
      isNews ||
      isScroller ||
      (isHeard && mayActForOthers(element)) ||
      affords.some((each) => !part.affordances.includes(each))
    ) {
      changes.reported.add(element);
      news++;
    }
  }
  return news;
}

export const devtoolsApi = {
  /** @param {number[]} wanted @returns {Array<Node|null>} */
  nodes: (wanted) => wanted.map(nodeOf),

  /** @param {Node} node @returns {string} its number */
  numberOf: (node) => encodeJson(numberOf(node)),

  /**
   * Elements to ask DevTools about: they may have a closed shadow root. They stay suspected until `addShadowRoots`
   * has the answer: who asks meanwhile must not take them for searched.
   * @param {number|null} also the number of one more element
   * @returns {Array<number|Element>} the number of this round, and the elements
   */
  suspectedHosts(also) {
    const more = also === null ? null : nodeOf(also);
    return [startAsking(), ...suspectedHosts.keys(), ...(more ? [more] : [])];
  },

  /**
   * Registers closed shadow roots.
   * @param {number} round whose answer this is
   * @param {Array<any>} pairs of host and root
   */
  addShadowRoots(round, ...pairs) {
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      closedRoots.set(pairs[i], pairs[i + 1]);
      changes.reported.add(pairs[i]);
      countChanges(1);
    }
    endAsking(round);
    return encodeJson(pairs.length / 2);
  },

  /** How many event listeners the walker itself has, and how often it has seen garbage collected. */
  ownListeners: () => encodeJson([ownListeners.count, countCollections()]),

  /** As `addListeners`. @param {number} kinds @param {Array<any>} elements @returns {string} */
  addListeners: (kinds, ...elements) => encodeJson(addListeners(kinds, elements)),

  /** Watches the order of the document's elements. @param {string} purpose @returns {string} how many there are */
  keepOrder: (purpose) => encodeJson(keepOrder(purpose)),

  /**
   * Where nodes are in the order that `keepOrder` watches; `null` if it has changed.
   * @param {string} purpose
   * @param {number[]} numbers
   */
  placesInOrder: (purpose, numbers) => encodeJson(placesInOrder(purpose, numbers.map(nodeOf))),

  /**
   * As `addListeners`, by places in the order that `keepOrder` watches.
   * @param {number[][]} places the kinds and places of each group
   * @returns {string} -1 where the order has changed
   */
  addListenersAt(places) {
    const elements = takeFromOrder(
      'listeners',
      places.flatMap((group) => group.slice(1)),
    );
    if (!elements) return encodeJson(-1);
    let at = 0;
    let news = 0;
    for (const [kinds, ...group] of places) news += addListeners(kinds, elements.slice(at, (at += group.length)));
    return encodeJson(news);
  },
};
