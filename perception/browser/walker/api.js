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

/** What this frame shows at once, without its scroll bars. @returns {Rect} */
function wholeViewport() {
  const shown = window.visualViewport;
  return shown ? [0, 0, Math.min(innerWidth, shown.width * shown.scale), Math.min(innerHeight, shown.height * shown.scale)] : [0, 0, innerWidth, innerHeight];
}

/** What an action needs to know of an element, now. @param {any} element */
function factsOf(element) {
  forgetNames();
  const part = probePart(element);
  const { role, acts } = part;
  const at = new Look(wholeViewport(), true).stand(part, boxOfPart(part), true);
  const { left } = secrets;
  const name = listedName(element, role, acts, part.marked);
  return {
    role: listedRole(role, part.picture),
    name,
    masked: withheld(part) !== '' || part.marked || secrets.left !== left,
    box: at.box,
    point: at.point,
    blocker: at.blocker ? describeBlocker(at.blocker) : '',
    inViewport: Boolean(at.flags & FLAG.inViewport),
    disabled: isDisabled(element),
    editable: isEditable(element),
    tag: part.tag,
    type: element.type || '',
    multiple: element.multiple === true,
    states: statesOf(element, role, null),
    restless: isRestless(),
  };
}

/** What an element is, found anew and apart from the painted tree. @param {Element} element */
function probePart(element) {
  const style = getComputedStyle(element);
  const part = chainPart(element);
  const { parent } = part;
  part.marked = isInMarked(element);
  if (part.tag === 'area') part.clippedBy = clipOfMap(element, part);
  part.role = roleOf(element);
  part.acts = isActedOn(part, part.role, style, parent ? parent.cursor : 'auto');
  part.picture = pictureKind(part, style);
  return part;
}

/** Takes typed text. @param {any} element */
function isEditable(element) {
  const tag = tagOf(element);
  if (tag === 'textarea') return !element.readOnly && !element.disabled;
  if (tag === 'input') return /^(text|search|email|tel|url|number|password)$/.test(element.type) && !element.readOnly && !element.disabled;
  return element.isContentEditable === true;
}

/** All roots of this frame, the document first. @returns {Array<Document|ShadowRoot>} */
const allRoots = () => rootsUnder(document);

/** A root and the shadow roots in it, outer ones first. @param {Document|ShadowRoot} root @returns {Array<Document|ShadowRoot>} */
function rootsUnder(root) {
  const roots = [root];
  for (let i = 0; i < roots.length; i++) {
    for (const element of allUnder(roots[i], '*')) {
      const root = rootIn(element);
      if (root) roots.push(root);
    }
  }
  return roots;
}

/** What most pages have, and little is in. */
const SAMPLES = 'a, button, input, select, textarea, label, p, li, td, th, h1, h2, h3, img, svg, summary';
const MAX_SAMPLES = 40, MAX_IN_SAMPLE = 20;

/** A few small elements of the page. @returns {Element[]} */
function sampleElements() {
  const samples = [];
  for (const element of document.querySelectorAll(SAMPLES)) {
    if (allIn(element, '*').length <= MAX_IN_SAMPLE) samples.push(element);
    if (samples.length >= MAX_SAMPLES) break;
  }
  return samples;
}

function whereabouts() {
  const root = document.scrollingElement || document.documentElement;
  return {
    url: location.href,
    title: titleNow(),
    viewport: [innerWidth, innerHeight, devicePixelRatio],
    scroll: [scrollX, scrollY, root ? root.scrollWidth : 0, root ? root.scrollHeight : 0],
    visible: document.visibilityState === 'visible',
    changes: changes.count,
    ...motion(),
    ready: document.readyState,
    suspects: suspects.size,
    listeners: ownListeners,
  };
}

