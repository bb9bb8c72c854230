// Reading: what a person reads in an element, where that may be something else than its name.

/** Letters that a name may say beyond what is painted: `(opens in a new window)`, `about the annual report of 2023`. */
const ASIDE = 40;

/** Fonts whose letters are drawn as icons: what they spell nobody reads. */
const ICON_FONTS = /icon|symbol|awesome|glyph/i;

class Reading {
  /** @param {Look} look @param {Part} root */
  constructor(look, root) {
    this.look = look;
    this.root = root;
    this.text = '';
    /** Letters of text that nobody sees. */
    this.lost = 0;
    /** An icon or picture is painted. */
    this.other = false;
    /** What was read in. @type {Part[]} */
    this.parts = [];
  }

  /** @param {Part} part */
  of(part) {
    this.parts.push(part);
    const where = generates(part.element);
    if (where & BEFORE) this.made(part, '::before');
    for (const child of part.children) {
      if (!(child instanceof Part)) { this.line(child, part); continue; }
      const apart = child.display !== 'inline';
      if (apart) this.text += ' ';
      if (child.picture || CLOSED.has(child.tag)) this.other = this.other || (!child.hidden && child.opacity >= 0.05 && !isEmpty(child.place) && !inkOf(child).lost);
      else this.of(child);
      if (apart || child.tag === 'br') this.text += ' ';
    }
    if (where & AFTER) this.made(part, '::after');
    return this;
  }

  /** @param {Text} node @param {Part} part */
  line(node, part) {
    if (part.hidden) return;
    const words = tidy(node.data);
    if (!words || ICON_FONTS.test(getComputedStyle(part.element).fontFamily)) {
      this.other = this.other || /\S/.test(node.data);
      this.text += ' ';
      return;
    }
    if (this.sees(node, part)) this.text += node.data;
    else this.lost += words.length;
  }

  /** @param {Text} node @param {Part} part */
  sees(node, part) {
    const box = textBox(node);
    if (!box || !this.look.shows(node, box, part)) return false;
    return showsText(part) || hasUnderlay(this.root, box, part, this.look.number);
  }

  /** Something else than words is painted: an icon, a ground of its own, a border. */
  paintsMore() {
    return this.other || this.parts.some(paintsBeside);
  }

  /** @param {Part} part @param {'::before'|'::after'} pseudo */
  made(part, pseudo) {
    const made = generated(part.element, pseudo);
    if (!made || part.hidden || inkOf(part).lost || part.opacity < 0.05) return;
    const words = tidy(made.text);
    if (words) this.text += made.apart ? ` ${words} ` : words;
    else this.other = true;
  }
}

/** It paints something beside words. @param {Part} part */
function paintsBeside(part) {
  if (PAINTERS.has(part.tag)) return true;
  if (part.hidden || part.opacity < 0.05 || inkOf(part).lost) return false;
  const style = getComputedStyle(part.element);
  const ground = part.parent ? inkOf(part.parent).ground : canvasColour();
  return style.backgroundImage !== 'none' || style.boxShadow !== 'none' || hasOther([colourOf(style.backgroundColor)], ground) ||
    (style.borderStyle !== 'none' && parseFloat(style.borderWidth) > 0 && hasOther([colourOf(style.borderTopColor)], ground));
}

/** @param {string} text @returns {string[]} its words, as they are compared */
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];

/** Whether a name leaves out what is painted, or says much that is not. @param {string} name @param {string} painted */
function contradicts(name, painted) {
  const shown = wordsOf(painted), said = wordsOf(name);
  // A sign or a letter is no word: ×, an avatar's initials.
  if (shown.join('').length < 2 || isShort(shown, said)) return false;
  const known = new Set(said), whole = said.join('');
  return shown.some((word) => !known.has(word) && !whole.includes(word)) || name.length > painted.length + ASIDE;
}

/** Letters of an element that are held against its name at once: a name that tells so much tells enough. */
const COMPARED = 400;

/** Whether an element that its author has named may show something else, told from all that is written in it. @param {Part} part named */
function mayMislead(part) {
  if (part.misleads === undefined) {
    const { element, tag } = part;
    if (!has(element, 'aria-label') && !has(element, 'aria-labelledby')) part.misleads = false;
    else if (tag === 'input' || tag === 'select' || tag === 'textarea') return isPressed(part) || labelsOf(element).length > 0;
    else part.misleads = contradicts(part.name, tidy((textContentOf(element) || '').slice(0, COMPARED)));
  }
  return part.misleads;
}

/** An input that shows its value as a button's words. @param {Part} part */
const isPressed = ({ element, tag }) => tag === 'input' && /^(submit|button|reset)$/.test(/** @type {HTMLInputElement} */ (element).type);

/** `JD` for Jane Doe. @param {string[]} shown @param {string[]} said */
const isShort = (shown, said) => shown.length === 1 && shown[0].length <= 3 && said.map((word) => word[0]).join('').startsWith(shown[0]);

/**
 * Says of a row what a person reads there: what nobody sees is no part of a heading's name; a control keeps its name, and
 * what is painted is said beside it where the two differ.
 * @param {Row} row @param {Part} part @param {Reading} reading
 */
function sayWhatIsRead(row, part, reading) {
  const { element, role } = part;
  if (withheld(part) || part.veiled || part.marked) return;
  if (!part.acts && role !== 'heading' && !(NAMED_BY_CONTENT.has(role) && part.quiet)) return;
  readAll(reading, part);
  const painted = tidy(reading.text);
  const given = has(element, 'aria-label') || has(element, 'aria-labelledby');
  if (reading.lost && !painted) {
    if (!reading.paintsMore()) row[FLAGS] &= ~FLAG.visible;
  } else if (reading.lost && !given && (!part.acts || reading.lost > ASIDE)) {
    row[NAME] = painted;
    if (role === 'row') row[TEXT] = cellsRead(part, reading);
  } else if (painted && contradicts(row[NAME], painted)) {
    row[TEXT] = painted;
    row[STATES].push('mislabelled');
  }
}

/** What a person reads of a control: in it, or in its labels; what is typed into a field is no name. @param {Reading} reading @param {Part} part */
function readAll(reading, part) {
  const { element, tag, role } = part;
  if (isPressed(part)) reading.text = /** @type {HTMLInputElement} */ (element).value;
  else if (CLOSED.has(tag) || role === 'textbox' || role === 'combobox' || role === 'listbox' || role === 'searchbox') {
    for (const label of labelsOf(element)) { const known = partOf.get(label); if (known) reading.of(known); }
  } else reading.of(part);
}

/** The cells of a table's row, with bars between them. @param {Part} row @param {Reading} reading */
const cellsRead = (row, reading) => row.children.filter((child) => child instanceof Part)
  .map((cell) => tidy(new Reading(reading.look, reading.root).of(/** @type {Part} */ (cell)).text)).join(' | ').replace(/( \| )+$/, '');
