// Roles and names of nodes, without positions. Used to compare our results with Chromium's own.

import { attributesOf, treeRootOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { forgetIndexes, nameOf } from '../semantics/names.js';
import { roleOf } from '../semantics/roles.js';
import { SHADOW_HOSTS } from '../tree/build.js';
import { encodeJson } from './encoding.js';

/**
 * Whether an element is in a user-agent shadow tree: pages cannot attach shadow roots to these hosts.
 * @param {Element} element
 */
function isInsideControl(element) {
  const root = treeRootOf(element);
  return root instanceof ShadowRoot && !SHADOW_HOSTS.has(tagOf(root.host)) && !tagOf(root.host).includes('-');
}

/**
 * Its tag with attributes. Does not clone the element: cloning a custom element runs the page's code.
 * @param {Element} element
 */
const outerOf = (element) =>
  `<${tagOf(element)}${[...attributesOf(element)].map(({ name, value }) => ` ${name}="${value}"`).join('')}>`;

export const identityApi = {
  /**
   * @param {number} length of the markup returned for each node
   * @param {Node[]} given
   * @returns {string} for each node [role, name, markup]; null for nodes that are not elements and for the inside of
   *   native controls
   */
  identify(length, given) {
    forgetIndexes();
    return encodeJson(
      given.map((node) => {
        if (!(node instanceof Element) || isInsideControl(node)) return null;
        const role = roleOf(node);
        return [role, nameOf(node, role), outerOf(node).slice(0, length)];
      }),
    );
  },
};
