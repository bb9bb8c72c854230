// Places: what lies at a point, and what lies in an element, both by node number.

/** How far up a hit is followed: deeper pages are generated, and their outermost containers say nothing of a point. */
const MAX_HOLDERS = 200;

/**
 * What a click at a point lands on: the innermost element, then what holds it, outwards. A label is followed by its
 * control, which is what a click on it is about.
 * @param {Element} hit @returns {number[]}
 */
function holdersOf(hit) {
  const found = new Set();
  for (let node = /** @type {Element|null} */ (hit); node && found.size < MAX_HOLDERS; node = paintedParent(node)) {
    found.add(numberOf(node));
    const { control } = /** @type {HTMLLabelElement} */ (node);
    if (tagOf(node) === 'label' && control) found.add(numberOf(control));
  }
  return [...found];
}

perceptionWalker.at = /** @param {number} x @param {number} y */ (x, y) => {
  const hit = elementAt(x, y);
  if (!hit) return encode(null);
  const tag = tagOf(hit);
  const frame = tag === 'iframe' || tag === 'frame' ? frameOrigin(hit) : null;
  return encode({ numbers: holdersOf(hit), frame });
};

/** What clicks at points land on: the innermost element of each, 0 for none, and its origin where it is a frame. @param {number[][]} points */
perceptionWalker.under = (points) => encode(points.map(([x, y]) => {
  const hit = elementAt(x, y);
  const tag = hit ? tagOf(hit) : '';
  return { number: hit ? numberOf(hit) : 0, frame: hit && (tag === 'iframe' || tag === 'frame') ? frameOrigin(hit) : null };
}));

/** Which of the given texts are written in an element, or around it: not under it. */
perceptionWalker.around = /** @param {number} hit @param {number[]} given */ (hit, given) => {
  const element = nodeOf(hit);
  return encode(given.map((number) => {
    const text = nodeOf(number);
    const parent = text && paintedParent(text);
    return Boolean(element && parent) && (holds(parent, element) || holds(element, parent));
  }));
};

/** Which of the given nodes lie in an element or are it; null when the element is gone. */
perceptionWalker.inside = /** @param {number} root @param {number[]} given */ (root, given) => {
  const element = nodeOf(root);
  if (!element) return encode(null);
  // A page's nodes share their holders: each is asked for once.
  const known = new Map([[element, true]]);
  /** @param {Node|null} node @returns {boolean} */
  const lies = (node) => {
    const path = [];
    while (node && !known.has(node)) { path.push(node); node = paintedParent(node); }
    const inside = Boolean(node && known.get(node));
    for (const each of path) known.set(each, inside);
    return inside;
  };
  return encode(given.map((number) => lies(nodeOf(number))));
};
