// The painted tree: a `Part` for each element that is painted, with what was found out of it. It is kept from look to
// look; mutations.js says which parts have to be found out anew.

/** Never painted. */
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'base', 'param',
  'source', 'track', 'colgroup', 'col', 'datalist', 'rp', 'defs', 'symbol', 'clipPath', 'linearGradient', 'radialGradient', 'mask', 'metadata', 'desc']);

/** Elements whose inside is not walked: it is the browser's own, or said otherwise. */
const CLOSED = new Set(['select', 'textarea', 'iframe', 'frame', 'video', 'audio', 'canvas', 'object', 'embed', 'input', 'img', 'progress', 'meter']);

/** Deeper nesting than this is broken or hostile: HTML's parser itself stops at 512 (Chromium 156). */
const MAX_DEPTH = 900;

/** @type {WeakMap<Node, Part>} */
const partOf = new WeakMap();

class Part {
  /** @param {Element} element @param {string} tag @param {Part|null} parent */
  constructor(element, tag, parent) {
    this.element = element;
    this.tag = tag;
    this.parent = parent;
    /** @type {number} */
    this.depth = parent ? parent.depth + 1 : 0;
    /** Parts and text nodes, as they are painted. @type {Array<Part|Text>} */
    this.children = [];

    // What style says.
    this.display = '';
    this.block = false;
    this.position = 'static';
    this.overflow = 'visible';
    this.cursor = 'auto';
    this.ownOpacity = '1';
    this.opacity = 1;
    this.hidden = false;
    /** What clips it, and what clips that which flows in it. @type {Clip|null} */
    this.clippedBy = null;
    /** @type {Clip|null} */
    this.clip = null;
    /** It places what is fixed inside; undefined until somebody asks. @type {boolean|undefined} */
    this.isContaining = undefined;

    /** What style says of its ink; null until somebody asks. @type {Ink|null} */
    this.ink = null;

    // What it is.
    this.role = '';
    this.acts = false;
    /** Why its pixels are unexplained, if they are. */
    this.picture = '';
    this.listed = false;
    /** A container that only a digest lists. */
    this.structure = false;
    this.name = '';
    this.named = false;
    /** Its author's name for it may not be what it shows; undefined until somebody asks. @type {boolean|undefined} */
    this.misleads = undefined;
    /** Of a table's row, its cells in one line; null until somebody asks. @type {string|null} */
    this.cells = null;
    /** Something was left out of its name. */
    this.veiled = false;
    /** What is in it is private. */
    this.marked = false;
    /** Its text is painted as dots; undefined until somebody asks. @type {boolean|undefined} */
    this.dotted = undefined;
    /** Which one it is of those that share role and name, as of a state of all names. */
    this.nth = 0;
    this.numbered = 0;
    /** What is in it is walked. */
    this.holds = false;
    /** Its content is said by itself or above it. */
    this.quiet = false;
    this.pictures = true;

    // Where it is: see rows.js. In the look `at`, its own box was at `place`.
    this.at = 0;
    this.place = NOWHERE;
    /** Its own box: offset from its parent's, and size. @type {Rect|null} */
    this.own = null;
    /** What it and all in it take up, from the corner of its own box. @type {Rect|null} */
    this.reach = null;
    /** How it stood at a look, with what was asked. @type {{at: Standing, own: Rect, isTarget: boolean, look: number}|null} */
    this.stood = null;
    /** Something in it has changed or scrolled since it was measured. */
    this.moved = true;
    /** Something in it is placed by what is outside of it. */
    this.loose = false;
  }
}

