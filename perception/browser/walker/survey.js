// Survey: which text of this frame is seen, and what of it stands in one line. For reading rpcs, which ask of all that is
// on a page, in view or scrolled out of it.

/** Texts with the colour of their ground that are looked at for something under them; each look goes over the whole page. */
const MAX_UNDERLAYS = 200;

/** What does not stand in one line with others, whatever its place. */
const STRUCTURE_TAGS = new Set(['p', 'pre', 'blockquote', 'hr', 'ul', 'ol', 'li', 'table', 'figure', 'iframe', 'frame', 'details', 'textarea', 'br', 'dl']);
const STRUCTURE_ROLES = new Set(['heading', 'list', 'listitem', 'table', 'grid', 'treegrid', 'row', 'cell', 'tree', 'treeitem', 'main', 'article', 'navigation']);

/** A text higher than this is several lines, or a title that stands by itself (CSS px): usual text is 12 to 20 px, its lines up to 32. */
const ONE_LINE = 34;

/** Stands in one line with nothing. */
const NO_LINE = { top: 0, bottom: -1 };

/** What comes before it and after it stands in other lines. @param {Part} part */
const endsLine = ({ block, display, element, tag }) => (block && !display.startsWith('ruby') && !isDrawn(element)) || (tag === 'svg' && firstIn(element, 'text, foreignObject') !== null);

/** @param {{top: number, bottom: number}} a @param {{top: number, bottom: number}} b */
const isSameLine = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5 * Math.min(a.bottom - a.top, b.bottom - b.top);

/** What lies over text for good: a person scrolls away from what stays in place, unless it covers all of the view. */
class StayingOverlays extends Overlays {
  /** @param {Part} part */
  add(part) {
    for (let each = /** @type {Part|null} */ (part); each; each = each.parent) {
      if (each.position !== 'fixed' && each.position !== 'sticky') continue;
      if (!mostlyIn(wholeViewport(), part.place) || !isOpaque(part, wholeViewport())) return;
      break;
    }
    super.add(part);
  }
}

/** The first pass. */
class Survey extends Look {
  constructor() {
    super(wholeViewport(), true);
    this.overlays = new StayingOverlays();
    /** Text that can be seen, by where it is; `plain`: its colour shows on what holds it. @type {Map<Text, {box: Rect, plain: boolean}>} */
    this.texts = new Map();
    this.underlays = 0;
    /** @type {Map<Part, {top: number, bottom: number}|null>} */
    this.partLines = new Map();
    /** @type {Part|null} */
    this.root = null;
  }

  /** @param {Part|null} root */
  over(root) {
    this.root = root;
    return super.over(root);
  }

  /** @param {Part} part @param {number} _ @param {Rect} place */
  own(part, _, place) {
    part.at = this.number;
    part.place = place;
    return -1;
  }

  /** @param {Text} node @param {Part} part @returns {Rect|null} */
  text(node, part) {
    if (part.hidden || !/\S/.test(node.data)) return null;
    const box = textBox(node);
    if (box && this.shows(node, box, part)) this.texts.set(node, { box, plain: showsText(part) });
    return box;
  }

  /** @param {Text} node @param {Part} part that it stands in */
  sees(node, part) {
    const known = this.texts.get(node);
    if (!known || !this.root) return false;
    if (known.plain) {
      // What is scrolled out of view lies under nothing.
      const shown = overlap(known.box, shownBy(part.clip, this.number));
      return shown === null || !isCovered(shown, part, this.overlays);
    }
    return ++this.underlays <= MAX_UNDERLAYS && hasUnderlay(this.root, known.box, part, this.number);
  }

  /** Whether the box of a part is seen, now or when it is scrolled to. @param {Part} part */
  seesBox(part) {
    const box = part.display === 'inline' || part.display === 'contents' ? boxOfPart(part) : part.place;
    if (part.hidden || isEmpty(box) || (part.opacity < 0.05 && !isEmerging(part)) || inkOf(part).lost) return false;
    const clip = shownBy(part.clippedBy, this.number);
    const shown = overlap(box, clip);
    if (part.clippedBy && part.clippedBy.thin) return false;
    if (shown && !isSeen(box, clip)) return false;
    return (shown !== null && overlap(shown, this.viewport) !== null) || couldShow(box, part.clippedBy, part, this.number);
  }

  /** Which of children stand in one line with what comes before them, by index. @param {Array<Part|Text>} children */
  joinsOf(children) {
    const joins = new Set();
    let last = -1;
    for (let i = 0; i < children.length; i++) {
      const child = children[i];
      if (!(child instanceof Part)) { if (/\S/.test(child.data)) last = -1; continue; }
      const line = endsLine(child) ? this.lineOf(child) : NO_LINE;
      if (line === null) continue; // nothing is read in it
      const before = last >= 0 ? this.lineOf(/** @type {Part} */ (children[last])) : null;
      if (before && line !== NO_LINE && before !== NO_LINE && isSameLine(before, line)) for (let j = last + 1; j <= i; j++) joins.add(j);
      last = i;
    }
    return joins;
  }

  /** The one line that a part's text stands in; NO_LINE for several, null for no text. @param {Part} part @returns {{top: number, bottom: number}|null} */
  lineOf(part) {
    const known = this.partLines.get(part);
    if (known !== undefined) return known;
    /** @type {{top: number, bottom: number}|null} */
    let line = STRUCTURE_TAGS.has(part.tag) || STRUCTURE_ROLES.has(part.role) ? NO_LINE : null;
    for (const child of part.children) {
      if (line === NO_LINE) break;
      const next = child instanceof Part ? this.lineOf(child) : this.textLine(child);
      if (next === null) continue;
      line = line === null ? next : next === NO_LINE || !isSameLine(line, next) ? NO_LINE : { top: Math.min(line.top, next.top), bottom: Math.max(line.bottom, next.bottom) };
    }
    this.partLines.set(part, line);
    return line;
  }

  /** @param {Text} node */
  textLine(node) {
    const known = this.texts.get(node);
    if (!known) return null;
    const [, top, , bottom] = known.box;
    return bottom - top > ONE_LINE ? NO_LINE : { top, bottom };
  }
}
