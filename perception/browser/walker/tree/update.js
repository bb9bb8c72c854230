// Update: the painted tree is kept, and only what changed is read again.
//
// A change of an element affects its content, since style is inherited and selectors refer to ancestors; the siblings
// after it, if their own style changed; and the names of its ancestors.

import { attr, clientHeightOf, clientWidthOf, parentNodeOf, scrollHeightOf, scrollWidthOf } from '../dom/access.js';
import { hasListener } from '../dom/listeners.js';
import { tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { suspectedHosts } from '../dom/shadow_roots.js';
import { HEADER_ROLES } from '../semantics/header_cells.js';
import { forgetIndexes } from '../semantics/names.js';
import { privacy, scanForMarks } from '../privacy/private_content.js';
import { buildPart, classifyPart, fillChildren, remotelyNamed } from './build.js';
import { areOnlyTexts, changes, collectChanges, controlState, lastState, observeRoot, scrollState } from './changes.js';
import { Part, partOf } from './part.js';
import { floatsToEnd, flowOf, hasColumns, isFloat, orderIn } from './part_style.js';
import { lastExtent, markAllStale, markStale } from '../visibility/hit_cache.js';
import { forgetPaintStyle, paintState } from '../visibility/paint_style.js';
import { nameState } from '../rows/numbering.js';

/** How many siblings after a changed one are checked: `+` and `~` apply to them, usually within a few steps. */
const MAX_SIBLINGS = 32;

/** Style that places content of content anew, in boxes that stay: what text inherits, and turns. */
const PLACES_INSIDE =
  /\b(text|font|line|letter|word|white-space|direction|writing|tab-size|hyphen|list-style|all\b|zoom|rotate|scale|skew|matrix)/i;

/** Whether it stands for a column of a table, which may collapse. @param {Element} element */
const isColumn = (element) => tagOf(element) === 'col' || tagOf(element) === 'colgroup';

/** The painted tree of this document: its root part, null before the first walk. @type {{root: Part|null}} */
export const tree = { root: null };

/** The findings of one update. */
class Update {
  constructor() {
    /** Parts to rebuild, with their content. @type {Set<Part>} */
    this.deep = new Set();
    /** Parts whose children are rebuilt. @type {Set<Part>} */
    this.refilled = new Set();
    this.renamed = false;
    this.rebuilt = false;
  }

  /** @param {MutationRecord} record */
  take(record) {
    const { target } = record;
    if (!target.isConnected) return;
    if (
      isStyleSheetNode(target) ||
      (record.type === 'childList' && [...record.addedNodes, ...record.removedNodes].some(isStyleSheetNode))
    ) {
      changes.all = true;
      return;
    }
    const part = partAround(target);
    if (!part) {
      changes.all = true;
      return;
    }
    if (record.type === 'attributes') this.attribute(/** @type {Element} */ (target), part, record);
    else if (record.type === 'childList' && (part.element === target || target instanceof ShadowRoot))
      this.refilled.add(part);
    else {
      markStale(lastExtent(part));
      this.rename(part);
    }
  }

  /**
   * @param {Element} target
   * @param {Part} part the innermost around it
   * @param {MutationRecord} record
   */
  attribute(target, part, { attributeName: name, oldValue }) {
    // An inert element, or one behind a modal dialog, takes no clicks; a labeled control is clicked at its label.
    if (name === 'open' || name === 'inert' || name === 'for') markAllStale();
    if (part.element !== target) {
      if (isColumn(target) && /class|visibility/.test(`${name} ${oldValue} ${attr(target, name || '')}`))
        this.deep.add(part);
      // it was not painted: it may be now
      else if (flatParentOf(target) === part.element) this.refilled.add(part);
      return;
    }
    markStale(lastExtent(part.parent || part));
    const style = name === 'style' ? attr(target, 'style') || '' : null;
    if (style !== null && !style.includes('--') && !isRestyled(part)) {
      markMoved(part);
      if (PLACES_INSIDE.test(`${oldValue} ${style}`)) markMovedInside(part);
      forgetPaintStyle(part);
      return;
    }
    this.deep.add(part);
    const beside = part.parent ? part.parent.children : [];
    const at = beside.indexOf(part);
    const from = part.parent && part.parent.rearranged ? Math.max(0, at - MAX_SIBLINGS) : at + 1;
    for (const sibling of beside.slice(from, at + 1 + MAX_SIBLINGS)) {
      if (!(sibling instanceof Part)) continue;
      if (isRestyled(sibling)) this.deep.add(sibling);
      else forgetPaintStyle(sibling);
    }
  }

  /** Content has changed, so the names and kinds of its ancestors may have. @param {Part} part */
  rename(part) {
    followScrollersAround(part);
    for (let above = /** @type {Part|null} */ (part); above; above = above.parent) {
      above.dirty = true;
      if (
        !above.listed &&
        !above.structure &&
        above.cursor !== 'pointer' &&
        !hasListener(above.element) &&
        !HEADER_ROLES.has(above.role)
      )
        continue;
      if (above.named) {
        above.named = false;
        this.renamed = true;
      }
      if (isReclassified(above)) this.deep.add(above);
    }
  }

  apply() {
    for (const part of this.refilled) {
      if (!isCurrent(part) || !part.walked) continue;
      this.refill(part);
      this.rename(part);
    }
    for (const part of [...this.deep].sort((a, b) => a.depth - b.depth)) if (isCurrent(part)) this.rebuild(part);
  }

  /** @param {Part} part */
  refill(part) {
    const old = part.children;
    this.rebuilt = true;
    fillChildren(part);
    if (part === tree.root) forgetPaintStyle(part); // a document's head declares its color scheme
    const kept = new Set(part.children);
    for (const child of old) if (child instanceof Part && !kept.has(child)) markStale(lastExtent(child));
    // `+` and `~` style what follows.
    const news = part.children.findIndex((child, index) => child !== old[index]);
    if (news >= 0)
      for (const child of part.children.slice(part.rearranged ? 0 : news, news + MAX_SIBLINGS))
        if (child instanceof Part) forgetPaintStyle(child);
    // Siblings that were reordered are now painted over or under each other.
    const stays = old.filter((child) => kept.has(child)),
      known = new Set(old);
    if (part.children.filter((child) => known.has(child)).some((child, index) => child !== stays[index]))
      markStale(lastExtent(part));
  }

  /** @param {Part} part */
  rebuild(part) {
    const { parent } = part;
    this.rebuilt = true;
    markStale(lastExtent(part));
    const fresh = buildPart(part.element, parent);
    if (!parent) {
      tree.root = fresh;
      return;
    }
    const at = parent.children.indexOf(part);
    if (fresh && (fresh.order !== part.order || fresh.trails || parent.rearranged)) fillChildren(parent);
    else if (at >= 0) parent.children.splice(at, 1, ...(fresh ? [fresh] : []));
    if (!fresh) partOf.delete(part.element);
    this.rename(parent);
  }
}

/** Whether it is a style sheet, or its text. @param {Node} node */
const isStyleSheetNode = (node) => {
  const element = node instanceof Element ? node : parentNodeOf(node);
  return element instanceof Element && /^(style|link)$/.test(tagOf(element));
};

/** The innermost part of a node or its ancestors. @param {Node} node @returns {Part|null} */
function partAround(node) {
  for (
    let each = /** @type {Node|null} */ (node);
    each;
    each = each instanceof ShadowRoot ? each.host : flatParentOf(each) || parentNodeOf(each)
  ) {
    const part = partOf.get(each);
    if (part && isCurrent(part)) return part;
  }
  return null;
}

/**
 * Whether it is in the tree: parts that are no longer painted, or whose ancestors are not, may still be known.
 * @param {Part} part
 */
function isCurrent(part) {
  let each = part;
  while (each.parent && each.parent.children.includes(each)) each = each.parent;
  return each === tree.root && part.element.isConnected;
}

/** Whether scripts can scroll it, if there is something to scroll. @param {Part} part */
const isScroller = (part) =>
  part.clip !== null && part.clip.part === part && part.clip.overflow !== '' && part.clip.overflow !== 'clip';

/** @param {Element} element */
const hasOverflow = (element) =>
  scrollHeightOf(element) > clientHeightOf(element) || scrollWidthOf(element) > clientWidthOf(element);

/** @param {Part} part */
const followScroller = (part) => lastState.scrollers.set(part, scrollState(part.element));

/** Something inside has changed: what is around it may have something to scroll now. @param {Part|null} part */
function followScrollersAround(part) {
  for (let above = part; above; above = above.parent)
    if (isScroller(above) && !lastState.scrollers.has(above)) followScroller(above);
}

/** Marks that some of its content has moved. @param {Part|null} part */
function markMoved(part) {
  followScrollersAround(part);
  for (let above = part; above && !(above.dirty && above !== part); above = above.parent) above.dirty = true;
}

/** Marks that all of its content may have moved. @param {Part} part */
function markMovedInside(part) {
  for (const child of part.children) {
    if (!(child instanceof Part)) continue;
    child.dirty = true;
    markMovedInside(child);
  }
}

/** Whether its own style has changed in a way that affects it or its content. @param {Part} part */
function isRestyled(part) {
  const style = getComputedStyle(part.element);
  return (
    style.display !== part.display ||
    style.opacity !== part.ownOpacity ||
    style.cursor !== part.cursor ||
    (style.visibility !== 'visible') !== part.hidden ||
    style.position !== part.position ||
    flowOf(style) !== part.flow ||
    isFloat(part.parent, style) !== part.floats ||
    (!part.inColumns && hasColumns(part, style)) ||
    orderIn(part.parent, style) !== part.order ||
    floatsToEnd(part.parent, part.tag, style) !== part.trails ||
    (part.display !== 'inline' &&
      (style.overflow !== part.overflow || style.contentVisibility !== part.contentVisibility))
  );
}

/** Whether it is now of another kind. @param {Part} part */
function isReclassified(part) {
  const { interactive, listed, silenced, picture } = part;
  classifyPart(part, getComputedStyle(part.element));
  return (
    part.interactive !== interactive || part.listed !== listed || part.silenced !== silenced || part.picture !== picture
  );
}

/**
 * The painted tree, updated.
 * @param {boolean} fresh discard all cached results
 * @param {boolean} dirty whether there are changes, as collected just now
 * @returns {Part|null} null for a document without a root
 */
export function updatedTree(fresh, dirty = collectChanges()) {
  const root = document.documentElement;
  if (!root) {
    observeRoot(document);
    forgetChanges();
    return (tree.root = null);
  }
  if (dirty || fresh) paintState.state++;
  forgetIndexes();
  const update = new Update();
  if (dirty && tree.root && !fresh && !changes.all) {
    changes.records.forEach((record) => update.take(record));
    for (const element of changes.restyled) {
      const part = partAround(element);
      if (part) update.deep.add(part.parent || part);
    }
    for (const element of changes.reported) {
      const part = partAround(element);
      if (part) update.deep.add(part);
    }
    for (const node of changes.touched) markMoved(partAround(node));
    if (changes.records.length)
      for (const part of remotelyNamed) {
        part.named = false;
        update.renamed = true;
      }
  }
  if (fresh || changes.all || !tree.root || tree.root.element !== root) buildAll(root);
  else if (dirty) {
    update.apply();
    if (update.rebuilt || update.renamed) finishUpdate(update.rebuilt);
  }
  if (fresh || !areOnlyTexts()) changes.beyondTexts++;
  forgetChanges();
  return tree.root;
}

/** @param {Element} root */
function buildAll(root) {
  observeRoot(document);
  remotelyNamed.clear();
  suspectedHosts.clear();
  markAllStale();
  scanForMarks();
  tree.root = buildPart(root, null);
  privacy.asksEach = true;
  finishUpdate(true);
}

/** @param {boolean} rebuilt */
function finishUpdate(rebuilt) {
  nameState.state++;
  if (rebuilt && tree.root) recordState(tree.root);
}

function forgetChanges() {
  changes.all = false;
  changes.records = [];
  changes.touched.clear();
  changes.restyled.clear();
  changes.reported.clear();
}

/** Stores what has to be compared next time. @param {Part} root */
function recordState(root) {
  lastState.controls.clear();
  lastState.scrollers.clear();
  /** @type {Array<Part|Text>} */
  const stack = [root];
  while (stack.length) {
    const part = stack.pop();
    if (!(part instanceof Part)) continue;
    if (part.tag === 'input' || part.tag === 'select' || part.tag === 'textarea')
      lastState.controls.set(part, controlState(part.element));
    if (isScroller(part) && hasOverflow(part.element)) followScroller(part);
    for (const child of part.children) stack.push(child);
  }
}
