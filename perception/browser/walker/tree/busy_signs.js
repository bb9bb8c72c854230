// What shows a person that a page is still at work: busy regions, progress without an end, skeletons, spinners, words
// such as "Loading…"; and whether the page shows anything yet.

import { attr, boundsOf, matches, queryAll, shadowRootOf } from '../dom/access.js';
import { allRoots } from '../dom/shadow_roots.js';
import { runningAnimations } from './animations.js';
import { changes } from './changes.js';

/** What pages say about themselves. */
const DECLARED =
  '[aria-busy="true" i], progress:not([value]), [role="progressbar" i]:not([aria-valuenow]):not([aria-valuetext])';

/** Classes of the common component libraries; `uploader` and `preloaded` are none. */
const STYLED = ['skeleton', 'shimmer', 'spinner', 'spinning', 'loader', 'loading'];
const STYLED_SELECTOR = STYLED.map((word) => `[class*="${word}" i]`).join(', ');
const STYLED_WORD = new RegExp(`(?:^|[^a-z])(?:${STYLED.join('|')})(?![a-z])`);

/**
 * Words for waiting in the languages of most pages: alone or with an ellipsis, those that mean other things as well
 * (`Processing` of an order, `Checking` of a bank, German `Laden`, a shop) with one.
 */
const ELLIPSIS = '[^.!?…]{0,30}(?:…|\\.{2,3})';
const WAITING = new RegExp(
  '^\\W*(?:(?:loading|signing in|logging in|redirecting|lädt|wird geladen|chargement|cargando|caricamento|carregando|' +
    `загрузка|読み込み中|加载中|載入中|로딩 중)(?:${ELLIPSIS})?` +
    '|(?:saving|sending|searching|processing|submitting|updating|working|fetching|refreshing|uploading|connecting|' +
    `checking|calculating|generating|laden)${ELLIPSIS}` +
    '|(?:please wait|bitte warten|veuillez patienter|espere|attendere|aguarde|подождите)[^!?]{0,30})\\W*$',
  'iu',
);
const MAX_WAITING_LENGTH = 50;

/** Elements that show something without text. */
const SHOWING = 'img, svg, canvas, video, input, button, select, textarea, iframe, object, embed, hr, meter, progress';

/** More candidates than this are not signs, but a page's own words for its parts. */
const MAX_CANDIDATES = 200;

/** Nodes that are checked for something to see. */
const MAX_CHECKED = 3000;

/** When a sign was first seen, ms: one that stays is decoration. @type {WeakMap<Element, number>} */
const firstSeen = new WeakMap();

/** @type {{ at: number, signs: Array<[string, Element]> }} */
let found = { at: -1, signs: [] };

/** @param {Element} element @param {boolean} maybeEmpty a box without area counts, too */
function isShown(element, maybeEmpty = false) {
  const options = { opacityProperty: true, visibilityProperty: true };
  if (!Element.prototype.checkVisibility.call(element, options)) return false;
  const { left, top, right, bottom } = boundsOf(element);
  if (!maybeEmpty && !(right > left && bottom > top)) return false;
  return right >= 0 && bottom >= 0 && left < innerWidth && top < innerHeight;
}

/** @param {Element} element */
function isStyledBusy(element) {
  const names = (attr(element, 'class') || '').replace(/([a-z])([A-Z])/g, '$1-$2');
  return STYLED_WORD.test(names.toLowerCase());
}

/** The possible signs of one root. @param {Document|ShadowRoot} root @param {Array<[string, Element]>} signs */
function collectSigns(root, signs) {
  for (const element of queryAll(root, DECLARED)) {
    signs.push([attr(element, 'aria-busy') ? 'aria-busy' : 'progressbar', element]);
  }
  for (const element of queryAll(root, STYLED_SELECTOR)) {
    if (isStyledBusy(element)) signs.push(['loading indicator', element]);
    if (signs.length > MAX_CANDIDATES) return;
  }
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const { data } = /** @type {Text} */ (node);
    if (data.length < 3 || data.length > MAX_WAITING_LENGTH || !WAITING.test(data)) continue;
    if (node.parentElement) signs.push(['loading text', node.parentElement]);
  }
}

function possibleSigns() {
  if (found.at === changes.count) return found.signs;
  /** @type {Array<[string, Element]>} */
  const signs = [];
  for (const root of allRoots()) if (signs.length <= MAX_CANDIDATES) collectSigns(root, signs);
  found = { at: changes.count, signs };
  return signs;
}

/**
 * The signs that are in view.
 * @returns {Record<string, number>} for how long the newest of each name has been there, ms
 */
export function busySigns() {
  /** @type {Record<string, number>} */
  const ages = {};
  const now = performance.now();
  for (const [name, element] of possibleSigns()) {
    if (!isShown(element, name === 'aria-busy')) continue;
    const first = firstSeen.get(element) ?? now;
    firstSeen.set(element, first);
    ages[name] = Math.min(ages[name] ?? Infinity, now - first);
  }
  return ages;
}

/** Boxes up to so narrow are carets, CSS px. */
const CARET_WIDTH = 2;

/**
 * Whether an animation is that of a caret: it is narrow, or goes on and off without anything between, where spinners
 * turn, slide and pulse.
 * @param {KeyframeEffect} effect
 * @param {Element} target
 */
function isBlinking(effect, target) {
  const { left, right, top, bottom } = boundsOf(target);
  if (right - left <= CARET_WIDTH && bottom - top > right - left) return true;
  return effect.getKeyframes().every((frame) => /^(?:steps\(1\b|step-)/.test(frame.easing));
}

/** How long the newest animation without an end has been running in view, ms; -1 for none. A hovered element may pulse. */
export function endlessAnimationAge() {
  let youngest = -1;
  for (const { effect, startTime } of runningAnimations()) {
    if (!(effect instanceof KeyframeEffect) || !effect.target || typeof startTime !== 'number') continue;
    if (Number.isFinite(effect.getComputedTiming().endTime)) continue;
    if (matches(effect.target, ':hover') || !isShown(effect.target) || isBlinking(effect, effect.target)) continue;
    const age = Number(document.timeline.currentTime) - startTime;
    if (youngest < 0 || age < youngest) youngest = Math.max(age, 0);
  }
  return youngest;
}

/** Whether a video plays in view. */
export const playsVideo = () =>
  [...queryAll(document, 'video')].some((video) => {
    const { paused, readyState } = /** @type {HTMLVideoElement} */ (video);
    return !paused && readyState > 2 && isShown(video);
  });

let hasPainted = false;

/** Whether a page with scripts shows nothing yet. */
export function isBare() {
  if (hasPainted || !document.body || !document.scripts.length) return false;
  hasPainted = showsAnything(document.body);
  return !hasPainted;
}

/** @param {Element} body */
function showsAnything(body) {
  const nodes = document.createTreeWalker(body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(), count = 0; node; node = nodes.nextNode(), count++) {
    if (count > MAX_CHECKED) return true;
    const element = node instanceof Element ? node : node.parentElement;
    if (!element || matches(element, 'script, style, noscript, template')) continue;
    const shows =
      node instanceof Element ? matches(node, SHOWING) || shadowRootOf(node) : /\S/.test(node.nodeValue || '');
    if (shows && isShown(element)) return true;
  }
  return false;
}
