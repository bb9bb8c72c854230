// Hits: what a click at a point lands on.

/** The innermost element painted at a point, through open shadow roots. @param {number} x @param {number} y */
function elementAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  while (hit && shadowRootOf(hit)) {
    const inner = shadowRootOf(hit).elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

/** @param {Node} node @returns {Element|null} parent in the painted tree */
function paintedParent(node) {
  if (assignedSlotOf(node)) return assignedSlotOf(node);
  const parent = parentNodeOf(node);
  return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
}

/** @param {Element} ancestor @param {Node|null} node */
function holds(ancestor, node) {
  for (; node; node = paintedParent(node)) if (node === ancestor) return true;
  return false;
}

/** A click on a label is a click on its control. @param {Element} element @param {Element} hit */
const isLabelled = (element, hit) => labelsOf(element).some((label) => holds(label, hit));

/**
 * Where a click lands on an element.
 * @param {Element} element @param {Rect} visible the part of its box that no scroller clips
 * @returns {{point: [number, number]|null, blocker: Element|null}} a point that works, or what lies on top instead
 */
function aim(element, visible) {
  let blocker = null;
  for (const [x, y] of samplePoints(element, visible)) {
    const hit = elementAt(x, y);
    if (!hit) continue;
    if (holds(element, hit) || isLabelled(element, hit)) return { point: [x, y], blocker: null };
    blocker = blocker || hit;
  }
  return { point: null, blocker };
}

/** The middle first, then the middles of its lines, then towards the corners. @param {Element} element @param {Rect} visible */
function* samplePoints(element, visible) {
  const middle = (/** @type {Rect} */ r) => [(r[0] + r[2]) / 2, (r[1] + r[3]) / 2];
  yield middle(visible);
  let count = 0;
  for (const rect of element.getClientRects()) {
    const part = overlap(rectOf(rect), visible);
    if (part && !isEmpty(part)) yield middle(part);
    if (++count >= 4) break;
  }
  const [left, top, right, bottom] = visible;
  for (const fx of [0.2, 0.8]) for (const fy of [0.25, 0.75]) yield [left + (right - left) * fx, top + (bottom - top) * fy];
}

/** How a person would call what is in the way. @param {Element} element */
function describeBlocker(element) {
  const id = idOf(element) ? `#${idOf(element)}` : '';
  const kind = (attr(element, 'class') || '').trim().split(/\s+/)[0];
  const text = tidy(textContentOf(element) || '').slice(0, 40);
  return `${tagOf(element)}${id}${kind ? `.${kind}` : ''}${text ? ` "${text}"` : ''}`;
}
