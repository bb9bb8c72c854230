// The walk: one pass over the painted tree of one frame, one row for each thing a person could see, read or act on.

const FLAG = { interactive: 1, inViewport: 2, reachable: 4, visible: 8 };

/** Never painted. */
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'base', 'param',
  'source', 'track', 'colgroup', 'col', 'datalist', 'rp', 'defs', 'symbol', 'clipPath', 'linearGradient', 'radialGradient', 'mask', 'metadata', 'desc']);

/** A picture smaller than this on a side says nothing that could be read (CSS px). */
const MIN_PICTURE = 8;

/**
 * A row: [number, parent row, role, name, value, states, box, flags, click point, number of the row's node on top,
 * its description, why the pixels are unexplained, text, hint].
 * @typedef {Array<any>} Row
 */

class Walk {
  /** @param {Rect} viewport what of this frame a person sees, in its own coordinates */
  constructor(viewport) {
    this.viewport = viewport;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Array<[number, number, number, number, number, number, Rect]>} */
    this.frames = [];
    /** @type {Map<Element, number>} */
    this.rowOf = new Map();
    /** @type {Array<[number, Element]>} */
    this.blockers = [];
    this.run = null;
    this.focused = deepFocus();
    labelled = new Map();
  }

  /** The whole frame. */
  page() {
    const root = document.documentElement;
    const clips = { flow: EVERYWHERE, absolute: EVERYWHERE, fixed: EVERYWHERE };
    if (root) this.element(root, { parent: -1, clips, cursor: 'auto', quiet: false, pictures: true, opacity: 1 });
    this.flush();
    this.nameBlockers();
    return this;
  }

  children(element, context) {
    for (const child of paintedChildren(element)) {
      if (nodeTypeOf(child) === Node.TEXT_NODE) this.text(child, context);
      else if (nodeTypeOf(child) === Node.ELEMENT_NODE) this.element(child, context);
    }
  }

  /** @param {Text} node */
  text(node, context) {
    if (context.quiet || context.hidden || !/\S/.test(node.data)) {
      if (this.run && !/\S/.test(node.data)) this.run.parts.push(' ');
      return;
    }
    const box = textBox(node);
    if (!box) return;
    const seen = context.opacity >= 0.05 && isSeen(box, context.clips.flow);
    if (this.run && this.run.seen !== seen) this.flush();
    if (!this.run) this.run = { parts: [], box: null, context, seen, node };
    this.run.parts.push(node.data);
    this.run.box = union(this.run.box, box);
  }

  /** Ends the running line of text and makes a row of it. */
  flush() {
    const run = this.run;
    this.run = null;
    if (!run) return;
    const name = tidy(run.parts.join(''));
    if (!name) return;
    const visible = overlap(run.box, run.context.clips.flow);
    const inViewport = run.seen && visible && overlap(visible, this.viewport);
    const flags = (inViewport ? FLAG.inViewport : 0) | (run.seen ? FLAG.visible : 0);
    this.rows.push([numberOf(run.node), run.context.parent, 'text', name, '', [], run.box, flags, null, 0, '', '', '', '']);
  }

  /** @param {Element} element */
  element(element, context) {
    const tag = tagOf(element);
    if (SKIPPED.has(tag)) return;
    const style = getComputedStyle(element);
    if (style.display === 'none') { this.hiddenControl(element, context); return; }
    const block = !style.display.startsWith('inline') && style.display !== 'contents';
    if (block) this.flush();
    if (tag === 'br') { if (this.run) this.run.parts.push(' '); return; }
    const inner = {
      ...context,
      cursor: style.cursor,
      opacity: context.opacity * parseFloat(style.opacity),
      hidden: style.visibility !== 'visible',
      clips: clipsInside(element, style, context.clips),
    };
    const role = roleOf(element);
    const own = { ...inner, clips: { ...inner.clips, flow: clipFor(style, context.clips) } };
    if (!inner.hidden) this.emit(element, tag, role, style, context, own, inner);
    if (descends(element, tag, role) && style.contentVisibility !== 'hidden') {
      const skipped = tag === 'details' && !element.open;
      if (skipped) { for (const child of element.children) if (tagOf(child) === 'summary') this.element(child, inner); }
      else this.children(element, inner);
    }
    if (block) this.flush();
  }

  /**
   * Makes a row of an element if it deserves one, and settles what its children still have to say.
   * @param {Element} element
   */
  emit(element, tag, role, style, context, own, inner) {
    const acts = isActedOn(element, tag, role, style, context.cursor);
    // A canvas or video that takes clicks is a picture all the same: what is painted in it is what is clicked.
    const picture = acts && tag !== 'canvas' && tag !== 'video' ? '' : pictureKind(element, tag, role, style, context);
    const container = !acts && CONTAINERS.has(role) && !context.quiet;
    const content = role === 'heading' || role === 'progressbar' || role === 'meter' || role === 'separator';
    if (!acts && !picture && !container && !(content && !context.quiet)) {
      // What a label says is its control's name: said there.
      if (tag === 'label' && element.control) inner.quiet = true;
      return;
    }
    const box = boxOf(element, style.display);
    if (picture && (box[2] - box[0] < MIN_PICTURE || box[3] - box[1] < MIN_PICTURE)) return;
    const name = listedName(element, role, acts);
    if (container && !name && NAMED_CONTAINERS.has(role)) return;
    this.flush();
    const opaque = picture || (acts && !name && !valueOf(element, role) && !isTyped(role) ? 'nameless' : '');
    const index = this.row(element, listedRole(role, picture), name, own, box, acts, opaque);
    inner.parent = index;
    if (acts || content || role === 'row') { inner.quiet = true; inner.pictures = !acts; }
    if (tag === 'iframe' || tag === 'frame') this.frame(element, index, box, own);
  }

  /** @returns {number} index of the new row */
  row(element, role, name, context, box, acts, opaque) {
    const clipped = overlap(box, context.clips.flow);
    const shown = clipped && overlap(clipped, this.viewport);
    let seen = isSeen(box, context.clips.flow) && context.opacity >= 0.05;
    let flags = acts ? FLAG.interactive : 0;
    let point = null;
    if (shown && !isEmpty(shown)) {
      flags |= FLAG.inViewport;
      if (acts || opaque) {
        const hit = aim(element, shown);
        point = hit.point;
        // What takes a click there is seen, also when it is transparent over its own picture.
        if (point) { flags |= FLAG.reachable; seen = seen || (shown[2] - shown[0]) * (shown[3] - shown[1]) >= 16; }
        else if (hit.blocker) this.blockers.push([this.rows.length, hit.blocker]);
      }
    }
    if (seen) flags |= FLAG.visible;
    const text = tagOf(element) === 'select' ? [...element.options].slice(0, 50).map((option) => tidy(option.label)).join(' | ') : '';
    this.rowOf.set(element, this.rows.length);
    const states = statesOf(element, role, this.focused);
    if (acts && !INTERACTIVE.has(role)) states.push('clickable');
    this.rows.push([numberOf(element), context.parent, role, name, valueOf(element, role), states,
      box, flags, point, 0, '', opaque, text, acts && !name ? hintOf(element) : '']);
    return this.rows.length - 1;
  }

  /** A frame's content box, so that its own rows can be placed. */
  frame(element, index, box, context) {
    const { x, y, scaleX, scaleY } = frameOrigin(element);
    const inside = [x, y, x + element.clientWidth * scaleX, y + element.clientHeight * scaleY];
    const shown = overlap(inside, context.clips.flow);
    const clip = shown && overlap(shown, this.viewport);
    this.frames.push([index, numberOf(element), x, y, scaleX, scaleY, clip || [0, 0, 0, 0]]);
  }

  /** A checkbox, radio or file input that is not painted but whose label is: the label is what is clicked. */
  hiddenControl(element, context) {
    if (context.quiet || tagOf(element) !== 'input' || !/^(checkbox|radio|file)$/.test(element.type)) return;
    const label = labelsOf(element).find((each) => each.checkVisibility());
    if (!label) return;
    const role = roleOf(element);
    this.flush();
    this.row(element, role, nameOf(element, role), context, boxOf(label, 'block'), true, '');
  }

  /** Says for each covered row what covers it: the innermost row that holds the element on top. */
  nameBlockers() {
    for (const [index, blocker] of this.blockers) {
      for (let node = blocker; node; node = paintedParent(node)) {
        const other = this.rowOf.get(node);
        if (other !== undefined && other !== index) { this.rows[index][9] = this.rows[other][0]; break; }
      }
      this.rows[index][10] = describeBlocker(blocker);
    }
  }
}

