// Visible labels: what a person reads in an element, where that may differ from its name.

import { FLAG, ROW } from '../row_layout.js';
import { hasAttr, textContentOf } from '../dom/access.js';
import { labelsOf } from '../dom/labels.js';
import { cleanText } from '../dom/text.js';
import { textBox } from '../layout/boxes.js';
import { uncutLength } from '../layout/ellipsis.js';
import { isEmpty } from '../layout/rects.js';
import { generatedPlaces, paintedWords } from '../semantics/generated_content.js';
import { AFTER, BEFORE } from '../semantics/generated_places.js';
import { NAMED_BY_CONTENT } from '../semantics/naming_rules.js';
import { PANEL_ROLES } from '../semantics/role_tables.js';
import { secrecyOfPart } from '../privacy/sensitive_fields.js';
import { LEAF_TAGS, Part, partOf } from '../tree/part.js';
import { colourOf } from '../visibility/colours.js';
import { PAINTERS, hasUnderlay } from '../visibility/occlusion.js';
import { canvasColour, hasContrastingColour, paintStyleOf, showsText } from '../visibility/paint_style.js';

/** @import { Row } from '../row_layout.js' */
/** @import { FrameWalk } from './frame_walk.js' */

/**
 * Letters that a name may have beyond the painted text: `(opens in a new window)`, `about the annual report of 2023`.
 */
const MAX_UNPAINTED_LETTERS = 40;

/** Fonts whose letters are drawn as icons: nobody reads their text. */
export const ICON_FONTS = /icon|symbol|awesome|glyph/i;

export class VisibleText {
  /** @param {FrameWalk} look @param {Part} root */
  constructor(look, root) {
    this.walk = look;
    this.root = root;
    this.text = '';
    /** Letters of invisible text. */
    this.unseenLetters = 0;
    /** Letters past an ellipsis. */
    this.cutLetters = 0;
    /** An icon or picture is painted. */
    this.hasPicture = false;
    /** The parts that were read. @type {Part[]} */
    this.parts = [];
  }

  /** @param {Part} part */
  read(part) {
    this.parts.push(part);
    const where = generatedPlaces(part.element);
    if (where & BEFORE) this.readGenerated(part, '::before');
    for (const child of part.children) {
      if (!(child instanceof Part)) {
        this.readText(child, part);
        continue;
      }
      const apart = child.display !== 'inline';
      if (apart) this.text += ' ';
      if (child.picture || LEAF_TAGS.has(child.tag))
        this.hasPicture =
          this.hasPicture ||
          (!child.hidden && child.opacity >= 0.05 && !isEmpty(child.place) && !paintStyleOf(child).invisible);
      else this.read(child);
      if (apart || child.tag === 'br') this.text += ' ';
    }
    if (where & AFTER) this.readGenerated(part, '::after');
    return this;
  }

  /** @param {Text} node @param {Part} part */
  readText(node, part) {
    if (part.hidden) return;
    const words = cleanText(node.data);
    if (!words || ICON_FONTS.test(getComputedStyle(part.element).fontFamily)) {
      this.hasPicture = this.hasPicture || /\S/.test(node.data);
      this.text += ' ';
      return;
    }
    if (!this.isSeen(node, part)) {
      this.unseenLetters += words.length;
      return;
    }
    const shown = uncutLength(node, part, this.walk.number);
    this.text += shown < node.data.length ? `${node.data.slice(0, shown).trimEnd()}…` : node.data;
    this.cutLetters += node.data.length - shown;
  }

  /** @param {Text} node @param {Part} part */
  isSeen(node, part) {
    const box = textBox(node);
    if (!box || !this.walk.showsText(node, box, part)) return false;
    return showsText(part) || hasUnderlay(this.root, box, part, this.walk.number);
  }

  /** Paints something other than words: an icon, a background, a border. */
  paintsMore() {
    return this.hasPicture || this.parts.some(paintsBeside);
  }

  /** @param {Part} part @param {'::before'|'::after'} pseudo */
  readGenerated(part, pseudo) {
    const made = paintedWords(part, pseudo);
    if (!made || part.hidden || paintStyleOf(part).invisible || part.opacity < 0.05) return;
    const words = cleanText(made.text);
    if (words) this.text += made.apart ? ` ${made.text} ` : made.text;
    else this.hasPicture = true;
  }
}

/** Whether it paints something besides words. @param {Part} part */
function paintsBeside(part) {
  if (PAINTERS.has(part.tag)) return true;
  if (part.hidden || part.opacity < 0.05 || paintStyleOf(part).invisible) return false;
  const style = getComputedStyle(part.element);
  const ground = part.parent ? paintStyleOf(part.parent).ground : canvasColour();
  return (
    style.backgroundImage !== 'none' ||
    style.boxShadow !== 'none' ||
    hasContrastingColour([colourOf(style.backgroundColor)], ground) ||
    (style.borderStyle !== 'none' &&
      parseFloat(style.borderWidth) > 0 &&
      hasContrastingColour([colourOf(style.borderTopColor)], ground))
  );
}

