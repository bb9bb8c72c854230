// Roles: the ARIA role of an element. HTML-AAM 1.0, SVG-AAM 1.0, ARIA 1.2, and the parts of 1.3 that Chromium 156
// implements.
//
// Besides the element itself, a role depends on: its container (table, sectioning content, list, listbox, tree), the
// ids that `aria-labelledby` finds (form, region), its owner (`aria-owns`), and whether it listens for clicks (<a>).

import { attr, closest, hasAttr, idOf, queryAll, treeRootOf } from '../dom/access.js';
import { hasListener } from '../dom/listeners.js';
import { isEditingHost, isFocusable, isSummary, isSvg, referencedElements, tagOf } from '../dom/elements.js';
import { flatParentOf, isWithin } from '../dom/flat_tree.js';
import { holdsData, isDataTable } from './data_tables.js';
import {
  GLOBAL_ATTRIBUTES,
  GRID_ROLES,
  INPUT_ROLES,
  IN_SECTION,
  KNOWN_ROLES,
  LISTED_ROLES,
  REQUIRED_CONTEXT,
  SECTIONING,
  SVG_ROLES,
  SYNONYMS,
  TAG_ROLES,
} from './role_tables.js';

/** @import { Root } from '../dom/access.js' */

/**
 * Whether the author gave it a name: only such a name makes a form or section a landmark.
 * @param {Element} element
 */
const isNamedByAuthor = (element) =>
  /\S/.test(attr(element, 'aria-label') || '') ||
  hasAttr(element, 'title') ||
  referencedElements(element, 'aria-labelledby').length > 0;

/** The role of a native element without a role attribute. @param {any} element @returns {string} */
function implicitRole(element) {
  const tag = tagOf(element);
  const fixed = TAG_ROLES[tag];
  if (fixed !== undefined) return fixed;
  switch (tag) {
    case 'div':
    case 'span':
      return hasAttr(element, 'draggable') ? 'group' : 'generic';
    case 'a':
      return hasAttr(element, 'href') ||
        hasAttr(element, 'xlink:href') ||
        hasAttr(element, 'onclick') ||
        hasListener(element)
        ? 'link'
        : 'generic';
    case 'area':
      return hasAttr(element, 'href') ? 'link' : 'generic';
    case 'input': {
      if (element.list && element.type !== 'color' && element.type !== 'range') return 'combobox';
      const role = INPUT_ROLES[element.type];
      return role !== undefined ? role : 'textbox';
    }
    case 'select':
      return element.size > 1 || (element.multiple && element.size !== 1) ? 'listbox' : 'combobox';
    case 'header':
      return closest(element, IN_SECTION) ? 'sectionheader' : 'banner';
    case 'footer':
      return closest(element, IN_SECTION) ? 'sectionfooter' : 'contentinfo';
    case 'aside':
      return isNamedByAuthor(element) || !isWithin(element, SECTIONING) ? 'complementary' : 'generic';
    case 'section':
      return isNamedByAuthor(element) ? 'region' : 'generic';
    case 'li':
      return holdsListItems(element) ? 'listitem' : 'generic';
    case 'img':
      return attr(element, 'alt') === '' &&
        !isNamedByAuthor(element) &&
        !isFocusable(element) &&
        !hasGlobalState(element)
        ? 'none'
        : 'img';
    case 'summary':
      return isSummary(element) ? 'button' : 'generic';
    case 'svg':
      return element.ownerSVGElement ? 'group' : 'img';
    default:
      return (
        tablePartRole(element, tag) ||
        (isSvg(element) && SVG_ROLES[tag]) ||
        (hasAttr(element, 'draggable') ? 'group' : 'generic')
      );
  }
}

/** Whether its list has been given another role and so has no items. @param {Element} item */
function holdsListItems(item) {
  const list = flatParentOf(item);
  const given = list && /^(ul|ol|menu)$/.test(tagOf(list)) ? attr(list, 'role') : null;
  return !given || /^\s*(list|directory)\s*$/i.test(given);
}

/** @param {Element} element @returns {string} ARIA role; `generic` if there is none */
export function roleOf(element) {
  const given = attr(element, 'role');
  const role = (given && givenRole(element, given)) || implicitRole(element);
  return role === 'generic' && isEditingHost(element) ? 'textbox' : role;
}

