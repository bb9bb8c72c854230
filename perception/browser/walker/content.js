// Content: what a person reads in this frame, or in one element of it, as small clean HTML.
//
// Two passes: the first measures where everything is and which text is seen; the second writes. What is only scrolled out
// of view is read; what is hidden, clipped away, transparent or covered for good is not. Lines are what is told apart:
// blocks that only arrange a page leave nothing behind but the end of a line.

/** Letters of a link's address; longer ones hold data (browsers and servers take 2,000 everywhere). */
const MAX_ADDRESS = 2000;

/** A picture that its author has said nothing about is content from this size on, else an icon (CSS px). */
const CONTENT_PICTURE = 64;

/** Schemes of addresses that lead somewhere. */
const LEADING = /^(https?|ftp|mailto|tel|sms|geo|magnet):$/;

/** Elements that stand for what they do to words, by what is written for them. @type {Record<string, string>} */
const MARKS = { strong: 'strong', b: 'strong', em: 'em', i: 'em', del: 'del', s: 'del', strike: 'del', sub: 'sub', sup: 'sup', mark: 'mark',
  code: 'code', kbd: 'code', samp: 'code', tt: 'code', rt: 'rt' };

/** The same by role. @type {Record<string, string>} */
const ROLE_MARKS = { strong: 'strong', emphasis: 'em', deletion: 'del', subscript: 'sub', superscript: 'sup', mark: 'mark', code: 'code' };

/** Parts of a page that say which of it is its content. @type {Record<string, string>} */
const LANDMARKS = { main: 'main', article: 'article', navigation: 'nav', complementary: 'aside', banner: 'header', contentinfo: 'footer', search: 'search',
  dialog: 'dialog', alertdialog: 'dialog' };

/** Roles of cells, by what is written for them. @type {Record<string, string>} */
const CELLS = { cell: 'td', gridcell: 'td', columnheader: 'th', rowheader: 'th' };

/** Columns that a cell may take up: more are made up. */
const MAX_SPAN = 100;

/** What stands for what must not be told. */
const MASKED = '[masked]';

/**
 * What is asked for.
 * @typedef {{origin: string, isTop: boolean, values: boolean, outline: boolean}} ContentWish
 * `origin`: of the page; `values`: what fields hold, too; `outline`: also which blocks are in which, with their classes
 */

class Reader extends Writer {
  /** @param {Survey} survey @param {ContentWish} wish */
  constructor(survey, wish) {
    super();
    this.survey = survey;
    this.wish = wish;
    /** Frame elements, to be read by themselves: number and name. @type {Array<[number, string]>} */
    this.frames = [];
  }

