// Changes since the last walk.
//
// Changes of the document by scripts are observed. What cannot be observed is compared: scroll positions, values, style
// sheets. The rest (a changed rule in a style sheet) shows in Chromium's own count of style passes.

import { viewportState } from '../layout/viewport.js';
import { afterDocumentOpen } from '../dom/document_open.js';
import { focusedElement } from '../dom/elements.js';
import { valuesInNames } from '../semantics/name_context.js';
import { staleHits } from '../visibility/hit_cache.js';
import { animationCounts, runningAnimations } from './animations.js';
import { noteTyping } from './typed_fields.js';

/** @import { Part } from './part.js' */

/** With more changes than this between two walks, the whole page is read again. */
const MAX_RECORDS = 2000;

/** What may change a page's appearance without changing the document. */
const CHANGE_EVENTS = [
  'load',
  'loadedmetadata',
  'slotchange',
  'toggle',
  'beforetoggle',
  'input',
  'change',
  'scroll',
  'focusin',
  'focusout',
  'mouseover',
  'transitionend',
  'animationend',
  'transitioncancel',
  'animationcancel',
  'fullscreenchange',
  'reset',
];

export const changes = {
  /** All cached results are invalid. */
  all: true,
  /** @type {MutationRecord[]} */
  records: [],
  /** Nodes that have scrolled, loaded or been typed into: only their surroundings may have moved. @type {Set<Node>} */
  touched: new Set(),
  /** @type {Set<Element>} elements whose appearance may have changed, with their siblings' */
  restyled: new Set(),
  /** @type {Set<Element>} elements about which DevTools has reported something */
  reported: new Set(),
  /** Counts every change, to tell a picture from a later one. */
  count: 0,
  /** As `count`, without what input does by itself, and ends of animations. */
  stirs: 0,
  /** Time of the last one of `stirs`, or since when they are counted, ms. */
  stirred: 0,
  /** Time of the last change that may move something, ms. */
  last: 0,
  /** Counts walks before which more than words had changed. */
  beyondTexts: 0,
  /** Time of the last change of content by a script, ms: what a person notices, other than a hover or focus style. */
  made: 0,
};

/** What mere styling changes, of hovered and focused elements too. */
const STYLING = new Set(['class', 'style']);

/** Whether a script changed content. @param {MutationRecord} record */
const isMade = (record) => record.type !== 'attributes' || !STYLING.has(record.attributeName || '');

/** @type {WeakSet<Node>} */
let observedRoots = new WeakSet();

const observer = new MutationObserver(takeRecords);

/**
 * What was computed from elements and attributes, valid while neither changes: text and inline style may. `of` is any
 * value; null when there is none.
 * @type {{ of: any }}
 */
export const keptWhileSame = { of: null };

/** Whether a change leaves elements and attributes as they were. @param {MutationRecord} record */
const isText = (record) =>
  record.type === 'characterData' ||
  (record.type === 'childList' &&
    [...record.addedNodes, ...record.removedNodes].every((node) => node.nodeType !== Node.ELEMENT_NODE));

/** As `isText`, except for inline style. @param {MutationRecord} record */
const isTextOrStyle = (record) => isText(record) || (record.type === 'attributes' && record.attributeName === 'style');

/** Whether only words have changed since the last walk, as far as was collected. */
export const areOnlyTexts = () =>
  !changes.all &&
  !changes.touched.size &&
  !changes.restyled.size &&
  !changes.reported.size &&
  changes.records.every(isText);

/** Drops what is kept if a change that was not taken yet makes it invalid. */
export const checkKept = () => takeRecords(observer.takeRecords());

/** Whether every change in a tree since the last walk is observed. @param {Node} root */
export const isObserved = (root) => observedRoots.has(root);

/** When a script has last changed content, ms; null where that is not known. */
export function contentChanged() {
  checkKept();
  return isObserved(document) ? changes.made : null;
}

/** @param {number} more */
export function countChanges(more) {
  changes.count += more;
  changes.stirs += more;
  changes.stirred = performance.now();
}

