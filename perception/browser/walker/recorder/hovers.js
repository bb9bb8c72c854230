// Hovers that mattered: what was clicked then had appeared while the pointer was on something, and nothing else was done
// in between.

import { queryAll, queryAllIn, textContentOf } from '../dom/access.js';
import { allRoots } from '../dom/shadow_roots.js';
import { cleanText } from '../dom/text.js';
import { hitOf } from './targets.js';

/** How long after the pointer has moved the page is looked at (ms). */
const LOOK_MS = 60;

/** Elements that are looked at. */
const MAX_LOOKED_AT = 3000;

const HOVER_CANDIDATES =
  'a, button, input, select, textarea, summary, label, li, [role], [tabindex], [onclick], [draggable=true], td, svg, img';

/** Remembers what could be seen, and what the pointer was on. */
export class HoverWatcher {
  /** What could be seen at the last look. @type {WeakSet<Element>} */
  #seen = new WeakSet();
  /** What had a place on the page then, be it invisible: its words count as text of the page. @type {WeakSet<Element>} */
  #placed = new WeakSet();
  #isLooked = false;
  /** What the pointer came to since something else was done. @type {Element[]} */
  #entered = [];
  /** Elements that appeared, and what the pointer was on then. @type {WeakMap<Element, Element>} */
  #appeared = new WeakMap();
  #timer = 0;

  /** @param {Event} event `pointerover` */
  enter(event) {
    const hit = hitOf(event);
    if (!event.isTrusted || !hit) return;
    this.#entered.push(hit);
    if (this.#entered.length > 20) this.#entered.shift();
    this.#lookSoon();
  }

  /** Something else was done: what appears now appears because of that. */
  reset() {
    this.#entered = [];
    this.#appeared = new WeakMap();
    this.#isLooked = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), 0);
  }

  /**
   * What the pointer was on when an element appeared; null if it was there before, or nobody knows.
   * @param {Element} element
   * @returns {Element|null}
   */
  causeOf(element) {
    const noted = this.#appeared.get(element);
    if (noted) return noted.isConnected ? noted : null;
    if (!this.#isLooked || this.#seen.has(element)) return null;
    // It came since the last look, by the last thing that the pointer was on before.
    return this.#entered.findLast((each) => each.isConnected && !element.contains(each)) || null;
  }

  /** A text without the words of what appeared by hovering. @param {string} text @param {Element} within */
  withoutAppeared(text, within) {
    for (const each of queryAllIn(within, HOVER_CANDIDATES)) {
      const words = cleanText(textContentOf(each) || '');
      if (words && !this.#placed.has(each)) text = text.replace(words, '');
    }
    return cleanText(text);
  }

  look() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const placed = allRoots()
      .flatMap((root) => [...queryAll(root, HOVER_CANDIDATES)])
      .slice(0, MAX_LOOKED_AT)
      .filter((each) => each.checkVisibility());
    const now = placed.filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
    if (!this.#isLooked) this.#placed = new WeakSet(placed);
    for (const each of this.#isLooked ? now : []) {
      if (this.#seen.has(each)) continue;
      // The pointer may be on what appeared by now: what it was on before opened it.
      const cause = this.#entered.findLast((entered) => !each.contains(entered));
      if (cause) this.#appeared.set(each, cause);
    }
    this.#seen = new WeakSet(now);
    this.#isLooked = true;
  }

  #lookSoon() {
    if (!this.#timer) this.#timer = setTimeout(() => this.look(), LOOK_MS);
  }
}