/**
 * The first role that exists and is valid here (ARIA 1.2 §5.4, §7).
 * @param {any} element
 * @param {string} given
 * @returns {string} empty for none
 */
function givenRole(element, given) {
  for (const token of given.toLowerCase().split(/\s+/)) {
    if (!KNOWN_ROLES.has(token)) continue;
    if ((token === 'form' || token === 'region') && !isNamedByAuthor(element)) continue;
    // A focusable element, or one with a global state, cannot be presentational.
    if (token === 'none' || token === 'presentation')
      return isFocusable(element) || hasGlobalState(element) ? '' : 'none';
    if (token === 'combobox' && tagOf(element) === 'select' && !(element.size > 1)) return '';
    const context = REQUIRED_CONTEXT[token];
    if (context && !isInContext(element, context)) return implicitRole(element);
    return SYNONYMS[token] || token;
  }
  return '';
}

/** @param {Element} element */
const hasGlobalState = (element) => GLOBAL_ATTRIBUTES.some((name) => hasAttr(element, name));

/**
 * Whether an ancestor, or an owner by `aria-owns`, has a role of a set.
 * @param {Element} element
 * @param {Set<string>} wanted
 */
export function isInContext(element, wanted) {
  for (let above = flatParentOf(element); above; above = flatParentOf(above)) {
    const given = attr(above, 'role');
    const role = given ? givenRole(above, given) || implicitRole(above) : implicitRole(above);
    if (wanted.has(role)) return true;
    if (
      role !== 'generic' &&
      role !== 'none' &&
      role !== 'group' &&
      role !== 'rowgroup' &&
      role !== 'list' &&
      !LISTED_ROLES.has(role)
    )
      break;
  }
  const id = idOf(element);
  return id !== '' && ownedIds(/** @type {Root} */ (treeRootOf(element))).has(id);
}

/** Ids that some `aria-owns` refers to, by tree, for one walk of the page. @type {Map<Node, Set<string>>} */
export const ownedIdsByRoot = new Map();

/** @param {Root} root @returns {Set<string>} */
function ownedIds(root) {
  let ids = ownedIdsByRoot.get(root);
  if (!ids) {
    ids = new Set(queryAll(root, '[aria-owns]').flatMap((owner) => (attr(owner, 'aria-owns') || '').split(/\s+/)));
    ownedIdsByRoot.set(root, ids);
  }
  return ids;
}

/**
 * @param {Element} element
 * @param {string} tag
 * @returns {string} role of a table or a part of one; empty for other elements
 */
function tablePartRole(element, tag) {
  switch (tag) {
    case 'table':
      return isDataTable(element) ? 'table' : 'generic';
    case 'thead':
    case 'tbody':
    case 'tfoot':
      return tableRole(element) ? 'rowgroup' : 'generic';
    case 'tr':
      return tableRole(element) ? 'row' : 'generic';
    case 'td':
    case 'th':
      return cellRole(element, tag);
    default:
      return '';
  }
}

/**
 * @param {Element} part
 * @returns {string} role of the table that contains the part; empty in a layout table and for other elements
 */
function tableRole(part) {
  const table = closest(part, 'table');
  const role = table ? roleOf(table) : '';
  return role === 'table' || GRID_ROLES.has(role) ? role : '';
}

/** @param {Element} cell @param {string} tag */
function cellRole(cell, tag) {
  const row = closest(cell, 'tr');
  const table = row && roleOf(row) === 'row' ? tableRole(row) : '';
  if (!table) return 'generic';
  if (tag === 'td') return GRID_ROLES.has(table) ? 'gridcell' : 'cell';
  const scope = (attr(cell, 'scope') || '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  return isRowHeader(cell) ? 'rowheader' : 'columnheader';
}

/** A header without a scope is a row header if data is next to it. @param {Element} cell */
function isRowHeader(cell) {
  const { previousElementSibling: before, nextElementSibling: after, parentElement: row } = cell;
  if (!before && !after) return false;
  if (before && after && tagOf(before) === 'th' && tagOf(after) === 'th') return false;
  if (holdsData(before) || holdsData(after)) return true;
  const { firstElementChild: first, lastElementChild: last } = /** @type {Element} */ (row);
  return [first, last, first && first.nextElementSibling, last && last.previousElementSibling].some(holdsData);
}
