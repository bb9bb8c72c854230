// Presses: whether an element that a button was pressed on was still there when the button was released, and whether its
// form was refused.

import { refusedField } from '../dom/refused_forms.js';
import { isInPrivate, scanForMarks } from '../privacy/private_content.js';
import { secrecyOf } from '../privacy/sensitive_fields.js';
import { roleOf } from '../semantics/roles.js';
import { nameOf } from '../semantics/names.js';
import { encodeJson } from './encoding.js';

/** @type {{ element: Element, lost: boolean, clicked: boolean, note: (event: Event) => void }|null} */
let press = null;

const EVENTS = ['mouseup', 'click', 'auxclick', 'contextmenu'];

function endPress() {
  if (press) for (const name of EVENTS) removeEventListener(name, press.note, true);
  press = null;
}

/** Begins to watch what a press on an element comes to. @param {Element} element */
export function watchPress(element) {
  endPress();
  const note = (/** @type {Event} */ event) => {
    if (!press || !event.isTrusted) return;
    if (event.type !== 'mouseup') press.clicked = press.clicked || event.composedPath().includes(element);
    else if (!element.isConnected || !Element.prototype.checkVisibility.call(element)) press.lost = true;
  };
  for (const name of EVENTS) addEventListener(name, note, true);
  press = { element, lost: false, clicked: false, note };
}

/**
 * Where and in which words the browser says why a form is not sent; null where it does not. The words may hold what a
 * field holds: there are none for a private one.
 * @param {Element|null} clicked
 */
function refusalOf(clicked) {
  const field = refusedField(clicked);
  if (!field) return null;
  const role = roleOf(field);
  scanForMarks();
  const isPrivate = secrecyOf(field) !== '' || isInPrivate(field);
  return { role, name: nameOf(field, role), message: isPrivate ? '' : field.validationMessage };
}

export const pressApi = {
  /**
   * What the watched press came to: `lost`, the element was gone or hidden when the button was released, and got no
   * click; `refused`, as of `refusalOf`.
   */
  pressOutcome() {
    const lost = Boolean(press && press.lost && !press.clicked);
    const refused = press && press.clicked ? refusalOf(press.element) : null;
    endPress();
    return encodeJson({ lost, refused });
  },

  /** As `refusalOf`, after Enter. */
  refusalOfEnter: () => encodeJson(refusalOf(null)),
};
