// Names of elements that contain only a run of text, which are the majority.

import { attr, closest, firstElementChildOf, hasAttr, queryIn, textContentOf } from '../dom/access.js';
import { isSvg, tagOf } from '../dom/elements.js';
import { namingLabelsOf } from '../dom/labels.js';
import { shadowRootIn } from '../dom/shadow_roots.js';
import { cleanText } from '../dom/text.js';
import { generatedPlaces } from './generated_content.js';
import { NAMED_BY_CONTENT, hasContent } from './naming_rules.js';
import { isWithheldFromNames } from '../privacy/private_content.js';

/** Whether an element contains only text nodes. @param {Element} element */
export const isPlain = (element) =>
  !firstElementChildOf(element) &&
  !shadowRootIn(element) &&
  tagOf(element) !== 'slot' &&
  !hasAttr(element, 'aria-owns') &&
  generatedPlaces(element) === 0;

/**
 * The name of an element that contains only a run of text, found without the full computation.
 * @param {Element} element
 * @param {string} role
 */
export function nameOfPlainText(element, role) {
  if (!NAMED_BY_CONTENT.has(role) || !isPlain(element)) return '';
  if (
    hasAttr(element, 'aria-labelledby') ||
    hasAttr(element, 'aria-label') ||
    !hasContent(element) ||
    isSvg(element) ||
    isWithheldFromNames(element)
  )
    return '';
  const tag = tagOf(element);
  return tag === 'option' || tag === 'area' || namingLabelsOf(element).length
    ? ''
    : cleanText(textContentOf(element) || '');
}

/** Controls, whose tooltips are their own. */
const TOOLTIP_OWNERS = 'a[href], button, input, select, textarea, summary, [role], [tabindex], [contenteditable]';

/**
 * The name of a control without text: the tooltip of its content, usually an icon's. A container of other controls is
 * not named by one of them.
 * @param {Element} element
 */
export function tooltipIn(element) {
  const holder = queryIn(element, '[title]');
  if (!holder) return '';
  const control = closest(holder, TOOLTIP_OWNERS);
  const isOthers = control !== null && control !== element && Node.prototype.contains.call(element, control);
  return isOthers ? '' : cleanText(attr(holder, 'title') || '');
}
