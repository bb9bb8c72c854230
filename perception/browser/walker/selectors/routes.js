// Routes: selectors that find an element again after a reload and after a rebuild of the page. CSS only, one selector
// for each tree on the path from the document to the element.

import { queryAll, shadowRootOf, treeRootOf } from '../dom/access.js';
import { privacy } from '../privacy/private_content.js';
import { allRoots } from '../dom/shadow_roots.js';
import { Finder, TOPMOST } from './finder.js';
import { shorten } from './shortening.js';

/** @import { Root } from '../dom/access.js' */

/**
 * The path to an element: a selector in each tree from the document, and the same for Playwright, whose CSS pierces
 * open shadow roots.
 * @typedef {{ css: string[], playwright: string[], sure: number, why: string }} Route
 */

/** With more shadow roots than this, they are not searched one by one. */
const MANY_SHADOWS = 50;

/** What the traits of private elements depend on. */
export const privacyState = () => `${privacy.marked} ${privacy.revealed}`;

/** Makes selectors for elements of this frame. */
export class Routes {
  constructor() {
    /** @type {Map<Node, Finder>} */
    this.finders = new Map();
    /** @type {Map<Element, Route|null>} */
    this.known = new Map();
    const roots = allRoots();
    /** Traits of private elements depend on it. */
    this.privacy = privacyState();
    /** A shadow root may be attached without any change that can be observed. */
    this.rootCount = roots.length;
    this.shadows = roots.filter((root) => root instanceof ShadowRoot && root.mode === 'open');
  }

  /**
   * @param {Element} element
   * @returns {Route|null} null for an element in no tree that selectors reach
   */
  to(element) {
    let route = this.known.get(element);
    if (route === undefined) {
      route = this.find(element);
      this.known.set(element, route);
    }
    return route;
  }

  /** @param {Element} element @returns {Route|null} */
  find(element) {
    const root = treeRootOf(element);
    const isShadow = root instanceof ShadowRoot;
    if (root !== document && !isShadow) return null;
    let finder = this.finders.get(root);
    if (!finder) this.finders.set(root, (finder = new Finder(/** @type {any} */ (root))));
    const found = shorten(finder, element, finder.find(element));
    if (!found) return null;
    if (!isShadow)
      return {
        css: [found.css],
        playwright: [this.isAlsoInside(found.css) ? `css:light=${found.css}` : found.css],
        sure: found.sure,
        why: found.why,
      };
    const above = this.to(root.host);
    if (!above) return null;
    const isClosed = root.mode === 'closed' || !above.playwright.length;
    const inner = isClosed ? null : this.pierced(root, element, found.css);
    return {
      css: [...above.css, found.css],
      playwright: inner === null ? [] : [...above.playwright, inner],
      sure: Math.min(above.sure, found.sure),
      why: found.sure <= above.sure ? found.why : above.why,
    };
  }

  /** Whether a selector also matches in shadow roots. @param {string} css */
  isAlsoInside(css) {
    return this.shadows.length > MANY_SHADOWS || this.shadows.some((root) => queryAll(root, css).length > 0);
  }

  /**
   * A selector that, below a host, matches only this element even if CSS pierces shadow roots.
   * @param {ShadowRoot} root
   * @param {Element} element
   * @param {string} css its selector in its own tree
   * @returns {string|null}
   */
  pierced(root, element, css) {
    if (!css.includes(TOPMOST) && countPierced(root, css) === 1) return css;
    const bare = /** @type {Finder} */ (this.finders.get(root)).bare(element);
    const place = bare && bare.css.replace(TOPMOST, '');
    return place && !queryAll(root.host, `:scope > ${place}`).length ? `:scope > ${place}` : null;
  }
}

/**
 * How many elements a selector matches in a host: in its shadow root, in its own content, and in the shadow roots of
 * both.
 * @param {ShadowRoot} root
 * @param {string} css
 */
function countPierced(root, css) {
  let count = 0;
  /** @type {Array<Root>} */
  const roots = [root, root.host];
  for (let i = 0; i < roots.length && count < 2; i++) {
    count += queryAll(roots[i], css).length;
    for (const element of queryAll(roots[i], '*')) {
      const inner = shadowRootOf(element);
      if (inner) roots.push(inner);
    }
  }
  return count;
}
