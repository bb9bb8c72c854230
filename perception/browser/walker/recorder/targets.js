// What the recorder says of an element: as a person would find it again.

import { attr, closest, queryAll, queryAllIn } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { allRoots } from '../dom/shadow_roots.js';
import { scanForMarks } from '../privacy/private_content.js';
import { listedName, listedRole } from '../semantics/listed_names.js';
import { forgetIndexes, nameOf } from '../semantics/names.js';
import { INTERACTIVE_ROLES } from '../semantics/role_tables.js';
import { roleOf } from '../semantics/roles.js';
import { isField, secrecyOfPart } from '../privacy/sensitive_fields.js';
import { probePart } from '../tree/probe.js';
import { neighborhoodOf } from '../selectors/neighborhood.js';
import { rowOfTarget } from '../selectors/rows_around.js';
import { Routes } from '../selectors/routes.js';

/** Reported characters of a text or value. */
export const MAX_RECORDED_LETTERS = 2000;

/** Elements that are checked for the same role and name; on a page with more, the selector is used. */
const MAX_ALIKE = 20000;

/** A selector that finds an element again; empty in a closed shadow tree. @param {Element} element */
function lastingSelector(element) {
  const route = new Routes().to(element);
  return route ? route.css.join(' >>> ') : '';
}

/**
 * How many visible elements of the document share a role and name, and the position of one among them.
 * @param {Element} element
 * @param {string} role
 * @param {string} name
 */
function placeAmongAlike(element, role, name) {
  const all = allRoots().flatMap((root) => queryAll(root, '*'));
  if (all.length > MAX_ALIKE || !name) return { nth: 0, of: 0 };
  const alike = all.filter(
    (each) => each === element || (roleOf(each) === role && each.checkVisibility() && nameOf(each, role) === name),
  );
  return { nth: alike.indexOf(element), of: alike.length };
}

/** The element an event concerns: the control around it, else the element itself. @param {Element} hit */
export function controlOf(hit) {
  /** @type {Element|null} */
  let acts = null;
  for (
    let node = /** @type {Element|null} */ (hit);
    node && node !== document.documentElement && node !== document.body;
    node = flatParentOf(node)
  ) {
    if (INTERACTIVE_ROLES.has(roleOf(node))) return node;
    if (!acts && probePart(node).clickable) acts = node;
  }
  return acts || hit;
}

/** Containers of links that choose a view and not an object. */
const MENUS = 'nav, [role=navigation], [role=menu], [role=menubar], [role=tablist]';

/** Where a link leads on this origin; empty for no link, and for one of a menu. @param {any} element */
function leadOf(element) {
  const link = closest(element, 'a[href], area[href]');
  if (!link || closest(link, MENUS)) return '';
  const url = new URL(/** @type {any} */ (link).href, document.baseURI);
  return url.origin === location.origin ? url.href.slice(url.origin.length, MAX_RECORDED_LETTERS) : '';
}

/**
 * Whether the name by which a field is sent tells it from all others; one with a number or a key may be that of a row.
 * @param {Element} element
 */
function isToldBySentName(element) {
  const sent = isField(element) ? attr(element, 'name') : null;
  return !!sent && !/[\d[(]/.test(sent) && queryAll(document, `[name=${CSS.escape(sent)}]`).length === 1;
}

/**
 * The row that an element stands in, and its place among those of its role and name there.
 * @param {Element} element
 * @param {string} role
 * @param {string} name
 * @param {boolean} isAlone whether no other element has them
 */
function describeRow(element, role, name, isAlone) {
  const isAlike = (/** @type {Element} */ each) =>
    each === element || (roleOf(each) === role && each.checkVisibility() && nameOf(each, role) === name);
  const found = rowOfTarget(element, isAlone, isToldBySentName(element) ? () => false : isAlike);
  if (!found) return {};
  const alike = [...queryAllIn(found.row, '*')].filter(isAlike);
  return { cells: found.cells, rows: found.rows, row_nth: alike.indexOf(element), row_of: alike.length };
}

/** @param {Element} element */
export function describeTarget(element) {
  const part = probePart(element);
  const role = listedRole(part);
  const name = listedName(element, part, part.isPrivate).slice(0, MAX_RECORDED_LETTERS);
  const isWritten = isField(element) || /** @type {any} */ (element).isContentEditable;
  const text = secrecyOfPart(part) || isWritten ? '' : nameOf(element, 'button').slice(0, 120);
  const place = placeAmongAlike(element, part.role, name);
  return {
    role,
    name,
    text,
    placeholder: attr(element, 'placeholder') || '',
    selector: lastingSelector(element),
    tag: part.tag,
    ...place,
    ...(place.of === 1 ? {} : { near: neighborhoodOf(element) }),
    href: leadOf(element),
    ...describeRow(element, part.role, name, place.of === 1),
  };
}

/** The same, from what the page says at this moment. @param {Element} element */
export function describeNow(element) {
  forgetIndexes();
  scanForMarks();
  return describeTarget(element);
}

/**
 * What is only pointed at, by its words or its place; null if neither says which one it is.
 * @param {Element} element
 */
export function describePlace(element) {
  const target = describeNow(element);
  return target.name || target.selector ? target : null;
}

/** What a field declares about its input. @param {any} element */
export function describeField(element) {
  const given = (/** @type {string} */ name) => attr(element, name) || '';
  return {
    name: given('name'),
    id: given('id'),
    type: tagOf(element) === 'input' ? element.type : tagOf(element),
    inputmode: given('inputmode'),
    min: given('min'),
    max: given('max'),
    pattern: given('pattern'),
    maxlength: given('maxlength'),
    required: element.required === true,
  };
}

/** @param {Event} event @returns {any} the innermost element, also in open shadow trees */
export const hitOf = (event) => event.composedPath().find((each) => each instanceof Element) || null;

/** The frame that this document is shown in: its path; empty for the top document. */
export const frameOfDocument = () => (window === window.top ? '' : location.pathname);

/** How the author calls the frame's element, which tells frames without an address apart; empty if nothing is known. */
export function frameOwner() {
  const owner = window === window.top ? null : window.frameElement;
  return owner ? attr(owner, 'id') || attr(owner, 'name') || attr(owner, 'title') || '' : '';
}
