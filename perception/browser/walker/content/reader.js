// Content: what a person reads in this frame, or in one element of it, as minimal clean HTML.
//
// Two passes: the first measures positions and finds the visible text; the second writes. Text that is only scrolled
// out of view is included; text that is hidden, clipped, transparent or permanently covered is not. Blocks that only
// arrange a page produce nothing but line breaks.

import { attr, idOf } from '../dom/access.js';
import { isSvg } from '../dom/elements.js';
import { cleanText, isZeroWidth, readableText } from '../dom/text.js';
import { isEmpty } from '../layout/rects.js';
import { generatedPlaces, paintedWords } from '../semantics/generated_content.js';
import { AFTER, BEFORE } from '../semantics/generated_places.js';
import { placeAfter } from '../semantics/run_text.js';
import { isTextWithheld } from '../privacy/private_content.js';
import { Part } from '../tree/part.js';
import { keepsLines, paintStyleOf } from '../visibility/paint_style.js';
import { editorLanguage, editorLines, editorPart, editorText } from './code_editors.js';
import { endsLine } from './content_walk.js';
import { FieldReader } from './field_reader.js';
import { writeFormula } from './formulas.js';
import { escapeHtml } from './html_writer.js';
import { markerOf, writeListed } from './lists.js';
import { CELL_ROLES, LANDMARK_TAGS, isCode, isIcons, languageOf, levelOf, markOf, paintsPicture } from './markup.js';
import { cellPlace, isInCollapsedColumn, rowPlace } from './table_places.js';

/** @import { Rect } from '../layout/rects.js' */

/** Tags for text that only its position raises or lowers. @type {Record<string, string>} */
const SHIFT_TAGS = { '^': 'sup', _: 'sub' };

/** Most that an outline or a shadow of a text in a drawing is beside it, in CSS px. Chosen by hand. */
const OUTLINE_PX = 2;

/** Rows of cells may overlap by as much: a border that they share, and rounding (CSS px). */
const SAME_ROW_PX = 2;

export class Reader extends FieldReader {
  /** Within the lines of a code editor. */
  inEditor = false;
  /** The last text, as long as nothing was written after it. @type {{node: Text, words: string, said: number, shift: string, isMarked: boolean}|null} */
  run = null;
  /** An inline box begins or ends here. */
  isEdge = false;
  /** Items of lists that are written with numbers. @type {Map<Part, number>} */
  numbers = new Map();
  /** Painted counts of other items. @type {Map<Part, string>} */
  markers = new Map();
  /** Where the last cell that was written ends, less what rows may overlap. */
  rowEnd = Infinity;
  /** Where texts of drawings were written, by their words. @type {Map<string, Rect[]>} */
  drawnTexts = new Map();

  /** Ends the line; those of a code editor end by themselves. */
  end() {
    if (this.inEditor) return;
    this.run = null;
    super.end();
  }

  /** @param {Part} part */
  part(part) {
    if (this.cut) return;
    const { wanted } = this;
    this.strike(part);
    this.element(part);
    this.wanted = wanted;
  }

  /** Marks words with a line through them; the line leaves out some boxes. @param {Part} part */
  strike(part) {
    if (this.inPre || part.children.length === 0) return;
    const isIn = this.wanted.some(({ tag }) => tag === 'del');
    if (paintStyleOf(part).struck === isIn) return;
    this.wanted = isIn
      ? this.wanted.filter(({ tag }) => tag !== 'del')
      : [...this.wanted, { tag: 'del', attributes: '', once: false, used: false }];
  }