/** Events of input, and ends of animations: what scripts change at them is counted by itself. */
const CALM = /^(input|change|focus.*|mouseover|transition.*|animation.*)$/;

/** @param {MutationRecord[]} records */
function takeRecords(records) {
  if (keptWhileSame.of && !records.every(isTextOrStyle)) keptWhileSame.of = null;
  if (records.length) {
    countChanges(records.length);
    changes.last = changes.stirred;
  }
  if (records.some(isMade)) changes.made = changes.last;
  if (changes.all) return;
  for (const record of records) changes.records.push(record);
  if (changes.records.length > MAX_RECORDS) invalidateAll();
}

/** Stops following changes until the next walk. */
function invalidateAll() {
  changes.all = true;
  changes.records = [];
  keptWhileSame.of = null;
  observer.disconnect();
  observedRoots = new WeakSet();
}

/** Observes changes in a document or shadow root. @param {Document|ShadowRoot} root */
export function observeRoot(root) {
  if (observedRoots.has(root)) return;
  observedRoots.add(root);
  changes.stirred = performance.now();
  observer.observe(root, { subtree: true, childList: true, attributeOldValue: true, characterData: true });
  if (listenedRoots.has(root)) return;
  listenedRoots.add(root);
  ownListeners.count += listenTo(root);
}

/** Listens to what changes a tree, and for the document to what changes all of it. @param {Node} root
 * @returns {number} of listeners. */
function listenTo(root) {
  for (const type of CHANGE_EVENTS) root.addEventListener(type, onEvent, { capture: true, passive: true });
  if (root !== document) return CHANGE_EVENTS.length;
  addEventListener('resize', onWholeChange);
  document.fonts?.addEventListener('loadingdone', onWholeChange);
  return CHANGE_EVENTS.length + (document.fonts ? 2 : 1);
}

function onWholeChange() {
  countChanges(1);
  changes.all = true;
}

/** Follows changes before the first walk, too, so that what loads is seen to change. */
export function followChanges() {
  if (observedRoots.has(document)) return;
  observeRoot(document);
  changes.last = changes.stirred;
}

/** @type {WeakSet<Node>} */
const listenedRoots = new WeakSet();

/** Number of the walker's own listeners, to tell them from the page's. */
export const ownListeners = { count: 1 };

let collections = 0;
let garbage = new WeakRef({});

/**
 * How often the engine was seen to have collected garbage: listeners of what was removed are counted until then. (Whoever
 * has it tell by a FinalizationRegistry runs a script in pages that were left, which Chromium then does not keep.)
 */
export function countCollections() {
  if (!garbage.deref()) {
    collections++;
    garbage = new WeakRef({});
  }
  return collections;
}

/** @type {EventTarget|null} */
let hovered = null;

/** @param {Event} event */
function onEvent(event) {
  const target = event.composedPath()[0];
  if (event.type === 'mouseover') {
    if (target === hovered) return;
    hovered = target;
  }
  if (event.type === 'input') noteTyping(event);
  if (CALM.test(event.type)) changes.count++;
  else countChanges(1);
  if (event.type !== 'mouseover' && !event.type.startsWith('focus')) changes.last = performance.now();
  if (event.type === 'scroll' || event.type === 'load' || event.type === 'loadedmetadata') {
    if (target instanceof Node) changes.touched.add(target);
  } else if (
    event.type === 'input' ||
    event.type === 'change' ||
    event.type.startsWith('transition') ||
    event.type.startsWith('animation')
  ) {
    if (target instanceof Element) changes.restyled.add(target);
  } else changes.all = true;
}

/** How often this frame has begun to print since that was last taken: `window.print()` does it, and our own printing. */
export const prints = { count: 0 };
const onPrint = () => {
  prints.count += 1;
};
addEventListener('beforeprint', onPrint);
afterDocumentOpen(() => {
  addEventListener('beforeprint', onPrint);
  if (listenedRoots.has(document)) listenTo(document);
});

