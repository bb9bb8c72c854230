// Visible labels: what a person reads in an element, where that may differ from its name.

import { FLAG, ROW } from '../row_layout.js';
import { hasAttr, textContentOf } from '../dom/access.js';
import { namingLabelsOf } from '../dom/labels.js';
import { cleanText } from '../dom/text.js';
import { textBox } from '../layout/boxes.js';
import { uncutLength } from '../layout/ellipsis.js';
import { isEmpty } from '../layout/rects.js';
import { generatedPlaces, paintedWords } from '../semantics/generated_content.js';
import { AFTER, BEFORE } from '../semantics/generated_places.js';
import { showsItsValue } from '../semantics/shown_values.js';
import { isDrawnAsIcons } from '../semantics/icon_fonts.js';
import { NAMED_BY_CONTENT } from '../semantics/naming_rules.js';
import { MAX_UNPAINTED_LETTERS, contradicts } from '../semantics/painted_names.js';
import { isFormulaCell } from '../semantics/raised_text.js';
import { RunText } from '../semantics/run_text.js';
import { valueOf } from '../semantics/states.js';
import { secrecyOfPart } from '../privacy/sensitive_fields.js';
import { LEAF_TAGS, Part, partOf } from '../tree/part.js';
import { isLeaf } from '../tree/pictures.js';
import { groupOfPart } from './text_line.js';
import { colorOf } from '../visibility/colors.js';
import { PAINTERS, hasUnderlay } from '../visibility/occlusion.js';
import { canvasColor, hasContrastingColor, paintStyleOf, showsText } from '../visibility/paint_style.js';

/** @import { Row } from '../row_layout.js' */
/** @import { FrameWalk } from './frame_walk.js' */

export class VisibleText {
  /**
   * @param {FrameWalk} look
   * @param {Part} root
   * @param {boolean} [ofValue] what a field shows as its value, without the controls in it
   */
  constructor(look, root, ofValue = false) {
    this.ofValue = ofValue;
    this.walk = look;
    this.root = root;
    this.words = new RunText();
    /** Letters of invisible text. */
    this.unseenLetters = 0;
    /** Those among them that are where they would be painted: see-through, without size, in the color behind them. */
    this.fadedLetters = 0;
    /** Letters past an ellipsis. */
    this.cutLetters = 0;
    /** An icon or picture is painted. */
    this.hasPicture = false;
    /** The parts that were read. @type {Part[]} */
    this.parts = [];
  }

  get text() {
    return this.words.text;
  }

  /** @param {Part} part */
  read(part) {
    const { words } = this;
    this.parts.push(part);
    const where = generatedPlaces(part.element);
    if (where & BEFORE) this.readGenerated(part, '::before');
    for (const child of part.children) {
      if (!(child instanceof Part)) {
        this.readText(child, part);
        continue;
      }
      if (child.interactive ? this.ofValue : part.silenced && !child.silenced) continue; // listed by itself
      const isEdge = child.display.startsWith('inline-');
      if (isEdge) words.isEdge = true;
      else if (child.block || isFormulaCell(child.element, child.tag)) words.add(' ');
      if (child.picture || isLeaf(child.element, child.tag)) this.readLeaf(child);
      else this.read(child);
      if (isEdge) words.isEdge = true;
      else if (child.block || child.tag === 'br' || isFormulaCell(child.element, child.tag)) words.add(' ');
    }
    if (where & AFTER) this.readGenerated(part, '::after');
    return this;
  }

  /** Reads a picture, or a field, whose choice is a part of the words around it. @param {Part} part */
  readLeaf(part) {
    const isPainted = !part.hidden && part.opacity >= 0.05 && !isEmpty(part.place) && !paintStyleOf(part).invisible;
    this.hasPicture = this.hasPicture || isPainted;
    if (part.tag !== 'select' || secrecyOfPart(part)) return;
    const choice = cleanText(valueOf(part.element, part.role));
    if (isPainted) this.words.add(choice, true);
    else this.unseenLetters += choice.length;
  }

  /** @param {Text} node @param {Part} part */
  readText(node, part) {
    if (part.hidden) return;
    const words = cleanText(node.data);
    if (!words || isDrawnAsIcons(words, getComputedStyle(part.element))) {
      this.hasPicture = this.hasPicture || /\S/.test(node.data);
      this.words.add(' ');
      return;
    }
    if (!this.isSeen(node, part)) {
      this.unseenLetters += words.length;
      if (!this.isPutAside(node, part)) this.fadedLetters += words.length;
      return;
    }
    const shown = uncutLength(node, part, this.walk.number);
    const text = shown < node.data.length ? `${node.data.slice(0, shown).trimEnd()}…` : node.data;
    this.words.add(text, false, node, groupOfPart(part));
    this.cutLetters += node.data.length - shown;
  }

  /** @param {Text} node @param {Part} part */
  isSeen(node, part) {
    const box = textBox(node);
    if (!box || !this.walk.showsText(node, box, part) || this.walk.isCutOff(part, box)) return false;
    return showsText(part) || hasUnderlay(this.root, box, part, this.walk.number);
  }

  /**
   * Whether a text that is not seen is one for screen readers: cut off by what is around it, or beyond the page's edges.
   * @param {Text} node
   * @param {Part} part
   */
  isPutAside(node, part) {
    const box = textBox(node) || part.place;
    return this.walk.isClippedAway(part) || this.walk.isCutOff(part, box) || box[2] <= 0 || box[3] <= 0;
  }

