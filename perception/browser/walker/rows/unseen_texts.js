// Texts of fields that are painted in the colour of their background.

import { attr } from '../dom/access.js';
import { cleanText } from '../dom/text.js';
import { showsFieldText } from '../visibility/paint_style.js';

/** @import { Part } from '../tree/part.js' */

/**
 * Which text of a field nobody can see. It is kept: an editor may paint it elsewhere, over a transparent field.
 * @param {Part} part
 * @param {string} name
 * @param {string} value
 * @returns {string[]} states
 */
export function unseenTexts(part, name, value) {
  const { element, tag } = part;
  if (!/^(input|textarea)$/.test(tag) || !/^(textbox|searchbox|spinbutton|combobox)$/.test(part.role)) return [];
  if (value) return showsFieldText(part) ? [] : ['value unseen'];
  const placeholder = cleanText(attr(element, 'placeholder') || '');
  return placeholder && placeholder === name && !showsFieldText(part) ? ['name unseen'] : [];
}
