// Hits: what a click at a point lands on, and whether a person could get an element under the pointer at all.

/** Whether a click can get there; in the order of types.Reach. */
const REACH = { unsaid: 0, now: 1, covered: 2, scroll: 3, never: 4 };

/** The innermost element painted at a point, through shadow roots. @param {number} x @param {number} y */
function elementAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  while (hit && rootIn(hit)) {
    const inner = rootIn(hit).elementFromPoint(x, y);
    if (!inner || inner === hit || !rootIn(hit).contains(inner)) break;
    hit = inner;
  }
  return hit;
}

/** @param {Node} node @returns {Element|null} parent in the painted tree */
function paintedParent(node) {
  const slot = slotOf(node);
  if (slot) return slot;
  const parent = parentNodeOf(node);
  return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
}

/** The slot that a node fills; in a closed tree, too, where the node itself does not tell. @param {Node} node @returns {Element|null} */
function slotOf(node) {
  const told = node instanceof Element ? assignedSlotOf(node) : node instanceof Text ? node.assignedSlot : null;
  if (told) return told;
  const parent = parentNodeOf(node);
  const root = parent instanceof Element ? closedRoots.get(parent) : null;
  if (!root) return null;
  for (const slot of root.querySelectorAll('slot')) if (assignedTo(slot).includes(node)) return slot;
  return null;
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
  let blocker = null, inner = null;
  for (const [x, y] of samplePoints(element, visible)) {
    const hit = elementAt(x, y);
    if (!hit) continue;
    const how = landing(element, hit);
    if (how === 'on') return { point: [x, y], blocker: null };
    if (how === 'in') inner = inner || /** @type {[number, number]} */ ([x, y]);
    else blocker = blocker || hit;
  }
  return { point: inner, blocker: inner ? null : blocker };
}

/**
 * Whether a click that hits one element does what a click on another does: `on` if so, `in` when a control inside takes
 * it first, and empty when it goes elsewhere.
 * @param {Element} element @param {Element} hit @returns {'on'|'in'|''}
 */
function landing(element, hit) {
  // Shapes of an image map are hit by way of their picture.
  if (hit === element || tagOf(element) === 'area') return 'on';
  let inner = false;
  for (let node = /** @type {Element|null} */ (hit); node; node = paintedParent(node)) {
    if (node === element) return inner ? 'in' : 'on';
    inner = inner || fits(node, OWN_CLICKS);
  }
  return isLabelled(element, hit) ? 'on' : '';
}

/** Controls that do something of their own when they are clicked, whatever they stand in. */
const OWN_CLICKS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe';

/** The middle first, then the middles of its lines, then towards the corners. @param {Element} element @param {Rect} visible */
function* samplePoints(element, visible) {
  const middle = (/** @type {Rect} */ r) => /** @type {[number, number]} */ ([(r[0] + r[2]) / 2, (r[1] + r[3]) / 2]);
  yield middle(visible);
  let count = 0;
  for (const rect of clientRectsOf(element)) {
    const part = overlap(rectOf(rect), visible);
    if (part && !isEmpty(part)) yield middle(part);
    if (++count >= 4) break;
  }
  const [left, top, right, bottom] = visible;
  const width = right - left, height = bottom - top;
  for (const fx of [0.2, 0.8]) for (const fy of [0.25, 0.75]) yield /** @type {[number, number]} */ ([left + width * fx, top + height * fy]);
  // A large element may show between what lies on it, or by its rim alone.
  if (width < 40 && height < 40) return;
  for (const fx of [0.04, 0.5, 0.96]) for (const fy of [0.06, 0.5, 0.94]) if (fx !== 0.5 || fy !== 0.5) yield /** @type {[number, number]} */ ([left + width * fx, top + height * fy]);
}

/** How a person would call what is in the way. @param {Element} element */
function describeBlocker(element) {
  const id = idOf(element) ? `#${idOf(element)}` : '';
  const kind = (attr(element, 'class') || '').trim().split(/\s+/)[0];
  const isPrivate = secrets.marked && !secrets.shown && (isInMarked(element) || firstIn(element, MARKED));
  const text = isPrivate ? '' : tidy((textContentOf(element) || '').slice(0, 400)).slice(0, 40);
  return `${tagOf(element)}${id}${kind ? `.${kind}` : ''}${text ? ` "${text}"` : ''}`;
}

/**
 * Whether scrolling, as a person does it, brings a place into view: each scroller around it has to have the place in what
 * it can be scrolled to.
 * @param {Rect} box @param {Clip|null} clip @returns {boolean}
 */
function canScrollTo(box, clip) {
  let place = box;
  for (; clip; clip = clip.by) {
    const inside = clip.overflow ? clip.inside() : NOWHERE;
    const scroller = clip.part.element;
    const left = Math.max(inside[0], Math.min(place[0], inside[2] - 1));
    const top = Math.max(inside[1], Math.min(place[1], inside[3] - 1));
    const byX = place[2] <= inside[0] || place[0] >= inside[2];
    const byY = place[3] <= inside[1] || place[1] >= inside[3];
    if ((byX && !scrollsTo(scroller, clip, place, inside, 'x')) || (byY && !scrollsTo(scroller, clip, place, inside, 'y'))) return false;
    if (byX || byY) place = [left, top, left + Math.min(place[2] - place[0], inside[2] - inside[0]), top + Math.min(place[3] - place[1], inside[3] - inside[1])];
  }
  return rootScrollsTo(place);
}

/** @param {Element} scroller @param {Clip} clip @param {Rect} place @param {Rect} inside @param {'x'|'y'} axis */
function scrollsTo(scroller, clip, place, inside, axis) {
  const style = getComputedStyle(scroller);
  const overflow = axis === 'x' ? style.overflowX : style.overflowY;
  if (overflow !== 'auto' && overflow !== 'scroll') return false;
  const [start, end, near] = axis === 'x' ? [place[0], place[2], inside[0]] : [place[1], place[3], inside[1]];
  const at = axis === 'x' ? scroller.scrollLeft : scroller.scrollTop;
  const room = axis === 'x' ? scroller.scrollWidth : scroller.scrollHeight;
  const size = axis === 'x' ? scroller.clientWidth : scroller.clientHeight;
  const from = axis === 'x' && style.direction === 'rtl' ? -(room - size) : 0;
  return end - near + at > from + 1 && start - near + at < from + room - 1;
}

/** @param {Rect} place */
function rootScrollsTo(place) {
  const root = document.scrollingElement || document.documentElement;
  if (!root) return false;
  const inView = overlap(place, wholeViewport());
  if (inView) return true;
  const [html, body] = [document.documentElement, document.body].map((each) => (each ? getComputedStyle(each) : null));
  const locked = (/** @type {'overflowX'|'overflowY'} */ axis) => {
    const by = html && html[axis] !== 'visible' ? html[axis] : body ? body[axis] : 'visible';
    return by === 'hidden' || by === 'clip';
  };
  if ((place[3] <= 0 || place[1] >= innerHeight) && locked('overflowY')) return false;
  if ((place[2] <= 0 || place[0] >= innerWidth) && locked('overflowX')) return false;
  const from = isLeftwards() ? innerWidth - root.scrollWidth : 0;
  return place[2] + scrollX > from + 1 && place[0] + scrollX < from + root.scrollWidth - 1 && place[3] + scrollY > 1 && place[1] + scrollY < root.scrollHeight - 1;
}
