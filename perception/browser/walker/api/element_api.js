// Queries about one element, for actions.

import { wordsInside } from '../content/words_inside.js';
import { closest, isRendered, matches, queryAll } from '../dom/access.js';
import { focusedElement } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { readForms } from '../dom/form_slots.js';
import { labelsOf } from '../dom/labels.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { rootsUnder, shadowRootIn } from '../dom/shadow_roots.js';
import { boxOf, textBox } from '../layout/boxes.js';
import { pictureOfMap } from '../layout/image_maps.js';
import { NOWHERE, isEmpty } from '../layout/rects.js';
import { revealPlace } from '../layout/scrolling.js';
import { scanForMarks } from '../privacy/private_content.js';
import { neighborhoodOf } from '../selectors/neighborhood.js';
import { elementsInRow } from '../selectors/rows_around.js';
import { forgetIndexes } from '../semantics/names.js';
import { noteAim } from './caret_api.js';
import { factsOf, factsOfText, isOutOfView } from './element_facts.js';
import { encodeJson } from './encoding.js';
import { watchPress } from './press_api.js';

/** @param {Text} text */
function middleOfText(text) {
  const [left, top, right, bottom] = textBox(text) || NOWHERE;
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

export const elementApi = {
  /**
   * @param {number} number
   * @param {number} text of the text in it that is meant; 0 for all of it
   * @returns {string} its facts, or `null` when it is gone
   */
  elementFacts(number, text) {
    const element = nodeOf(number);
    const meant = text ? nodeOf(text) : null;
    if (!element || (text && !meant)) return encodeJson(null);
    noteAim(element);
    return encodeJson(meant ? factsOfText(element, meant) : factsOf(element));
  },

  /**
   * Number of the element that a text is painted in; its own for an element, which paints generated text. `null` when it
   * is gone.
   * @param {number} number
   */
  elementOfText(number) {
    const node = nodeOf(number);
    const around = node instanceof Text ? flatParentOf(node) : node;
    return encodeJson(around ? numberOf(around) : null);
  },

  /**
   * What is said inside some elements: for each piece its number, its words, and the numbers of the elements around it.
   * @param {number[]} numbers
   */
  wordsInside(numbers) {
    scanForMarks();
    const elements = numbers.map(nodeOf).filter((each) => each instanceof Element);
    const pieces = elements.flatMap((each) => wordsInside(/** @type {Element} */ (each)));
    return encodeJson(pieces.map(({ node, words, around }) => [numberOf(node), words, around.map(numberOf)]));
  },

  /** Which of some texts and elements are painted. @param {number[]} numbers */
  areSeen(numbers) {
    return encodeJson(
      numbers.map((number) => {
        const node = nodeOf(number);
        const around = node instanceof Text ? flatParentOf(node) : null;
        const element = around || node;
        if (!(element instanceof Element) || !isRendered(element)) return false;
        return around ? factsOfText(around, /** @type {Text} */ (node)).seen : factsOf(element).seen;
      }),
    );
  },

  /** What is around an element, `null` when it is gone. @param {number} number */
  neighborhood(number) {
    const element = nodeOf(number);
    forgetIndexes();
    scanForMarks();
    return encodeJson(element ? neighborhoodOf(element) : null);
  },

  /**
   * Those of some elements that stand in a row with a cell of this text: numbers, by row.
   * @param {number[]} numbers
   * @param {string} column header of the cell's column; empty for none
   * @param {string} text
   */
  elementsInRow(numbers, column, text) {
    forgetIndexes();
    scanForMarks();
    const elements = numbers.map(nodeOf).filter((each) => each instanceof Element);
    const rows = elementsInRow(/** @type {Element[]} */ (elements), column, text);
    return encodeJson(rows.map((row) => row.map(numberOf)));
  },

  /**
   * Numbers of those of some links that lead to an address of this origin.
   * @param {number[]} numbers
   * @param {string} address path, query and fragment
   */
  linksTo(numbers, address) {
    const wanted = new URL(address, location.origin).href;
    const leads = (/** @type {any} */ element) => {
      const link = element && closest(element, 'a[href], area[href]');
      return Boolean(link) && /** @type {any} */ (link).href === wanted;
    };
    return encodeJson(numbers.filter((number) => leads(nodeOf(number))));
  },

  /**
   * What the controls of each form would send; the last is all controls by name or id.
   * @returns {string} for each [is a form, names, slots as [name, value, kind, on]]
   */
  formSlots() {
    return encodeJson(
      readForms().map(({ isForm, names, slots }) => [
        isForm,
        names,
        slots.map(({ name, value, kind, on }) => [name, value, kind, on]),
      ]),
    );
  },

  /** The focused element's facts, `null` for none. */
  focusedFacts() {
    const element = focusedElement();
    return encodeJson(element ? { ...factsOf(element), number: numberOf(element) } : null);
  },

  /**
   * Whether the pointer is on an element, whose press is watched then. In quirks mode a bare `:hover` matches links alone, hence `:is`.
   * @param {number} number
   */
  isHovered(number) {
    const element = nodeOf(number);
    const isHovered = Boolean(element) && matches(element, ':is(:hover)');
    if (isHovered) watchPress(element);
    return encodeJson(isHovered);
  },

  /**
   * Which of these elements a person sees once they have scrolled there, and not before.
   * @param {number[]} numbers
   */
  areOutOfView(numbers) {
    return encodeJson(numbers.map((number) => isOutOfView(nodeOf(number))));
  },

  /**
   * Brings an element into view, or a text in it.
   * @param {number} number
   * @param {number} text as of `elementFacts`
   */
  scrollIntoView(number, text) {
    const element = nodeOf(number);
    const meant = text ? nodeOf(text) : null;
    forgetIndexes();
    if (meant) {
      revealPlace(meant, () => middleOfText(meant));
      return encodeJson(true);
    }
    const shown =
      element && isEmpty(boxOf(element, 'block'))
        ? labelsOf(element).find((label) => label.checkVisibility()) || pictureOfMap(element) || element
        : element;
    if (shown) shown.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return encodeJson(Boolean(element));
  },

  /**
   * Numbers of the elements that match a selector: in the tree itself and, only if there are none, in the shadow roots
   * inside it.
   * @param {string} selector
   * @param {number|null} host of the shadow root to search; null for the document
   */
  findBySelector(selector, host) {
    try {
      document.createDocumentFragment().querySelector(selector);
    } catch {
      return encodeJson({ error: true });
    }
    const element = host === null ? null : nodeOf(host);
    const root = host === null ? document : element && shadowRootIn(element);
    if (!root) return encodeJson({ numbers: [], count: 0, rootless: true });
    const own = queryAll(root, selector);
    const found = own.length
      ? own
      : rootsUnder(root)
          .slice(1)
          .flatMap((each) => queryAll(each, selector));
    return encodeJson({ numbers: found.slice(0, 100).map(numberOf), count: found.length });
  },
};