  /** @param {Part} part */
  element(part) {
    const { tag, role } = part;
    if (tag === 'br') {
      this.lineBreak();
      return;
    }
    if (this.control(part) || writeFormula(this, part) || this.picture(part)) return;
    const inEditor = editorPart(part);
    if (inEditor === 'gutter') return;
    if (inEditor === 'code' && !this.inPre) {
      this.editor(part);
      return;
    }
    if (this.inPre) {
      this.inside(part);
      return;
    }
    if (this.tabular(part) || writeListed(this, part)) return;
    if (role === 'heading') this.heading(part);
    else if (tag === 'hr' || (role === 'separator' && part.block)) this.rule(part);
    else if ((tag === 'blockquote' || role === 'blockquote') && !this.isFlat())
      this.within('blockquote', '', () => this.inside(part));
    else if (isCode(part)) this.code(part);
    else if (role === 'link' || tag === 'a') this.link(part);
    else if (markOf(part)) this.marked(part, markOf(part));
    else if (tag === 'dt') this.marked(part, 'strong');
    else if (this.options.outline && !this.joined && part.block && (LANDMARK_TAGS[role] || part.children.length > 1))
      this.outlined(part);
    else this.inside(part);
  }

  /** @param {Part} part */
  heading(part) {
    if (this.isFlat()) this.marked(part, 'strong');
    else this.within(`h${levelOf(part.element)}`, '', () => this.inside(part));
  }

  /** @param {Part} part */
  rule(part) {
    if (!this.isFlat() && !/^(table|tr|ul|ol)$/.test(this.holder.tag) && this.survey.seesBox(part)) {
      this.end();
      this.put('<hr>');
    }
    this.inside(part);
  }

  /** Writes a block, with markers that separate content from its surroundings. @param {Part} part */
  outlined(part) {
    const { element, role } = part;
    const names = `${attr(element, 'class') || ''} ${idOf(element)}`.trim().slice(0, 100);
    if (this.isFlat() || /^(table|tr|ul|ol|li)$/.test(this.holder.tag)) {
      this.inside(part);
      return;
    }
    this.within(LANDMARK_TAGS[role] || 'div', names ? ` class="${escapeHtml(names)}"` : '', () => this.inside(part));
  }

  /** Writes the content of a part. @param {Part} part */
  inside(part) {
    const where = generatedPlaces(part.element);
    const marker = markerOf(this, part);
    if (/[\p{L}\p{N}]/u.test(marker)) this.apart(marker);
    if (where & BEFORE) this.made(part, '::before');
    const children = part.children;
    const joins = this.inPre ? null : this.survey.joinsOf(children);
    children.forEach((child, index) => {
      if (!(child instanceof Part)) {
        this.text(child, part);
        return;
      }
      if (!endsLine(child)) {
        const isBox = child.display.startsWith('inline-') || child.tag === 'tspan';
        const apart = (isBox && child.interactive) || (child.tag === 'text' && isSvg(child.element));
        this.gap = this.gap || (apart && !this.inPre);
        this.isEdge = this.isEdge || isBox;
        this.part(child);
        this.isEdge = this.isEdge || isBox;
        this.gap = this.gap || (apart && !this.inPre);
        return;
      }
      const before = joins !== null && joins.has(index),
        after = joins !== null && joins.has(index + 1);
      if (before) this.gap = true;
      else this.end();
      if (before || after) this.joined++;
      this.part(child);
      if (before || after) this.joined--;
      if (after) this.gap = true;
      else this.end();
    });
    if (where & AFTER) this.made(part, '::after');
  }

