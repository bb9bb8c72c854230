// Rows: one look at the painted tree of one frame, one row for each thing a person could see, read or act on.

const FLAG = { interactive: 1, inViewport: 2, reachable: 4, visible: 8, sensitive: 16, structure: 32 };

/** A picture smaller than this on a side says nothing that could be read (CSS px). */
const MIN_PICTURE = 8;

/** A scroller smaller than this shows no content that would be scrolled (CSS px²). */
const MIN_SCROLLER = 50 * 50;

/** Text within this distance of the viewport is measured: lines stick out of their element's box (CSS px). */
const MARGIN = 100;

/** Choices of a list that a row carries; more are for reading rpcs. */
const MAX_OPTIONS = 50;

/**
 * A row: [number, parent row, role, name, value, states, box, flags, click point, number of the row's node on top,
 * its description, why the pixels are unexplained, text, hint, reach, what is left to scroll, options, nth].
 * @typedef {Array<any>} Row
 */

/** Where in a row stands what is found out last. */
const NAME = 3, STATES = 5, BOX = 6, FLAGS = 7, POINT = 8, BLOCKER = 9, TEXT = 12, REACHED = 14, NTH = 17;

/** @type {number} counts looks, so that what was measured in one is not taken for another's */
let looks = 0;

class Look {
  /** @param {Rect} viewport what of this frame a person sees, in its own coordinates @param {boolean} wide also what is out of view */
  constructor(viewport, wide) {
    this.viewport = viewport;
    this.wide = wide;
    this.number = ++looks;
    /** @type {Rect} */
    this.near = [viewport[0] - MARGIN, viewport[1] - MARGIN, viewport[2] + MARGIN, viewport[3] + MARGIN];
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Array<[number, number, number, number, number, number, Rect]>} */
    this.frames = [];
    /** @type {Map<Element, number>} */
    this.rowOf = new Map();
    /** Those of the rows, in their order. @type {Part[]} */
    this.parts = [];
    /** Rows whose place is still to be told, once it is known what has moved. @type {Array<{index: number, part: Part, own: Rect, isTarget: boolean}>} */
    this.waiting = [];
    /** @type {Array<[number, Element]>} */
    this.blockers = [];
    /** The line of text that is being put together. @type {Run|null} */
    this.run = null;
    /** Lines that may not be seen after all, once all places are known. @type {Array<{index: number, run: Run}>} */
    this.lines = [];
    this.overlays = new Overlays();
    /** Rows whose names may not be what a person reads there. @type {Set<number>} */
    this.doubtful = new Set();
    this.focused = deepFocus();
  }

  /** @param {Part|null} root */
  over(root) {
    if (!isUndisturbed(this.viewport)) disturbEverything();
    if (root) {
      this.part(root, -1, null);
      numberAlike(root, this.parts);
    }
    this.flush();
    this.parts.forEach((part) => { this.rows[/** @type {number} */ (this.rowOf.get(part.element))][NTH] = part.nth; });
    this.placeRows();
    if (root) this.checkInk(root);
    calm(this.number, this.viewport);
    return this;
  }

  /**
   * Rows of a part and of what is in it.
   * @param {Part} part @param {number} above row of what holds it @param {Rect|null} assumed where it is, if all around it has moved as one
   * @returns {Rect|null} what it and all in it take up
   */
  part(part, above, assumed) {
    const { element, own } = part;
    const place = assumed && own ? assumed : rectOf(boundsOf(element));
    const before = part.at === disturbed.look ? part.place : null;
    const rigid = own !== null && !part.moved && Math.abs(place[2] - place[0] - own[2]) < 0.5 && Math.abs(place[3] - place[1] - own[3]) < 0.5;
    if (rigid && !part.loose && !this.wide && part.block && part.reach) {
      const reach = moved(part.reach, place[0], place[1]);
      if (!overlap(reach, this.viewport)) {
        if (before && (before[0] !== place[0] || before[1] !== place[1])) disturb(lastReach(part));
        part.at = this.number;
        part.place = place;
        this.flush();
        return reach;
      }
    }
    if (before) disturbBetween(before, place);
    else disturb(place);
    if (part.block) this.flush();
    const index = this.own(part, above, place);
    const inner = index < 0 ? above : index;
    let reach = isEmpty(place) ? null : place;
    if (part.tag === 'br') { if (this.run) this.run.parts.push(' '); }
    /** @type {Rect|null} */
    let beside = null;
    for (const child of part.children) {
      if (!(child instanceof Part)) { reach = union(reach, this.text(child, part, inner, place)); continue; }
      const rect = this.part(child, inner, rigid ? assumedPlace(child, place) : null);
      if (!rect) continue;
      reach = union(reach, rect);
      if (child.display === 'inline') continue;
      if (((child.position !== 'static' && child.position !== 'relative') || (beside && isOn(rect, beside))) && (this.wide || overlap(rect, this.near))) this.overlays.add(child);
      beside = union(beside, rect);
    }
    if (part.block) this.flush();
    this.keep(part, place, reach);
    return reach;
  }

  /** Remembers where a part was. @param {Part} part @param {Rect} place @param {Rect|null} reach */
  keep(part, place, reach) {
    const around = part.parent && part.parent.at === this.number ? part.parent.place : NOWHERE;
    part.own = [place[0] - around[0], place[1] - around[1], place[2] - place[0], place[3] - place[1]];
    part.reach = reach ? moved(reach, -place[0], -place[1]) : null;
    part.moved = false;
  }

  /** The part's own row. @param {Part} part @param {number} above @param {Rect} place @returns {number} its index, -1 for none */
  own(part, above, place) {
    part.at = this.number;
    part.place = place;
    const scrolls = this.scrollable(part, place);
    if (!part.listed && !part.structure && !scrolls) return -1;
    const box = part.display === 'inline' || part.display === 'contents' || isEmpty(place) ? boxOfPart(part) : place;
    if (!this.wide && !overlap(box, this.viewport) && part.tag !== 'iframe' && !labelsOf(part.element).length) return -1;
    if (part.picture && (box[2] - box[0] < MIN_PICTURE || box[3] - box[1] < MIN_PICTURE)) return -1;
    this.flush();
    const index = this.row(part, above, box, scrolls);
    if (isFrame(part.element, part.tag) && !isTurned(part.element)) this.frame(part.element, index, shownBy(part.clippedBy, this.number));
    return index;
  }

  /** @param {Part} part @param {number} above @param {Rect} own its box @param {Array<number>|null} scrolls @returns {number} index of the new row */
  row(part, above, own, scrolls) {
    const { element, tag, acts } = part;
    const name = nameIt(part);
    const secrecy = withheld(part);
    const value = secrecy ? '' : valueOf(element, part.role);
    const opaque = part.picture || (acts && !name && !value && !isTyped(part.role) ? 'nameless' : '');
    const index = this.rows.length;
    this.rowOf.set(element, index);
    if (part.listed) this.parts.push(part);
    if (name && (acts || part.role === 'heading') && mayMislead(part)) this.doubtful.add(index);
    this.waiting.push({ index, part, own, isTarget: acts || Boolean(opaque) });
    const flags = (acts ? FLAG.interactive : 0) | (part.structure && !scrolls ? FLAG.structure : 0) | (secrecy || part.veiled ? FLAG.sensitive : 0);
    const states = statesOf(element, part.role, this.focused);
    if (acts && !INTERACTIVE.has(part.role)) states.push('clickable');
    if (secrecy === 'password') states.push(isFilled(element) ? 'password filled' : 'password');
    if (secrecy === 'private' || part.veiled) states.push('masked');
    if (secrecy === 'private' && isField(element) && isFilled(element)) states.push('filled');
    const options = part.marked && secrecy ? [] : tag === 'select' || part.role === 'listbox' ? optionsOf(element, tag) : [];
    this.rows.push([numberOf(element), above, listedRole(part.role, part.picture), name, value, states, own, flags, null, 0, '', opaque, part.role === 'row' && (secrets.shown || !part.marked) ? rowLine(part) : '',
      part.marked && secrecy ? (name ? '' : attr(element, 'name') || '') : hintOf(element, part.role, acts && !name), REACH.unsaid, scrolls, options, 0]);
    return index;
  }

  /** Says of each row where it is seen and clicked. */
  placeRows() {
    for (const { index, part, own, isTarget } of this.waiting) {
      const at = this.standingBefore(part, own, isTarget) || this.stand(part, own, isTarget);
      part.stood = { at, own, isTarget, look: this.number };
      const row = this.rows[index];
      row[BOX] = at.box;
      row[FLAGS] |= at.flags;
      row[POINT] = at.point;
      row[REACHED] = at.reach;
      if (at.blocker) this.blockers.push([index, at.blocker]);
    }
    this.nameBlockers();
  }

  /** How a part stood at the last look, if it is still there and nothing has changed there since. @param {Part} part @param {Rect} own @param {boolean} isTarget @returns {Standing|null} */
  standingBefore(part, own, isTarget) {
    const { stood } = part;
    if (disturbed.all || !stood || stood.look !== disturbed.look || stood.isTarget !== isTarget || !(stood.at.flags & FLAG.inViewport)) return null;
    if (!isSamePlace(own, stood.own)) return null;
    const taken = /** @type {Rect} */ (union(own, stood.at.box));
    return disturbed.places.some((place) => overlap(place, taken)) ? null : stood.at;
  }

  /**
   * Where a person sees and clicks an element: in its own box or, if it has none that can be clicked, in its label's.
   * @param {Part} part @param {Rect} box @param {boolean} isTarget
   * @returns {Standing}
   */
  stand(part, box, isTarget) {
    const own = this.aimAt(part.element, box, part.clippedBy, part, isTarget);
    if (!isTarget || own.reach === REACH.now) return own;
    let best = own;
    for (const label of labelsOf(part.element)) {
      const around = partOf.get(label);
      if (!label.checkVisibility({ visibilityProperty: true })) continue;
      const display = getComputedStyle(label).display;
      const at = this.aimAt(label, boxOf(label, display), (around || chainPart(label)).clippedBy, part, true);
      if (at.reach === REACH.now || (at.reach !== REACH.never && best.reach === REACH.never)) best = at;
      if (at.reach === REACH.now) break;
    }
    return best;
  }

  /**
   * Whether an element can be seen and clicked.
   * @param {Element} element or its label @param {Rect} box @param {Clip|null} clip @param {Part} part @param {boolean} isTarget
   * @returns {Standing}
   */
  aimAt(element, box, clip, part, isTarget) {
    const clipRect = shownBy(clip, this.number);
    const clipped = overlap(box, clipRect);
    const shown = clipped && overlap(clipped, this.viewport);
    const opaque = part.opacity >= 0.05 || element !== part.element || (!isTarget && isEmerging(part));
    let seen = opaque && (isSeen(box, clipRect) || (this.wide && !clipped && areaOf(box) >= 4 && couldShow(box, clip, part, this.number)));
    let flags = 0, point = null, blocker = null;
    /** @type {number} */
    let reach = REACH.unsaid;
    if (shown && !isEmpty(shown)) {
      flags |= FLAG.inViewport;
      if (isTarget) {
        const hit = aim(element, shown);
        point = hit.point;
        // What is transparent is seen where it lies over its own picture.
        if (point && !seen) {
          seen = areaOf(shown) >= 16 && hasPictureUnder(part, point);
          if (!seen) point = null;
        }
        reach = point ? REACH.now : hit.blocker && (!holds(hit.blocker, element) || hasOverlay(hit.blocker)) ? REACH.covered : REACH.never;
        if (point) flags |= FLAG.reachable;
        else if (reach === REACH.covered && isInert(element)) reach = REACH.never;
        if (reach === REACH.covered) blocker = hit.blocker;
      }
    } else if (isTarget) reach = !isEmpty(box) && (seen || (clip && part.opacity >= 0.05)) && takesClicks(element) && canScrollTo(box, clip, part) ? REACH.scroll : REACH.never;
    if (reach === REACH.scroll && part.opacity >= 0.05 && areaOf(box) >= 4) seen = true; // once it is scrolled to
    return { box, flags: flags | (seen ? FLAG.visible : 0), point, reach, blocker };
  }

  /** A row for an element that was found elsewhere. @param {Element} element */
  given(element) {
    const part = probePart(element);
    part.acts = part.listed = true;
    const index = this.row(part, -1, boxOfPart(part), null);
    if (isFrame(element, part.tag) && !isTurned(element)) this.frame(element, index, shownBy(part.clippedBy, this.number));
  }

  /** @param {any} node */
  givenText(node) {
    const box = node instanceof Text ? textBox(node) : null;
    const shown = box && overlap(box, this.viewport);
    const veil = isKept(node) ? FLAG.sensitive : 0;
    const around = paintedParent(node);
    const part = around && (partOf.get(around) || chainPart(around));
    const seen = box !== null && (!part || (this.shows(node, box, part) && showsText(part)));
    this.rows.push([numberOf(node), -1, '', '', '', veil ? ['masked'] : [], box || NOWHERE, (shown ? FLAG.inViewport : 0) | (seen ? FLAG.visible : 0) | veil, null, 0, '', '', '', '', 0, null, [], 0]);
  }

  /** @param {Text} node @param {Part} part @param {number} above @param {Rect} place of the part @returns {Rect|null} */
  text(node, part, above, place) {
    const data = node.data;
    if (part.quiet || part.hidden || !/\S/.test(data)) {
      if (part.quiet && !part.hidden && above >= 0 && !this.doubtful.has(above) && /\S/.test(data) && this.mayLack(part, place)) this.doubtful.add(above);
      if (this.run && !/\S/.test(data)) this.run.parts.push(' ');
      return null;
    }
    if (!this.wide && !isEmpty(place) && !overlap(place, this.near)) return null;
    const box = textBox(node);
    if (!box) return null;
    const seen = this.shows(node, box, part);
    const plain = !seen || showsText(part);
    if (this.run && (this.run.seen !== seen || this.run.plain !== plain)) this.flush();
    const veiled = isVeiled(part);
    if (!this.run) this.run = { parts: [veiled ? '' : data], box, part, above, seen, plain, node, veiled };
    else {
      this.run.parts.push(veiled ? ' ' : data);
      this.run.veiled = this.run.veiled || veiled;
      this.run.box = /** @type {Rect} */ (union(this.run.box, box));
    }
    return box;
  }

  /** Ends the running line of text and makes a row of it. */
  flush() {
    const run = this.run;
    this.run = null;
    if (!run) return;
    const name = tidy(run.parts.join(''));
    const last = this.rows[this.rows.length - 1];
    // Of lines that must not be told, one stands for all.
    if (!name && !(run.veiled && !(last && last[1] === run.above && last[2] === 'text' && !last[3]))) return;
    const visible = run.seen ? overlap(run.box, shownBy(run.part.clip, this.number)) : run.box;
    const inViewport = visible && overlap(visible, this.viewport);
    if (!inViewport && !this.wide) return;
    if (run.seen) this.lines.push({ index: this.rows.length, run });
    const flags = (inViewport ? FLAG.inViewport : 0) | (run.seen ? FLAG.visible : 0) | (run.veiled ? FLAG.sensitive : 0);
    this.rows.push([numberOf(run.node), run.above, 'text', name, '', run.veiled ? ['masked'] : [], run.box, flags, null, 0, '', '', '', '', 0, null, [], 0]);
  }

  /**
   * Whether enough of a text is left by what clips it and where it is, and it has a size to be read in.
   * @param {Text} node @param {Rect} box @param {Part} part that it stands in
   */
  shows(node, box, part) {
    if (part.opacity < 0.05 && !isEmerging(part)) return false;
    const clip = shownBy(part.clip, this.number);
    const shown = overlap(box, clip);
    if (part.clip && part.clip.thin) return false;
    if (shown ? !isSeen(box, clip) : this.wide && !couldShow(box, part.clip, part, this.number)) return false;
    if (shown && this.wide && !overlap(shown, this.viewport) && !couldShow(box, part.clip, part, this.number)) return false;
    return !isSqueezed(node, box);
  }

  /** Whether text in what says it itself may be no part of what a person reads there. @param {Part} part @param {Rect} place */
  mayLack(part, place) {
    // Far below or beside what is in view it is said when it comes there.
    if (!this.wide && (place[1] > this.near[3] || place[0] > this.near[2])) return false;
    if (part.opacity < 0.05 || !showsText(part)) return true;
    if (part.clip && (areaOf(shownBy(part.clip, this.number)) < 16 || part.clip.thin)) return true;
    return part.display !== 'contents' && (place[2] - place[0] < THIN || place[3] - place[1] < THIN || place[2] <= 0 || place[3] <= 0);
  }

  /** Strikes out what is listed but not painted, now that all places are known. @param {Part} root */
  checkInk(root) {
    for (const { index, run } of this.lines) {
      const isOut = run.plain ? isCovered(run.box, run.part, this.overlays) : !hasUnderlay(root, run.box, run.part, this.number);
      if (isOut) this.rows[index][FLAGS] &= ~FLAG.visible;
    }
    for (const { index, part, own } of this.waiting) {
      if (isUnpainted(part, own, this.overlays)) this.rows[index][FLAGS] &= ~FLAG.visible;
      if (this.doubtful.has(index)) sayWhatIsRead(this.rows[index], part, new Reading(this, root));
    }
  }

  /** What is left to scroll in a part: [up, down, left, right]; null where it does not scroll. @param {Part} part @param {Rect} place @returns {Array<number>|null} */
  scrollable(part, place) {
    const clip = part.clip;
    if (!clip || clip.part !== part || !/auto|scroll/.test(clip.overflow) || areaOf(place) < MIN_SCROLLER || part.hidden) return null;
    return leftToScroll(part.element);
  }

  /** A frame's content box, so that its own rows can be placed. @param {Element} element @param {number} index @param {Rect} clip */
  frame(element, index, clip) {
    const { x, y, scaleX, scaleY } = frameOrigin(element);
    const inside = /** @type {Rect} */ ([x, y, x + element.clientWidth * scaleX, y + element.clientHeight * scaleY]);
    const shown = overlap(inside, clip);
    this.frames.push([index, numberOf(element), x, y, scaleX, scaleY, (shown && overlap(shown, this.viewport)) || NOWHERE]);
  }

  /** Says for each covered row what covers it: the innermost row that holds the element on top. */
  nameBlockers() {
    for (const [index, blocker] of this.blockers) {
      for (let node = /** @type {Element|null} */ (blocker); node; node = paintedParent(node)) {
        const other = this.rowOf.get(node);
        if (other !== undefined && other !== index && !(this.rows[other][FLAGS] & FLAG.structure)) { this.rows[index][BLOCKER] = this.rows[other][0]; break; }
      }
      this.rows[index][BLOCKER + 1] = describeBlocker(blocker);
    }
  }
}

