// Writes clean HTML line by line. Marks on words, such as links, are opened before the words and closed when their line
// ends. Containers without content are removed.

/** Limit on the characters written, about a million tokens and at most 12 MiB in a reply. */
const MAX_WRITTEN = 4e6;

/** @param {string} text */
export const escapeHtml = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/**
 * An open container: its tag, its start in the output, and the amount of content before it.
 * @typedef {{tag: string, at: number, said: number, lines: number, implied: boolean}} Holder
 */

/**
 * A mark on words, such as a link. `once`: it ends at the end of the line.
 * @typedef {{tag: string, attributes: string, once: boolean, used: boolean}} Wrap
 */

export class Writer {
  constructor() {
    /** @type {string[]} */
    this.out = [];
    /** @type {Holder[]} */
    this.holders = [{ tag: '', at: 0, said: 0, lines: 0, implied: false }];
    /** @type {Wrap[]} */
    this.wanted = [];
    /** @type {Wrap[]} */
    this.opened = [];
    /** @type {''|'p'|'bare'} */
    this.line = '';
    this.said = 0;
    this.written = 0;
    this.cut = false;
    /** Nesting depth of inline content. */
    this.joined = 0;
    this.gap = false;
    this.inPre = false;
  }

  get holder() {
    return this.holders[this.holders.length - 1];
  }

  /** @param {string} html */
  put(html) {
    this.out.push(html);
    this.written += html.length;
    if (this.written > MAX_WRITTEN) this.cut = true;
  }

  /** Ends the line. */
  end() {
    if (this.joined) {
      this.gap = true;
      return;
    }
    if (this.inPre) {
      if (this.said > this.holder.said && !/\n$/.test(this.out[this.out.length - 1])) this.put('\n');
      return;
    }
    this.unwrap(0);
    if (this.line === 'p') this.put('</p>');
    if (this.line) for (const wrap of this.wanted) if (wrap.used && wrap.once) wrap.tag = '';
    this.line = '';
    this.gap = false;
  }

  /** Prepares for words. */
  begin() {
    if (this.inPre || this.line) return;
    this.imply();
    const { holder } = this;
    this.line = 'bare';
    const isFlat = /^(h[1-6]|td|th|caption|li|rt)$/.test(holder.tag);
    if (!isFlat || (holder.tag === 'li' && holder.lines)) {
      this.line = 'p';
      this.put('<p>');
    } else if (holder.lines) this.put(holder.tag[0] === 'h' ? ' ' : '<br>');
    holder.lines++;
    this.gap = false;
  }

  /** Within a table or list, words must be in cells and items. */
  imply() {
    const { tag } = this.holder;
    const missing = tag === 'table' ? ['tr', 'td'] : tag === 'tr' ? ['td'] : tag === 'ul' || tag === 'ol' ? ['li'] : [];
    for (const each of missing) {
      this.open(each);
      this.holder.implied = true;
    }
  }

  /** Ends implied elements before an explicit one. @param {RegExp} tags */
  endImplied(tags) {
    while (this.holder.implied && tags.test(this.holder.tag)) this.close(this.holder.tag);
  }

  /** Opens the wanted marks and closes all others. */
  wrap() {
    let same = 0;
    while (same < this.opened.length && this.opened[same] === this.wanted[same]) same++;
    this.unwrap(same);
    if (this.gap) {
      this.put(' ');
      this.gap = false;
    }
    for (const wrap of this.wanted.slice(same)) {
      this.opened.push(wrap);
      if (wrap.tag) this.put(`<${wrap.tag}${wrap.attributes}>`);
      wrap.used = true;
    }
  }

  /** @param {number} left marks that stay open */
  unwrap(left) {
    while (this.opened.length > left) {
      const { tag } = /** @type {Wrap} */ (this.opened.pop());
      if (tag) this.put(`</${tag}>`);
    }
  }

  /** Writes readable content. @param {string} html */
  say(html) {
    if (this.cut) return;
    this.begin();
    if (!this.inPre) this.wrap();
    this.put(html);
    this.said++;
  }

  /** Writes separate words within the line. @param {string} text */
  apart(text) {
    this.gap = true;
    this.say(escapeHtml(text));
    this.gap = true;
  }

  /** Starts a container. @param {string} tag @param {string} attributes */
  open(tag, attributes = '') {
    this.end();
    this.holders.push({ tag, at: this.out.length, said: this.said, lines: 0, implied: false });
    this.put(`<${tag}${attributes}>`);
  }

  /**
   * Ends a container and the elements implied in it; removes it if it has no content.
   * @param {string} tag
   * @param {boolean} keep even if it is empty
   */
  close(tag, keep = false) {
    this.end();
    for (;;) {
      const holder = /** @type {Holder} */ (this.holders.pop());
      if (this.said > holder.said || (keep && holder.tag === tag)) this.put(`</${holder.tag}>`);
      else this.out.length = holder.at;
      if (holder.tag === tag) return;
    }
  }

  /**
   * Writes a container: its content starts on a new line.
   * @param {string} tag
   * @param {string} attributes
   * @param {() => unknown} write
   * @param {boolean} keep even if it is empty
   */
  within(tag, attributes, write, keep = false) {
    const { joined, wanted } = this;
    this.joined = 0;
    if (!/^(tr|td|th|caption|li)$/.test(tag)) this.imply();
    this.open(tag, attributes);
    write();
    this.wanted = wanted;
    this.close(tag, keep);
    this.joined = joined;
  }

  /** Whether the position is in a cell or a heading, which contain only words. */
  isFlat() {
    return this.holders.some(({ tag }) => /^(td|th|caption|h[1-6])$/.test(tag));
  }
}
