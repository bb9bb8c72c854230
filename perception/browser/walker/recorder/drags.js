// Drags: an element that was pulled with the mouse to another one, by the pointer or by HTML's drag and drop.

import { boundsOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { describePlace, hitOf } from './targets.js';

/** Less than this (CSS px) is a click. */
const MIN_DRAG = 8;

/** @typedef {{ from: Element, target: any, to: Element, at: [number, number] }} DragDone */

/** Controls whose own events say what a drag on them did. @param {any} element */
const hasOwnEvents = (element) =>
  /^(input|textarea|select|option|video|audio)$/.test(tagOf(element)) || element.isContentEditable === true;

/** Follows the pointer while a button is down. */
export class DragWatcher {
  /** @type {{ from: any, target: any, x: number, y: number, changed: boolean, native: boolean }|null} */
  #begun = null;
  #observer = new MutationObserver(() => {
    if (this.#begun) this.#begun.changed = true;
  });
  /** When a drag ended: the click that the browser sends after it does not count. */
  endedAt = -Infinity;

  /** @param {PointerEvent} event */
  begin(event) {
    const from = hitOf(event);
    this.#begun = null;
    if (!event.isTrusted || event.button !== 0 || !event.isPrimary || !from || hasOwnEvents(from)) return;
    this.#begun = { from, target: null, x: event.clientX, y: event.clientY, changed: false, native: false };
    this.#observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  }

  /** It is described before the page moves it. @param {PointerEvent} event */
  move(event) {
    const begun = this.#begun;
    if (!begun || begun.target || Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < MIN_DRAG / 2) return;
    begun.target = describePlace(begun.from);
  }

  /** HTML's drag and drop begins: what is dragged may be an element around. @param {DragEvent} event */
  beginNative(event) {
    const from = hitOf(event);
    if (event.isTrusted && from && this.#begun)
      Object.assign(this.#begun, { from, native: true, target: describePlace(from) });
  }

  /**
   * @param {MouseEvent} event `pointerup` or `drop`
   * @returns {DragDone|null} null if nothing was dragged
   */
  end(event) {
    const begun = this.#begun;
    const isDrop = event.type === 'drop';
    if (begun && begun.native && !isDrop) return null;
    this.#begun = null;
    if (begun && this.#observer.takeRecords().length) begun.changed = true;
    this.#observer.disconnect();
    if (!begun || !event.isTrusted) return null;
    const way = Math.hypot(event.clientX - begun.x, event.clientY - begun.y);
    const isCanvas = tagOf(begun.from) === 'canvas';
    if (way < MIN_DRAG || (!isDrop && !isCanvas && (!begun.changed || isSelecting()))) return null;
    const to = isDrop ? hitOf(event) : elementBelow(event, begun.from);
    if (!to) return null;
    this.endedAt = event.timeStamp;
    const rect = boundsOf(to);
    const part = (/** @type {number} */ offset, /** @type {number} */ size) =>
      size > 0 ? Math.round((offset / size) * 100) / 100 : 0.5;
    return {
      from: begun.from,
      target: begun.target || describePlace(begun.from),
      to,
      at: [part(event.clientX - rect.left, rect.width), part(event.clientY - rect.top, rect.height)],
    };
  }

  cancel() {
    this.#begun = null;
    this.#observer.disconnect();
  }
}

const isSelecting = () => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed;
};

/** What is under the pointer, except what was dragged there. @param {MouseEvent} event @param {Element} dragged */
function elementBelow(event, dragged) {
  const stack = document.elementsFromPoint(event.clientX, event.clientY);
  return stack.find((each) => !dragged.contains(each)) || null;
}
