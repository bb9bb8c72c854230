// Explains why an element is listed as it is, or is not listed: the walker's decisions about one node and their inputs.

import { attr, hasAttr, nodeTypeOf, textContentOf } from '../dom/access.js';
import { hasListener } from '../dom/listeners.js';
import { isClosedDetails, isInert, tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { nodeOf, numberOf } from '../dom/node_numbers.js';
import { everyElement } from '../dom/shadow_roots.js';
import { cleanText } from '../dom/text.js';
import { visibleRect } from '../layout/clips.js';
import { boxOfPart } from '../layout/image_maps.js';
import { overlap } from '../layout/rects.js';
import { walks, wholeViewport } from '../layout/viewport.js';
import { INTERACTIVE_ROLES } from '../semantics/role_tables.js';
import { secrecyOfPart } from '../privacy/sensitive_fields.js';
import { UNPAINTED_TAGS, partOf } from '../tree/part.js';
import { isLeaf } from '../tree/pictures.js';
import { describeBlockerNow } from '../visibility/blockers.js';
import { factsOf } from './element_facts.js';
import { encodeJson } from './encoding.js';

/** @import { Part } from '../tree/part.js' */

/** Attributes whose text may identify an element for a person. */
const NAMING_ATTRIBUTES = ['aria-label', 'alt', 'title', 'placeholder'];

/** Elements of a document to search for a text. A page with more is generated. */
const MAX_SEARCHED = 200_000;

/** How the walker represents an element's descendants if it does not walk them. @param {Element} element */
function closedBy(element) {
  const tag = tagOf(element);
  if (isLeaf(element, tag)) return `<${tag}> is listed as one element; its inside is not walked`;
  if (isClosedDetails(element)) return '<details> is closed';
  const part = partOf.get(element);
  if (part && !part.walked)
    return 'its content is skipped by content-visibility, or it is an editor listed as one element';
  return '';
}

/** Why an element has no part in the painted tree. @param {Element} element @returns {string} empty if it has one */
function notWalkedBecause(element) {
  if (partOf.has(element)) return '';
  const tag = tagOf(element);
  if (UNPAINTED_TAGS.has(tag)) return `<${tag}> is never painted`;
  for (let above = flatParentOf(element); above; above = flatParentOf(above)) {
    const reason = closedBy(above);
    if (reason) return `inside ${describeBlockerNow(above)}: ${reason}`;
  }
  return 'it has no box: display is none here or on an element that contains it, or it is in no slot';
}

/**
 * The style that prevents an element from being painted, and the element that sets it.
 * @param {Element} element
 * @returns {{property: string, value: string, on: string}|null}
 */
function hiddenBy(element) {
  const at = (/** @type {string} */ property, /** @type {string} */ value, /** @type {Element} */ on) => ({
    property,
    value,
    on: on === element ? '' : describeBlockerNow(on),
  });
  for (let each = /** @type {Element|null} */ (element); each; each = flatParentOf(each)) {
    const style = getComputedStyle(each);
    if (style.display === 'none') return at('display', 'none', each);
    if (parseFloat(style.opacity) < 0.05) return at('opacity', style.opacity, each);
    if (each === element && style.visibility !== 'visible') return at('visibility', style.visibility, each);
  }
  return null;
}

/** What makes an element a target. @param {Part} part */
function interactiveBecause({ element, role, clickable, affordances }) {
  if (!clickable) return affordances.join(', ');
  if (INTERACTIVE_ROLES.has(role)) return `role ${role}`;
  if (hasListener(element)) return 'it listens for clicks';
  return 'its cursor is a pointer, or it can be focused';
}

/**
 * The nearest ancestor part that has a row and represents its content.
 * @param {Element} element
 * @returns {Part|null}
 */
function speakerOf(element) {
  for (let above = flatParentOf(element); above; above = flatParentOf(above)) {
    const part = partOf.get(above);
    if (part && part.listed) return part;
  }
  return null;
}

/** @param {Element} element */
function explanationOf(element) {
  const part = partOf.get(element);
  const facts = factsOf(element);
  const speaker = speakerOf(element);
  const clip = part ? overlap(boxOfPart(part), visibleRect(part.clippedBy, walks.count)) : null;
  return {
    ...facts,
    number: numberOf(element),
    shownAs: describeBlockerNow(element),
    notWalked: notWalkedBecause(element),
    hiddenBy: hiddenBy(element),
    opacity: part ? part.opacity : 0,
    clipped: part && clip ? clip : null,
    viewport: wholeViewport(),
    inert: isInert(element),
    interactive: part ? (part.interactive ? interactiveBecause(part) : '') : '',
    listed: part !== undefined && part.listed,
    structure: part !== undefined && part.structure,
    silenced: Boolean(part && part.parent && part.parent.silenced),
    secrecy: part ? secrecyOfPart(part) : '',
    picture: part ? part.picture : '',
    speaker: speaker ? numberOf(speaker.element) : 0,
    texts: [...element.childNodes].filter((node) => nodeTypeOf(node) === Node.TEXT_NODE).map((node) => numberOf(node)),
  };
}

/**
 * @param {Element} element
 * @param {string} wanted
 * @returns {number} length of the text that contains the wanted text, else -1
 */
function textLength(element, wanted) {
  let least = -1;
  const texts = NAMING_ATTRIBUTES.filter((name) => hasAttr(element, name)).map((name) => attr(element, name) || '');
  for (const text of [textContentOf(element) || '', ...texts]) {
    const clean = cleanText(text);
    if (clean.toLowerCase().includes(wanted) && (least < 0 || clean.length < least)) least = clean.length;
  }
  return least;
}

export const explainApi = {
  /**
   * The walker's decisions about an element.
   * @param {number} number
   * @returns {string} `null` if the element is gone
   */
  explainElement(number) {
    const node = nodeOf(number);
    const element = node && nodeTypeOf(node) === Node.TEXT_NODE ? flatParentOf(node) : node;
    return encodeJson(element ? explanationOf(/** @type {Element} */ (element)) : null);
  },

  /**
   * The element whose text or name contains the given text, painted or not; the one with the shortest text if several
   * do.
   * @param {string} text
   * @returns {string} its number and the length of its text; `null` if there is none
   */
  findText(text) {
    const wanted = cleanText(text).toLowerCase();
    let best = null,
      least = -1,
      searched = 0;
    for (const element of everyElement(document)) {
      if (++searched > MAX_SEARCHED) break;
      const tag = tagOf(element);
      if (tag === 'script' || tag === 'style' || tag === 'head' || tag === 'title') continue;
      const length = textLength(element, wanted);
      // Of nested elements with the same text, the inner one comes later.
      if (length >= 0 && (least < 0 || length <= least)) {
        best = element;
        least = length;
      }
    }
    return encodeJson(best ? { number: numberOf(best), length: least } : null);
  },
};
