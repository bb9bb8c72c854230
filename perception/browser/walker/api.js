// What the service calls. Every answer is a JSON string, but `nodes`, which hands the nodes themselves to CDP.

/**
 * JSON that every decoder takes: half a surrogate pair, which pages do hold, becomes U+FFFD. JSON.stringify writes it as
 * an escape, and little else so.
 * @param {any} value
 */
function encode(value) {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(value, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part));
}

const wholeViewport = () => [0, 0, innerWidth, innerHeight];

/** What an action needs to know of an element, now. @param {any} element */
function factsOf(element) {
  labelled = new Map();
  const parent = paintedParent(element);
  const part = probePart(element, parent);
  const { label, role, acts } = part;
  const box = boxOf(label || element, label ? 'block' : part.display);
  const clip = shownBy(clipAround(label || element), ++looks);
  const unclipped = overlap(box, clip);
  const shown = unclipped && overlap(unclipped, wholeViewport());
  const isShown = label || element.checkVisibility({ visibilityProperty: true });
  const hit = shown && !isEmpty(shown) && isShown ? aim(label || element, shown) : { point: null, blocker: null };
  const { left } = secrets;
  const name = listedName(element, role, acts, part.marked);
  return {
    role: listedRole(role, part.picture),
    name,
    masked: withheld(part) !== '' || part.marked || secrets.left !== left,
    box,
    point: hit.point,
    blocker: hit.blocker ? describeBlocker(hit.blocker) : '',
    inViewport: Boolean(shown && !isEmpty(shown)),
    disabled: isDisabled(element),
    editable: isEditable(element),
    tag: part.tag,
    type: element.type || '',
  };
}

/** What an element is, found anew and apart from the painted tree. @param {Element} element @param {Element|null} parent */
function probePart(element, parent) {
  const style = getComputedStyle(element);
  const part = new Part(element, tagOf(element), null);
  part.display = style.display;
  part.cursor = style.cursor;
  part.marked = isInMarked(element);
  part.label = style.display === 'none' ? labelsOf(element).find((each) => each.checkVisibility()) || null : null;
  part.role = roleOf(element);
  part.acts = isActedOn(part, part.role, style, parent ? getComputedStyle(parent).cursor : 'auto');
  part.picture = part.acts && part.tag !== 'canvas' && part.tag !== 'video' ? '' : pictureKind(element, part.tag, part.role, style, true);
  return part;
}

/** Takes typed text. @param {Element} element */
function isEditable(element) {
  const tag = tagOf(element);
  if (tag === 'textarea') return !element.readOnly && !element.disabled;
  if (tag === 'input') return /^(text|search|email|tel|url|number|password)$/.test(element.type) && !element.readOnly && !element.disabled;
  return element.isContentEditable === true;
}

/** All roots of this frame, the document first. @returns {Array<Document|ShadowRoot>} */
function allRoots() {
  /** @type {Array<Document|ShadowRoot>} */
  const roots = [document];
  for (let i = 0; i < roots.length; i++) {
    for (const element of roots[i].querySelectorAll('*')) {
      const root = rootIn(element);
      if (root) roots.push(root);
    }
  }
  return roots;
}

function whereabouts() {
  const root = document.scrollingElement || document.documentElement;
  return {
    url: location.href,
    title: document.title,
    viewport: [innerWidth, innerHeight, devicePixelRatio],
    scroll: [scrollX, scrollY, root ? root.scrollWidth : 0, root ? root.scrollHeight : 0],
    visible: document.visibilityState === 'visible',
    changes: changes.count,
    suspects: suspects.size,
  };
}

