// Labels of a native list's options, with their group where a person reads it above them.

import { matches, parentNodeOf } from '../dom/access.js';
import { cleanText } from '../dom/text.js';

/** @param {any} option @returns {string} the label of its group; empty for none */
export function optionGroupOf(option) {
  const around = parentNodeOf(option);
  return around instanceof HTMLOptGroupElement ? cleanText(around.label) : '';
}

/** `Home: Phone`. @param {any} option */
function groupedLabel(option) {
  const group = optionGroupOf(option);
  const label = cleanText(option.label);
  return group ? `${group}: ${label}` : label;
}

/** Its label, with its group if the list has the same label again. @param {any} option @param {any} list */
export function tellingLabel(option, list) {
  const label = cleanText(option.label);
  if (!optionGroupOf(option)) return label;
  const isAgain = [...list.options].some((other) => other !== option && cleanText(other.label) === label);
  return isAgain ? groupedLabel(option) : label;
}

/** As a list shows it: one that cannot be chosen is grey. @param {any} option */
export const listedLabel = (option) => `${groupedLabel(option)}${matches(option, ':disabled') ? ' (disabled)' : ''}`;