/** A control, or something only a pointer knows of. @param {Element} element @returns {boolean} */
function isActedOn(element, tag, role, style, parentCursor) {
  if (INTERACTIVE.has(role) && (role !== 'gridcell' || isFocusable(element)) && tag !== 'option') return true;
  if (INTERACTIVE.has(role) || tag === 'html' || tag === 'body' || tag === 'iframe' || tag === 'label') return false;
  if (!isPointerTarget(element, style, parentCursor)) return false;
  // A target that takes most of the page is a page with a listener.
  const rect = boundsOf(element);
  return rect.width * rect.height < 0.5 * innerWidth * innerHeight;
}

/** The name a row carries. What only a pointer knows of is called by what it holds. @param {Element} element */
function listedName(element, role, acts) {
  if (role === 'row') return rowName(element);
  return acts && !INTERACTIVE.has(role) ? nameOf(element, 'button').slice(0, 120) : nameOf(element, role);
}

/** The role a row carries: a picture without a role of its own is an img. */
const listedRole = (role, picture) => (role === 'none' || (picture && role === 'generic') ? 'img' : role);

/** @param {Rect} box @param {Rect} clip @returns {boolean} big enough to be seen, on a part of the page one can get to */
function isSeen(box, clip) {
  if ((clip[2] - clip[0]) * (clip[3] - clip[1]) < 4) return false;
  if (box[2] <= 0 && box[2] + scrollX <= 0 && document.dir !== 'rtl') return false;
  if (box[3] <= 0 && box[3] + scrollY <= 0) return false;
  return (box[2] - box[0]) * (box[3] - box[1]) >= 4;
}

