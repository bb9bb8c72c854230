// Text of several runs of one line: what is painted apart is apart, what is raised or lowered is marked.

import { parentNodeOf } from '../dom/access.js';
import { isSvg } from '../dom/elements.js';
import { isZeroWidth } from '../dom/text.js';
import { textBox } from '../layout/boxes.js';
import { junctionOf } from '../layout/text_gaps.js';
import { NUMERATOR, RUBY, STRUCK, UNMARKED, groupsOf, isInFormula, isLimit, isMeantSign } from './raised_text.js';

/** @import { Rect } from '../layout/rects.js' */
/** @import { Group } from './raised_text.js' */

/**
 * Least gaps between words, in letter heights: a space is 0.25 to 0.3, the padding around a marked word up to 0.4. Chosen
 * by hand.
 */
const WORD_GAP = 0.1;
const LETTER_GAP = 0.25;
const SIGN_GAP = 0.6;

/** Signs that belong to what follows, and to what precedes. */
const OPENING = /[([{«“‘„\p{Sc}#@+−±-]$/u;
const CLOSING = /^[)\]},.;:!?%»”’…°]/u;

/** One word, of digits or of letters, or something with brackets of its own. */
const SINGLE = /^(?:[+−–±-]?[\p{N}.,:]+|[\p{L}\p{M}′']+|[^\p{L}\p{N}]*|\[[^[\]]*\]|\([^()]*\))$/u;

/** Marks that stand at once after what is before them. */
const ATTACHED = /^[\^_/,; ]/;

/** A sign or an accent. */
const NO_WORD = /^[^\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{N}]*$/u;

/** A power that was the upper part of a fraction. */
const UPPER = /(\S?)\^(\d+)([/⁄])$/;

/**
 * Whether words are apart by the gap between them.
 * @param {number} gap in letter heights
 * @param {string} before
 * @param {string} after
 */
function isGap(gap, before, after) {
  if (/\d$/.test(before) && /^[.,:]?\d/.test(after)) return gap >= WORD_GAP;
  if (OPENING.test(before) || CLOSING.test(after)) return gap >= SIGN_GAP;
  return gap >= (before.trim().length === 1 && after.trim().length === 1 ? LETTER_GAP : WORD_GAP);
}

/** Whether two texts say the same. @param {string} one @param {string} other */
const isSame = (one, other) => one.trim().toLowerCase() === other.trim().toLowerCase();

/** Whether a text is a part of a drawing. @param {Text} node */
function isDrawn(node) {
  const parent = parentNodeOf(node);
  return parent instanceof Element && isSvg(parent);
}

const AT_SPACE = { isApart: false, shift: '' };

/**
 * How a text stands to the one before it: whether it is apart, and the mark that it gets if it is smaller, and raised or
 * lowered by its position alone.
 * @param {{node: Text, words: string, shift: string}} run the text before it
 * @param {Text} node
 * @param {string} words
 * @param {boolean} isEdge an inline box begins or ends between them
 * @param {Rect|null} runBox
 * @param {Rect|null} box
 * @param {string} [mark] what is written between them in any case
 */
export function placeAfter(run, node, words, isEdge, runBox, box, mark = '') {
  const junction = junctionOf(run.node, runBox, node, box);
  // Text of a drawing breaks only where its author places words anew.
  if (!junction || junction.gap === null) return { isApart: isEdge || isDrawn(node), shift: '' };
  const { gap } = junction;
  const shift = gap >= SIGN_GAP ? '' : junction.shift === '=' ? run.shift : junction.shift;
  const isMarked = /[\^_/]/.test(mark) || (shift !== '' && shift !== run.shift);
  return { isApart: isMarked ? gap >= SIGN_GAP : isGap(gap, run.words, words), shift };
}

export class RunText {
  constructor() {
    this.written = '';
    /** What comes next is another word. */
    this.apart = false;
    /** An inline box begins or ends here: what comes next is another word unless it touches what is before. */
    this.isEdge = false;
    /** The last words, the text node and box that they are from, and their group. */
    this.last = '';
    /** @type {Text|null} */
    this.node = null;
    /** @type {Rect|null} */
    this.box = null;
    /** @type {Group|null} */
    this.group = null;
    /** The mark of the last words, if only their position tells that they are raised or lowered. */
    this.shift = '';
    /** What the picture or field that comes last is called. */
    this.alternative = '';
    /** Texts of a drawing with their places. @type {Set<string>|null} */
    this.drawn = null;
    /** The groups that are open, and where their words begin. @type {Array<{group: Group, at: number}>} */
    this.open = [];
  }

  get text() {
    let { written } = this;
    for (let index = this.open.length - 1; index >= 0; index--) written = markClosed(written, this.open[index], '');
    return written;
  }

  /**
   * Adds what a picture or field is called, unless the words beside it say the same: an icon in front of its caption.
   * @param {string} words
   */
  addAlternative(words) {
    // Two pictures that are called the same are two.
    const isAfterAnother = this.alternative !== '';
    this.alternative = '';
    if (!isAfterAnother && isSame(words, this.last)) {
      this.apart = true;
      return;
    }
    this.add(words, true);
    this.alternative = words;
  }

  /**
   * Adds words. They get a space before them unless they are painted as one word with what is before.
   * @param {string} words
   * @param {boolean} apart they are a word of their own
   * @param {Text|null} node their text node, if their position tells
   * @param {Group|null} group
   * @param {Rect|null} box
   */
  add(words, apart = false, node = null, group = null, box = null) {
    if (!words || isZeroWidth(words) || (node && this.isOutlined(words, node, box))) return;
    let shift = '';
    if (/\S/.test(words)) this.dropAlternative(words);
    if (!/\S/.test(words)) this.written += words;
    else {
      const isAfterSpace = !this.written || /\s$/.test(this.last) || /^\s/.test(words);
      const isWord = apart || this.apart;
      const place = isAfterSpace || isWord ? AT_SPACE : this.place(words, node, group, box);
      ({ shift } = place);
      const space = !isAfterSpace && (isWord || place.isApart) ? ' ' : '';
      this.enter(shift ? { mark: shift, key: shift, above: group } : group, `${space}${words}`);
      this.group = group;
    }
    this.shift = shift;
    this.last = words;
    this.node = node;
    this.box = box;
    this.apart = apart;
    this.isEdge = false;
  }

  /**
   * Whether the same words of a drawing are at the same place: an outline is painted first, and the words over it.
   * @param {string} words
   * @param {Text} node
   * @param {Rect|null} box
   */
  isOutlined(words, node, box) {
    if (!/\S/.test(words) || !isDrawn(node)) return false;
    const place = box || textBox(node);
    if (!place) return false;
    this.drawn = this.drawn || new Set();
    const count = this.drawn.size;
    this.drawn.add(`${words.trim()}@${Math.round(place[0])},${Math.round(place[1])}`);
    return this.drawn.size === count;
  }

  /** Removes what a picture or field is called if the next ones say the same. @param {string} words */
  dropAlternative(words) {
    const { alternative, written } = this;
    this.alternative = '';
    const kept = written.trimEnd();
    if (!alternative || !isSame(words, alternative) || !kept.endsWith(alternative.trim())) return;
    this.written = kept.slice(0, kept.length - alternative.trim().length);
    this.last = '';
  }

  /**
   * How words stand to those before them.
   * @param {string} words
   * @param {Text|null} node
   * @param {Group|null} group
   * @param {Rect|null} box
   */
  place(words, node, group, box) {
    const { isEdge, last, shift } = this;
    if (!node || !this.node) return { isApart: isEdge, shift: '' };
    const mark = this.markOf(group);
    const run = { node: this.node, words: last, shift };
    const place = placeAfter(run, node, words, isEdge, this.box, box, UNMARKED.has(mark) ? '' : mark);
    if (this.open.length && CLOSING.test(words)) place.isApart = false;
    if (isInFormula(node) && ATTACHED.test(mark)) place.isApart = false;
    if (mark || group !== this.group || isInFormula(node)) place.shift = '';
    return place;
  }

  /** How many open groups words are in. @param {Group[]} wanted */
  sharedWith(wanted) {
    let same = 0;
    while (same < this.open.length && same < wanted.length && this.open[same].group.key === wanted[same].key) same++;
    return same;
  }

  /** The mark that words of a group get in front. @param {Group|null} group */
  markOf(group) {
    const wanted = groupsOf(group);
    const first = wanted[this.sharedWith(wanted)];
    return first ? first.mark : '';
  }

  /** Ends the groups that words are not in, begins theirs, and writes them. @param {Group|null} group @param {string} words */
  enter(group, words) {
    const wanted = groupsOf(group);
    const same = this.sharedWith(wanted);
    const next = same < wanted.length && !UNMARKED.has(wanted[same].mark) ? wanted[same].mark : words;
    while (this.open.length > same)
      this.written = markClosed(this.written, /** @type {{group: Group, at: number}} */ (this.open.pop()), next);
    if (same === wanted.length) {
      this.written += words;
      return;
    }
    const start = words.trimStart();
    this.written += words.slice(0, words.length - start.length);
    for (const each of wanted.slice(same)) {
      if (each.mark === NUMERATOR && /[\p{L}\p{N}]$/u.test(this.written)) this.written += ' ';
      if (!UNMARKED.has(each.mark)) this.written += each.mark;
      this.open.push({ group: each, at: this.written.length });
    }
    this.written += start;
  }
}

/**
 * A text whose last words are a group that ends, with parentheses around them if they are not one word, or if what
 * follows would read as a part of them.
 * @param {string} written
 * @param {{group: Group, at: number}} group
 * @param {string} next
 */
function markClosed(written, { group, at }, next) {
  const inner = written.slice(at).trim();
  const isBefore = /^[\p{L}\p{N}√(]/u.test(next) && (group.mark === '/' || isLimit(group));
  const rest = isBefore || written.slice(at).trimEnd().length < written.length - at ? ' ' : '';
  const before = written.slice(0, at);
  if (group.mark === RUBY) return `${before}(${inner})${rest}`;
  if (group.mark === STRUCK) return `${before}${inner}${STRUCK}${rest}`;
  if (/^[,;]/.test(group.mark)) return `${before}${inner}${rest}`; // a cell
  if (NO_WORD.test(inner) && /^[\^_]$/.test(group.mark) && !isMeantSign(group, inner))
    return `${before.slice(0, -1)}${inner}${rest}`;
  const upper = group.mark === '_' && /^\d+$/.test(inner) ? UPPER.exec(before.slice(0, -1)) : null;
  if (upper) {
    const [all, base, count, bar] = upper;
    const start = before.slice(0, before.length - 1 - all.length);
    return `${start}${base}${/[\p{L}\p{N}]/u.test(base) ? ' ' : ''}${count}${bar}${inner}${rest}`;
  }
  const goesOn =
    !UNMARKED.has(group.mark) &&
    !rest &&
    ((/\p{N}$/u.test(inner) && /^[.,]?\p{N}/u.test(next)) || (/\p{L}$/u.test(inner) && /^\p{L}/u.test(next)));
  const whole = SINGLE.test(inner) && !goesOn ? inner : `(${inner})`;
  return `${before}${whole}${group.mark === '^(1/' ? ')' : ''}${rest}`;
}