globalThis.perceptionWalker = {
  /**
   * Looks at the page.
   * @param {Rect|null} viewport what of this frame a person sees; all of it when null @param {boolean} wide also what is out of view
   * @param {boolean} anew whether nothing that is known can be relied on @param {boolean} shown whether what is private is told
   */
  look(viewport, wide, anew, shown) {
    const otherwise = secrets.shown !== shown; // then all names are others
    secrets.shown = shown;
    const look = new Look(viewport || wholeViewport(), wide).over(painted(anew || otherwise));
    return encode({ rows: look.rows, frames: look.frames, ...whereabouts() });
  },

  /** Whether anything has changed since the last look, as far as the page tells. */
  probe() {
    const dirty = gather();
    return encode({ dirty, changes: changes.count, running: running().length, ready: document.readyState });
  },

  /**
   * Places, in this frame's viewport, that show what must not leave the page.
   * @param {boolean} shown whether what is private may be seen
   */
  veils(shown) {
    const dirty = gather();
    const root = painted(false);
    // The next look has to know that it cannot rely on the last one.
    if (dirty && root) changes.touched.add(root.element);
    return encode({ boxes: root ? new Veils(shown).over(root) : [], width: innerWidth, scroll: [scrollX, scrollY], running: running().length, suspects: suspects.size });
  },

  /** Elements that DevTools has to be asked about: they may hide a closed shadow root. */
  suspects() {
    const asked = [...suspects];
    suspects.clear();
    for (const element of asked) askedForRoots.add(element);
    return asked;
  },

  /** Takes in closed shadow roots, as pairs of host and root. @param {Array<any>} pairs */
  adopt(...pairs) {
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      closedRoots.set(pairs[i], pairs[i + 1]);
      changes.told.add(pairs[i]);
      changes.count++;
    }
    return encode(pairs.length / 2);
  },

  /** Takes in elements that listen for clicks. @param {Array<any>} elements @returns {string} how many of them were not known to be controls */
  hear(...elements) {
    let news = 0;
    for (const element of elements) {
      if (!(element instanceof Element) || hasListener(element)) continue;
      clickListeners.add(element);
      const part = partOf.get(element);
      if (part && !part.acts && !part.quiet && !isDelegate(element)) { changes.told.add(element); news++; }
    }
    return encode(news);
  },

  /** Where the page is, without looking at what is on it. */
  place: () => encode({ rows: [], frames: [], ...whereabouts() }),

  /** @param {number[]} wanted @returns {Array<Node|null>} */
  nodes: (wanted) => wanted.map(nodeOf),

  /** Facts of rows that came from elsewhere (Chromium's accessibility tree). @param {Node[]} given */
  measure(...given) {
    painted(false);
    const look = new Look(wholeViewport(), true);
    for (const node of given) {
      if (node instanceof Element) look.given(node);
      else look.givenText(node);
    }
    look.nameBlockers();
    return encode({ rows: look.rows, frames: look.frames });
  },

  /** @param {number} number @returns {string} its facts, or `null` when it is gone */
  facts(number) {
    const element = nodeOf(number);
    return encode(element ? factsOf(element) : null);
  },

  /** Brings an element into view. @param {number} number */
  reveal(number) {
    const element = nodeOf(number);
    if (element) element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return encode(Boolean(element));
  },

  /** Numbers of what a selector matches, through open shadow roots. @param {string} selector */
  select(selector) {
    try {
      document.createDocumentFragment().querySelector(selector);
    } catch {
      return encode({ error: true });
    }
    const found = allRoots().flatMap((root) => [...root.querySelectorAll(selector)]);
    return encode({ numbers: found.slice(0, 100).map(numberOf), count: found.length });
  },

  /** Whether a click at a point lands on an element or in it. @param {number} number @param {number} x @param {number} y */
  lands(number, x, y) {
    const element = nodeOf(number);
    const hit = elementAt(x, y);
    return encode(!element || !hit ? 'outside' : holds(element, hit) ? '' : describeBlocker(hit));
  },

  /** Where a frame lies now. @param {number} number of its iframe element */
  origin(number) {
    const element = nodeOf(number);
    return encode(element ? { ...frameOrigin(element), box: rectOf(boundsOf(element)) } : null);
  },

  /** What lies on top of a frame at points, empty where nothing does. @param {number} number @param {Array<[number, number]>} points */
  covers(number, points) {
    const element = nodeOf(number);
    return encode(points.map(([x, y]) => {
      const hit = elementAt(x, y);
      return !element || !hit ? 'outside' : hit === element ? '' : describeBlocker(hit);
    }));
  },

  /** @param {Node} node @returns {string} its number */
  number: (node) => encode(numberOf(node)),

  /** Whether the pointer is on an element. In quirks mode a bare `:hover` matches links alone, hence `:is`. @param {number} number */
  hovered(number) {
    const element = nodeOf(number);
    return encode(Boolean(element) && fits(element, ':is(:hover)'));
  },

  /** The focused element's facts, `null` for none. */
  active() {
    const element = deepFocus();
    return encode(element ? { ...factsOf(element), number: numberOf(element) } : null);
  },

  /** Where the page and the scrollers around a point stand. @param {number} x @param {number} y */
  scrolls(x, y) {
    const root = document.scrollingElement || document.documentElement;
    const around = [];
    for (let node = elementAt(x, y); node; node = paintedParent(node)) around.push(node.scrollLeft, node.scrollTop);
    return encode({ scroll: [scrollX, scrollY, root.scrollWidth, root.scrollHeight], around });
  },
};

/** What clips an element. @param {Element} element @returns {Clip|null} */
function clipAround(element) {
  const chain = [element];
  for (let node = paintedParent(element); node; node = paintedParent(node)) chain.push(node);
  /** @type {Part|null} */
  let above = null;
  for (const each of chain.reverse()) {
    const style = getComputedStyle(each);
    const part = new Part(each, tagOf(each), above);
    readStyle(part, style, style.display);
    above = part;
  }
  return above && above.clippedBy;
}
