// Selectors of elements.

import { makeSelectorRow } from '../row_layout.js';
import { attr, hasAttr } from '../dom/access.js';
import { isEditingHost, tagOf } from '../dom/elements.js';
import { nodeOf } from '../dom/node_numbers.js';
import { allRoots } from '../dom/shadow_roots.js';
import { cleanText } from '../dom/text.js';
import { forgetIndexes } from '../semantics/names.js';
import { roleOf } from '../semantics/roles.js';
import { isInPrivate, scanForMarks } from '../privacy/private_content.js';
import { Routes, privacyState } from '../selectors/routes.js';
import { checkKept, isObserved, keptWhileSame } from '../tree/changes.js';
import { encodeJson } from './encoding.js';

/**
 * The kind of control an element is, in the terms of test authors.
 * @param {any} element
 * @param {string} role
 */
function kindOf(element, role) {
  const tag = tagOf(element);
  if (/^(?:button|input|select|textarea|summary|option)$/.test(tag)) return tag;
  if (tag === 'a' || tag === 'area') return hasAttr(element, 'href') || role === 'link' ? 'link' : role;
  return isEditingHost(element) ? 'contenteditable' : role;
}

/**
 * The selectors that were made last, while the elements of all trees and their attributes are as they were then; else
 * none.
 */
function currentRoutes() {
  checkKept();
  const kept = keptWhileSame.of;
  return kept instanceof Routes && kept.privacy === privacyState() && kept.rootCount === allRoots().length
    ? kept
    : new Routes();
}

export const selectorApi = {
  /**
   * Selectors of elements, and facts about controls that a walk does not return.
   * @param {number[]} wanted
   * @returns {string} for each [selectors, the same for Playwright, stability, reason, kind, input type, placeholder];
   *   `null` for elements that are gone
   */
  selectorsOf(wanted) {
    forgetIndexes();
    scanForMarks();
    const routes = currentRoutes();
    const answer = encodeJson(
      wanted.map((number) => {
        const element = nodeOf(number);
        const route = element instanceof Element ? routes.to(element) : null;
        if (!route) return null;
        const role = roleOf(element),
          isInput = tagOf(element) === 'input';
        const hint =
          (isInput || tagOf(element) === 'textarea') && !isInPrivate(element)
            ? element.placeholder
            : attr(element, 'aria-placeholder');
        return makeSelectorRow({
          css: route.css,
          playwright: route.playwright,
          stability: Math.round(route.sure * 100) / 100,
          reason: route.why,
          kind: kindOf(element, role),
          inputType: isInput ? element.type : '',
          placeholder: cleanText(hint || ''),
        });
      }),
    );
    keptWhileSame.of = [...routes.finders.keys(), document].every(isObserved) ? routes : null;
    return answer;
  },
};