/**
 * A line of text. `seen`: where it is and how large, it can be; `plain`: its colour shows on what holds it.
 * @typedef {{parts: string[], box: Rect, part: Part, above: number, seen: boolean, plain: boolean, node: Text, veiled: boolean}} Run
 */

/**
 * Where an element is seen and clicked: in `box`, its own or its label's.
 * @typedef {{box: Rect, flags: number, point: [number, number]|null, reach: number, blocker: Element|null}} Standing
 */

/** @param {Rect} rect @param {number} x @param {number} y @returns {Rect} */
const moved = (rect, x, y) => [rect[0] + x, rect[1] + y, rect[2] + x, rect[3] + y];

/** Where a part is if what holds it has not changed inside. @param {Part} part @param {Rect} around @returns {Rect|null} */
function assumedPlace(part, around) {
  const own = part.own;
  if (!own || part.loose || part.moved || part.position !== 'static') return null;
  return [around[0] + own[0], around[1] + own[1], around[0] + own[0] + own[2], around[1] + own[1] + own[3]];
}

/** Choices in order. @param {any} element @param {string} tag @returns {string[]} */
function optionsOf(element, tag) {
  if (tag === 'select') return [...element.options].slice(0, MAX_OPTIONS).map((option) => tidy(option.label));
  return [...allIn(element, '[role=option]')].slice(0, MAX_OPTIONS).map((option) => nameOf(option, 'option'));
}

