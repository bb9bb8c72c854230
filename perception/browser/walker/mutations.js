// Mutations: what has changed since the last look, and which parts have to be found out anew for it.
//
// What a script changes in the document is observed; what it cannot be observed to change is compared: scroll positions,
// values, style sheets. What neither tells (a changed rule in a style sheet) Chromium's own count of style passes does.

/** More changes than this between two looks, and the whole page is found out anew. */
const MAX_RECORDS = 2000;

/** What may change how the page looks without changing the document. */
const EVENTS = ['load', 'loadedmetadata', 'slotchange', 'toggle', 'beforetoggle', 'input', 'change', 'scroll', 'focusin', 'focusout', 'mouseover',
  'transitionend', 'animationend', 'transitioncancel', 'animationcancel', 'fullscreenchange', 'reset'];

const changes = {
  /** Nothing that is known can be relied on. */
  all: true,
  /** @type {MutationRecord[]} */
  records: [],
  /** What has scrolled, loaded or been typed into: only what is around it may have moved. @type {Set<Node>} */
  touched: new Set(),
  /** @type {Set<Element>} what may look otherwise now, with all that is beside it */
  restyled: new Set(),
  /** @type {Set<Element>} elements that DevTools has told something of */
  told: new Set(),
  /** Counts every change, so that a picture can be told from a later one. */
  count: 0,
  /** When the last one came that may move something, ms. */
  last: 0,
};

/** @type {WeakSet<Node>} */
let watched = new WeakSet();

const observer = new MutationObserver(take);

/** @param {MutationRecord[]} records */
function take(records) {
  changes.count += records.length;
  if (records.length) changes.last = performance.now();
  if (changes.all) return;
  for (const record of records) changes.records.push(record);
  if (changes.records.length > MAX_RECORDS) forgetAll();
}

/** Gives up following changes until the next look. */
function forgetAll() {
  changes.all = true;
  changes.records = [];
  observer.disconnect();
  watched = new WeakSet();
}

/** Follows what changes in a document or shadow root. @param {Document|ShadowRoot} root */
function watch(root) {
  if (watched.has(root)) return;
  watched.add(root);
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  if (listening.has(root)) return;
  listening.add(root);
  for (const type of EVENTS) root.addEventListener(type, hear, { capture: true, passive: true });
  ownListeners += EVENTS.length;
}

/** @type {WeakSet<Node>} */
const listening = new WeakSet();

/** How many listeners are the walker's, so that the page's can be told from them. */
let ownListeners = 0;

/** @type {EventTarget|null} */
let hovered = null;

/** @param {Event} event */
function hear(event) {
  const target = event.composedPath()[0];
  if (event.type === 'mouseover') {
    if (target === hovered) return;
    hovered = target;
  }
  changes.count++;
  if (event.type !== 'mouseover' && !event.type.startsWith('focus')) changes.last = performance.now();
  if (event.type === 'scroll' || event.type === 'load' || event.type === 'loadedmetadata') {
    if (target instanceof Node) changes.touched.add(target);
  } else if (event.type === 'input' || event.type === 'change' || event.type.startsWith('transition') || event.type.startsWith('animation')) {
    if (target instanceof Element) changes.restyled.add(target);
  } else changes.all = true;
}

addEventListener('resize', () => { changes.count++; changes.all = true; });
if (document.fonts) document.fonts.addEventListener('loadingdone', () => { changes.count++; changes.all = true; });

/** What is compared from look to look, since nothing tells of it. */
const before = { sheets: '', size: '', scroll: '', controls: /** @type {Array<[any, string]>} */ ([]), scrollers: /** @type {Array<[Element, string]>} */ ([]) };

/** Style sheets as they are: one that comes, goes, is switched off or gets rules tells. */
function sheetStamp() {
  let stamp = '';
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    let rules = -1;
    try { rules = sheet.cssRules.length; } catch { /* of another origin: its rules cannot be changed by this page either */ }
    stamp += `${sheet.disabled ? '-' : '+'}${rules}`;
  }
  return stamp;
}

/** What a control holds, which scripts change without a trace. @param {any} element */
const holdings = (element) => `${element.checked ? 1 : 0}${element.disabled ? 1 : 0}${element.indeterminate ? 1 : 0}${element.selectedIndex} ${element.value}`;

/** @param {Element} element */
const scrolledTo = (element) => `${element.scrollLeft},${element.scrollTop}`;

/** Brings the page's layout up to date and gathers what has changed. @returns {boolean} whether anything has */
function gather() {
  const root = document.documentElement;
  if (root) root.getBoundingClientRect();
  take(observer.takeRecords());
  const size = `${innerWidth} ${innerHeight} ${devicePixelRatio}`;
  const sheets = sheetStamp();
  if (size !== before.size || sheets !== before.sheets) changes.all = true;
  before.size = size;
  before.sheets = sheets;
  const scroll = `${scrollX},${scrollY}`;
  if (scroll !== before.scroll) changes.touched.add(document);
  before.scroll = scroll;
  for (const pair of before.scrollers) {
    const now = scrolledTo(pair[0]);
    if (now !== pair[1]) { pair[1] = now; changes.touched.add(pair[0]); }
  }
  for (const pair of before.controls) {
    const now = holdings(pair[0]);
    if (now !== pair[1]) { pair[1] = now; changes.restyled.add(pair[0]); }
  }
  for (const animation of running()) {
    const target = animation.effect instanceof KeyframeEffect ? animation.effect.target : null;
    if (target) changes.restyled.add(target);
  }
  return changes.all || changes.records.length > 0 || changes.touched.size > 0 || changes.restyled.size > 0 || changes.told.size > 0;
}

/** A script that moves things does so at every frame: two frames at 60 Hz, and some. */
const RESTLESS_MS = 40;

/** Whether what is on the page may be on the move, or nobody has watched it. */
function isRestless() {
  take(observer.takeRecords());
  return !watched.has(document) || performance.now() - changes.last < RESTLESS_MS || motion().moving > 0;
}

/** How many animations run, and how many of them come to an end. */
function motion() {
  const all = running();
  return { running: all.length, moving: all.filter((each) => each.effect && Number.isFinite(each.effect.getComputedTiming().endTime)).length };
}

/** @returns {Animation[]} those that move something now */
const running = () => document.getAnimations().filter((animation) => animation.playState === 'running');
