// Walks of the page.

import { queryAllIn } from '../dom/access.js';
import { makingTime } from '../dom/document_open.js';
import { suspectedHosts } from '../dom/shadow_roots.js';
import { countPageTimers } from '../dom/timers.js';
import { NOWHERE, overlap } from '../layout/rects.js';
import { pageExtent, wholeViewport } from '../layout/viewport.js';
import { forgetIndexes } from '../semantics/names.js';
import { privacy } from '../privacy/private_content.js';
import { animationCounts } from '../tree/animations.js';
import { buildPart } from '../tree/build.js';
import { busySigns, endlessAnimationAge, isBare, playsVideo } from '../tree/busy_signs.js';
import { changes, collectChanges, countCollections, followChanges, ownListeners, prints } from '../tree/changes.js';
import { probeChain } from '../tree/probe.js';
import { tree, updatedTree } from '../tree/update.js';
import { markAllStale } from '../visibility/hit_cache.js';
import { FrameWalk } from '../rows/frame_walk.js';
import { NodeWalk } from '../rows/node_walk.js';
import { serveRows } from '../rows/served_rows.js';
import { documentLanguage, documentTitle, encodeJson } from './encoding.js';

/** @import { Rect } from '../layout/rects.js' */

/** Elements that most pages have and that have little content. */
const SAMPLES = 'a, button, input, select, textarea, label, p, li, td, th, h1, h2, h3, img, svg, summary';
const MAX_SAMPLES = 40;
const MAX_IN_SAMPLE = 20;

/** A few small elements of the page. @returns {Element[]} */
function sampleElements() {
  const samples = [];
  for (const element of document.querySelectorAll(SAMPLES)) {
    if (queryAllIn(element, '*').length <= MAX_IN_SAMPLE) samples.push(element);
    if (samples.length >= MAX_SAMPLES) break;
  }
  return samples;
}

const isVisible = () => document.visibilityState === 'visible';

function documentState() {
  return {
    url: location.href,
    title: documentTitle(),
    language: documentLanguage(),
    viewport: [innerWidth, innerHeight, devicePixelRatio],
    scroll: [scrollX, scrollY, ...pageExtent()],
    visible: isVisible(),
    changes: changes.count,
    ...animationCounts(),
    ready: document.readyState,
    making: makingTime(),
    suspects: suspectedHosts.size,
    listeners: ownListeners.count,
    collections: countCollections(),
  };
}

/**
 * @param {Rect|null} viewport the visible part of this frame; all of it when null
 * @param {boolean} wide also include what is out of view
 * @param {boolean} fresh discard all cached results
 * @param {boolean} shown whether to reveal private content
 * @param {number} base the walk whose rows the service has, as `serveRows` says
 */
function walkPage(viewport, wide, fresh, shown, base, dirty = collectChanges(wide)) {
  const otherwise = privacy.revealed !== shown; // then every name changes
  privacy.revealed = shown;
  const area = viewport ? overlap(viewport, wholeViewport()) || NOWHERE : wholeViewport();
  let look = new FrameWalk(area, wide).walk(updatedTree(fresh || otherwise, dirty));
  if (look.isLate) look = new FrameWalk(area, wide).walk(updatedTree(false, true));
  return { ...serveRows(look.rows, base), frames: look.frames, ...documentState() };
}

/** @param {boolean} dirty */
const probeState = (dirty) => ({
  dirty,
  changes: changes.count,
  ...animationCounts(),
  ready: document.readyState,
  url: location.href,
  visible: isVisible(),
  collections: countCollections(),
});

export const snapshotApi = {
  /** How often this frame has begun to print since the last call. */
  takePrints() {
    const { count } = prints;
    prints.count = 0;
    return encodeJson(count);
  },

  /**
   * Walks the page, as `walkPage` says.
   * @param {Rect|null} viewport
   * @param {boolean} wide
   * @param {boolean} fresh
   * @param {boolean} shown
   * @param {number} base
   */
  walk: (viewport, wide, fresh, shown, base = 0) => encodeJson(walkPage(viewport, wide, fresh, shown, base)),

  /**
   * Walks a small part of the page and discards the result, so that the engine has compiled the walker before the first
   * real walk.
   */
  warm() {
    if (tree.root) return;
    forgetIndexes();
    const look = new FrameWalk(wholeViewport(), true);
    for (const element of sampleElements()) {
      const part = buildPart(element, probeChain(element).parent);
      if (part) look.visit(part, -1, null);
    }
    look.endLine();
    look.placeRows();
    for (const { index, part } of look.pending.slice(0, 3)) {
      look.doubtful.add(index);
      look.checkVisibility(part);
    }
    encodeJson(look.rows);
    markAllStale();
  },

  /** Whether anything has changed since the last walk, as far as the page can observe, and what changes unobserved. */
  probe: () => encodeJson(probeState(collectChanges(false))),

  /**
   * As `probe`, with a walk of what has changed, if anything has: the next probe reports these changes no more.
   * @param {boolean} wide
   * @param {boolean} shown
   * @param {number} base
   */
  probeAndWalk(wide, shown, base) {
    const dirty = collectChanges(wide);
    const state = probeState(dirty);
    return encodeJson({ ...state, walk: dirty ? walkPage(null, wide, false, shown, base, dirty) : null });
  },

  /** Whether the page is at work, for those who wait until it is not. */
  restProbe() {
    followChanges();
    const dirty = collectChanges(false);
    return encodeJson({
      dirty,
      changes: changes.stirs,
      ...animationCounts(),
      ready: document.readyState,
      quiet: performance.now() - changes.stirred,
      unmade: changes.made ? performance.now() - changes.made : -1,
      listeners: ownListeners.count,
      timers: countPageTimers(),
      noticed: changes.count,
      signs: busySigns(),
      endless: endlessAnimationAge(),
      plays: playsVideo(),
      bare: isBare(),
      switching: !!(/** @type {any} */ (document).activeViewTransition),
    });
  },

  /** The page's location and state, without its content. */
  documentState: () => encodeJson({ rows: [], frames: [], ...documentState() }),

  /** Facts of rows from another source (Chromium's accessibility tree). @param {Node[]} given */
  measureRows(...given) {
    updatedTree(false);
    const look = new NodeWalk(wholeViewport(), true);
    for (const node of given) {
      if (node instanceof Element) look.measureElement(node);
      else look.measureText(node);
    }
    look.placeRows();
    return encodeJson({ rows: look.rows, frames: look.frames });
  },
};
