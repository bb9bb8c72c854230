// Private content: what a page marks as private, so that session recorders exclude it.

import { closest, matches, parentNodeOf, treeRootOf } from '../dom/access.js';
import { shadowRootIn } from '../dom/shadow_roots.js';

/** @import { Part } from '../tree/part.js' */

/** `password` is never shown, `private` only on request. @typedef {''|'password'|'private'} Secrecy */

export const privacy = {
  /** The caller has requested private content. */
  revealed: false,
  /** The document contains, or once contained, content that is marked as private. */
  marked: false,
  /** Every element must be checked for the mark. */
  asksEach: true,
  /** Counts texts that were left out of names. */
  withheld: 0,
};

/** @param {string} names of attributes, each with a value that enables it, or without a value */
const switchedOn = (names) =>
  names
    .split(' ')
    .map((name) => `[${name}]:not([${name}=false i])`)
    .join(', ');
/** @param {string} names */
const classes = (names) =>
  names
    .split(' ')
    .map((name) => `.${name}`)
    .join(', ');

/**
 * How pages mark content that session recorders (Hotjar, Datadog, Sentry, rrweb, FullStory, PostHog, LogRocket,
 * OpenReplay, Clarity, Contentsquare, Heap, Smartlook, Matomo, New Relic, Mixpanel, Amplitude, Highlight, Metrica) must
 * not record. `data-mask` does not count: it marks inputs with a format (Inputmask), dialogs with a backdrop (B-JUI)
 * and what is to be clipped.
 */
export const PRIVATE_SELECTOR = [
  switchedOn(
    'data-sensitive data-private data-hj-suppress data-hj-masked data-sentry-mask ' +
      'data-sentry-block data-openreplay-masked data-openreplay-obscured ' +
      'data-openreplay-hidden data-clarity-mask data-cs-mask data-heap-redact-text ' +
      'data-recording-sensitive data-matomo-mask data-nr-mask data-nr-block',
  ),
  '[data-dd-privacy=mask], [data-dd-privacy=hidden]',
  classes(
    'data-hj-suppress sentry-mask sentry-block rr-mask rr-block fs-mask fs-exclude ' +
      'fs-mask-without-consent fs-exclude-without-consent ph-no-capture ph-mask ' +
      'dd-privacy-mask dd-privacy-hidden mp-mask mp-block amp-mask amp-block nr-mask nr-block ' +
      'highlight-mask highlight-block ym-hide-content smartlook-hide',
  ),
].join(', ');

/** Exceptions within the above that may be recorded. */
export const PUBLIC_SELECTOR =
  '[data-dd-privacy=allow], .dd-privacy-allow, .fs-unmask, [data-sentry-unmask], ' +
  '.sentry-unmask, [data-clarity-unmask=true i], [data-matomo-unmask], [data-hj-allow], ' +
  '.amp-unmask';

/** Elements in which only typed text is private. */
export const PRIVATE_INPUT_SELECTOR =
  '[data-dd-privacy=mask-user-input], .dd-privacy-mask-user-input, .ym-disable-keys, .rr-ignore';

/** Searches a whole document first: if nothing is marked, no element needs to be checked. */
export function scanForMarks() {
  privacy.asksEach = document.querySelector(PRIVATE_SELECTOR) !== null;
  privacy.marked = privacy.marked || privacy.asksEach;
}

/**
 * Whether the content of an element is private.
 * @param {Element} element
 * @param {boolean} around whether its container is private
 */
export function isMarkedPrivate(element, around) {
  if (!privacy.asksEach) {
    const root = shadowRootIn(element);
    if (!root || !root.querySelector(PRIVATE_SELECTOR)) return around;
    privacy.asksEach = true;
  }
  if (!matches(element, PRIVATE_SELECTOR)) return around && !matches(element, PUBLIC_SELECTOR);
  privacy.marked = true;
  return true;
}

/** As `isMarkedPrivate`, for single elements. @param {Node|null} node */
export function isInPrivate(node) {
  if (!privacy.marked || !node) return false;
  for (
    let element = node instanceof Element ? node : parentNodeOf(node);
    element;
    element = /** @type {any} */ (treeRootOf(element)).host
  ) {
    if (element instanceof ShadowRoot) element = element.host;
    const mark = element instanceof Element ? closest(element, `${PRIVATE_SELECTOR}, ${PUBLIC_SELECTOR}`) : null;
    if (mark) return matches(mark, PRIVATE_SELECTOR);
  }
  return false;
}

/** Whether it is in private content that must not be revealed. @param {Node} node */
export function isWithheld(node) {
  if (privacy.revealed || !isInPrivate(node)) return false;
  privacy.withheld++;
  return true;
}

/** Whether it is excluded from names. @param {Element} element */
export function isWithheldFromNames(element) {
  if (!privacy.marked || privacy.revealed || !matches(element, PRIVATE_SELECTOR)) return false;
  privacy.withheld++;
  return true;
}

/** Whether its text is painted as dots. @param {CSSStyleDeclaration} style */
export const isPaintedAsDots = (style) => /** @type {any} */ (style).webkitTextSecurity !== 'none';

/** Whether the text of a part must not be revealed. @param {Part} part */
export function isTextWithheld(part) {
  if (part.paintedAsDots === undefined) part.paintedAsDots = isPaintedAsDots(getComputedStyle(part.element));
  return !privacy.revealed && (part.isPrivate || part.paintedAsDots);
}