/** @param {string} text @returns {string[]} its words, normalised for comparison */
const comparedWords = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];

/**
 * Whether a name omits painted text, or has much text that is not painted.
 * @param {string} name
 * @param {string} painted
 */
function contradicts(name, painted) {
  const shown = comparedWords(painted),
    said = comparedWords(name);
  // A symbol or a single letter is not a word: ×, an avatar's initials.
  if (shown.join('').length < 2 || isInitials(shown, said)) return false;
  const known = new Set(said),
    whole = said.join('');
  return (
    shown.some((word) => !known.has(word) && !whole.includes(word)) ||
    name.length > painted.length + MAX_UNPAINTED_LETTERS
  );
}

/** Limit on the letters of an element that are compared with its name; the rest is ignored. */
const MAX_COMPARED_LETTERS = 400;

/**
 * Whether the visible text of an element may differ from the name given by its author, judged from all text in it.
 * @param {Part} part with such a name
 */
export function mayMislabel(part) {
  if (part.mislabels === undefined) {
    const { element, tag } = part;
    const isNamed = hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby');
    if (!isNamed || PANEL_ROLES.has(part.role)) part.mislabels = false;
    else if (tag === 'input' || tag === 'select' || tag === 'textarea')
      return isInputButton(part) || labelsOf(element).length > 0;
    else
      part.mislabels = contradicts(part.name, cleanText((textContentOf(element) || '').slice(0, MAX_COMPARED_LETTERS)));
  }
  return part.mislabels;
}

/** Whether it is an input whose value is a button's label. @param {Part} part */
const isInputButton = ({ element, tag }) =>
  tag === 'input' && /^(submit|button|reset)$/.test(/** @type {HTMLInputElement} */ (element).type);

/** `JD` for Jane Doe. @param {string[]} shown @param {string[]} said */
const isInitials = (shown, said) =>
  shown.length === 1 &&
  shown[0].length <= 3 &&
  said
    .map((word) => word[0])
    .join('')
    .startsWith(shown[0]);

/**
 * Sets what a person reads in a row: invisible text is removed from a heading's name. A control keeps its name, and a
 * differing painted text is added.
 * @param {Row} row
 * @param {Part} part
 * @param {VisibleText} reading
 */
export function correctByVisibleText(row, part, reading) {
  const { element, role } = part;
  if (secrecyOfPart(part) || part.withheld || part.isPrivate) return;
  if (!part.interactive && role !== 'heading' && !(NAMED_BY_CONTENT.has(role) && part.silenced)) return;
  readVisibleText(reading, part);
  const painted = cleanText(reading.text);
  const given = hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby');
  if (part.hasCounters && painted && !part.interactive && !given) row[ROW.name] = painted;
  else if (reading.cutLetters && !given && !part.interactive) {
    row[ROW.name] = painted;
    if (role === 'row') row[ROW.text] = visibleCells(part, reading);
  } else if (reading.unseenLetters && !painted) {
    if (!reading.paintsMore()) row[ROW.flags] &= ~FLAG.visible;
  } else if (reading.unseenLetters && !given && (!part.interactive || reading.unseenLetters > MAX_UNPAINTED_LETTERS)) {
    row[ROW.name] = painted;
    if (role === 'row') row[ROW.text] = visibleCells(part, reading);
  } else if (painted && !reading.cutLetters && contradicts(row[ROW.name], painted)) {
    row[ROW.text] = painted;
    row[ROW.states].push('mislabelled');
  }
}

/**
 * What a person reads of a control: its content or its labels. Typed text is not a name.
 * @param {VisibleText} reading
 * @param {Part} part
 */
function readVisibleText(reading, part) {
  const { element, tag, role } = part;
  if (isInputButton(part)) reading.text = /** @type {HTMLInputElement} */ (element).value;
  else if (
    LEAF_TAGS.has(tag) ||
    role === 'textbox' ||
    role === 'combobox' ||
    role === 'listbox' ||
    role === 'searchbox'
  ) {
    for (const label of labelsOf(element)) {
      const known = partOf.get(label);
      if (known) reading.read(known);
    }
  } else reading.read(part);
}

/**
 * The cells of a table's row, with bars between them.
 * @param {Part} row
 * @param {VisibleText} reading
 */
const visibleCells = (row, reading) =>
  row.children
    .filter((child) => child instanceof Part)
    .map((cell) => cleanText(new VisibleText(reading.walk, reading.root).read(/** @type {Part} */ (cell)).text))
    .join(' | ')
    .replace(/( \| )+$/, '');
