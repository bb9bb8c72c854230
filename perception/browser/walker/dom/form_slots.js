// Form slots: what each control of a form would send, in the order of the form, whether or not it sends it now (HTML,
// "constructing the entry set").

import { attr, closest, matches, queryAll } from './access.js';
import { tagOf } from './elements.js';

/** Forms of a document and slots of a form that are read. Chosen by hand. */
const MAX_FORMS_READ = 20;
const MAX_SLOTS = 500;

/**
 * A slot: `text`, `check`, `radio`, `option`, `file` or `submit`; `on` says whether it is sent now.
 * @typedef {{ name: string, value: string, kind: string, on: boolean, control: Element }} FormSlot
 */

const CONTROLS = 'input, select, textarea, button';

/** @param {any} control @param {string} name @returns {FormSlot[]} */
function slotsOf(control, name) {
  const tag = tagOf(control);
  const slot = (/** @type {string} */ kind, /** @type {string} */ value, on = true) => ({
    name,
    value,
    kind,
    on,
    control,
  });
  if (tag === 'select')
    return [...control.options]
      .filter((/** @type {any} */ option) => option.selected && !matches(option, ':disabled'))
      .map((/** @type {any} */ option) => slot('option', option.value));
  if (tag === 'button') return control.type === 'submit' ? [slot('submit', control.value, false)] : [];
  if (tag !== 'input') return [slot('text', control.value)];
  if (/^(?:checkbox|radio)$/.test(control.type))
    return [slot(control.type === 'radio' ? 'radio' : 'check', control.value, control.checked)];
  if (control.type === 'submit') return [slot('submit', control.value, false)];
  if (/^(?:button|reset|image)$/.test(control.type)) return [];
  if (control.type === 'file') return [slot('file', '', true)];
  return [slot('text', control.value)];
}

/** @param {Element[]} controls @returns {FormSlot[]} */
function readSlots(controls) {
  return controls
    .filter((control) => !matches(control, ':disabled') && !closest(control, 'datalist'))
    .flatMap((control) => {
      const name = attr(control, 'name') || '';
      return name ? slotsOf(control, name) : [];
    })
    .slice(0, MAX_SLOTS);
}

/**
 * The forms of the document, and the controls that are in none as the last one. Those have the name or the id.
 * @returns {{ isForm: boolean, names: string[], slots: FormSlot[] }[]}
 */
export function readForms() {
  const found = queryAll(document, 'form')
    .slice(0, MAX_FORMS_READ)
    .map((form) => {
      const controls = queryAll(document, CONTROLS).filter((each) => /** @type {any} */ (each).form === form);
      const names = [...new Set(controls.map((each) => attr(each, 'name') || '').filter(Boolean))];
      return { isForm: true, names, slots: readSlots(controls) };
    });
  const loose = queryAll(document, CONTROLS).flatMap((control) => {
    const name = attr(control, 'name') || attr(control, 'id') || '';
    return name && !matches(control, ':disabled') ? slotsOf(control, name) : [];
  });
  return [...found, { isForm: false, names: [], slots: loose.slice(0, MAX_SLOTS) }];
}