  /** Whether what is around a part shows nothing of it. @param {Part} part */
  isCutOff({ parent, place }) {
    return parent !== null && this.walk.isCutOff(parent, place);
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
    if (words && !isDrawnAsIcons(words, getComputedStyle(part.element, pseudo)))
      this.words.add(made.text, made.apart, null, groupOfPart(part));
    else {
      this.hasPicture = true;
      if (made.apart || words) this.words.add(' ');
    }
  }
}

/** Whether it paints something besides words. @param {Part} part */
function paintsBeside(part) {
  if (PAINTERS.has(part.tag)) return true;
  if (part.hidden || part.opacity < 0.05 || paintStyleOf(part).invisible) return false;
  const style = getComputedStyle(part.element);
  const ground = part.parent ? paintStyleOf(part.parent).ground : canvasColor();
  return (
    style.backgroundImage !== 'none' ||
    style.boxShadow !== 'none' ||
    hasContrastingColor([colorOf(style.backgroundColor)], ground) ||
    (style.borderStyle !== 'none' &&
      parseFloat(style.borderWidth) > 0 &&
      hasContrastingColor([colorOf(style.borderTopColor)], ground))
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
    const isNamed =
      hasAttr(element, 'aria-label') ||
      hasAttr(element, 'aria-labelledby') ||
      (tag === 'button' && namingLabelsOf(element).length > 0);
    if (!isNamed || !part.silenced) part.mislabels = false;
    else if (tag === 'input' || tag === 'select' || tag === 'textarea')
      return isInputButton(part) || namingLabelsOf(element).length > 0;
    else {
      const words = cleanText((textContentOf(element) || '').slice(0, MAX_COMPARED_LETTERS));
      part.mislabels = contradicts(part.name, words) || isLabelOfAnother(part, part.name, words);
    }
  }
  return part.mislabels;
}

/**
 * Whether a button has the name of a label around several controls, and shows a sign of its own: −.
 * @param {Part} part
 * @param {string} name
 * @param {string} painted
 */
const isLabelOfAnother = ({ element, tag }, name, painted) =>
  tag === 'button' &&
  painted !== '' &&
  !name.includes(painted) &&
  !hasAttr(element, 'aria-label') &&
  !hasAttr(element, 'aria-labelledby') &&
  namingLabelsOf(element).length > 0;

/** Roles of what shows a value: the words that it paints may say another one, or what it is the value of. */
export const SHOWS_VALUE = new Set(['progressbar', 'meter', 'scrollbar', 'slider', 'spinbutton']);

/** Whether it is an input whose value is a button's label. @param {Part} part */
const isInputButton = ({ element, tag }) =>
  tag === 'input' && /^(submit|button|reset)$/.test(/** @type {HTMLInputElement} */ (element).type);

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
  if (row[ROW.value] && showsItsValue(element, role)) {
    const shown = new VisibleText(reading.walk, reading.root, true).read(part);
    if (shown.unseenLetters) row[ROW.value] = cleanText(shown.text);
  }
  const isRead = part.interactive || role === 'heading' || SHOWS_VALUE.has(role);
  if (!isRead && !(NAMED_BY_CONTENT.has(role) && part.silenced)) return;
  readVisibleText(reading, part);
  const painted = cleanText(reading.text);
  const given = hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby');
  if (part.hasCounters && painted && !part.interactive && !given) row[ROW.name] = painted;
  else if (reading.cutLetters && !given && !part.interactive) {
    row[ROW.name] = painted;
    if (role === 'row') row[ROW.text] = visibleCells(part, reading);
  } else if (reading.unseenLetters && !painted) {
    if (!reading.paintsMore() || reading.isCutOff(part)) row[ROW.flags] &= ~FLAG.visible;
    else if (role === 'generic' && !given) row[ROW.name] = '';
  } else if (reading.unseenLetters && !given && mayNameByText(part, reading)) {
    row[ROW.name] = painted;
    if (role === 'row') row[ROW.text] = visibleCells(part, reading);
  } else if (painted && !reading.cutLetters && isPaintedOtherwise(row, part, reading, painted)) {
    row[ROW.text] = painted;
    row[ROW.states].push('mislabelled');
  }
}

/**
 * Whether a row does not say what a person reads: other words, more than they see, or another control's label.
 * @param {Row} row
 * @param {Part} part
 * @param {VisibleText} reading
 * @param {string} painted
 */
function isPaintedOtherwise(row, part, { fadedLetters }, painted) {
  const { element } = part;
  const name = `${row[ROW.name]} ${row[ROW.value]}`;
  if (contradicts(name, painted) || isLabelOfAnother(part, name, painted)) return true;
  const given = hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby');
  return fadedLetters > 0 && !given && cleanText(name) !== painted;
}

/**
 * Whether the visible text of a part is a better name than all of its text. A control without a role has no other.
 * @param {Part} part
 * @param {VisibleText} reading
 */
const mayNameByText = ({ interactive, role }, { unseenLetters }) =>
  !interactive || role === 'generic' || unseenLetters > MAX_UNPAINTED_LETTERS;

/**
 * What a person reads of a control: its content or its labels. Typed text is not a name.
 * @param {VisibleText} reading
 * @param {Part} part
 */
function readVisibleText(reading, part) {
  const { element, tag, role } = part;
  if (isInputButton(part)) reading.words.add(/** @type {HTMLInputElement} */ (element).value);
  else if (
    LEAF_TAGS.has(tag) ||
    role === 'textbox' ||
    role === 'combobox' ||
    role === 'listbox' ||
    role === 'searchbox'
  ) {
    for (const label of namingLabelsOf(element)) {
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