  /** @param {Text} node @param {Part} part */
  text(node, part) {
    if (!/\S/.test(node.data)) {
      if (this.inPre) {
        this.put(escapeHtml(this.inEditor ? editorText(node.data) : node.data));
        this.run = null; // what follows is apart already
      } else if (this.line && !isZeroWidth(node.data)) this.gap = true;
      return;
    }
    if (this.cut || !this.survey.sees(node, part) || isIcons(node.data, part)) return;
    if (isSvg(part.element) && this.isDrawnTwice(node)) return;
    if (isTextWithheld(part)) {
      this.masked();
      return;
    }
    const text = readableText(node.data);
    if (this.inPre) {
      const isApart = !this.inEditor && this.place(node, text).isApart;
      this.say(escapeHtml(this.inEditor ? editorText(text) : isApart ? ` ${text}` : text));
      this.follow(node, text, '');
      return;
    }
    if (!/\S/.test(text)) {
      this.gap = this.gap || text !== '';
      return;
    }
    const lines = keepsLines(part) ? text.replace(/^\n+|\n+$/g, '').split('\n') : [text];
    const { isApart, shift } = this.place(node, text);
    if (isApart) this.gap = this.line !== '';
    const { wanted } = this;
    if (shift) this.wanted = [...wanted, { tag: SHIFT_TAGS[shift], attributes: '', once: false, used: false }];
    lines.forEach((line, index) => {
      if (index) this.lineBreak();
      const words = line.replace(/[ \t\r\n\f]+/g, ' ');
      // Spaces that do not break, or are thin, are spaces, too.
      if (/^\s/.test(words)) this.gap = this.gap || this.line !== '';
      if (words.trim()) this.say(escapeHtml(words.trim()));
      this.gap = this.gap || (/\s$/.test(words) && words.trim() !== '');
    });
    this.wanted = wanted;
    this.follow(node, text, shift);
  }

  /** Whether the same words were written of the same place: an outline or a shadow of the text. @param {Text} node */
  isDrawnTwice(node) {
    const box = this.survey.boxOf(node);
    const words = node.data.trim();
    const places = this.drawnTexts.get(words) || [];
    if (!box || places.some((place) => place.every((edge, index) => Math.abs(edge - box[index]) <= OUTLINE_PX)))
      return box !== null;
    this.drawnTexts.set(words, [...places, box]);
    return false;
  }

  /**
   * How a text stands to the one before it.
   * @param {Text} node
   * @param {string} words
   */
  place(node, words) {
    const { run, isEdge } = this;
    this.isEdge = false;
    if (!run || run.said !== this.said || /\s$/.test(run.words) || /^\s/.test(words))
      return { isApart: isEdge && !this.inPre, shift: '' };
    const place = placeAfter(run, node, words, isEdge, this.survey.boxOf(run.node), this.survey.boxOf(node));
    if (run.isMarked || this.isMarked()) place.shift = '';
    return place;
  }

  /** @param {Text} node @param {string} words @param {string} shift */
  follow(node, words, shift) {
    this.run = { node, words, shift, said: this.said, isMarked: this.isMarked() };
  }

  /** Whether what is written is marked as raised or lowered. */
  isMarked() {
    return this.wanted.some(({ tag }) => tag === 'sup' || tag === 'sub');
  }

  lineBreak() {
    if (this.inPre) {
      if (!this.inEditor) this.put('\n'); // an empty line holds one
    } else if (this.joined) this.gap = true;
    else if (this.out[this.out.length - 1] === '<br>' && !this.isFlat())
      this.end(); // an empty line separates paragraphs
    else if (this.line) {
      this.gap = false;
      this.put('<br>');
    }
  }

  /** @param {Part} part @param {'::before'|'::after'} pseudo */
  made(part, pseudo) {
    const made = paintedWords(part, pseudo);
    const words = made ? cleanText(readableText(made.text)) : '';
    if (!made || !words || isIcons(words, part, pseudo) || !this.survey.seesBox(part) || isTextWithheld(part)) return;
    if (made.apart || /^\s/.test(made.text)) this.gap = this.line !== '';
    this.say(escapeHtml(words));
    this.isEdge = false; // the text of the box follows them
    if (made.apart || /\s$/.test(made.text)) this.gap = true;
  }

  /** @param {Part} part @param {string} tag */
  marked(part, tag) {
    if (this.inPre) {
      if (tag === 'sup' || tag === 'sub') this.put(tag === 'sup' ? '^' : '_');
      this.inside(part);
      return;
    }
    if (tag === 'rt') {
      if (!part.children.length) return;
      this.say('(');
      this.inside(part);
      this.say(')');
      return;
    }
    const isTwice =
      (!/^su[bp]$/.test(tag) && this.wanted.some((wrap) => wrap.tag === tag)) ||
      (tag === 'strong' && /^h\d$/.test(this.holder.tag));
    if (isTwice) {
      this.inside(part);
      return;
    }
    this.wanted = [...this.wanted, { tag, attributes: '', once: false, used: false }];
    this.inside(part);
    this.wanted = this.wanted.slice(0, -1);
  }