  /** @param {Part} part */
  part(part) {
    if (this.cut) return;
    const { tag, element, role } = part;
    if (tag === 'br') { this.lineBreak(); return; }
    if (this.control(part) || this.picture(part)) return;
    if (this.inPre) { this.inside(part); return; }
    if (this.tabular(part) || this.listed(part)) return;
    if (role === 'heading') this.heading(part);
    else if (tag === 'hr' || (role === 'separator' && part.block)) this.rule(part);
    else if ((tag === 'blockquote' || role === 'blockquote') && !this.isFlat()) this.within('blockquote', '', () => this.inside(part));
    else if (isCode(part)) this.code(part);
    else if (role === 'link' || tag === 'a') this.link(part);
    else if (MARKS[tag] || ROLE_MARKS[role]) this.marked(part, MARKS[tag] || ROLE_MARKS[role]);
    else if (tag === 'dt') this.marked(part, 'strong');
    else if (this.wish.outline && !this.joined && part.block && (LANDMARKS[role] || part.children.length > 1)) this.outlined(part);
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

  /** A block, with what tells content from what is around it. @param {Part} part */
  outlined(part) {
    const { element, role } = part;
    const names = `${attr(element, 'class') || ''} ${idOf(element)}`.trim().slice(0, 100);
    if (this.isFlat() || /^(table|tr|ul|ol|li)$/.test(this.holder.tag)) { this.inside(part); return; }
    this.within(LANDMARKS[role] || 'div', names ? ` class="${escapeHtml(names)}"` : '', () => this.inside(part));
  }

  /** All that is in a part. @param {Part} part */
  inside(part) {
    const where = generates(part.element);
    if (where & BEFORE) this.made(part, '::before');
    const children = part.children;
    const joins = this.inPre ? null : this.survey.joinsOf(children);
    children.forEach((child, index) => {
      if (!(child instanceof Part)) { this.text(child, part); return; }
      if (!endsLine(child)) {
        const apart = child.display !== 'inline' && child.display !== 'contents' && !child.display.startsWith('ruby');
        this.gap = this.gap || (apart && !this.inPre);
        this.part(child);
        this.gap = this.gap || (apart && !this.inPre);
        return;
      }
      const before = joins !== null && joins.has(index), after = joins !== null && joins.has(index + 1);
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
      if (this.inPre) this.put(escapeHtml(node.data));
      else if (this.line) this.gap = true;
      return;
    }
    if (this.cut || !this.survey.sees(node, part) || isIcons(part)) return;
    if (isVeiled(part)) { this.masked(); return; }
    const text = legible(node.data);
    if (this.inPre) { this.say(escapeHtml(text)); return; }
    if (!/\S/.test(text)) { this.gap = true; return; }
    const lines = keepsLines(part) ? text.replace(/^\n+|\n+$/g, '').split('\n') : [text];
    lines.forEach((line, index) => {
      if (index) this.lineBreak();
      const words = line.replace(/[ \t\r\n\f]+/g, ' ');
      if (words.startsWith(' ')) this.gap = this.gap || this.line !== '';
      if (words.trim()) this.say(escapeHtml(words.trim()));
      this.gap = this.gap || (words.endsWith(' ') && words.trim() !== '');
    });
  }

  lineBreak() {
    if (this.inPre) this.put('\n');
    else if (this.joined) this.gap = true;
    else if (this.out[this.out.length - 1] === '<br>' && !this.isFlat()) this.end(); // an empty line parts paragraphs
    else if (this.line) { this.gap = false; this.put('<br>'); }
  }

  /** Something is there that must not be told; said once where several stand side by side. */
  masked() {
    if (this.out[this.out.length - 1] !== MASKED) this.apart(MASKED);
  }

  /** @param {Part} part @param {'::before'|'::after'} pseudo */
  made(part, pseudo) {
    const made = generated(part.element, pseudo);
    const words = made ? tidy(made.text) : '';
    if (!made || !words || isIcons(part, pseudo) || !this.survey.seesBox(part) || isVeiled(part)) return;
    if (made.apart || /^\s/.test(made.text)) this.gap = this.line !== '';
    this.say(escapeHtml(words));
    if (made.apart || /\s$/.test(made.text)) this.gap = true;
  }

  /** @param {Part} part @param {string} tag */
  marked(part, tag) {
    if (this.inPre) { this.inside(part); return; }
    if (tag === 'rt') { this.say('('); this.inside(part); this.say(')'); return; }
    const isTwice = this.wanted.some((wrap) => wrap.tag === tag) || (tag === 'strong' && /^h\d$/.test(this.holder.tag));
    if (isTwice) { this.inside(part); return; }
    this.wanted = [...this.wanted, { tag, attributes: '', once: false, used: false }];
    this.inside(part);
    this.wanted = this.wanted.slice(0, -1);
  }

  /** @param {Part} part */
  link(part) {
    const { element } = part;
    const href = this.addressOf(attr(element, 'href') || attr(element, 'xlink:href') || '');
    if (!href || this.inPre || this.wanted.some((wrap) => wrap.tag === 'a')) { this.inside(part); return; }
    const before = this.said;
    this.wanted = [...this.wanted, { tag: 'a', attributes: ` href="${escapeHtml(href)}"`, once: true, used: false }];
    this.inside(part);
    if (this.said === before) {
      // An icon says in words what it leads to, if its author does.
      const label = tidy(attr(element, 'aria-label') || attr(element, 'title') || '');
      if (label && !part.marked && this.survey.seesBox(part) && paintsPicture(part)) this.say(escapeHtml(label));
    }
    this.wanted = this.wanted.slice(0, -1);
  }

  /** An address as it is written: within the page's own site from its root. @param {string} raw */
  addressOf(raw) {
    if (!raw || (raw.startsWith('#') && this.wish.isTop)) return raw.slice(0, MAX_ADDRESS);
    let url;
    try { url = new URL(raw, raw.startsWith('#') ? location.href : document.baseURI); } catch { return ''; }
    if (!LEADING.test(url.protocol) || url.href.length > MAX_ADDRESS) return '';
    return url.origin === this.wish.origin && url.origin !== 'null' ? url.pathname + url.search + url.hash : url.href;
  }

  /** @param {Part} part */
  code(part) {
    if (/^h\d$/.test(this.holder.tag)) { this.marked(part, 'code'); return; } // a heading is one line
    const language = languageOf(part.element);
    this.within('pre', '', () => {
      this.put(`<code${language ? ` class="language-${escapeHtml(language)}"` : ''}>`);
      this.inPre = true;
      this.inside(part);
      this.inPre = false;
      this.put('</code>');
    });
  }

  /** Tables and their parts. @param {Part} part @returns {boolean} whether it was one */
  tabular(part) {
    const { role } = part;
    const isIn = this.holders.some(({ tag }) => tag === 'table');
    if (role === 'table' || role === 'grid' || role === 'treegrid') {
      if (isIn || this.joined || this.isFlat()) this.inside(part); // GFM has no tables in tables
      else this.within('table', '', () => this.inside(part));
      return true;
    }
    const cell = CELLS[role];
    if (!isIn || (!cell && role !== 'row' && part.tag !== 'caption')) return false;
    this.endImplied(cell ? /^td$/ : /^t[dr]$/);
    const { tag } = this.holder;
    if (part.tag === 'caption' && tag === 'table') this.within('caption', '', () => this.inside(part));
    else if (role === 'row' && tag === 'table') this.within('tr', '', () => this.inside(part));
    else if (cell && (tag === 'tr' || tag === 'table')) this.cell(part, cell);
    else { // of a table in a cell
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
    const span = Number(/** @type {any} */ (part.element).colSpan || attr(part.element, 'aria-colspan')) || 1;
    this.within(tag, span > 1 ? ` colspan="${Math.min(span, MAX_SPAN)}"` : '', () => this.inside(part), true);
  }

  /** Lists and their items. @param {Part} part @returns {boolean} whether it was one */
  listed(part) {
    const { role, tag, element } = part;
    if (role === 'list' || role === 'tree' || (role === 'group' && this.holder.tag === 'li' && isIn(element, '[role=tree]'))) {
      this.endImplied(/^li$/);
      const isOpen = this.holder.tag === 'ul' || this.holder.tag === 'ol';
      if (isOpen || this.joined || this.holders.some(({ tag: each }) => /^h\d$/.test(each))) { this.inside(part); return true; }
      const isNumbered = tag === 'ol' && getComputedStyle(element).listStyleType !== 'none';
      const start = isNumbered ? /** @type {HTMLOListElement} */ (element).start : 1;
      this.within(isNumbered ? 'ol' : 'ul', start !== 1 ? ` start="${start}"` : '', () => this.inside(part));
      return true;
    }
    if (role !== 'listitem' && role !== 'treeitem' && tag !== 'li') return false;
    this.endImplied(/^li$/);
    if (/^[uo]l$/.test(this.holder.tag)) this.within('li', '', () => this.inside(part));
    else this.inside(part);
    return true;
  }

  /** What fields and buttons show. @param {Part} part @returns {boolean} whether it was one */
  control(part) {
    const { element, tag, role } = part;
    const field = /** @type {any} */ (element);
    if (tag === 'input') { this.input(part, field); return true; }
    if (tag === 'textarea' || tag === 'select') {
      const secrecy = withheld(part);
      if (!this.wish.values || !this.survey.seesBox(part)) return true;
      if (secrecy) { if (isFilled(field)) this.masked(); }
      else if (tag === 'select') this.value([...field.selectedOptions].map((option) => tidy(option.label)).join(', '));
      else this.value(field.value);
      return true;
    }
    if (/^(progress|meter)$/.test(tag)) return true;
    if (isEditingHost(element) && withheld(part)) { if (isFilled(element) && this.survey.seesBox(part)) this.masked(); return true; }
    if (this.wish.values && /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role) && this.survey.seesBox(part)) this.check(attr(element, 'aria-checked') === 'true');
    return false;
  }

  /** @param {Part} part @param {any} input */
  input(part, input) {
    const { type } = input;
    if (/^(submit|reset|button)$/.test(type)) { if (this.survey.seesBox(part)) this.apart(tidy(inputName(input))); return; }
    if (type === 'image') { if (this.survey.seesBox(part)) this.image(tidy(nameOf(input, 'button')), attr(input, 'src') || ''); return; }
    if (!this.wish.values || type === 'password') return;
    if (type === 'checkbox' || type === 'radio') {
      if (this.survey.seesBox(part) || isClickedByLabel(input, 'input')) this.check(input.checked);
      return;
    }
    if (!this.survey.seesBox(part)) return;
    const secrecy = withheld(part);
    if (secrecy === 'private' && isFilled(input)) this.masked();
    else if (!secrecy) this.value(valueOf(input, part.role));
  }

  /** @param {boolean} isOn */
  check(isOn) {
    this.apart(isOn ? '[x]' : '[ ]');
  }

  /** What a field holds. @param {string} value */
  value(value) {
    if (!/\S/.test(value)) return;
    if (value.trim().includes('\n') && !this.joined && !this.isFlat()) {
      this.within('pre', '', () => { this.inPre = true; this.say(`<code>${escapeHtml(value)}</code>`); this.inPre = false; });
      return;
    }
    this.gap = true;
    this.say(`<code>${escapeHtml(tidy(value))}</code>`);
    this.gap = true;
  }

  /** What is painted and not written. @param {Part} part @returns {boolean} whether it was such a thing */
  picture(part) {
    const { element, tag, role } = part;
    if (isFrame(element, tag)) {
      if (this.survey.seesBox(part) && areaOf(part.place) >= MIN_PICTURE * MIN_PICTURE) this.frame(element);
      return true;
    }
    const isPainted = tag === 'img' || tag === 'canvas' || tag === 'video' || tag === 'audio' || tag === 'object' || tag === 'embed' || (tag === 'svg' && !firstIn(element, 'text, foreignObject'));
    const isNamed = role === 'img' && !isPainted && !(tag === 'svg' || isDrawn(element)) && !/\S/.test(textContentOf(element) || '');
    if (!isPainted && !isNamed) return false;
    if (this.inPre || attr(element, 'alt') === '' || (tag === 'svg' && attr(element, 'aria-hidden') === 'true') || !this.survey.seesBox(part)) return true;
    if (part.marked) { this.masked(); return true; }
    const name = tidy(tag === 'img' || tag === 'svg' || isNamed ? nameOf(element, 'img') : attr(element, 'aria-label') || attr(element, 'title') || '');
    const source = tag === 'img' || tag === 'video' || tag === 'audio' ? /** @type {any} */ (element).currentSrc || attr(element, 'src') || '' : '';
    const box = part.place;
    const isLarge = box[2] - box[0] >= CONTENT_PICTURE && box[3] - box[1] >= CONTENT_PICTURE;
    if (name || (tag === 'img' && isLarge && this.addressOf(source))) this.image(name, source);
    return true;
  }

  /** @param {string} name @param {string} source */
  image(name, source) {
    this.say(`<img alt="${escapeHtml(name)}" src="${escapeHtml(this.addressOf(source))}">`);
  }

  /** @param {Element} element */
  frame(element) {
    const number = numberOf(element);
    this.end();
    this.imply();
    this.frames.push([number, nameOf(element, 'iframe') || attr(element, 'name') || '']);
    this.put(`<perception-frame number="${number}"></perception-frame>`);
    this.said++;
  }
}

/** Without icon glyphs, what is smuggled in, and characters that no text has. @param {string} text */
const legible = (text) => (LATIN.test(text) ? text : text.replace(GLYPHS, ' ').replace(SMUGGLED, '')).replace(/[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]/g, '');

/** What it spells is drawn as icons. @param {Part} part @param {'::before'|'::after'} [pseudo] */
const isIcons = (part, pseudo) => ICON_FONTS.test(getComputedStyle(part.element, pseudo).fontFamily.split(',')[0]);

/** Line ends in its source are line ends on the page. @param {Part} part */
const keepsLines = (part) => getComputedStyle(part.element).whiteSpaceCollapse.startsWith('preserve');

/** @param {Element} element */
const levelOf = (element) => Math.min(6, Math.max(1, Math.round(Number(attr(element, 'aria-level') || (/^h([1-6])$/.exec(tagOf(element)) || [0, 2])[1]) || 2)));

/** It shows code: preformatted, or laid out so in letters of one width. @param {Part} part */
function isCode(part) {
  if (part.tag === 'pre' || part.tag === 'listing' || part.tag === 'xmp') return true;
  if (!part.block || (part.role !== 'code' && part.tag !== 'code' && !isEditingHost(part.element) && part.role !== 'textbox')) return false;
  const style = getComputedStyle(part.element);
  return style.whiteSpaceCollapse === 'preserve' && /mono|courier|consolas|menlo/i.test(style.fontFamily);
}

/** Classes that say which language code is in (highlight.js, Prism, Pygments, GitHub, SyntaxHighlighter). */
const LANGUAGE = /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s*|sourceCode\s+)([\w+#.-]+)/i;

/** @param {Element} element @returns {string} empty where nothing says */
function languageOf(element) {
  for (const each of [element, firstIn(element, 'code'), element.parentElement, element.parentElement && element.parentElement.parentElement]) {
    if (!each) continue;
    const given = attr(each, 'data-lang') || attr(each, 'data-language') || (LANGUAGE.exec(attr(each, 'class') || '') || ['', ''])[1];
    if (given && /^[\w+#.-]{1,30}$/.test(given) && !/^(none|text|plaintext|default|notranslate)$/i.test(given)) return given.toLowerCase();
  }
  return '';
}

/** Something in it is a picture. @param {Part} part @returns {boolean} */
const paintsPicture = (part) => PAINTERS.has(part.tag) || getComputedStyle(part.element).backgroundImage !== 'none' || generates(part.element) !== 0 ||
  part.children.some((child) => child instanceof Part ? paintsPicture(child) : true);

/** What stands in fields that hold words, opened for this look alone. @param {Part} root @returns {Part[]} */
function openEditors(root) {
  const editors = [];
  /** @type {Array<Part|Text>} */
  const stack = [root];
  while (stack.length) {
    const part = stack.pop();
    if (!(part instanceof Part)) continue;
    if (!part.holds && part.role === 'textbox' && isEditingHost(part.element)) { fill(part); editors.push(part); }
    for (const child of part.children) stack.push(child);
  }
  return editors;
}

/** An item, a row or a cell is written in what it needs around it. @param {Part} part @returns {string} */
const holderOf = (part) => (part.role === 'listitem' ? 'ul' : part.role === 'row' || part.role === 'rowgroup' ? 'table' : '');

/**
 * What a person reads.
 * @param {number} number of an element that it is limited to, 0 for the document @param {ContentWish} wish
 */
perceptionWalker.content = (number, wish) => {
  const dirty = gather();
  secrets.shown = false;
  const root = painted(true);
  // The next look has to know that it cannot rely on the last one.
  if (dirty && root) changes.touched.add(root.element);
  const element = number ? nodeOf(number) : null;
  const answer = { url: location.href, title: titleNow(), type: document.contentType, ready: document.readyState, gone: number !== 0 && element === null };
  if (!root) return encode({ ...answer, html: '', frames: [], cut: false, suspects: 0 });
  const editors = openEditors(root);
  const reader = new Reader(new Survey().over(root), wish);
  const start = number ? element && partOf.get(element) : root;
  if (start) {
    const holder = number ? holderOf(start) : '';
    if (holder) reader.within(holder, '', () => reader.part(start));
    else if (number && CELLS[start.role]) reader.inside(start);
    else reader.part(start);
    reader.end();
  }
  for (const editor of editors) editor.children = [];
  return encode({ ...answer, html: reader.out.join(''), frames: reader.frames, cut: reader.cut, suspects: suspects.size });
};
