// Queries for input beyond looking: choices of a list, fields with a picker, the path to an element.

import { attr, childNodesOf, localNameOf, nodeTypeOf, parentNodeOf, treeRootOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { nodeOf } from '../dom/node_numbers.js';
import { isRangeInput } from '../semantics/slider_thumbs.js';
import { describeBlockerNow } from '../visibility/blockers.js';
import { elementAt } from '../visibility/element_at.js';
import { clickOutcome, pointerTargetOf } from '../visibility/hit_testing.js';
import { encodeJson } from './encoding.js';
import { watchPress } from './press_api.js';

/** Input types whose value a person sets with a picker, not by typing. */
export const PICKER_TYPES = /^(date|time|datetime-local|month|week|color|range)$/;

/**
 * A selector in each root on the path to an element, by position only; empty for an element in a closed shadow tree.
 * @param {any} element
 * @returns {string[]}
 */
function routeTo(element) {
  const route = [];
  for (let node = element; node;) {
    const root = treeRootOf(node);
    const steps = [];
    for (let at = node; at && at !== root; at = parentNodeOf(at)) {
      const siblings = [...childNodesOf(parentNodeOf(at))].filter((each) => nodeTypeOf(each) === Node.ELEMENT_NODE);
      steps.unshift(
        at === document.documentElement
          ? ':root'
          : `${CSS.escape(localNameOf(at))}:nth-child(${siblings.indexOf(at) + 1})`,
      );
    }
    route.unshift(steps.join(' > '));
    if (root === document) return route;
    if (!(root instanceof ShadowRoot) || root.mode !== 'open') return [];
    node = root.host;
  }
  return [];
}

/** Fires the events that a person's change would fire, after a change by script. @param {Element} element */
export function dispatchChange(element) {
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

export const inputApi = {
  /** Ends a pointer lock of this document. */
  freePointer() {
    if (document.pointerLockElement) document.exitPointerLock();
    return encodeJson(null);
  },

  /**
   * The path to an element from the document: a selector in each open root; empty if there is no such path.
   * @param {number} number
   */
  routeTo(number) {
    const element = nodeOf(number);
    return encodeJson(element ? routeTo(element) : []);
  },

  /**
   * What a click at a point would hit instead of an element; empty if it hits the element, whose press is watched then.
   * @param {number} number
   * @param {number} x
   * @param {number} y
   */
  clickBlockerAt(number, x, y) {
    const element = nodeOf(number);
    const target = element && pointerTargetOf(element);
    const hit = elementAt(x, y);
    const isReached = target && hit && (clickOutcome(target, hit) || clickOutcome(element, hit));
    const blocker = !target || !hit ? 'nothing' : isReached ? '' : describeBlockerNow(hit);
    if (!blocker) watchPress(element);
    return encodeJson(blocker);
  },

  /** The numbers that a slider says of itself, `null` for each that it does not. @param {number} number */
  sliderState(number) {
    const element = nodeOf(number);
    if (!element) return encodeJson(null);
    if (isRangeInput(element)) {
      const { min, max, step } = element;
      const by = step === 'any' ? 0 : Number(step) || 1;
      return encodeJson({ now: element.valueAsNumber, least: Number(min), most: Number(max || 100), step: by });
    }
    const [now, least, most] = ['now', 'min', 'max'].map((name) => {
      const text = attr(element, `aria-value${name}`);
      return text && Number.isFinite(Number(text)) ? Number(text) : null;
    });
    return encodeJson({ now, least, most });
  },

  /**
   * Sets the value of a field that accepts no typed text: a date, a color, a slider.
   * @param {number} number
   * @param {string} text
   * @returns {string} the resulting value; `null` for a field that has to be typed into
   */
  setPickerValue(number, text) {
    const element = nodeOf(number);
    if (
      !element ||
      tagOf(element) !== 'input' ||
      !PICKER_TYPES.test(element.type) ||
      element.disabled ||
      element.readOnly
    )
      return encodeJson(null);
    const before = element.value;
    element.value = text;
    const holds = element.value;
    const taken =
      holds.toLowerCase() === text.toLowerCase() ||
      (element.type === 'range' && text.trim() !== '' && Number(holds) === Number(text));
    if (taken) dispatchChange(element);
    else element.value = before;
    return encodeJson({ type: element.type, taken });
  },
};
