// Builds the painted tree: which elements get a part, and which parts get a row.

import { boundsOf, hasAttr, nodeTypeOf, textContentOf } from '../dom/access.js';
import { isClosedDetails, isEditingHost, tagOf } from '../dom/elements.js';
import { flatChildrenOf } from '../dom/flat_tree.js';
import { LABELABLE, controlIn, namingLabelsOf } from '../dom/labels.js';
import { shadowRootIn, suspectHost } from '../dom/shadow_roots.js';
import { isBlank } from '../dom/text.js';
import { pictureOfMap } from '../layout/image_maps.js';
import { noteAffordances } from '../semantics/affordances.js';
import { isCard, isClickTarget, isClickedByLabel, isMoreThanLabel } from '../semantics/click_targets.js';
import { counting } from '../semantics/generated_content.js';
import { isToggleOfHost } from '../semantics/hidden_toggles.js';
import { listedName } from '../semantics/listed_names.js';
import { drawnFormula, drawnPicture } from '../semantics/painted_names.js';
import {
  CONTAINER_ROLES,
  DIGEST_CONTAINERS,
  INTERACTIVE_ROLES,
  NAMED_CONTAINER_ROLES,
  PANEL_ROLES,
} from '../semantics/role_tables.js';
import { isOutsideOfNames } from '../semantics/naming_rules.js';
import { roleOf } from '../semantics/roles.js';
import { isMarkedPrivate, privacy } from '../privacy/private_content.js';
import { observeRoot } from './changes.js';
import { readStyle } from './part_style.js';
import { Part, UNPAINTED_TAGS, partOf } from './part.js';
import { isLeaf, pictureKind } from './pictures.js';
import { clipOfMap } from './probe.js';

/** Limit on nesting. Deeper nesting is broken or hostile: HTML's parser itself stops at 512 (Chromium 156). */
const MAX_DEPTH = 900;

/**
 * @param {Element} element
 * @param {Part|null} parent
 * @returns {Part|null} null if it is not painted
 */
export function buildPart(element, parent) {
  const tag = tagOf(element);
  if (UNPAINTED_TAGS.has(tag) || (parent && parent.depth >= MAX_DEPTH)) return null;
  const style = getComputedStyle(element);
  const display = style.display;
  if (display === 'none') return buildUnpaintedTarget(element, tag, parent);
  if (display === '') {
    // it fills no slot of a shadow tree that cannot be read
    if (parent) suspectHost(parent.element);
    return null;
  }
  const part = new Part(element, tag, parent);
  partOf.set(element, part);
  part.isPrivate = isMarkedPrivate(element, parent !== null && parent.isPrivate);
  readStyle(part, style, display);
  classifyPart(part, style);
  part.walked = isWalkable(part);
  if (part.walked) fillChildren(part);
  return part;
}

const NOT_DRAWN = { name: '', tells: false };

/** Whether a separator says words, which are text: `or sign in with`. @param {Element} element */
const hasWords = (element) => /[\p{L}\p{N}]/u.test(textContentOf(element) || '');

/**
 * Sets what an element is, and whether it gets a row.
 * @param {Part} part
 * @param {CSSStyleDeclaration} style
 */
export function classifyPart(part, style) {
  const { element, tag, parent } = part;
  const role = roleOf(element);
  const quiet = parent !== null && parent.silenced && !isOutsideOfNames(element, role);
  const pictures = parent ? parent.pictures : true;
  const acts = isClickTarget(part, role, style, parent ? parent.cursor : 'auto');
  const container = !acts && CONTAINER_ROLES.has(role) && !quiet;
  const content =
    !quiet &&
    (role === 'heading' || role === 'progressbar' || role === 'meter' || (role === 'separator' && !hasWords(element)));
  part.role = role;
  noteAffordances(part, role, acts, parent ? parent.cursor : 'auto');
  part.named = false;
  part.silenced = quiet;
  part.pictures = pictures;
  const picture = (part.picture = pictureKind(part, style));
  part.structure = false;
  const drawn = role === 'img' && !acts && !picture && !quiet ? drawnPicture(element) : NOT_DRAWN;
  part.drawn = drawn.tells ? drawn.name : quiet ? '' : drawnFormula(element);
  const isHere = !part.hidden || (acts && isClickedByLabel(element, tag));
  if (quiet && !acts && part.affordances.every((each) => each === 'hoverable' || each === 'context menu'))
    part.interactive = false; // it is done by pointing at what speaks for it
  part.listed = isHere && Boolean(part.interactive || picture || container || content || (drawn.name && !drawn.tells));
  if (!part.listed) {
    part.structure = !part.hidden && !quiet && DIGEST_CONTAINERS.has(role);
    if (part.drawn) part.silenced = true;
    if (tag === 'label' && isListedWithControl(/** @type {HTMLLabelElement} */ (element))) part.silenced = true;
    return;
  }
  if (container && !part.interactive && NAMED_CONTAINER_ROLES.has(role) && !namePart(part)) {
    part.listed = false;
    part.structure = true;
    return;
  }
  if (part.interactive || content || role === 'row') {
    const isPanel = part.zone || (part.interactive && (PANEL_ROLES.has(role) || isMoreThanLabel(element, role)));
    part.silenced = !isPanel && (INTERACTIVE_ROLES.has(role) || !part.interactive || !isCard(element));
    part.pictures = isPanel || !part.interactive;
  }
}

