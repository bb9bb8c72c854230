// Update: the painted tree is kept, and only what changed is found out anew.
//
// A change of an element counts for all that is in it, since style is inherited and selectors look at ancestors; for the
// siblings after it, if their own style changed; and for the names of all that holds it.

/** Siblings after a changed one that are checked: `+` and `~` reach that way, mostly a step or a few. */
const MAX_SIBLINGS = 32;

/** The painted tree of this document. @type {Part|null} */
let tree = null;

/** What an update has found so far. */
class Update {
  constructor() {
    /** To be made anew, with all that is in them. @type {Set<Part>} */
    this.deep = new Set();
    /** To get their children anew. @type {Set<Part>} */
    this.refilled = new Set();
    this.renamed = false;
    this.rebuilt = false;
  }

  /** @param {MutationRecord} record */
  take(record) {
    const { target } = record;
    if (!target.isConnected) return;
    if (isOfStyle(target) || (record.type === 'childList' && [...record.addedNodes, ...record.removedNodes].some(isOfStyle))) { changes.all = true; return; }
    const part = partAround(target);
    if (!part) { changes.all = true; return; }
    if (record.type === 'attributes') this.attribute(/** @type {Element} */ (target), part, record.attributeName || '');
    else if (record.type === 'childList' && (part.element === target || target instanceof ShadowRoot)) this.refilled.add(part);
    else {
      disturb(lastReach(part));
      this.rename(part);
    }
  }

  /** @param {Element} target @param {Part} part the innermost around it @param {string} name */
  attribute(target, part, name) {
    if (part.element !== target) { // it was not painted: it may be now
      if (paintedParent(target) === part.element) this.refilled.add(part);
      return;
    }
    // What is behind a modal dialog, or inert, takes no clicks; what is a label's is clicked there.
    if (name === 'open' || name === 'inert' || name === 'for') disturbEverything();
    disturb(lastReach(part.parent || part));
    if (name === 'style' && !(attr(target, 'style') || '').includes('--') && !isRestyled(part)) { touch(part); forgetInk(part); return; }
    this.deep.add(part);
    const beside = part.parent ? part.parent.children : [];
    const at = beside.indexOf(part);
    for (const sibling of beside.slice(at + 1, at + 1 + MAX_SIBLINGS)) {
      if (!(sibling instanceof Part)) continue;
      if (isRestyled(sibling)) this.deep.add(sibling);
      else forgetInk(sibling);
    }
  }

  /** Content has changed: so may have the names, and the kinds, of all that holds it. @param {Part} part */
  rename(part) {
    for (let above = /** @type {Part|null} */ (part); above; above = above.parent) {
      above.moved = true;
      if (!above.listed && !above.structure && above.cursor !== 'pointer' && !hasListener(above.element)) continue;
      if (above.named) { above.named = false; this.renamed = true; }
      if (isOther(above)) this.deep.add(above);
    }
  }

  apply() {
    for (const part of this.refilled) {
      if (!isCurrent(part) || !part.holds) continue;
      this.refill(part);
      this.rename(part);
    }
    for (const part of [...this.deep].sort((a, b) => a.depth - b.depth)) if (isCurrent(part)) this.rebuild(part);
  }

  /** @param {Part} part */
  refill(part) {
    const old = part.children;
    this.rebuilt = true;
    fill(part);
    if (part === tree) forgetInk(part); // a colour scheme is said in a document's head
    const kept = new Set(part.children);
    for (const child of old) if (child instanceof Part && !kept.has(child)) disturb(lastReach(child));
    // `+` and `~` colour what comes after.
    const news = part.children.findIndex((child, index) => child !== old[index]);
    if (news >= 0) for (const child of part.children.slice(news, news + MAX_SIBLINGS)) if (child instanceof Part) forgetInk(child);
    // What only changed places with its siblings is painted over them now, or under them.
    const stays = old.filter((child) => kept.has(child)), known = new Set(old);
    if (part.children.filter((child) => known.has(child)).some((child, index) => child !== stays[index])) disturb(lastReach(part));
  }

