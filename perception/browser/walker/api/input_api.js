// Queries for input beyond looking: choices of a list, fields with a picker, the path to an element.

import {
  attr,
  childNodesOf,
  closest,
  elementById,
  localNameOf,
  matches,
  nodeTypeOf,
  parentNodeOf,
  queryAll,
  queryAllIn,
  treeRootOf,
} from '../dom/access.js';
import { isDisabled, tagOf } from '../dom/elements.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { allRoots } from '../dom/shadow_roots.js';
import { cleanText } from '../dom/text.js';
import { listedName } from '../semantics/listed_names.js';
import { forgetIndexes, nameOf } from '../semantics/names.js';
import { optionGroupOf } from '../semantics/option_labels.js';
import { roleOf } from '../semantics/roles.js';
import { isRangeInput } from '../semantics/slider_thumbs.js';
import { describeBlocker } from '../visibility/blockers.js';
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

/**
 * @typedef {{ number: number, label: string, value: string, selected: boolean, disabled: boolean, group: string }} Choice
 */

/** The name of the group around an option of an ARIA widget; empty for none. @param {Element} option */
function ariaGroupOf(option) {
  const around = closest(option, '[role=group]');
  return around ? nameOf(around, 'group') : '';
}

/**
 * The choices that an ARIA widget offers now: its own options, else those of the lists it controls, else all visible
 * ones.
 * @param {Element} element
 */
function ariaOptions(element) {
  const lists = [
    element,
    ...`${attr(element, 'aria-controls') || ''} ${attr(element, 'aria-owns') || ''}`
      .split(/\s+/)
      .filter(Boolean)
      .map((id) => elementById(/** @type {any} */ (treeRootOf(element)), id))
      .filter((each) => each !== null),
  ];
  const isOption = '[role=option], [role=menuitemradio], [role=treeitem]';
  for (const list of lists) {
    const found = [...queryAllIn(list, isOption)].filter((each) => each.checkVisibility());
    if (found.length) return found;
  }
  return allRoots()
    .flatMap((root) => queryAll(root, isOption))
    .filter((each) => each.checkVisibility());
}

/** The choices that a list offers. @param {any} element */
function choicesOf(element) {
  forgetIndexes();
  if (tagOf(element) === 'select') {
    const shown = [...element.options].filter((option) => getComputedStyle(option).display !== 'none');
    return {
      kind: element.multiple || element.size > 1 ? 'listbox' : 'select',
      multiple: element.multiple,
      options: shown.map((option) => ({
        number: numberOf(option),
        label: cleanText(option.label),
        value: option.value,
        selected: option.selected,
        disabled: matches(option, ':disabled'),
        group: optionGroupOf(option),
      })),
    };
  }
  const role = roleOf(element);
  const opens = role === 'combobox' || (attr(element, 'aria-haspopup') || 'false') !== 'false';
  if (role !== 'listbox' && !opens) return { kind: '', multiple: false, options: [] };
  const isOpen = role === 'listbox' || attr(element, 'aria-expanded') === 'true';
  return {
    kind: role === 'listbox' ? 'aria-listbox' : isOpen ? 'aria-open' : 'aria-closed',
    multiple: attr(element, 'aria-multiselectable') === 'true',
    options: (isOpen ? ariaOptions(element) : []).map((option) => ({
      number: numberOf(option),
      label:
        cleanText(listedName(option, { role: roleOf(option), interactive: true, zone: false }, false)) ||
        cleanText(paintedText(option)),
      value: attr(option, 'data-value') || attr(option, 'value') || '',
      selected: attr(option, 'aria-selected') === 'true',
      disabled: isDisabled(option),
      group: ariaGroupOf(option),
    })),
  };
}

/** The text of an element without what is not displayed. @param {any} element */
const paintedText = (element) => (element instanceof HTMLElement ? element.innerText : '');

/** Fires the events that a person's change would fire, after a change by script. @param {Element} element */
function dispatchChange(element) {
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
    const blocker = !target || !hit ? 'nothing' : isReached ? '' : describeBlocker(hit);
    if (!blocker) watchPress(element);
    return encodeJson(blocker);
  },

  /** The choices that a list offers. @param {number} number */
  choices(number) {
    const element = nodeOf(number);
    return encodeJson(element ? choicesOf(element) : null);
  },

  /**
   * Sets which options of a native list are selected, and fires the page's events.
   * @param {number} number
   * @param {number[]} wanted the options' own numbers
   */
  setSelected(number, wanted) {
    const element = nodeOf(number);
    if (!element) return encodeJson(false);
    for (const option of element.options) option.selected = wanted.includes(numberOf(option));
    dispatchChange(element);
    return encodeJson(true);
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
