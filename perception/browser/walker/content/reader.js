// Content: what a person reads in this frame, or in one element of it, as minimal clean HTML.
//
// Two passes: the first measures positions and finds the visible text; the second writes. Text that is only scrolled
// out of view is included; text that is hidden, clipped, transparent or permanently covered is not. Blocks that only
// arrange a page produce nothing but line breaks.

import { attr, idOf } from '../dom/access.js';
import { isWithin } from '../dom/flat_tree.js';
import { cleanText, isZeroWidth, readableText } from '../dom/text.js';
import { generatedPlaces, markerWords, paintedWords } from '../semantics/generated_content.js';
import { AFTER, BEFORE } from '../semantics/generated_places.js';
import { groupOfPart } from '../rows/text_line.js';
import { isFormula, isFormulaCell } from '../semantics/raised_text.js';
import { RunText, placeAfter } from '../semantics/run_text.js';
import { isTextWithheld } from '../privacy/private_content.js';
import { Part } from '../tree/part.js';
import { keepsLines } from '../visibility/paint_style.js';
import { editorLanguage, editorLines, editorPart, editorText } from './code_editors.js';
import { endsLine } from './content_walk.js';
import { FieldReader } from './field_reader.js';
import { escapeHtml } from './html_writer.js';
import { CELL_ROLES, LANDMARK_TAGS, isCode, isIcons, languageOf, levelOf, markOf, paintsPicture } from './markup.js';
import { cellPlace, rowPlace } from './table_places.js';

/** Tags for text that only its position raises or lowers. @type {Record<string, string>} */
const SHIFT_TAGS = { '^': 'sup', _: 'sub' };

/**
 * The number that an item's author gives it.
 * @param {Part} part
 * @param {string} list
 */
function itemNumber({ element, tag }, list) {
  const number = list === 'ol' && tag === 'li' ? parseInt(attr(element, 'value') || '', 10) : NaN;
  return Number.isNaN(number) ? '' : ` value="${number}"`;
}

export class Reader extends FieldReader {
  /** Within the lines of a code editor. */
  inEditor = false;
  /** The last text, as long as nothing was written after it. @type {{node: Text, words: string, said: number, shift: string, isMarked: boolean}|null} */
  run = null;
  /** An inline box begins or ends here. */
  isEdge = false;

  /** Ends the line; those of a code editor end by themselves. */
  end() {
    if (this.inEditor) return;
    this.run = null;
    super.end();
  }

  /** @param {Part} part */
  part(part) {
    if (this.cut) return;
    const { tag, role } = part;
    if (tag === 'br') {
      this.lineBreak();
      return;
    }
    if (this.control(part) || this.formula(part) || this.picture(part)) return;
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
    if (this.tabular(part) || this.listed(part)) return;
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
    if (this.isFlat() || /^(table|tr|ul|ol)$/.test(this.holder.tag) || !this.survey.seesBox(part)) return;
    this.end();
    this.put('<hr>');
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
    const marker = isTextWithheld(part) ? '' : cleanText(markerWords(part));
    if (/[\p{L}\p{N}]/u.test(marker)) this.apart(escapeHtml(marker));
    if (where & BEFORE) this.made(part, '::before');
    const children = part.children;
    const joins = this.inPre ? null : this.survey.joinsOf(children);
    children.forEach((child, index) => {
      if (!(child instanceof Part)) {
        this.text(child, part);
        return;
      }
      if (!endsLine(child)) {
        const isBox = child.display.startsWith('inline-');
        const apart = isBox && child.interactive;
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
      if (words.startsWith(' ')) this.gap = this.gap || this.line !== '';
      if (words.trim()) this.say(escapeHtml(words.trim()));
      this.gap = this.gap || (words.endsWith(' ') && words.trim() !== '');
    });
    this.wanted = wanted;
    this.follow(node, text, shift);
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

  /** Writes a formula as a part of its line. @param {Part} part @returns {boolean} whether it was one */
  formula(part) {
    if (part.drawn && part.role !== 'img') {
      if (isTextWithheld(part)) this.masked();
      else if (this.survey.seesBox(part)) this.say(escapeHtml(part.drawn));
      return true;
    }
    if (part.tag !== 'math' || !isFormula(part.element)) return false;
    const words = new RunText();
    this.readFormula(part, words);
    const text = cleanText(words.text);
    if (text) this.say(escapeHtml(text));
    return true;
  }

  /** @param {Part} part @param {RunText} words */
  readFormula(part, words) {
    if (isFormulaCell(part.tag)) words.add(' ');
    for (const child of part.children) {
      if (child instanceof Part) this.readFormula(child, words);
      else if (/\S/.test(child.data) && this.survey.sees(child, part) && !isTextWithheld(part))
        words.add(readableText(child.data).trim(), false, child, groupOfPart(part), this.survey.boxOf(child));
    }
    if (isFormulaCell(part.tag)) words.add(' ');
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
    const words = made ? cleanText(made.text) : '';
    if (!made || !words || isIcons(words, part, pseudo) || !this.survey.seesBox(part) || isTextWithheld(part)) return;
    if (made.apart || /^\s/.test(made.text)) this.gap = this.line !== '';
    this.say(escapeHtml(words));
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
    if (this.holder.tag === 'table') {
      this.open('tr');
      this.holder.implied = true;
    }
    this.within(tag, cellPlace(part), () => this.inside(part), true);
  }

  /** Writes lists and their items. @param {Part} part @returns {boolean} whether it was one */
  listed(part) {
    const { role, tag, element } = part;
    if (
      role === 'list' ||
      role === 'tree' ||
      (role === 'group' && this.holder.tag === 'li' && isWithin(element, '[role=tree]'))
    ) {
      this.endImplied(/^li$/);
      const isOpen = this.holder.tag === 'ul' || this.holder.tag === 'ol';
      if (isOpen || this.joined || this.holders.some(({ tag: each }) => /^h\d$/.test(each))) {
        this.inside(part);
        return true;
      }
      const isNumbered = tag === 'ol' && getComputedStyle(element).listStyleType !== 'none';
      const start = isNumbered ? /** @type {HTMLOListElement} */ (element).start : 1;
      const counts = isNumbered && /** @type {HTMLOListElement} */ (element).reversed ? ' reversed' : '';
      const from = start !== 1 ? ` start="${start}"` : '';
      this.within(isNumbered ? 'ol' : 'ul', `${from}${counts}`, () => this.inside(part));
      return true;
    }
    if (role !== 'listitem' && role !== 'treeitem' && tag !== 'li') return false;
    this.endImplied(/^li$/);
    if (/^[uo]l$/.test(this.holder.tag)) this.within('li', itemNumber(part, this.holder.tag), () => this.inside(part));
    else this.inside(part);
    return true;
  }
}