/** Roles whose emptiness is a state, not a missing name. @param {string} role */
const isTyped = (role) => role === 'option' || role === 'gridcell';

/** @param {Element} element @param {string} tag @param {string} role */
function descends(element, tag, role) {
  if (tag === 'select' || tag === 'textarea' || tag === 'iframe' || tag === 'frame' || tag === 'video' || tag === 'audio' || tag === 'canvas' || tag === 'object') return false;
  return !isEditingHost(element) || role !== 'textbox';
}

/** Why a picture's pixels are unexplained, empty for what is no picture. @param {Element} element */
function pictureKind(element, tag, role, style, context) {
  if (tag === 'canvas' || tag === 'video') return tag;
  if (tag === 'embed' || tag === 'object') return 'image';
  if (tag === 'iframe' || tag === 'frame') return 'frame';
  if (!context.pictures) return '';
  if (tag === 'img') return 'image';
  if (tag === 'svg') return firstIn(element, 'text, foreignObject') ? '' : 'svg';
  if (style.backgroundImage.includes('url(') && !firstElementChildOf(element) && !/\S/.test(textContentOf(element) || '')) return 'background';
  return '';
}

/** A table row in one line. @param {Element} element */
function rowName(element) {
  const cells = [...allIn(element, ':scope > td, :scope > th, :scope > [role=cell], :scope > [role=gridcell], :scope > [role=columnheader], :scope > [role=rowheader]')];
  if (!cells.length) return nameOf(element, 'row');
  return cells.map((cell) => tidy(textOf(cell, new Set()))).join(' | ').replace(/( \| )+$/, '');
}

/** The focused element, through open shadow roots. @returns {Element|null} */
function deepFocus() {
  let focused = document.activeElement;
  while (focused && focused.shadowRoot && focused.shadowRoot.activeElement) focused = focused.shadowRoot.activeElement;
  return focused === document.body ? null : focused;
}

/** Where a frame's own (0, 0) lies, and how it is scaled. @param {Element} element */
function frameOrigin(element) {
  const rect = boundsOf(element);
  const style = getComputedStyle(element);
  const scaleX = element.offsetWidth ? rect.width / element.offsetWidth : 1;
  const scaleY = element.offsetHeight ? rect.height / element.offsetHeight : 1;
  return {
    x: rect.left + (element.clientLeft + parseFloat(style.paddingLeft)) * scaleX,
    y: rect.top + (element.clientTop + parseFloat(style.paddingTop)) * scaleY,
    scaleX, scaleY,
  };
}
