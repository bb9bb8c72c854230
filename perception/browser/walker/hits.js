// Hits: what a click at a point lands on, and whether a person could get an element under the pointer at all.

/** Whether a click can get there; in the order of types.Reach. */
const REACH = { unsaid: 0, now: 1, covered: 2, scroll: 3, never: 4 };

/** The innermost element painted at a point, through shadow roots. @param {number} x @param {number} y */
function elementAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit && rootIn(hit); root; root = hit && rootIn(hit)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit || !root.contains(inner)) break;
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

/** All points at which a click on an element would land. @param {Element} element @returns {Array<[number, number]>} */
function landingPoints(element) {
  const part = probePart(element);
  const shown = overlap(overlap(boxOfPart(part), shownBy(part.clippedBy, ++looks)) || NOWHERE, wholeViewport());
  if (!shown) return [];
  return [...samplePoints(element, shown)].filter(([x, y]) => {
    const hit = elementAt(x, y);
    return hit !== null && landing(element, hit) === 'on';
  });
}

/**
 * Whether a click that hits one element does what a click on another does: `on` if so, `in` when a control inside takes
 * it first, and empty when it goes elsewhere.
 * @param {Element} element @param {Element} hit @returns {'on'|'in'|''}
 */
function landing(element, hit) {
  if (hit === element) return 'on';
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
  if (element instanceof SVGGeometryElement) yield* pointsOn(element);
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
  if (width < 60 && height < 60) return;
  for (const fx of [0.04, 0.5, 0.96]) for (const fy of [0.06, 0.5, 0.94]) if (fx !== 0.5 || fy !== 0.5) yield /** @type {[number, number]} */ ([left + width * fx, top + height * fy]);
}

/** Points on the line of a drawn shape: a thin or hollow one is hit nowhere else. @param {SVGGeometryElement} shape @returns {Generator<[number, number]>} */
function* pointsOn(shape) {
  const matrix = shape.getScreenCTM();
  const length = shape.getTotalLength();
  if (!matrix || !(length > 0)) return;
  const style = getComputedStyle(shape);
  if (style.fill !== 'none') return;
  for (const share of [0.5, 0.25, 0.75, 0.1, 0.9]) {
    const point = shape.getPointAtLength(length * share).matrixTransform(matrix);
    yield [point.x, point.y];
  }
}

/** The picture that shows an image map. @param {Element} area @returns {Element|null} */
function pictureOfMap(area) {
  const map = closestTo(area, 'map');
  const name = map && (attr(map, 'name') || idOf(map));
  if (!name) return null;
  for (const image of /** @type {any} */ (rootOf(area)).querySelectorAll('img[usemap], object[usemap]')) if (attr(image, 'usemap') === `#${name}`) return image;
  return null;
}

