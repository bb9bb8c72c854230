// Texts of fields that are not their value: placeholders, and what is painted in the color of its background.

import { attr, boundsOf, parentNodeOf, textContentOf } from '../dom/access.js';
import { cleanText } from '../dom/text.js';
import { isEmpty } from '../layout/rects.js';
import { partOf } from '../tree/part.js';
import { showsFieldText, showsText } from '../visibility/paint_style.js';

/** @import { Part } from '../tree/part.js' */

/**
 * Which text of a field nobody can see. It is kept: an editor may paint it elsewhere, over a transparent field.
 * @param {Part} part
 * @param {string} name
 * @param {string} value
 * @returns {string[]} states
 */
export function unseenTexts(part, name, value) {
  if (!isTextField(part)) return [];
  const { element } = part;
  if (value)
    return (showsFieldText(part) && !isEmpty(part.place)) || isPaintedBeside(element, value) ? [] : ['value unseen'];
  const placeholder = cleanText(attr(element, 'placeholder') || '');
  return placeholder && placeholder === name && !showsFieldText(part) ? ['name unseen'] : [];
}

/**
 * Whether a sibling says what a field says: a library's field is an empty box that takes the keys.
 * @param {Element} element
 * @param {string} value
 */
function isPaintedBeside(element, value) {
  const holder = parentNodeOf(element);
  if (!(holder instanceof Element)) return false;
  return [...holder.children].some((each) => {
    const part = each !== element && cleanText(textContentOf(each) || '') === value ? partOf.get(each) : undefined;
    return part !== undefined && boundsOf(each).width > 1 && showsText(part);
  });
}

/**
 * The placeholder that an empty field shows, where it is not its name.
 * @param {Part} part
 * @param {string} name
 * @param {string} value
 * @returns {string} empty if it shows none
 */
export function shownPlaceholder(part, name, value) {
  if (value || !isTextField(part) || /** @type {HTMLInputElement} */ (part.element).value) return '';
  const placeholder = cleanText(attr(part.element, 'placeholder') || '');
  return placeholder && placeholder !== name && showsFieldText(part) ? placeholder.slice(0, 80) : '';
}

/** @param {Part} part */
const isTextField = ({ tag, role }) =>
  /^(input|textarea)$/.test(tag) && /^(textbox|searchbox|spinbutton|combobox)$/.test(role);
