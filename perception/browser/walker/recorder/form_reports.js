// Form reports: what the forms of a document would send when something is done, and which of it is not as the page first
// showed it.

import { readForms } from '../dom/form_slots.js';
import { secrecyOf } from '../privacy/sensitive_fields.js';

const MAX_REPORTED_VALUE = 2000;

export class FormReporter {
  /** The state of each control when it was first seen. @type {WeakMap<Element, string>} */
  #first = new WeakMap();
  /** Controls that were there before anything was done at this address. @type {WeakSet<Element>} */
  #early = new WeakSet();
  #address = '';
  #last = '';

  /** Remembers controls that are new. @returns {any[]} the forms for a report, of which secrets are left out */
  look() {
    const isFirst = this.#address !== location.href;
    this.#address = location.href;
    const forms = readForms();
    for (const { slots } of forms) {
      /** @type {Map<Element, string>} */
      const states = new Map();
      for (const { control, value, on } of slots)
        states.set(control, `${states.get(control) || ''}|${on ? value : ''}${on}`);
      for (const [control, state] of states) {
        if (!this.#first.has(control)) this.#first.set(control, state);
        if (isFirst) this.#early.add(control);
      }
      for (const slot of slots) {
        const { control } = slot;
        Object.assign(slot, {
          changed: this.#first.get(control) !== states.get(control),
          late: !this.#early.has(control),
        });
      }
    }
    return forms.map(({ isForm, names, slots }) => ({
      is_form: isForm,
      names,
      entries: slots
        .filter(({ control }) => isForm || !secrecyOf(control))
        .map((/** @type {any} */ { name, value, kind, on, changed, late }) => ({
          name,
          value: value.slice(0, MAX_REPORTED_VALUE),
          kind,
          on,
          changed,
          late,
        })),
    }));
  }

  /** The forms, if they are not as they were reported last; else null. */
  news() {
    const forms = this.look();
    const text = JSON.stringify(forms);
    if (text === this.#last) return null;
    this.#last = text;
    return forms;
  }
}