/** Where an area of an image map lies; its corners are in CSS px of the picture (HTML §4.8.14). @param {Element} area @returns {Rect} */
function areaBox(area) {
  const image = pictureOfMap(area);
  if (!image) return NOWHERE;
  const { x, y, scaleX, scaleY } = frameOrigin(image);
  const numbers = (attr(area, 'coords') || '').split(/[\s,;]+/).map(parseFloat).filter((number) => !Number.isNaN(number));
  const shape = (attr(area, 'shape') || 'rect').toLowerCase();
  let inner = [0, 0, image.clientWidth, image.clientHeight];
  if (shape.startsWith('circ') && numbers.length >= 3) inner = [numbers[0] - numbers[2], numbers[1] - numbers[2], numbers[0] + numbers[2], numbers[1] + numbers[2]];
  else if (shape !== 'default' && numbers.length >= 4) {
    const across = numbers.filter((_, i) => i % 2 === 0), down = numbers.filter((_, i) => i % 2 === 1);
    inner = [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
  }
  const box = /** @type {Rect} */ ([x + inner[0] * scaleX, y + inner[1] * scaleY, x + inner[2] * scaleX, y + inner[3] * scaleY]);
  return overlap(box, rectOf(boundsOf(image))) || NOWHERE;
}

/** @param {Element} area @param {Part} around @returns {Clip|null} */
function clipOfMap(area, around) {
  const image = pictureOfMap(area);
  const part = image && partOf.get(image);
  return part ? part.clippedBy : image ? chainPart(image).clippedBy : around.clip;
}

/** Where a part lies now. @param {Part} part @returns {Rect} */
const boxOfPart = (part) => (part.tag === 'area' ? areaBox(part.element) : boxOf(part.element, part.display));

/** How a person would call what is in the way. @param {Element} element */
function describeBlocker(element) {
  const id = idOf(element) ? `#${idOf(element)}` : '';
  const kind = (attr(element, 'class') || '').trim().split(/\s+/)[0];
  const isPrivate = secrets.marked && !secrets.shown && (isInMarked(element) || firstIn(element, MARKED));
  const part = partOf.get(element);
  const unread = part !== undefined && (part.opacity < 0.05 || !showsText(part));
  const text = isPrivate || unread ? '' : tidy((textContentOf(element) || '').slice(0, 400)).slice(0, 40);
  return `${tagOf(element)}${id}${kind ? `.${kind}` : ''}${text ? ` "${text}"` : ''}`;
}

/**
 * Whether scrolling, as a person does it, brings a place into view: each scroller around it has to have the place in what
 * it can be scrolled to.
 * @param {Rect} box @param {Clip|null} clip @param {Part} part @returns {boolean}
 */
function canScrollTo(box, clip, part) {
  let place = box;
  for (; clip; clip = clip.by) {
    const inside = clip.overflow ? clip.inside() : NOWHERE;
    const scroller = clip.part.element;
    const width = Math.min(place[2] - place[0], inside[2] - inside[0]), height = Math.min(place[3] - place[1], inside[3] - inside[1]);
    const left = Math.max(inside[0], Math.min(place[0], inside[2] - width));
    const top = Math.max(inside[1], Math.min(place[1], inside[3] - height));
    const byX = place[2] <= inside[0] || place[0] >= inside[2];
    const byY = place[3] <= inside[1] || place[1] >= inside[3];
    if ((byX && !scrollsTo(scroller, clip, place, inside, 'x')) || (byY && !scrollsTo(scroller, clip, place, inside, 'y'))) return false;
    if (byX || byY) place = [left, top, left + width, top + height];
  }
  if (page.look !== looks) measurePage();
  return overlap(place, page.view) !== null || (!isFixed(part) && rootScrollsTo(place));
}

/**
 * Whether a place out of view can come into view by scrolling, told from what clips it alone: a scroller shows all that is in it.
 * @param {Rect} box @param {Clip|null} clip @param {Part} part @param {number} look
 */
function couldShow(box, clip, part, look) {
  let place = box;
  for (; clip; clip = clip.by) {
    clip.rect(look);
    const inside = clip.within;
    if (overlap(place, inside)) continue;
    const [across, down = across] = clip.overflow.split(' ');
    const isBeside = place[2] <= inside[0] || place[0] >= inside[2], isBeyond = place[3] <= inside[1] || place[1] >= inside[3];
    if (clip.thin || (isBeside && !/auto|scroll/.test(across)) || (isBeyond && !/auto|scroll/.test(down))) return false;
    place = inside;
  }
  if (page.look !== looks) measurePage();
  return overlap(place, page.view) !== null || (!isFixed(part) && rootScrollsTo(place));
}

/** @param {Element} scroller @param {Clip} clip @param {Rect} place @param {Rect} inside @param {'x'|'y'} axis */
function scrollsTo(scroller, clip, place, inside, axis) {
  const style = getComputedStyle(scroller);
  const overflow = axis === 'x' ? style.overflowX : style.overflowY;
  if (overflow !== 'auto' && overflow !== 'scroll') return false;
  const [start, end, near] = axis === 'x' ? [place[0], place[2], inside[0]] : [place[1], place[3], inside[1]];
  // Scroll positions are in the element's own pixels, which `zoom` and transforms scale.
  const scale = frameOrigin(scroller)[axis === 'x' ? 'scaleX' : 'scaleY'];
  const at = scale * (axis === 'x' ? scroller.scrollLeft : scroller.scrollTop);
  const room = scale * (axis === 'x' ? scroller.scrollWidth : scroller.scrollHeight);
  const size = scale * (axis === 'x' ? scroller.clientWidth : scroller.clientHeight);
  const from = axis === 'x' && style.direction === 'rtl' ? -(room - size) : 0;
  return end - near + at > from + 1 && start - near + at < from + room - 1;
}

/** It stays where it is when the page scrolls. @param {Part} part */
function isFixed(part) {
  for (let above = /** @type {Part|null} */ (part); above; above = above.parent) {
    if (above.position !== 'fixed') continue;
    for (above = above.parent; above && !isContaining(above);) above = above.parent;
    if (!above) return true;
  }
  return false;
}

/** What the page shows and where it can be scrolled to, as found in a look, and whether it is kept from moving down or across. */
const page = { look: 0, /** @type {Rect} */ view: NOWHERE, /** @type {Rect} */ places: NOWHERE, lockedX: false, lockedY: false };

/** @param {Rect} place @returns {boolean} whether scrolling the page brings it into view */
function rootScrollsTo(place) {
  if ((place[3] <= 0 || place[1] >= innerHeight) && page.lockedY) return false;
  if ((place[2] <= 0 || place[0] >= innerWidth) && page.lockedX) return false;
  return overlap(place, page.places) !== null;
}

function measurePage() {
  page.look = looks;
  page.view = wholeViewport();
  const root = document.scrollingElement || document.documentElement;
  const [html, body] = [document.documentElement, document.body].map((each) => (each ? getComputedStyle(each) : null));
  const locked = (/** @type {'overflowX'|'overflowY'} */ axis) => {
    const by = html && html[axis] !== 'visible' ? html[axis] : body ? body[axis] : 'visible';
    return by === 'hidden' || by === 'clip';
  };
  page.lockedX = locked('overflowX');
  page.lockedY = locked('overflowY');
  const width = root ? root.scrollWidth : 0, height = root ? root.scrollHeight : 0;
  const left = (isLeftwards() ? innerWidth - width : 0) - scrollX;
  page.places = [left + 1, 1 - scrollY, left + width - 1, height - 1 - scrollY];
}
