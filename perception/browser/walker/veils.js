// Veils: which places of a picture show what must not leave the page.

/** A veil larger than this share of the viewport covers what there is to read alone: one has to see where things are. */
const MAX_VEIL = 0.5;

class Veils {
  /** @param {boolean} shown whether what is private may be seen */
  constructor(shown) {
    this.shown = shown;
    this.look = ++looks;
    /** @type {Rect[]} */
    this.boxes = [];
  }

  /** @param {Part} root */
  over(root) {
    const stack = [root];
    while (stack.length) {
      const part = /** @type {Part} */ (stack.pop());
      if (part.marked && !this.shown && !part.hidden && !isField(part.element)) { this.content(part); continue; }
      this.control(part);
      for (const child of part.children) if (child instanceof Part) stack.push(child);
    }
    return this.boxes;
  }

  /** @param {Part} part */
  control(part) {
    const { element, tag } = part;
    if (part.hidden || (tag !== 'input' && tag !== 'select' && tag !== 'textarea' && part.role !== 'textbox')) return;
    const secrecy = secrecyOf(element) || (part.marked ? 'private' : '');
    if (secrecy === '' || (secrecy === 'private' && this.shown) || !isFilled(element)) return;
    this.add(insideOf(element), part.clippedBy, element);
    if (isEditingHost(element)) this.lines(element, part);
  }

  /** All that a marked part shows, but what may be shown after all. @param {Part} part */
  content(part) {
    const { element } = part;
    const whole = firstIn(element, UNMARKED) === null && !this.isTooLarge(element);
    if (whole || part.picture || isField(element)) {
      for (const rect of clientRectsOf(element)) this.add(rectOf(rect), part.clippedBy, element);
    }
    if (isEditingHost(element)) this.lines(element, part);
    for (const child of part.children) {
      if (!(child instanceof Part)) this.lines(child, part);
      else if (child.marked) this.content(child);
      else this.over(child);
    }
  }

  /** @param {Element} element */
  isTooLarge(element) {
    const shown = overlap(rectOf(boundsOf(element)), wholeViewport());
    return shown !== null && areaOf(shown) > MAX_VEIL * innerWidth * innerHeight;
  }

  /** @param {Node} node @param {Part} part that it stands in */
  lines(node, part) {
    if (part.hidden) return;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) this.add(rectOf(rect), part.clip, part.element);
  }

  /** @param {Rect} rect @param {Clip|null} clip @param {Element} owner what shows it */
  add(rect, clip, owner) {
    const box = overlap(rect, shownBy(clip, this.look));
    if (box && !this.boxes.some((other) => isInside(box, other)) && !isUnder(owner, box)) this.boxes.push(box);
  }
}

/**
 * A text as it is painted, in pieces: text nodes one after the other, or what a field shows.
 * @typedef {{text: string, pieces: Array<{at: number, node: Text|null, part: Part}>}} TextRun
 */

/** The runs that were told last. @type {TextRun[]} */
let runs = [];

/** Texts that are painted, a run for each line or block of them. @param {Part} root */
function textsOf(root) {
  runs = [{ text: '', pieces: [] }];
  gatherRuns(root);
  runs = runs.filter((run) => run.text);
  return runs.map((run) => run.text);
}

/** @param {Part} part */
function gatherRuns(part) {
  const { element } = part;
  if (part.block) runs.push({ text: '', pieces: [] });
  const shown = part.hidden ? '' : shownIn(element, part.tag);
  if (shown) runs.push({ text: shown, pieces: [{ at: 0, node: null, part }] }, { text: '', pieces: [] });
  for (const child of part.children) {
    if (child instanceof Part) { gatherRuns(child); continue; }
    if (part.hidden) continue;
    const run = runs[runs.length - 1], text = child.data;
    run.pieces.push({ at: run.text.length, node: child, part });
    run.text += text;
  }
  if (part.block) runs.push({ text: '', pieces: [] });
}

/** What a control paints of what it holds. @param {any} element @param {string} tag @returns {string} */
function shownIn(element, tag) {
  if (tag === 'textarea') return element.value || element.placeholder;
  if (tag === 'select') return Array.from(element.selectedOptions, (each) => each.label).join('\n');
  if (tag !== 'input' || /^(password|hidden|checkbox|radio|file|range|color|image)$/.test(element.type)) return '';
  return element.value || element.placeholder;
}

/** @param {Array<[number, number, number]>} parts @returns {Rect[]} */
function spotsOf(parts) {
  const veils = new Veils(false);
  for (const [index, start, end] of parts) {
    const run = runs[index];
    if (!run) continue;
    for (const { at, node, part } of run.pieces) {
      if (!node) { veils.add(insideOf(part.element), part.clippedBy, part.element); continue; }
      const from = Math.max(0, start - at), to = Math.min(node.length, end - at);
      if (from >= to) continue;
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      for (const rect of range.getClientRects()) veils.add(rectOf(rect), part.clip, part.element);
    }
  }
  return veils.boxes;
}

/** @param {Rect} inner @param {Rect} outer */
const isInside = (inner, outer) => inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3];

/** A control's box without its border, where it is not turned or scaled. @param {any} element @returns {Rect} */
function insideOf(element) {
  const bounds = boundsOf(element);
  if (Math.abs(bounds.width - element.offsetWidth) > 1 || Math.abs(bounds.height - element.offsetHeight) > 1) return rectOf(bounds);
  const left = bounds.left + element.clientLeft, top = bounds.top + element.clientTop;
  return [left, top, left + element.clientWidth, top + element.clientHeight];
}

/**
 * Nothing of a box is seen, since something opaque lies on all of it. When in doubt it is seen.
 * @param {Element} owner @param {Rect} box
 */
function isUnder(owner, box) {
  const [left, top, right, bottom] = box;
  const middle = elementAt((left + right) / 2, (top + bottom) / 2);
  if (!middle || holds(owner, middle) || getComputedStyle(owner).pointerEvents === 'none' || isInert(owner)) return false;
  const cover = opaqueAround(middle, owner, box);
  if (!cover) return false;
  const inside = (/** @type {number} */ x, /** @type {number} */ y) => { const hit = elementAt(x, y); return hit !== null && holds(cover, hit); };
  return [left + 1, right - 1].every((x) => [top + 1, bottom - 1].every((y) => inside(x, y)));
}

/** What is painted over a box, up to what holds both. @param {Element} hit @param {Element} owner @param {Rect} box @returns {Element|null} */
function opaqueAround(hit, owner, box) {
  /** @type {Element|null} */
  let cover = null;
  for (let node = /** @type {Element|null} */ (hit); node && !holds(node, owner); node = paintedParent(node)) {
    const style = getComputedStyle(node);
    if (style.opacity !== '1' || style.mixBlendMode !== 'normal' || style.filter !== 'none' || style.maskImage !== 'none') return null;
    // `rgb()` is written for opaque colours only (CSSOM 1 §6.7.2).
    if (!cover && style.backgroundColor.startsWith('rgb(') && style.backgroundClip === 'border-box' && isInside(box, rectOf(boundsOf(node)))) cover = node;
  }
  return cover;
}