/** @param {Element} element @returns {Array<number>|null} CSS px up, down, left and right; null when nothing is left anywhere */
function leftToScroll(element) {
  const down = element.scrollHeight - element.clientHeight, right = element.scrollWidth - element.clientWidth;
  if (down < 8 && right < 8) return null;
  const up = element.scrollTop;
  const left = getComputedStyle(element).direction === 'rtl' ? right + element.scrollLeft : element.scrollLeft;
  return [up, Math.max(0, down - up), left, Math.max(0, right - left)].map(Math.round);
}

/** @param {Element} element */
const takesClicks = (element) => !isInert(element) && !isBehindModal(element) && getComputedStyle(element).pointerEvents !== 'none';

/**
 * A transparent element lies over something of its own that is painted: a picture, a drawn switch, a button's looks. What is
 * transparent with all that is in its surroundings is simply not there.
 * @param {Part} part @param {[number, number]} point
 */
function hasPictureUnder(part, point) {
  const around = paintedParent(part.element);
  if (!around || (part.parent && part.parent.opacity < 0.05)) return false;
  const home = paintedParent(around) || around;
  const root = /** @type {Document|ShadowRoot} */ (rootOf(part.element));
  for (const under of root.elementsFromPoint(point[0], point[1])) {
    if (under === part.element || holds(part.element, under)) continue;
    if (under === around || under === home) {
      const rect = boundsOf(under), own = boundsOf(part.element);
      return rect.width * rect.height <= 4 * own.width * own.height && isPainted(under);
    }
    if (!holds(home, under)) return false;
    if (getComputedStyle(under).opacity !== '0') return true;
  }
  return false;
}

