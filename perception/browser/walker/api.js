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

/** What an action needs to know of an element, now. @param {Element} element */
function factsOf(element) {
  const role = roleOf(element);
  const style = getComputedStyle(element);
  labelled = new Map();
  const label = style.display === 'none' ? labelsOf(element).find((each) => each.checkVisibility()) : null;
  const box = boxOf(label || element, label ? 'block' : style.display);
  const unclipped = overlap(box, clipOf(label || element));
  const shown = unclipped && overlap(unclipped, wholeViewport());
  const hit = shown && !isEmpty(shown) && (label || element.checkVisibility({ visibilityProperty: true })) ? aim(element, shown) : { point: null, blocker: null };
  const tag = tagOf(element);
  const parent = paintedParent(element);
  const acts = isActedOn(element, tag, role, style, parent ? getComputedStyle(parent).cursor : 'auto');
  return {
    role: listedRole(role, acts ? '' : pictureKind(element, tag, role, style, { pictures: true })),
    name: listedName(element, role, acts),
    box,
    point: hit.point,
    blocker: hit.blocker ? describeBlocker(hit.blocker) : '',
    inViewport: Boolean(shown && !isEmpty(shown)),
    disabled: isDisabled(element),
    editable: isEditable(element),
    tag,
    type: element.type || '',
  };
}

/** Takes typed text. @param {Element} element */
function isEditable(element) {
  const tag = tagOf(element);
  if (tag === 'textarea') return !element.readOnly && !element.disabled;
  if (tag === 'input') return /^(text|search|email|tel|url|number|password)$/.test(element.type) && !element.readOnly && !element.disabled;
  return element.isContentEditable === true;
}

/** All open roots of this frame, the document first. @returns {Array<Document|ShadowRoot>} */
function openRoots() {
  /** @type {Array<Document|ShadowRoot>} */
  const roots = [document];
  for (let i = 0; i < roots.length; i++) {
    for (const element of roots[i].querySelectorAll('*')) if (shadowRootOf(element)) roots.push(shadowRootOf(element));
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
  };
}

globalThis.perceptionWalker = {
  /** @param {Rect|null} viewport what of this frame a person sees; all of it when null */
  walk(viewport) {
    const walk = new Walk(viewport || wholeViewport()).page();
    return encode({ rows: walk.rows, frames: walk.frames, ...whereabouts() });
  },

  /** Where the page is, without looking at what is on it. */
  place: () => encode({ rows: [], frames: [], ...whereabouts() }),

  /** @param {number[]} wanted @returns {Array<Node|null>} */
  nodes: (wanted) => wanted.map(nodeOf),

  /** Facts of rows that came from elsewhere (Chromium's accessibility tree). @param {Node[]} given */
  measure(...given) {
    const walk = new Walk(wholeViewport());
    for (const node of given) {
      const element = node instanceof Element ? node : null;
      const index = walk.rows.length;
      if (!element) {
        const box = node instanceof Text ? textBox(node) : null;
        const shown = box && overlap(box, walk.viewport);
        walk.rows.push([numberOf(node), -1, '', '', '', [], box || [0, 0, 0, 0], (shown ? FLAG.inViewport : 0) | (box ? FLAG.visible : 0), null, 0, '', '', '', '']);
        continue;
      }
      const style = getComputedStyle(element);
      const flow = clipOf(element);
      const tag = tagOf(element);
      const picture = pictureKind(element, tag, roleOf(element), style, { pictures: true });
      const context = { parent: -1, clips: { flow }, opacity: element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) ? 1 : 0 };
      const row = walk.row(element, '', '', context, boxOf(element, style.display), true, picture);
      if (tag === 'iframe' || tag === 'frame') walk.frame(element, row, walk.rows[index][6], context);
    }
    walk.nameBlockers();
    return encode({ rows: walk.rows, frames: walk.frames });
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
    const found = openRoots().flatMap((root) => [...root.querySelectorAll(selector)]);
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

/** What an element is clipped to by the scrollers around it. @param {Element} element @param {Rect} all */
function clipOf(element) {
  const chain = [];
  for (let node = paintedParent(element); node; node = paintedParent(node)) chain.push(node);
  let clips = { flow: EVERYWHERE, absolute: EVERYWHERE, fixed: EVERYWHERE };
  for (const ancestor of chain.reverse()) clips = clipsInside(ancestor, getComputedStyle(ancestor), clips);
  return clipFor(getComputedStyle(element), clips);
}