/** The name, computed once. @param {Part} part */
export function namePart(part) {
  if (!part.named) {
    const { withheld } = privacy;
    const { leftOut } = counting;
    part.name = listedName(part.element, part, part.isPrivate);
    part.withheld = privacy.withheld !== withheld;
    part.hasCounters = counting.leftOut !== leftOut;
    part.named = true;
    part.mislabels = undefined;
    part.cells = null;
    if (hasAttr(part.element, 'aria-labelledby') || namingLabelsOf(part.element).length) remotelyNamed.add(part);
  }
  return part.name;
}

/**
 * Whether the content of an element is walked.
 * @param {Part} part
 */
function isWalkable(part) {
  if (isLeaf(part.element, part.tag) || (part.role === 'textbox' && isEditingHost(part.element))) return false;
  if (part.drawn && part.role !== 'img') return false;
  return part.contentVisibility !== 'hidden';
}

/**
 * Makes the parts of an element's content; existing parts that are still valid are kept.
 * @param {Part} part
 */
export function fillChildren(part) {
  const children = [];
  const closed = isClosedDetails(part.element);
  for (const child of flatChildrenOf(part.element)) {
    const type = nodeTypeOf(child);
    if (type === Node.TEXT_NODE) {
      if (!closed) children.push(/** @type {Text} */ (child));
      continue;
    }
    if (type !== Node.ELEMENT_NODE || (closed && tagOf(/** @type {Element} */ (child)) !== 'summary')) continue;
    const known = partOf.get(child);
    const made = known && known.parent === part ? known : buildPart(/** @type {Element} */ (child), part);
    if (made) children.push(made);
  }
  arrange(part, children);
  const root = shadowRootIn(part.element);
  if (root) observeRoot(root);
  else if (part.tag.includes('-') || (children.every(showsNothing) && mayHideRoot(part))) suspectHost(part.element);
}

/** @param {Part|Text} child */
const showsNothing = (child) => child instanceof Text && isBlank(child.data);

/**
 * Sets the children in the order in which they are painted and read (CSS Flexbox 1 §5.1, §5.4; CSS 2.2 §9.5).
 * @param {Part} part
 * @param {Array<Part|Text>} children in document order
 */
function arrange(part, children) {
  const orderOf = (/** @type {Part|Text} */ child) => (child instanceof Part ? child.order : 0);
  const isOrdered = part.flow !== '' && children.some(orderOf);
  const isReversed = part.flow.endsWith('-reverse');
  const isTrailed = children.some((child) => child instanceof Part && child.trails);
  part.rearranged = isOrdered || isReversed || isTrailed;
  part.children = isOrdered
    ? children.sort((a, b) => orderOf(a) - orderOf(b))
    : isTrailed
      ? withTrailing(children)
      : children;
  if (isReversed) part.children.reverse();
}

/**
 * The children with each that floats to the end of a line after that line: the words that follow it, or a heading.
 * @param {Array<Part|Text>} children in document order
 */
function withTrailing(children) {
  /** @type {Array<Part|Text>} */
  const arranged = [];
  /** @type {Part[]} */
  let waiting = [];
  let isInLine = false;
  const release = () => {
    arranged.push(...waiting);
    waiting = [];
    isInLine = false;
  };
  for (const child of children) {
    const isBlank = child instanceof Text && !/\S/.test(child.data);
    if (child instanceof Part && child.trails) waiting.push(child);
    else if (waiting.length && !isBlank && child instanceof Part && (child.block || child.tag === 'br')) {
      const isTitle = child.role === 'heading' && !isInLine;
      if (isTitle) arranged.push(child);
      release();
      if (!isTitle) arranged.push(child);
    } else {
      arranged.push(child);
      isInLine = isInLine || (waiting.length > 0 && !isBlank);
    }
  }
  release();
  return arranged;
}

/** Elements that can have a closed shadow root, besides custom elements (DOM §4.8 attachShadow). */
export const SHADOW_HOSTS = new Set([
  'article',
  'aside',
  'blockquote',
  'body',
  'div',
  'footer',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'main',
  'nav',
  'p',
  'section',
  'span',
]);

/**
 * Whether a label's text is listed with its control, as its name, or beside the name that the control has instead. A
 * button with a name of its own lists what is in it.
 * @param {HTMLLabelElement} label
 */
function isListedWithControl(label) {
  if (!label.control) return false;
  const control = controlIn(label.control);
  if (!LABELABLE.has(tagOf(control))) return INTERACTIVE_ROLES.has(roleOf(control));
  return tagOf(control) !== 'button' || !(hasAttr(control, 'aria-label') || hasAttr(control, 'aria-labelledby'));
}

/** Marks an element that is empty but has a size: it may have a closed shadow root. @param {Part} part */
const mayHideRoot = (part) =>
  SHADOW_HOSTS.has(part.tag) && (part.display === 'contents' || boundsOf(part.element).height >= 8);

/** Parts whose names come from other places of the page. @type {Set<Part>} */
export const remotelyNamed = new Set();

/** Makes a part for an element that is not painted but clickable: an area of an image map, a checkbox by its label. */
function buildUnpaintedTarget(
  /** @type {Element} */ element,
  /** @type {string} */ tag,
  /** @type {Part|null} */ parent,
) {
  if (!parent || !(tag === 'area' ? pictureOfMap(element) : isClickedByLabel(element, tag))) return null;
  const role = roleOf(element);
  if (isToggleOfHost(element, role)) return null;
  const part = new Part(element, tag, parent);
  partOf.set(element, part);
  part.display = 'block';
  part.isPrivate = isMarkedPrivate(element, parent.isPrivate);
  part.role = role;
  part.clickable = part.interactive = part.listed = part.silenced = true;
  part.opacity = parent.opacity;
  part.clippedBy = tag === 'area' ? clipOfMap(element, parent) : parent.clip;
  return part;
}
