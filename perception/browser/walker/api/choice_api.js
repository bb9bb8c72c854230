// Choices: whether the page was told of an option that a person has chosen, and did something with it.

import { nodeOf } from '../dom/node_numbers.js';
import { shownInPlaceOf, traitsOf } from '../semantics/replacements.js';
import { encodeJson } from './encoding.js';

/**
 * The list that is watched: whether it has told the page that one of the wanted options was chosen, and whether the page
 * has changed anything since, in the options of the list or elsewhere; what the list and those options are known again by.
 * @type {{ told: boolean, changed: boolean, observer: MutationObserver, note: (event: Event) => void,
 *   list: import('../semantics/replacements.js').Traits, options: string }|null}
 */
let choosing = null;

function endChoosing() {
  if (!choosing) return;
  choosing.observer.disconnect();
  removeEventListener('change', choosing.note, true);
  choosing = null;
}

/** @param {any} list @param {MutationRecord[]} records */
function noteChanges(list, records) {
  const isOfPage = (/** @type {MutationRecord} */ { target, type }) =>
    type === 'childList' || !Node.prototype.contains.call(list, target);
  if (choosing && choosing.told && records.some(isOfPage)) choosing.changed = true;
}

/** Labels and values of options, in their order. @param {any[]} options */
const optionWords = (options) => encodeJson(options.map((each) => [each.label, each.value]));

export const choiceApi = {
  /**
   * Begins to watch a list.
   * @param {number} number
   * @param {number[]} wanted the options' own numbers
   */
  watchChoice(number, wanted) {
    endChoosing();
    const list = nodeOf(number);
    const options = wanted.map(nodeOf);
    if (!list) return encodeJson(false);
    const note = (/** @type {Event} */ event) => {
      if (!choosing || !event.isTrusted || event.composedPath()[0] !== list) return;
      noteChanges(list, choosing.observer.takeRecords());
      if (options.some((option) => option && /** @type {any} */ (option).selected)) choosing.told = true;
    };
    const observer = new MutationObserver((records) => noteChanges(list, records));
    observer.observe(document, { childList: true, characterData: true, attributes: true, subtree: true });
    addEventListener('change', note, true);
    const known = { list: traitsOf(list), options: optionWords(options.filter(Boolean)) };
    choosing = { told: false, changed: false, observer, note, ...known };
    return encodeJson(true);
  },

  /**
   * What came of the choice, since the watch began; ends the watch.
   * @param {number} number of the list
   * @returns {string} whether the page was told of it, whether it has changed anything then, and whether the list,
   *   or what is in its place, shows such options as the selected ones
   */
  choiceMade(number) {
    const list = nodeOf(number);
    if (choosing && list) noteChanges(list, choosing.observer.takeRecords());
    const shown = choosing && (list || shownInPlaceOf(choosing.list));
    const made = {
      shown: Boolean(choosing && shown && optionWords([...shown.selectedOptions]) === choosing.options),
      told: Boolean(choosing && choosing.told),
      changed: Boolean(choosing && (choosing.changed || !list)),
    };
    endChoosing();
    return encodeJson(made);
  },
};