/** @param {Element} element @param {Part|null} parent @returns {Part|null} null for what is not painted */
function build(element, parent) {
  const tag = tagOf(element);
  if (SKIPPED.has(tag) || (parent && parent.depth >= MAX_DEPTH)) return null;
  const style = getComputedStyle(element);
  const display = style.display;
  if (display === 'none') return buildHidden(element, tag, parent);
  if (display === '') { // it is in no slot of a shadow tree that nobody can see into
    if (parent) suspect(parent.element);
    return null;
  }
  const part = new Part(element, tag, parent);
  partOf.set(element, part);
  part.marked = isMarked(element, parent !== null && parent.marked);
  readStyle(part, style, display);
  readKind(part, style);
  part.holds = holdsParts(part, style);
  if (part.holds) fill(part);
  return part;
}

/** @param {Part} part @param {CSSStyleDeclaration} style @param {string} display */
function readStyle(part, style, display) {
  const above = part.parent;
  part.display = display;
  part.block = isBlock(display);
  part.cursor = style.cursor;
  part.ownOpacity = style.opacity;
  part.opacity = (above ? above.opacity : 1) * parseFloat(part.ownOpacity);
  part.hidden = style.visibility !== 'visible';
  part.position = style.position;
  // What does not apply to what is in a line is not asked.
  part.overflow = display === 'inline' ? 'visible' : style.overflow;
  part.clippedBy = clipOver(part);
  part.clip = part.clippedBy;
  const isRoot = part.element === document.documentElement || (part.element === document.body && (!above || above.overflow === 'visible'));
  if (part.overflow !== 'visible' && !isRoot) part.clip = new Clip(part, part.clippedBy, part.overflow);
  if (isClippedAway(style, part.position)) part.clip = new Clip(part, part.clippedBy, '');
  if (part.position !== 'static' && part.position !== 'relative') loosen(part);
}

/**
 * What an element is clipped to. One that is positioned absolutely escapes scrollers up to its containing block, one that is
 * fixed all of them (CSS Overflow 3 §3).
 * @param {Part} part @returns {Clip|null}
 */
function clipOver(part) {
  const { position, parent } = part;
  if (position !== 'absolute' && position !== 'fixed') return parent && parent.clip;
  for (let above = parent; above; above = above.parent) {
    if ((position === 'absolute' && above.position !== 'static') || isContaining(above)) return above.clip;
  }
  return null;
}

/** @param {Part} part @returns {boolean} whether it places what is fixed inside of it */
function isContaining(part) {
  if (part.isContaining === undefined) part.isContaining = holdsFixed(getComputedStyle(part.element));
  return part.isContaining;
}

/** Marks what does not move with everything around it, up to what places it. @param {Part} part */
function loosen(part) {
  for (let above = part.parent; above; above = above.parent) {
    if (part.position === 'absolute' && above.position !== 'static') break;
    above.loose = true;
  }
}

/** What an element is, and whether it gets a row. @param {Part} part @param {CSSStyleDeclaration} style */
function readKind(part, style) {
  const { element, tag, parent } = part;
  const quiet = parent ? parent.quiet : false;
  const pictures = parent ? parent.pictures : true;
  const role = roleOf(element);
  const acts = isActedOn(part, role, style, parent ? parent.cursor : 'auto');
  const container = !acts && CONTAINERS.has(role) && !quiet;
  const content = !quiet && (role === 'heading' || role === 'progressbar' || role === 'meter' || role === 'separator');
  part.role = role;
  part.acts = acts;
  part.named = false;
  part.quiet = quiet;
  part.pictures = pictures;
  const picture = part.picture = pictureKind(part, style);
  part.structure = false;
  const isHere = !part.hidden || (acts && isClickedByLabel(element, tag));
  part.listed = isHere && Boolean(acts || picture || container || content);
  if (!part.listed) {
    part.structure = !part.hidden && !quiet && STRUCTURES.has(role);
    // What a label says is its control's name: said there.
    if (tag === 'label' && /** @type {HTMLLabelElement} */ (element).control) part.quiet = true;
    return;
  }
  if (container && NAMED_CONTAINERS.has(role) && !nameIt(part)) {
    part.listed = false;
    part.structure = true;
    return;
  }
  if (acts || content || role === 'row') { part.quiet = INTERACTIVE.has(role) || !acts || !isCard(element); part.pictures = !acts; }
}

