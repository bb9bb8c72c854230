// Temporary parts of one element and its ancestors, for a single query.

import { tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { pictureOfMap } from '../layout/image_maps.js';
import { noteAffordances } from '../semantics/affordances.js';
import { isClickTarget } from '../semantics/click_targets.js';
import { roleOf } from '../semantics/roles.js';
import { isInPrivate } from '../privacy/private_content.js';
import { readStyle } from './part_style.js';
import { Part, partOf } from './part.js';
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
  for (const each of chain.reverse()) {
    const style = getComputedStyle(each);
    part = new Part(each, tagOf(each), part);
    readStyle(part, style, style.display);
  }
  return part;
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
