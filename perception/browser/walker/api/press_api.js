// Presses: whether an element that a button was pressed on was still there when the button was released.

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

export const pressApi = {
  /** Whether the watched element was gone or hidden when the button was released, and got no click. */
  pressWasLost() {
    const lost = Boolean(press && press.lost && !press.clicked);
    endPress();
    return encodeJson(lost);
  },
};