  /** @param {Part} part */
  link(part) {
    const { element } = part;
    const href = this.addressOf(attr(element, 'href') || attr(element, 'xlink:href') || '');
    if (!href || this.inPre || this.wanted.some((wrap) => wrap.tag === 'a')) {
      this.inside(part);
      return;
    }
    const before = this.said;
    this.wanted = [...this.wanted, { tag: 'a', attributes: ` href="${escapeHtml(href)}"`, once: true, used: false }];
    this.inside(part);
    if (this.said === before) {
      // An icon's text says where it leads, if the author provided one.
      const label = cleanText(attr(element, 'aria-label') || attr(element, 'title') || '');
      if (label && !part.isPrivate && this.survey.seesBox(part) && paintsPicture(part)) this.say(escapeHtml(label));
    }
    this.wanted = this.wanted.slice(0, -1);
  }

  /** @param {Part} part */
  code(part) {
    if (/^h\d$/.test(this.holder.tag)) {
      this.marked(part, 'code');
      return;
    } // a heading is one line
    this.preformatted(languageOf(part.element), () => this.inside(part));
  }

  /** Writes the lines of a code editor. @param {Part} part */
  editor(part) {
    this.preformatted(editorLanguage(part), () => {
      this.inEditor = true;
      editorLines(part).forEach((line, index) => {
        if (index) this.put('\n');
        for (const each of line) this.inside(each);
      });
      this.inEditor = false;
    });
  }

  /** Writes a code block. @param {string} language empty for none @param {() => void} write */
  preformatted(language, write) {
    this.within('pre', '', () => {
      this.put(`<code${language ? ` class="language-${escapeHtml(language)}"` : ''}>`);
      this.inPre = true;
      write();
      this.inPre = false;
      this.put('</code>');
    });
  }

  /** Writes tables and their parts. @param {Part} part @returns {boolean} whether it was one */
  tabular(part) {
    const { role } = part;
    const isIn = this.holders.some(({ tag }) => tag === 'table');
    if (role === 'table' || role === 'grid' || role === 'treegrid') {
      if (isIn || this.joined || this.isFlat())
        this.inside(part); // GFM has no tables in tables
      else this.within('table', '', () => this.inside(part));
      return true;
    }
    const cell = CELL_ROLES[role];
    if (!isIn || (!cell && role !== 'row' && part.tag !== 'caption')) return false;
    this.endImplied(cell ? /^td$/ : /^t[dr]$/);
    const { tag } = this.holder;
    if (part.tag === 'caption' && tag === 'table') this.within('caption', '', () => this.inside(part));
    // An empty row stays until spans are resolved: cells of other rows reach over it.
    else if (role === 'row' && tag === 'table') this.within('tr', rowPlace(part), () => this.inside(part), true);
    else if (cell && (tag === 'tr' || tag === 'table')) this.cell(part, cell);
    else {
      // of a table in a cell
      this.gap = true;
      this.inside(part);
      this.gap = true;
    }
    return true;
  }

  /** @param {Part} part @param {string} tag */
  cell(part, tag) {
    const { holder } = this;
    // Cells of no row are in rows as they are painted: what is below the last one begins another.
    if (holder.tag === 'tr' && holder.implied && part.place[1] >= this.rowEnd) this.close('tr');
    if (this.holder.tag === 'table') {
      this.open('tr');
      this.holder.implied = true;
    }
    if (!isEmpty(part.place)) this.rowEnd = part.place[3] - SAME_ROW_PX;
    const isPainted = !isInCollapsedColumn(part);
    this.within(tag, cellPlace(part), () => isPainted && this.inside(part), true);
  }
}