globalThis.perceptionWalker = /** @type {Record<string, Function>} */ ({
  /**
   * Looks at the page.
   * @param {Rect|null} viewport what of this frame a person sees; all of it when null @param {boolean} wide also what is out of view
   * @param {boolean} anew whether nothing that is known can be relied on @param {boolean} shown whether what is private is told
   */
  look(viewport, wide, anew, shown) {
    const otherwise = secrets.shown !== shown; // then all names are others
    secrets.shown = shown;
    const look = new Look(viewport ? overlap(viewport, wholeViewport()) || NOWHERE : wholeViewport(), wide).over(painted(anew || otherwise));
    return encode({ rows: look.rows, frames: look.frames, ...whereabouts() });
  },

  /** Looks at a little of the page and forgets it, so that the engine has compiled the walker by the first real look. */
  warm() {
    if (tree) return;
    forgetNames();
    const look = new Look(wholeViewport(), true);
    for (const element of sampleElements()) {
      const part = build(element, chainPart(element).parent);
      if (part) look.part(part, -1, null);
    }
    look.flush();
    look.placeRows();
    for (const { index, part } of look.waiting.slice(0, 3)) { look.doubtful.add(index); look.checkInk(part); }
    encode(look.rows);
    disturbEverything();
  },

  /** Whether anything has changed since the last look, as far as the page tells. */
  probe() {
    const dirty = gather();
    return encode({ dirty, changes: changes.count, ...motion(), ready: document.readyState });
  },

  /**
   * Places, in this frame's viewport, that show what must not leave the page.
   * @param {boolean} shown whether what is private may be seen @param {boolean} told whether texts that are painted are to be told, for `spots`
   */
  veils(shown, told) {
    const dirty = gather();
    const root = painted(false);
    // The next look has to know that it cannot rely on the last one.
    if (dirty && root) changes.touched.add(root.element);
    return encode({ texts: told && root ? textsOf(root) : [], boxes: root ? new Veils(shown).over(root) : [], width: innerWidth, scroll: [scrollX, scrollY], running: running().length, suspects: suspects.size });
  },

  /** Places of parts of the texts that `veils` has told. @param {Array<[number, number, number]>} parts which text, from where, up to where */
  spots(parts) {
    return encode(spotsOf(parts));
  },

  /** Elements that DevTools has to be asked about: they may hide a closed shadow root. @param {number|null} also the number of one more */
  suspects(also) {
    const more = also === null ? null : nodeOf(also);
    const asked = [...suspects, ...(more ? [more] : [])];
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
    const fresh = elements.filter((element) => element instanceof Element && !hasListener(element));
    for (const element of fresh) clickListeners.add(element);
    for (const element of fresh) {
      const part = partOf.get(element);
      if (!part) continue;
      const isTarget = !part.acts && !(part.parent && part.parent.quiet) && !isDelegate(element, part.role);
      if (isTarget || roleOf(element) !== part.role) { changes.told.add(element); news++; }
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
    look.placeRows();
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
    forgetNames();
    const shown = element && isEmpty(boxOf(element, 'block')) ? labelsOf(element).find((label) => label.checkVisibility()) || pictureOfMap(element) || element : element;
    if (shown) shown.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return encode(Boolean(element));
  },

  /**
   * Numbers of what a selector matches: in a tree itself, and only where there is nothing in the shadow roots that it holds.
   * @param {string} selector @param {number|null} host whose shadow root is meant; the document when null
   */
  select(selector, host) {
    try {
      document.createDocumentFragment().querySelector(selector);
    } catch {
      return encode({ error: true });
    }
    const element = host === null ? null : nodeOf(host);
    const root = host === null ? document : element && rootIn(element);
    if (!root) return encode({ numbers: [], count: 0, rootless: true });
    const own = allUnder(root, selector);
    const found = own.length ? own : rootsUnder(root).slice(1).flatMap((each) => allUnder(each, selector));
    return encode({ numbers: found.slice(0, 100).map(numberOf), count: found.length });
  },

  /** Whether a click at a point lands on an element or in it. @param {number} number @param {number} x @param {number} y */
  lands(number, x, y) {
    const element = nodeOf(number);
    const hit = elementAt(x, y);
    return encode(!element || !hit ? 'outside' : holds(element, hit) ? '' : describeBlocker(hit));
  },

  /** Brings a point of a frame into view. @param {number} number of its iframe element @param {number} x @param {number} y in the frame's own pixels
   * @returns {string} where it is then, in this frame's pixels */
  revealPoint(number, x, y) {
    const element = nodeOf(number);
    return encode(element ? revealPoint(element, x, y) : null);
  },

  /** Whether boxes in a frame can be brought into view. @param {number} number of its iframe element @param {Rect[]} boxes in the frame's own pixels */
  canReveal(number, boxes) {
    const element = nodeOf(number);
    if (!element) return encode(boxes.map(() => false));
    const part = probePart(element);
    const { x, y, scaleX, scaleY } = frameOrigin(element);
    return encode(boxes.map((box) => canScrollTo([x + box[0] * scaleX, y + box[1] * scaleY, x + box[2] * scaleX, y + box[3] * scaleY], part.clippedBy, part)));
  },

  /** Where a frame lies now. @param {number} number of its iframe element */
  origin(number) {
    const element = nodeOf(number);
    return encode(element ? { ...frameOrigin(element), box: rectOf(boundsOf(element)), turned: isTurned(element) } : null);
  },

  /** What lies on top of a frame at points: see coversOf. @param {number} number @param {Array<[number, number]>} points */
  covers(number, points) {
    const element = nodeOf(number);
    return encode(element ? coversOf(element, points) : points.map(() => [2]));
  },

  /** Points at which a click on elements would land, as far as this frame knows, best first. @param {number[]} wanted */
  points(wanted) {
    forgetNames();
    return encode(wanted.map((number) => {
      const element = nodeOf(number);
      return element ? landingPoints(element) : [];
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
});

/** Parts of an element and of all that holds it, made for this question alone. @param {Element} element @returns {Part} the element's */
function chainPart(element) {
  const chain = [element];
  for (let node = paintedParent(element); node; node = paintedParent(node)) chain.push(node);
  /** @type {any} */
  let part = null;
  for (const each of chain.reverse()) {
    const style = getComputedStyle(each);
    part = new Part(each, tagOf(each), part);
    readStyle(part, style, style.display);
  }
  return part;
}
