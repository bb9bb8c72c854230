// The options of lists: what a list offers, which of it is chosen, and scrolling lists that draw only what is in view.

import {
  attr,
  boundsOf,
  closest,
  elementById,
  hasAttr,
  isRendered,
  matches,
  queryAll,
  queryAllIn,
  treeRootOf,
} from '../dom/access.js';
import { isDisabled, tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { allRoots } from '../dom/shadow_roots.js';
import { cleanText } from '../dom/text.js';
import { isEmpty, rectOf } from '../layout/rects.js';
import { DISABLED_CLASS } from '../semantics/affordances.js';
import { listedName } from '../semantics/listed_names.js';
import { forgetIndexes, nameOf } from '../semantics/names.js';
import { optionGroupOf } from '../semantics/option_labels.js';
import {
  isPaintLeftBehind,
  labelsShownBy,
  listBehind,
  listPaintedFor,
  isHitInMiddle,
} from '../semantics/painted_lists.js';
import { roleOf } from '../semantics/roles.js';
import { contentChanged } from '../tree/changes.js';
import { encodeJson } from './encoding.js';
import { dispatchChange } from './input_api.js';

/**
 * @typedef {{ number: number, label: string, painted: string, value: string, selected: boolean, disabled: boolean,
 *   group: string }} Choice
 */

const OPTION_SELECTOR = '[role=option], [role=menuitemradio], [role=treeitem]';

/** What a press on a field may open. */
const POPUP_SELECTOR = '[role=listbox], [role=menu], [role=tree], [role=grid], [role=dialog], [popover]';

/** @param {string} selector @returns {Element[]} those shown in the document and its shadow roots */
const shownAnywhere = (selector) =>
  allRoots()
    .flatMap((root) => [...queryAll(root, selector)])
    .filter(isRendered);

/**
 * The field whose list is being opened, and the options and popups that were shown before: those that its press has
 * brought are its own, whether or not its attributes name them.
 * @type {{ field: Element, before: Set<Element> }|null}
 */
let opening = null;

/** Of what is shown anywhere, what has come since a field was pressed. @param {Element} field @param {string} selector */
function shownSincePress(field, selector) {
  if (!opening || opening.field !== field) return [];
  const { before } = opening;
  for (const each of before) if (!isRendered(each)) before.delete(each); // shown again, it counts
  return shownAnywhere(selector).filter((each) => !before.has(each));
}

/** The elements that a field names as its own. @param {Element} field @returns {Element[]} */
const controlledBy = (field) =>
  /** @type {Element[]} */ (
    `${attr(field, 'aria-controls') || ''} ${attr(field, 'aria-owns') || ''}`
      .split(/\s+/)
      .filter(Boolean)
      .map((id) => elementById(/** @type {any} */ (treeRootOf(field)), id))
      .filter((each) => each !== null)
  );

/** Whether a list is open without its field saying so: what it names shows options, or its press has brought some. @param {Element} field */
function showsOptions(field) {
  const pressed = opening !== null && opening.field === field;
  if (!pressed && attr(field, 'aria-expanded') !== null) return false;
  const isInNamed = controlledBy(field).some((list) => [...queryAllIn(list, OPTION_SELECTOR)].some(isRendered));
  return isInNamed || shownSincePress(field, OPTION_SELECTOR).length > 0;
}

/** The name of the group around an option of an ARIA widget; empty for none. @param {Element} option */
function ariaGroupOf(option) {
  const around = closest(option, '[role=group]');
  return around ? nameOf(around, 'group') : '';
}

/**
 * The rows that a page paints beside a list without size, which is there for its names alone: the widest elements
 * beside it, down to where there is more than one; the options themselves where nothing is painted.
 * @param {Element} list
 * @param {Element[]} options
 * @returns {Element[]}
 */
function paintedRowsBeside(list, options) {
  const wide = (/** @type {Element} */ around) =>
    [...around.children].filter(
      (each) => each !== list && !isEmpty(rectOf(boundsOf(each))) && boundsOf(each).width > boundsOf(around).width / 2,
    );
  let rows = list.parentElement ? wide(list.parentElement) : [];
  while (rows.length === 1) {
    const inner = wide(rows[0]);
    if (!inner.length) break;
    rows = inner;
  }
  return rows.length ? rows : options;
}

/**
 * The choices that an ARIA widget offers now: its own options, else those of the lists it controls, else those that its
 * press has brought, else all visible ones.
 * @param {Element} element
 */
function ariaOptions(element) {
  for (const list of [element, ...controlledBy(element)]) {
    const found = [...queryAllIn(list, OPTION_SELECTOR)].filter((each) => each.checkVisibility());
    if (found.length) return isEmpty(rectOf(boundsOf(list))) ? paintedRowsBeside(list, found) : found;
  }
  const brought = shownSincePress(element, OPTION_SELECTOR);
  return brought.length ? brought : shownAnywhere(OPTION_SELECTOR);
}

/**
 * The rows that an element without a role shows of its native list, by label; null where it is painted for none.
 * @param {Element} box
 */
function plainRows(box) {
  const found = labelsShownBy(box);
  if (!found) return null;
  const { native, shown } = found;
  const before = opening && opening.field === box ? opening.before : null;
  const isOffered = (/** @type {any} */ option) =>
    !option.selected && shown.get(cleanText(option.label))?.some(isHitInMiddle);
  const isOpen = before !== null || [...native.options].some(isOffered);
  const rows = new Map();
  for (const [label, elements] of isOpen ? shown : []) {
    const row = elements.findLast((each) => !before || !before.has(each));
    if (row) rows.set(label, row);
  }
  return { native, rows };
}

/** An option of a native list. @param {any} option @param {Element} shown what stands for it */
const nativeChoice = (option, shown) => ({
  number: numberOf(shown),
  label: cleanText(option.label),
  painted: '',
  value: option.value,
  selected: option.selected,
  disabled: matches(option, ':disabled'),
  group: optionGroupOf(option),
});

/** The choices that a list offers. @param {any} element */
function choicesOf(element) {
  forgetIndexes();
  if (tagOf(element) === 'select') {
    const shown = [...element.options].filter((option) => getComputedStyle(option).display !== 'none');
    return {
      kind: element.multiple || element.size > 1 ? 'listbox' : 'select',
      multiple: element.multiple,
      options: shown.map((option) => nativeChoice(option, option)),
    };
  }
  const plain = plainRows(element);
  if (plain) {
    const { native, rows } = plain;
    const shown = [...native.options].filter((option) => rows.has(cleanText(option.label)));
    return {
      kind: rows.size ? 'aria-open' : 'aria-closed',
      multiple: false, // its native list tells what is chosen already
      options: shown.map((option) => nativeChoice(option, rows.get(cleanText(option.label)))),
    };
  }
  const role = roleOf(element);
  const opens = role === 'combobox' || (attr(element, 'aria-haspopup') || 'false') !== 'false';
  if (role !== 'listbox' && !opens) return { kind: '', multiple: false, options: [] };
  const isOpen = role === 'listbox' || attr(element, 'aria-expanded') === 'true' || showsOptions(element);
  const options = isOpen ? ariaOptions(element) : [];
  const list = options.length ? closest(options[0], '[role=listbox], [role=tree]') : null;
  return {
    kind: role === 'listbox' ? 'aria-listbox' : isOpen ? 'aria-open' : 'aria-closed',
    multiple: [element, list].some((each) => each && attr(each, 'aria-multiselectable') === 'true'),
    shown: element.value || '',
    changed: contentChanged(),
    filters: tagOf(element) === 'input' && !element.readOnly && element.value !== '',
    options: options.map((option) => ({
      number: numberOf(option),
      label:
        cleanText(listedName(option, { role: roleOf(option), interactive: true, zone: false }, false)) ||
        cleanText(paintedText(option)),
      painted: cleanText(paintedText(option)),
      value: attr(option, 'data-value') || attr(option, 'value') || '',
      selected: attr(option, 'aria-selected') === 'true',
      disabled: isDisabled(option) || saysDisabled(option),
      group: ariaGroupOf(option),
    })),
  };
}

/** Whether an option says that it is disabled in words of its library's own. @param {Element} option */
function saysDisabled(option) {
  if (hasAttr(option, 'data-disabled') && attr(option, 'data-disabled') !== 'false') return true;
  return DISABLED_CLASS.test(attr(option, 'class') || '') && getComputedStyle(option).cursor !== 'pointer';
}

/** The text of an element without what is not displayed, and without what style adds to it. @param {any} element */
const paintedText = (element) => (element instanceof HTMLElement ? element.innerText : '');

/** What scrolls the options of a list, or clips them; null if nothing does. @param {Element} option */
function scrollerOf(option) {
  for (let node = flatParentOf(option); node && node !== document.documentElement; node = flatParentOf(node)) {
    if (node.scrollHeight <= node.clientHeight + 1 || node === document.body) continue;
    if (getComputedStyle(node).overflowY !== 'visible') return node;
  }
  return null;
}

export const optionsApi = {
  /**
   * The choices that a list offers.
   * @param {number} number
   * @param {boolean} anew what an earlier press has brought is not counted as its own
   */
  choices(number, anew) {
    if (anew) opening = null;
    const element = nodeOf(number);
    return encodeJson(element ? choicesOf(element) : null);
  },

  /** Begins to open the list of a field: what is shown now was not brought by it. @param {number} number */
  watchOpening(number) {
    const field = nodeOf(number);
    const labels = field && labelsShownBy(field);
    const shown = labels
      ? [...labels.shown.values()].flat().filter(isHitInMiddle) // rows of a list that fades out are none
      : shownAnywhere(`${OPTION_SELECTOR}, ${POPUP_SELECTOR}`);
    opening = field && { field, before: new Set(shown) };
    return encodeJson(field !== null);
  },

  /**
   * Whether a field that was pressed has opened something that is still shown.
   * @param {number} number
   */
  isOpened(number) {
    const field = nodeOf(number);
    if (!field || !opening || opening.field !== field) return encodeJson(false);
    if (attr(field, 'aria-expanded') === 'true') return encodeJson(true);
    const plain = plainRows(field);
    if (plain) return encodeJson(plain.rows.size > 0);
    return encodeJson(shownSincePress(field, `${OPTION_SELECTOR}, ${POPUP_SELECTOR}`).length > 0);
  },

  /** Whether an element is in a dialog, which the key Escape may close. @param {number} number */
  isInDialog(number) {
    const element = nodeOf(number);
    return encodeJson(Boolean(element && closest(element, 'dialog, [role=dialog], [role=alertdialog]')));
  },

  /**
   * The number of the list that a page paints for a native one that nobody sees; 0 for none.
   * @param {number} number
   */
  listPaintedFor(number) {
    const list = nodeOf(number);
    const painted = list && listPaintedFor(list);
    return encodeJson(painted ? numberOf(painted) : 0);
  },

  /** The number of the native list that an element without a role is painted for; 0 for none. @param {number} number */
  listBehind(number) {
    const painted = nodeOf(number);
    const list = painted && listBehind(painted);
    return encodeJson(list ? numberOf(list) : 0);
  },

  /**
   * Whether a page shows a text beside a native list that nobody sees, without these options' labels.
   * @param {number} number
   * @param {number[]} wanted the options' own numbers
   */
  isLeftBehind(number, wanted) {
    const list = nodeOf(number);
    const labels = wanted.flatMap((each) => cleanText(nodeOf(each)?.label || ''));
    return encodeJson(list !== null && isPaintLeftBehind(list, labels));
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

  /**
   * Scrolls a list that is open to its start, or on until the last option that is drawn comes first.
   * @param {number} number
   * @param {number|null} last the last option as read before; null for the start
   * @returns {string} whether it has moved; `null` where the list draws others by now, or none where it stands
   */
  scrollOptions(number, last) {
    const element = nodeOf(number);
    const options = element ? ariaOptions(element) : [];
    const scroller = options.length ? scrollerOf(options[0]) : null;
    if (last !== null && options.length && numberOf(options[options.length - 1]) !== last) return encodeJson(null);
    if (!scroller) return encodeJson(false);
    const before = scroller.scrollTop;
    const view = boundsOf(scroller);
    const boxes = options.map((each) => boundsOf(each)).filter((box) => box.height > 0);
    const lowest = boxes.reduce((best, box) => (box.bottom > best.bottom ? box : best), boxes[0] || view);
    if (last !== null && (!boxes.length || lowest.bottom <= view.top)) return encodeJson(null);
    const by = lowest.top > view.top + 1 ? lowest.top - view.top : lowest.bottom - view.top;
    const scale = view.height / /** @type {HTMLElement} */ (scroller).offsetHeight; // it may still grow as it opens
    scroller.scrollTo({ top: last === null ? 0 : before + by / scale, behavior: 'instant' });
    return encodeJson(scroller.scrollTop !== before);
  },
};