/** The name, found once. @param {Part} part */
function nameIt(part) {
  if (!part.named) {
    const { left } = secrets;
    part.name = listedName(part.element, part.role, part.acts, part.marked);
    part.veiled = secrets.left !== left;
    part.named = true;
    part.misleads = undefined;
    part.cells = null;
    if (has(part.element, 'aria-labelledby') || labelsOf(part.element).length) linked.add(part);
  }
  return part.name;
}

/** Whether what is in an element is walked. @param {Part} part @param {CSSStyleDeclaration} style */
function holdsParts(part, style) {
  if (CLOSED.has(part.tag) || (part.role === 'textbox' && isEditingHost(part.element))) return false;
  return part.display === 'inline' || style.contentVisibility !== 'hidden';
}

/** Makes the parts of what is in an element; those that are there already and are still true are kept. @param {Part} part */
function fill(part) {
  const children = [];
  const closed = isClosedDetails(part.element);
  for (const child of paintedChildren(part.element)) {
    const type = nodeTypeOf(child);
    if (type === Node.TEXT_NODE) { if (!closed) children.push(/** @type {Text} */ (child)); continue; }
    if (type !== Node.ELEMENT_NODE || (closed && tagOf(/** @type {Element} */ (child)) !== 'summary')) continue;
    const known = partOf.get(child);
    const made = known && known.parent === part ? known : build(/** @type {Element} */ (child), part);
    if (made) children.push(made);
  }
  part.children = children;
  const root = rootIn(part.element);
  if (root) watch(root);
  else if (part.tag.includes('-') || (!children.length && mayHideRoot(part))) suspect(part.element);
}

/** @param {Element} element */
function suspect(element) {
  if (!askedForRoots.has(element)) suspects.add(element);
}

/** Where a closed shadow root can be, beside custom elements (DOM §4.8 attachShadow). */
const HOSTS = new Set(['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main',
  'nav', 'p', 'section', 'span']);

/** An element that is empty but takes up room may hide a closed shadow root. @param {Part} part */
const mayHideRoot = (part) => HOSTS.has(part.tag) && (part.display === 'contents' || boundsOf(part.element).height >= 8);

/** Parts whose names come from elsewhere on the page. @type {Set<Part>} */
const linked = new Set();

/** Elements that DevTools has to be asked about. @type {Set<Element>} */
const suspects = new Set();

/** What is not painted itself but can be clicked all the same: an area of an image map, a checkbox by its label. */
function buildHidden(/** @type {Element} */ element, /** @type {string} */ tag, /** @type {Part|null} */ parent) {
  if (!parent || !(tag === 'area' ? pictureOfMap(element) : isClickedByLabel(element, tag))) return null;
  const part = new Part(element, tag, parent);
  partOf.set(element, part);
  part.display = 'block';
  part.marked = isMarked(element, parent.marked);
  part.role = roleOf(element);
  part.acts = part.listed = part.quiet = true;
  part.opacity = parent.opacity;
  part.clippedBy = tag === 'area' ? clipOfMap(element, parent) : parent.clip;
  return part;
}

/** A checkbox, radio or file input whose label a person sees and clicks in its place. @param {Element} element @param {string} tag */
const isClickedByLabel = (element, tag) => tag === 'input' && /^(checkbox|radio|file)$/.test(/** @type {HTMLInputElement} */ (element).type) &&
  labelsOf(element).some((label) => label.checkVisibility({ visibilityProperty: true }));

/** A control, or something only a pointer knows of. @param {Part} part @param {string} role @param {CSSStyleDeclaration} style @param {string} cursorAbove */
function isActedOn(part, role, style, cursorAbove) {
  const { element, tag } = part;
  if (INTERACTIVE.has(role) && (role !== 'gridcell' || isFocusable(element)) && tag !== 'option') return true;
  if (INTERACTIVE.has(role) || tag === 'html' || tag === 'body' || tag === 'iframe' || tag === 'frame' || tag === 'label') return false;
  if (!isPointerTarget(element, style, cursorAbove) && !(hasListener(element) && !isDelegate(element, role))) return false;
  // A target that takes most of the page is a page with a listener.
  const rect = boundsOf(element);
  return rect.width * rect.height < 0.5 * innerWidth * innerHeight;
}

