// Temporary parts of one element, its ancestors and its content, for a single query.

import { tagOf } from '../dom/elements.js';
import { flatChildrenOf, flatParentOf } from '../dom/flat_tree.js';
import { visibleRect } from '../layout/clips.js';
import { pictureOfMap } from '../layout/image_maps.js';
import { walks } from '../layout/viewport.js';
import { noteAffordances } from '../semantics/affordances.js';
import { isClickTarget } from '../semantics/click_targets.js';
import { roleOf } from '../semantics/roles.js';
import { isInPrivate } from '../privacy/private_content.js';
import { readStyle } from './part_style.js';
import { LEAF_TAGS, Part, UNPAINTED_TAGS, partOf } from './part.js';
import { pictureKind } from './pictures.js';

/** @import { Clip } from '../layout/clips.js' */

/**
 * Temporary parts of an element and its ancestors.
 * @param {Element} element
 * @returns {Part} the element's
 */
export function probeChain(element) {
  const chain = [element];
  for (let node = flatParentOf(element); node; node = flatParentOf(node)) chain.push(node);
  /** @type {any} */
  let part = null;
  for (const each of chain.reverse()) part = probeIn(each, part);
  return part;
}

/**
 * A temporary part of an element.
 * @param {Element} element
 * @param {Part|null} parent
 */
function probeIn(element, parent) {
  const style = getComputedStyle(element);
  const part = new Part(element, tagOf(element), parent);
  readStyle(part, style, style.display);
  return part;
}

/** A query reads no more elements of a tree. */
const MAX_PROBED = 200;

/**
 * Temporary parts of an element, its ancestors and its content: the painted tree as it is now, not as it was walked.
 * @param {Element} element
 * @returns {Part} the element's
 */
export function probeTree(element) {
  const root = probeChain(element);
  const probed = [root];
  for (const part of probed) {
    visibleRect(part.clip, walks.count); // by which a clip finds out whether it is too thin for a letter
    if (LEAF_TAGS.has(part.tag)) continue;
    for (const child of flatChildrenOf(part.element)) {
      if (child instanceof Text) part.children.push(child);
      if (!(child instanceof Element) || UNPAINTED_TAGS.has(tagOf(child)) || probed.length >= MAX_PROBED) continue;
      const inner = probeIn(child, part);
      part.children.push(inner);
      probed.push(inner);
    }
  }
  return root;
}

/**
 * @param {Element} area
 * @param {Part} around
 * @returns {Clip|null}
 */
export function clipOfMap(area, around) {
  const image = pictureOfMap(area);
  const part = image && partOf.get(image);
  return part ? part.clippedBy : image ? probeChain(image).clippedBy : around.clip;
}

/** The semantics of an element, read again without the painted tree. @param {Element} element */
export function probePart(element) {
  const style = getComputedStyle(element);
  const part = probeChain(element);
  const { parent } = part;
  part.isPrivate = isInPrivate(element);
  if (part.tag === 'area') part.clippedBy = clipOfMap(element, part);
  part.role = roleOf(element);
  const cursorAbove = parent ? parent.cursor : 'auto';
  noteAffordances(part, part.role, isClickTarget(part, part.role, style, cursorAbove), cursorAbove);
  part.picture = pictureKind(part, style);
  return part;
}
