// Selectors: what finds an element again after a reload, and after a rebuild of the page. CSS alone, one for each tree on
// the way from the document down to the element.

/**
 * The way to an element: a selector in each tree from the document down, and the same for Playwright, whose CSS sees
 * through open shadow roots.
 * @typedef {{ css: string[], playwright: string[], sure: number, why: string }} Route
 */

/** Beyond so many shadow roots they are not asked one by one. */
const MANY_SHADOWS = 50;

/** Makes selectors for elements of this frame. */
class Routes {
  constructor() {
    /** @type {Map<Node, Finder>} */
    this.finders = new Map();
    /** @type {Map<Element, Route|null>} */
    this.known = new Map();
    this.shadows = allRoots().filter((root) => root instanceof ShadowRoot && root.mode === 'open');
  }

  /** @param {Element} element @returns {Route|null} null for what is in no tree that selectors reach */
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
    const root = rootOf(element);
    const isShadow = root instanceof ShadowRoot;
    if (root !== document && !isShadow) return null;
    let finder = this.finders.get(root);
    if (!finder) this.finders.set(root, finder = new Finder(/** @type {any} */ (root)));
    const found = finder.find(element);
    if (!found) return null;
    if (!isShadow) return { css: [found.css], playwright: [this.isAlsoInside(found.css) ? `css:light=${found.css}` : found.css], sure: found.sure, why: found.why };
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

  /** Whether a selector finds something in shadow roots, too. @param {string} css */
  isAlsoInside(css) {
    return this.shadows.length > MANY_SHADOWS || this.shadows.some((root) => allUnder(root, css).length > 0);
  }

  /**
   * What finds an element below a host alone for one whose CSS sees through shadow roots.
   * @param {ShadowRoot} root @param {Element} element @param {string} css that finds it in its own tree @returns {string|null}
   */
  pierced(root, element, css) {
    if (!css.includes(TOPMOST) && countPierced(root, css) === 1) return css;
    const bare = /** @type {Finder} */ (this.finders.get(root)).bare(element);
    const place = bare && bare.css.replace(TOPMOST, '');
    return place && !allUnder(root.host, `:scope > ${place}`).length ? `:scope > ${place}` : null;
  }
}

/** How many elements a selector finds in a host: in its shadow root, in its own content, and in the shadow roots of both. @param {ShadowRoot} root @param {string} css */
function countPierced(root, css) {
  let count = 0;
  /** @type {Array<Root>} */
  const roots = [root, root.host];
  for (let i = 0; i < roots.length && count < 2; i++) {
    count += allUnder(roots[i], css).length;
    for (const element of allUnder(roots[i], '*')) {
      const inner = shadowRootOf(element);
      if (inner) roots.push(inner);
    }
  }
  return count;
}

/** What kind of control an element is, as those who script pages say. @param {any} element @param {string} role */
function kindOf(element, role) {
  const tag = tagOf(element);
  if (/^(?:button|input|select|textarea|summary|option)$/.test(tag)) return tag;
  if (tag === 'a' || tag === 'area') return has(element, 'href') || role === 'link' ? 'link' : role;
  return isEditingHost(element) ? 'contenteditable' : role;
}

Object.assign(globalThis.perceptionWalker, {
  /**
   * Selectors of elements, and what is asked of controls beside what a look tells.
   * @param {number[]} wanted
   * @returns {string} for each [selectors, the same for Playwright, stability, reason, kind, input type, placeholder]; `null` for what is gone
   */
  describe(wanted) {
    forgetNames();
    expectMarks();
    const routes = new Routes();
    return encode(wanted.map((number) => {
      const element = nodeOf(number);
      const route = element instanceof Element ? routes.to(element) : null;
      if (!route) return null;
      const role = roleOf(element), isInput = tagOf(element) === 'input';
      const hint = (isInput || tagOf(element) === 'textarea') && !isInMarked(element) ? element.placeholder : attr(element, 'aria-placeholder');
      return [route.css, route.playwright, Math.round(route.sure * 100) / 100, route.why, kindOf(element, role), isInput ? element.type : '', tidy(hint || '')];
    }));
  },
});
