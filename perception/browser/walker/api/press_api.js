// Presses: whether an element that a button was pressed on was still there when the button was released, whether it got
// a click, and whether its form was refused.

import { treeRootOf } from '../dom/access.js';
import { refusedField } from '../dom/refused_forms.js';
import { scanForMarks } from '../privacy/private_content.js';
import { isSecret } from '../privacy/sensitive_fields.js';
import { roleOf } from '../semantics/roles.js';
import { INTERACTIVE_ROLES } from '../semantics/role_tables.js';
import { nameOf } from '../semantics/names.js';
import { encodeJson } from './encoding.js';

/**
 * The press that is watched: whether the button went down on the element, whether another field lost the focus to that,
 * whether the element was gone or hidden when the button was released, and whether it got a click.
 * @type {{ element: Element, down: boolean, left: boolean, lost: boolean, clicked: boolean,
 *   note: (event: Event) => void }|null}
 */
let press = null;

const EVENTS = ['mousedown', 'change', 'focusout', 'mouseup', 'click', 'auxclick', 'contextmenu'];

/** What a field sends that loses the focus: `change` alone where the page removes it then. */
const LEAVING = new Set(['change', 'focusout']);

function endPress() {
  if (press) for (const name of EVENTS) removeEventListener(name, press.note, true);
  press = null;
}

/** The component that an element is the inside of, where that is a control: it takes the clicks. @param {Element} element */
function controlAround(element) {
  const root = treeRootOf(element);
  return root instanceof ShadowRoot && INTERACTIVE_ROLES.has(roleOf(root.host)) ? root.host : element;
}

/** Begins to watch what a press on an element comes to. @param {Element} element */
export function watchPress(element) {
  endPress();
  const control = controlAround(element);
  const note = (/** @type {Event} */ event) => {
    if (!press || !event.isTrusted) return;
    const path = event.composedPath();
    const isOn = path.includes(element);
    if (event.type === 'mousedown') press.down = press.down || isOn;
    else if (LEAVING.has(event.type)) press.left = press.left || (press.down && !isOn);
    else if (event.type !== 'mouseup') press.clicked = press.clicked || path.includes(control);
    else if (!element.isConnected || !Element.prototype.checkVisibility.call(element)) press.lost = true;
  };
  for (const name of EVENTS) addEventListener(name, note, true);
  press = { element, down: false, left: false, lost: false, clicked: false, note };
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
  return { role, name: nameOf(field, role), message: isSecret(field) ? '' : field.validationMessage };
}

export const pressApi = {
  /**
   * What the watched press came to: `lost`, the element was gone or hidden when the button was released, and got no
   * click; `missed`, it was there and got none; `left`, another field lost the focus to the press; `refused`, as of
   * `refusalOf`.
   */
  pressOutcome() {
    const isUnclicked = press !== null && !press.clicked;
    const lost = Boolean(isUnclicked && press && press.lost);
    const missed = Boolean(isUnclicked && press && press.down && !press.lost);
    const left = Boolean(press && press.left);
    const refused = press && press.clicked ? refusalOf(press.element) : null;
    endPress();
    return encodeJson({ lost, missed, left, refused });
  },

  /** As `refusalOf`, after Enter. */
  refusalOfEnter: () => encodeJson(refusalOf(null)),
};