  /** @param {Part} part */
  rebuild(part) {
    const { parent } = part;
    this.rebuilt = true;
    disturb(lastReach(part));
    const fresh = build(part.element, parent);
    if (!parent) { tree = fresh; return; }
    const at = parent.children.indexOf(part);
    if (at >= 0) parent.children.splice(at, 1, ...(fresh ? [fresh] : []));
    if (!fresh) partOf.delete(part.element);
    this.rename(parent);
  }
}

/** A style sheet, or its text. @param {Node} node */
const isOfStyle = (node) => {
  const element = node instanceof Element ? node : parentNodeOf(node);
  return element instanceof Element && /^(style|link)$/.test(tagOf(element));
};

/** The innermost part that holds a node, or is its. @param {Node} node @returns {Part|null} */
function partAround(node) {
  for (let each = /** @type {Node|null} */ (node); each; each = each instanceof ShadowRoot ? each.host : paintedParent(each) || parentNodeOf(each)) {
    const part = partOf.get(each);
    if (part && isCurrent(part)) return part;
  }
  return null;
}

/** It stands in the tree: parts of what is no longer painted, or in something that is not, are still known. @param {Part} part */
function isCurrent(part) {
  let each = part;
  while (each.parent && each.parent.children.includes(each)) each = each.parent;
  return each === tree && part.element.isConnected;
}

/** Something in it has moved. @param {Part|null} part */
function touch(part) {
  for (let above = part; above && !(above.moved && above !== part); above = above.parent) above.moved = true;
}

/** Its own style has changed in what counts for it and what is in it. @param {Part} part */
function isRestyled(part) {
  const style = getComputedStyle(part.element);
  return style.display !== part.display || style.opacity !== part.ownOpacity || style.cursor !== part.cursor || (style.visibility !== 'visible') !== part.hidden ||
    style.position !== part.position || (part.display !== 'inline' && style.overflow !== part.overflow);
}

/** It is now something else than it was. @param {Part} part */
function isOther(part) {
  const { acts, listed, quiet, picture } = part;
  readKind(part, getComputedStyle(part.element));
  return part.acts !== acts || part.listed !== listed || part.quiet !== quiet || part.picture !== picture;
}

/** The painted tree, brought up to date. @param {boolean} anew whether nothing that is known can be relied on @returns {Part|null} null for a document without a root */
function painted(anew) {
  const root = document.documentElement;
  if (!root) return null;
  const dirty = gather();
  if (dirty || anew) inking++;
  forgetNames();
  const update = new Update();
  if (dirty && tree && !anew && !changes.all) {
    changes.records.forEach((record) => update.take(record));
    for (const element of changes.restyled) { const part = partAround(element); if (part) update.deep.add(part.parent || part); }
    for (const element of changes.told) { const part = partAround(element); if (part) update.deep.add(part); }
    for (const node of changes.touched) touch(partAround(node));
    if (changes.records.length) for (const part of linked) { part.named = false; update.renamed = true; }
  }
  if (anew || changes.all || !tree || tree.element !== root) buildAll(root);
  else if (dirty) {
    update.apply();
    if (update.rebuilt || update.renamed) settle(update.rebuilt);
  }
  forgetChanges();
  return tree;
}

/** @param {Element} root */
function buildAll(root) {
  watch(document);
  linked.clear();
  suspects.clear();
  disturbEverything();
  expectMarks();
  tree = build(root, null);
  secrets.asking = true;
  settle(true);
}

/** @param {boolean} rebuilt */
function settle(rebuilt) {
  naming++;
  if (rebuilt && tree) remember(tree);
}

function forgetChanges() {
  changes.all = false;
  changes.records = [];
  changes.touched.clear();
  changes.restyled.clear();
  changes.told.clear();
}

/** Remembers what has to be compared next time. @param {Part} root */
function remember(root) {
  before.controls = [];
  before.scrollers = [];
  /** @type {Array<Part|Text>} */
  const stack = [root];
  while (stack.length) {
    const part = stack.pop();
    if (!(part instanceof Part)) continue;
    if (part.tag === 'input' || part.tag === 'select' || part.tag === 'textarea') before.controls.push([part.element, holdings(part.element)]);
    const clip = part.clip;
    if (clip && clip.part === part && clip.overflow && clip.overflow !== 'clip') before.scrollers.push([part.element, scrolledTo(part.element)]);
    for (const child of part.children) stack.push(child);
  }
}