/** Text beyond this is more than what one target says (characters). */
const MAX_CARD = 300;

/** Something with words of its own, and a control or a few in it. @param {Element} element */
function isCard(element) {
  const text = (textContentOf(element) || '').replace(/\s+/g, '');
  if (text.length > MAX_CARD) return false;
  const controls = [...allIn(element, CONTROLS)];
  const theirs = controls.reduce((sum, control) => sum + (textContentOf(control) || '').replace(/\s+/g, '').length, 0);
  return controls.length > 0 && controls.length <= 4 && text.length > theirs;
}

/** It listens for what is in it: for controls, or for children that are all alike. @param {Element} element @param {string} role */
function isDelegate(element, role) {
  if (role === 'row') return false;
  if (CONTAINERS.has(role) || STRUCTURES.has(role) || role === 'rowgroup' || /^(table|tbody|ul|ol|dl)$/.test(tagOf(element))) return true;
  if (firstIn(element, CONTROLS)) return !isCard(element);
  for (const inner of allIn(element, '*')) if (hasListener(inner)) return true;
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (const child of element.children) {
    const kind = `${tagOf(child)} ${attr(child, 'class') || ''}`;
    const alike = (kinds.get(kind) || 0) + 1;
    if (alike > 2 || (alike > 1 && /^(li|tr|dt|dd|tbody|a) /.test(kind))) return true;
    kinds.set(kind, alike);
  }
  return false;
}

/**
 * The name a row carries. What only a pointer knows of is called by what it holds; what is private is not called by that.
 * @param {Element} element @param {string} role @param {boolean} acts @param {boolean} marked
 */
function listedName(element, role, acts, marked) {
  if (marked && !secrets.shown) return isField(element) ? nameOf(element, 'textbox') : '';
  const own = nameOf(element, role);
  return own || !acts || INTERACTIVE.has(role) ? own : nameOf(element, 'button').slice(0, 120);
}

/** The role a row carries: a picture without a role of its own is an img. @param {string} role @param {string} picture */
const listedRole = (role, picture) => (role === 'none' || (picture && role === 'generic') ? 'img' : role);

/** Roles whose emptiness is a state, not a missing name. @param {string} role */
const isTyped = (role) => role === 'option' || role === 'gridcell';

/** Why a picture's pixels are unexplained, empty for what is no picture. @param {Part} part @param {CSSStyleDeclaration} style */
function pictureKind({ element, tag, acts, pictures }, style) {
  // One that takes clicks is a picture all the same: what is painted in it is what is clicked.
  if (tag === 'canvas' || tag === 'video') return tag;
  if (acts) return '';
  if (tag === 'embed' || tag === 'object') return 'image';
  if (tag === 'iframe' || tag === 'frame') return 'frame';
  if (!pictures) return '';
  if (tag === 'img') return 'image';
  if (tag === 'svg') return firstIn(element, 'text, foreignObject') ? '' : 'svg';
  if (firstElementChildOf(element) || /\S/.test(textContentOf(element) || '')) return '';
  return style.backgroundImage.includes('url(') ? 'background' : '';
}

/** A table's row in one line, with bars between its cells. @param {Part} part */
function rowLine(part) {
  if (part.cells === null) {
    const cells = allIn(part.element, ':scope > td, :scope > th, :scope > [role=cell], :scope > [role=gridcell], :scope > [role=columnheader], :scope > [role=rowheader]');
    part.cells = [...cells].map((cell) => tidy(textOf(cell))).join(' | ').replace(/( \| )+$/, '');
  }
  return part.cells;
}
