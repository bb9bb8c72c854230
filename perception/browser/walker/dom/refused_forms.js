// Forms that a browser does not send: it shows a message at the first field that is not valid, which is in no document
// (HTML, "interactively validate the constraints").

import { closest, controlsOfForm, hasAttr, matches } from './access.js';
import { focusedElement } from './elements.js';

const INVALID = 'input:invalid, select:invalid, textarea:invalid';

/**
 * The field that shows why its form was not sent, after a click or Enter: the form's first that is not valid has got the
 * focus.
 * @param {Element|null} clicked null for Enter
 * @returns {HTMLInputElement|null}
 */
export function refusedField(clicked) {
  const field = /** @type {HTMLInputElement|null} */ (focusedElement());
  const form = field && matches(field, INVALID) ? field.form : null;
  if (!form || hasAttr(form, 'novalidate') || (clicked && !sends(clicked, form))) return null;
  for (const each of controlsOfForm(form)) if (matches(each, INVALID)) return each === field ? field : null;
  return null;
}

/** Whether a click on an element sends a form, if its fields are valid. @param {Element} clicked @param {Element} form */
function sends(clicked, form) {
  const button = /** @type {HTMLInputElement|null} */ (closest(clicked, 'button, input'));
  const isSubmit = button !== null && /^(?:submit|image)$/.test(button.type);
  return isSubmit && button.form === form && !hasAttr(button, 'formnovalidate');
}