/** State that is compared from walk to walk, since its changes cannot be observed. */
export const lastState = {
  sheets: '',
  size: '',
  scroll: '',
  /** In a window without the focus, no event tells that it has changed. @type {Element|null} */
  focused: null,
  /** @type {Map<Part, string>} */
  controls: new Map(),
  /** What has something to scroll, or might have by now. @type {Map<Part, string>} */
  scrollers: new Map(),
};

/** The style sheets, to detect when one is added, removed, disabled or gets rules. */
function sheetStamp() {
  let stamp = '';
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    let rules = -1;
    try {
      rules = sheet.cssRules.length;
    } catch {
      /* of another origin: its rules cannot be changed by this page either */
    }
    stamp += `${sheet.disabled ? '-' : '+'}${rules}`;
  }
  return stamp;
}

/** A control's state that scripts can change unobserved. @param {any} element */
export const controlState = (element) =>
  `${element.checked ? 1 : 0}${element.disabled ? 1 : 0}${element.indeterminate ? 1 : 0}` +
  `${element.selectedIndex} ${element.value}`;

/** @param {Element} element */
export const scrollState = (element) => `${element.scrollLeft},${element.scrollTop}`;

/** Whether the last walk of the whole tree listed what was in its place. @param {Part} part */
const wasSeen = (part) => part.seenAt === staleHits.look;

/**
 * Compares where a scroller stands, or stood in the last comparison.
 * @param {Part} part
 * @param {string} before
 */
function compareScroll(part, before) {
  const now = scrollState(part.element);
  if (now === before) return false;
  lastState.scrollers.set(part, now);
  changes.touched.add(part.element);
  return true;
}

/**
 * As `compareScroll`, of a control.
 * @param {Part} part
 * @param {string} before
 */
function compareControl(part, before) {
  const now = controlState(part.element);
  if (now === before) return false;
  lastState.controls.set(part, now);
  changes.restyled.add(part.element);
  return true;
}

/**
 * Compares what comes into view: it was not compared while it was out of view.
 * @param {Part} part
 * @returns {boolean} whether it has changed
 */
export function hasChangedUnseen(part) {
  if (wasSeen(part)) return false;
  const scroll = lastState.scrollers.get(part),
    control = lastState.controls.get(part);
  const hasScrolled = scroll !== undefined && compareScroll(part, scroll);
  return (control !== undefined && compareControl(part, control)) || hasScrolled;
}

/**
 * Updates the page's layout and collects the changes.
 * @param {boolean} everywhere compare what the last walk has not listed, too
 * @returns {boolean} whether there are any
 */
export function collectChanges(everywhere = true) {
  const root = document.documentElement;
  if (root) root.getBoundingClientRect();
  takeRecords(observer.takeRecords());
  const size = viewportState();
  const sheets = sheetStamp();
  const focused = focusedElement();
  if (size !== lastState.size || sheets !== lastState.sheets || focused !== lastState.focused) changes.all = true;
  lastState.size = size;
  lastState.sheets = sheets;
  lastState.focused = focused;
  const scroll = `${scrollX},${scrollY}`;
  if (scroll !== lastState.scroll) changes.touched.add(document);
  lastState.scroll = scroll;
  for (const [part, before] of lastState.scrollers) if (everywhere || wasSeen(part)) compareScroll(part, before);
  for (const [part, before] of lastState.controls)
    if (everywhere || wasSeen(part) || valuesInNames.has(part.element)) compareControl(part, before);
  for (const animation of runningAnimations()) {
    const target = animation.effect instanceof KeyframeEffect ? animation.effect.target : null;
    if (target) changes.restyled.add(target);
  }
  return (
    changes.all ||
    changes.records.length > 0 ||
    changes.touched.size > 0 ||
    changes.restyled.size > 0 ||
    changes.reported.size > 0
  );
}

/** Scripts that move things do so at every frame: two frames at 60 Hz, and a margin. */
const UNSETTLED_MS = 40;

/** Whether content may be moving, or has not been observed. */
export function isUnsettled() {
  takeRecords(observer.takeRecords());
  return (
    !observedRoots.has(document) || performance.now() - changes.last < UNSETTLED_MS || animationCounts().moving > 0
  );
}