/** It lays generated content over what is in it: a veil while something loads. @param {Element} element */
const hasOverlay = (element) => ['::before', '::after'].some((pseudo) => {
  const style = getComputedStyle(element, pseudo);
  return style.content !== 'none' && style.content !== 'normal' && (style.position === 'absolute' || style.position === 'fixed') && style.pointerEvents !== 'none';
});

/** It paints something itself. @param {Element} element */
function isPainted(element) {
  const style = getComputedStyle(element);
  return style.backgroundImage !== 'none' || !/^(transparent|rgba\(.*, 0\))$/.test(style.backgroundColor) || /\S/.test(textContentOf(element) || '');
}

/** The modal dialog on top, and the look it was found in. @type {{look: number, dialog: Element|null}} */
const modal = { look: 0, dialog: null };

/** A modal dialog keeps all else from being clicked. @param {Element} element */
function isBehindModal(element) {
  if (modal.look !== looks) {
    modal.look = looks;
    modal.dialog = [...document.querySelectorAll(':modal')].pop() || null;
  }
  return modal.dialog !== null && !holds(modal.dialog, element);
}

/** @param {Element} element */
const isInert = (element) => Boolean(closestTo(element, '[inert]'));

/** Counts changes of roles, names and places in the tree: what was numbered before one has to be numbered again. */
let naming = 1;

/**
 * Numbers parts that share role and name, from 0, in the order of the painted tree, as far as the last of the wanted.
 * @param {Part} root @param {Part[]} wanted in that order
 */
function numberAlike(root, wanted) {
  if (wanted.every((part) => part.numbered === naming)) return;
  const end = wanted[wanted.length - 1];
  /** @type {Map<string, number>} */
  const seen = new Map();
  /** @type {Array<Part|Text>} */
  const stack = [root];
  while (stack.length) {
    const part = stack.pop();
    if (!(part instanceof Part)) continue;
    if (part.listed) {
      const key = `${listedRole(part.role, part.picture)} ${nameIt(part)}`;
      const before = seen.get(key) || 0;
      part.nth = before;
      part.numbered = naming;
      seen.set(key, before + 1);
    }
    if (part === end) return;
    for (let i = part.children.length - 1; i >= 0; i--) stack.push(part.children[i]);
  }
}

/** The focused element, through shadow roots. @returns {Element|null} */
function deepFocus() {
  let focused = document.activeElement;
  while (focused) {
    const root = rootIn(focused);
    if (!root || !root.activeElement) break;
    focused = root.activeElement;
  }
  return focused === document.body ? null : focused;
}
