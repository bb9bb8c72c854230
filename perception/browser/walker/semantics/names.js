// Names: the accessible name of an element, by W3C accname 1.2 with the native names of HTML-AAM and SVG-AAM. Where
// these leave room, names follow Chromium 156, so that both sources agree. (An accname library was tried: it agrees
// with Chromium on 73 % of the controls of 21 real pages, on 80 % without icon glyphs, and takes 0.13 ms a name.)
//
// A name depends on the element's subtree, with its shadow trees and slotted nodes; on its own and its ancestors'
// roles; on the targets of `aria-labelledby` and `aria-owns` and their subtrees; on the <label>s of its tree; and on
// style sheets. Nothing is cached across walks: `forgetIndexes` drops the indexes of one walk.

import {
  attr,
  boundsOf,
  closest,
  firstElementChildOf,
  hasAttr,
  localNameOf,
  nodeTypeOf,
  queryAllIn,
  queryIn,
  textContentOf,
} from '../dom/access.js';
import { isFocusable, isSvg, referencedElements, tagOf } from '../dom/elements.js';
import { flatChildrenOf, flatContains } from '../dom/flat_tree.js';
import { LABELABLE, labelsByRoot, namingLabelsOf } from '../dom/labels.js';
import { cleanText, isBlank } from '../dom/text.js';
import { forgetJunctions } from '../layout/text_gaps.js';
import { dataTables } from './data_tables.js';
import { leavesOut } from './icon_fonts.js';
import { counting, generatedPlaces, generatedText, forgetGenerated } from './generated_content.js';
import { AFTER, BEFORE } from './generated_places.js';
import { HEADER_ROLES } from './header_cells.js';
import { NameContext, valuesInNames } from './name_context.js';
import {
  NAMED_BY_CONTENT,
  REPLACED_TAGS,
  SEPARATE_ROLES,
  SILENT_TAGS,
  contributesToName,
  hasContent,
  inputName,
  isNameable,
  svgName,
  withFileNames,
} from './naming_rules.js';
import { isPlain, nameOfPlainText, tooltipIn } from './plain_names.js';
import {
  groupOf,
  isFormula,
  isFormulaCell,
  isStruck,
  isStruckThrough,
  struckGroup,
  takesDecoration,
  unstruckGroup,
} from './raised_text.js';
import { INTERACTIVE_ROLES } from './role_tables.js';
import { ownedIdsByRoot, roleOf } from './roles.js';
import { RunText } from './run_text.js';
import { isBesideWords } from './target_words.js';
import { isPaintedAsDots, isWithheld, isWithheldFromNames, privacy } from '../privacy/private_content.js';
import { secrecyOf } from '../privacy/sensitive_fields.js';

/** Limit on the parts of a name, as Chromium counts them: an element that contains a page is not named by it. */
export const MAX_PARTS = 100;

/** Drops the indexes of one walk of the page. */
export function forgetIndexes() {
  labelsByRoot.clear();
  dataTables.clear();
  ownedIdsByRoot.clear();
  forgetGenerated();
  forgetJunctions();
  counting.index = null;
}

/**
 * The accessible name.
 * @param {Element} element
 * @param {string} role
 * @returns {string} cleaned; empty if there is none
 */
export const nameOf = (element, role) => nameWithin(element, role, new NameContext());

/**
 * The name of what is no control by its role: what a person reads in it besides its controls, or else all that is in it.
 * @param {Element} element
 * @param {string} controls a selector
 */
export function nameOfTarget(element, controls) {
  const [naming, whole] = [new NameContext(), new NameContext()];
  naming.of = whole.of = 'generic';
  naming.without = controls;
  return nameWithin(element, 'button', naming) || nameWithin(element, 'button', whole);
}

/**
 * @param {Element} element
 * @param {string} role
 * @param {NameContext} naming
 */
function nameWithin(element, role, naming) {
  const plain = nameOfPlainText(element, role);
  if (plain) return plain;
  naming.seen.add(element);
  naming.of ||= role;
  const given = authorName(element, naming);
  if (given) return given;
  if (!isNameable(element, role)) return '';
  const native = cleanText(nativeName(element, tagOf(element), naming));
  if (native) return native;
  if (NAMED_BY_CONTENT.has(role) && hasContent(element)) {
    const content = cleanText(contentOf(element, naming) || (HEADER_ROLES.has(role) ? textOf(element) : ''));
    if (content) return content;
  }
  return (
    cleanText(attr(element, 'title') || attr(element, 'aria-placeholder') || '') ||
    (INTERACTIVE_ROLES.has(role) ? tooltipIn(element) : '')
  );
}

/**
 * The name by `aria-labelledby`, else `aria-label` (accname 2B, 2D).
 * @param {Element} element
 * @param {NameContext} naming
 */
function authorName(element, naming) {
  const label = cleanText(attr(element, 'aria-label') || '');
  if (!naming.referred && hasAttr(element, 'aria-labelledby')) {
    const named = cleanText(
      referencedElements(element, 'aria-labelledby')
        .map((other) => nameOfReference(other, naming.seen, naming.of))
        .join(' '),
    );
    if (named) return named;
  }
  return label;
}

/**
 * The name of a field that shows its value as text: without what it says of itself, its value.
 * @param {Element} element
 * @param {string} role
 */
export function nameBesideValue(element, role) {
  const references = referencedElements(element, 'aria-labelledby');
  const others = references.filter((other) => !flatContains(element, other));
  if (others.length === references.length) return nameOf(element, role);
  const naming = new NameContext();
  naming.seen.add(element);
  return (
    cleanText(others.map((other) => nameOfReference(other, naming.seen)).join(' ')) ||
    cleanText(attr(element, 'aria-label') || '')
  );
}

/**
 * The contribution of a reference to a name.
 * @param {Element} target
 * @param {Set<Node>} seen
 * @param {string} of role of what is named
 */
function nameOfReference(target, seen, of = '') {
  if (isWithheld(target)) return '';
  const naming = new NameContext();
  naming.of = of;
  naming.seen = new Set(seen);
  naming.referred = true;
  naming.hidden =
    !Element.prototype.checkVisibility.call(target, { visibilityProperty: true }) ||
    closest(target, '[aria-hidden=true]') !== null;
  const words = new RunText();
  addNamed(words, target, tagOf(target), roleOf(target), naming, false);
  seen.add(target);
  return words.text;
}

/**
 * The native name of an element, without its content (HTML-AAM 1.0 §4.1).
 * @param {any} element
 * @param {string} tag
 * @param {NameContext} naming
 * @returns {string}
 */
function nativeName(element, tag, naming) {
  const said = labelText(element, naming);
  if (said) return said;
  switch (tag) {
    case 'input':
      return inputName(element);
    case 'textarea':
      return attr(element, 'title') || attr(element, 'placeholder') || '';
    case 'img':
    case 'area':
      return attr(element, 'alt') || '';
    case 'option':
      return attr(element, 'label') || (firstElementChildOf(element) ? '' : element.text);
    case 'optgroup':
      return attr(element, 'label') || '';
    case 'fieldset':
      return captionText(element, ':scope > legend', naming);
    case 'figure':
      return captionText(element, ':scope > figcaption', naming);
    case 'table':
      return captionText(element, ':scope > caption', naming) || attr(element, 'summary') || '';
    default:
      return isSvg(element) ? svgName(element) : '';
  }
}

/** @param {Element} element @param {NameContext} naming */
function labelText(element, naming) {
  const labels = namingLabelsOf(element);
  if (!labels.length) return '';
  // What else is in the component that they label is no part of the name.
  for (const label of labels) naming.seen.add(/** @type {any} */ (label).control);
  const read = (/** @type {Element[]} */ all) =>
    cleanText(all.map((label) => (isWithheld(label) ? '' : partText(label, naming))).join(' '));
  const seen = new Set(naming.seen);
  const said = read(labels);
  if (said) return said;
  // A label that assistive technology is not to read is still read by people.
  naming.seen = seen;
  naming.painted = true;
  const painted = read(labels.filter(isPaintedLabel));
  naming.painted = false;
  return /[\p{L}\p{N}]/u.test(painted) ? painted : '';
}

/** Least width and height of what is read (CSS px); words for assistive technology alone are clipped to 1. */
const MIN_READ = 4;

/** @param {Element} label */
function isPaintedLabel(label) {
  const { width, height } = boundsOf(label);
  return (
    width >= MIN_READ &&
    height >= MIN_READ &&
    Element.prototype.checkVisibility.call(label, { visibilityProperty: true, opacityProperty: true })
  );
}

/**
 * @param {Element} element
 * @param {string} selector
 * @param {NameContext} naming
 */
function captionText(element, selector, naming) {
  const caption = queryIn(element, selector);
  return caption ? partText(caption, naming) : '';
}

/** @param {Element} element @param {NameContext} naming */
function partText(element, naming) {
  const words = new RunText();
  addElement(words, element, naming);
  return words.text;
}

/**
 * The value of a control inside another element's name (accname 2C).
 * @param {any} element
 * @param {string} tag
 * @param {string} role
 * @returns {string|null} null if it has none
 */
function embeddedValue(element, tag, role) {
  const secrecy = secrecyOf(element);
  if (secrecy === 'password' || (secrecy === 'private' && !privacy.revealed)) {
    privacy.withheld++;
    return '';
  }
  const isTyped = tag === 'input' && /^(text|search|email|tel|url|number|password)$/.test(element.type);
  valuesInNames.add(element);
  if (isTyped || tag === 'textarea') return element.value || null;
  switch (role) {
    case 'textbox':
    case 'searchbox':
      return tag === 'input' ? null : element.innerText;
    case 'spinbutton':
    case 'slider':
    case 'progressbar':
    case 'meter':
    case 'scrollbar': {
      const said = attr(element, 'aria-valuetext') || attr(element, 'aria-valuenow');
      return said !== null
        ? said
        : /^(input|meter|progress)$/.test(tag) && (tag !== 'progress' || hasAttr(element, 'value'))
          ? String(element.value)
          : null;
    }
    case 'combobox':
    case 'listbox':
      if (tag === 'select') return [...element.selectedOptions].map((option) => option.label).join(' ');
      if (tag === 'input') return element.value;
      return chosenOptions(element, role);
    default:
      return null;
  }
}

/** Boxes whose chosen options are being named: a list may be named by the box that owns it. @type {Set<Element>} */
const beingNamed = new Set();

/** @param {Element} element @param {string} role */
function chosenOptions(element, role) {
  if (beingNamed.has(element)) return '';
  beingNamed.add(element);
  try {
    const chosen = [...queryAllIn(element, '[role=option][aria-selected=true]')];
    if (chosen.length) return chosen.map((option) => nameOf(option, 'option')).join(' ');
    return role === 'combobox' ? (isFocusable(element) ? contentOf(element, new NameContext()) : '') : null;
  } finally {
    beingNamed.delete(element);
  }
}

/**
 * All text in an element, as in a name from content (accname 2F).
 * @param {Element} element
 * @returns {string}
 */
export function textOf(element) {
  const naming = new NameContext();
  naming.seen.add(element);
  return contentOf(element, naming);
}

/**
 * As `textOf`, of what is visible, with marks around what a line goes through.
 * @param {Element} element
 * @param {boolean} isAllStruck a line goes through the element's own text
 */
export function textWithStruck(element, isAllStruck) {
  if (isWithheldFromNames(element)) return '';
  const isVisible = getComputedStyle(element).visibility === 'visible';
  if (isVisible && !isAllStruck && isPlain(element)) return textContentOf(element) || '';
  const naming = new NameContext();
  naming.seen.add(element);
  naming.marksStruck = true;
  naming.group = isAllStruck ? struckGroup(null) : null;
  const words = new RunText();
  (isVisible ? addContent : addVisible)(words, element, naming);
  return words.text;
}

/** As `textOf`; null where a name would leave out a part of it. @param {Element} element */
export function wholeTextOf(element) {
  const naming = new NameContext();
  naming.seen.add(element);
  const text = contentOf(element, naming);
  return naming.seen.size > MAX_PARTS ? null : text;
}

/**
 * @param {Element} element
 * @param {NameContext} naming
 * @returns {string}
 */
function contentOf(element, naming) {
  if (isWithheldFromNames(element)) return '';
  if (isPlain(element)) return textContentOf(element) || '';
  const words = new RunText();
  addContent(words, element, naming);
  return words.text;
}

/**
 * @param {RunText} words
 * @param {Element} element
 * @param {NameContext} naming
 */
function addContent(words, element, naming) {
  const where = generatedPlaces(element);
  if (where & BEFORE) addGenerated(words, element, '::before', naming);
  const closed = tagOf(element) === 'details' && !(/** @type {HTMLDetailsElement} */ (element).open);
  for (const child of flatChildrenOf(element)) {
    if (naming.seen.size > MAX_PARTS) break;
    const type = nodeTypeOf(child);
    if (closed && (type !== Node.ELEMENT_NODE || localNameOf(child) !== 'summary')) continue;
    if (type === Node.TEXT_NODE) {
      const text = /** @type {Text} */ (child).data;
      if (/\S/.test(text)) naming.seen.add(child);
      const isIcon = leavesOut(text, element);
      words.add(isIcon ? ' ' : text, false, /** @type {Text} */ (child), naming.group);
    } else if (type === Node.ELEMENT_NODE) addElement(words, /** @type {Element} */ (child), naming);
  }
  // What it opens is not what it says: its name is the same before and after.
  const isOpener = hasAttr(element, 'aria-haspopup') || hasAttr(element, 'aria-expanded');
  const owned = isOpener ? [] : referencedElements(element, 'aria-owns');
  for (const other of owned) {
    words.apart = true;
    addElement(words, other, naming);
  }
  if (where & AFTER) addGenerated(words, element, '::after', naming);
}

/**
 * @param {RunText} words
 * @param {Element} element
 * @param {'::before'|'::after'} pseudo
 * @param {NameContext} naming
 */
function addGenerated(words, element, pseudo, naming) {
  const made = generatedText(element, pseudo);
  if (!made) return;
  if (made.apart) words.apart = true;
  words.add(made.text, made.apart, null, naming.group);
  if (made.text) naming.seen.add(document.createTextNode(''));
}

/**
 * The contribution of an element to the name of another (accname 2A–2I).
 * @param {RunText} words
 * @param {Element} child
 * @param {NameContext} naming
 */
function addElement(words, child, naming) {
  const tag = tagOf(child);
  if (SILENT_TAGS.has(tag)) return;
  if (isWithheldFromNames(child)) {
    words.apart = true;
    return;
  }
  // An element that counts already, such as a control inside its own label, still separates words.
  if (naming.seen.has(child)) {
    words.apart = true;
    return;
  }
  if (tag === 'br') {
    words.add('\n', false);
    return;
  }
  if (tag === 'wbr') {
    words.add(' ', false);
    return;
  }
  const style = getComputedStyle(child);
  if (!privacy.revealed && hasContent(child) && isPaintedAsDots(style)) {
    privacy.withheld++;
    return;
  }
  const { display } = style;
  if (!naming.hidden) {
    if (display === 'none') return;
    if (!naming.painted && attr(child, 'aria-hidden') === 'true') {
      if (!display.startsWith('inline')) words.apart = true;
      return;
    }
    const isLeftOut =
      (naming.without && isBesideWords(child, style, naming.without)) || (naming.marksStruck && style.opacity === '0');
    if (isLeftOut) {
      words.apart = true;
      return;
    }
    if (style.visibility !== 'visible') {
      addVisible(words, child, naming);
      return;
    }
  }
  const { group } = naming;
  const flows = display.startsWith('inline') || isFormula(child);
  const above = flows || display === 'contents' ? group : null;
  if (!naming.marksStruck) naming.group = groupOf(child, tag, flows ? style.verticalAlign : '', above);
  else {
    naming.group = groupOf(child, tag, flows ? style.verticalAlign : '', unstruckGroup(above));
    if (isStruckThrough(style) || (isStruck(group) && takesDecoration(style))) naming.group = struckGroup(naming.group);
  }
  addShown(words, child, tag, display, naming);
  naming.group = group;
}

/**
 * @param {RunText} words
 * @param {Element} child
 * @param {string} tag
 * @param {string} display
 * @param {NameContext} naming
 */
function addShown(words, child, tag, display, naming) {
  const role = roleOf(child);
  const isReplaced = REPLACED_TAGS.has(tag);
  if (isInLine(child, tag, display) && !isReplaced) {
    const stands = SEPARATE_ROLES.has(role);
    if (stands) words.apart = true;
    addNamed(words, child, tag, role, naming, stands);
    if (stands) words.apart = true;
    return;
  }
  if (display.startsWith('inline') && !isReplaced && !INTERACTIVE_ROLES.has(role)) {
    words.isEdge = true;
    addNamed(words, child, tag, role, naming, true);
    words.isEdge = true;
    return;
  }
  // A picture or control is a separate word unless it is empty; a block always ends the line.
  const { apart, written } = words;
  words.apart = true;
  addNamed(words, child, tag, role, naming, true);
  const described = tag === 'svg' && queryIn(child, ':scope > desc') !== null;
  words.apart =
    words.written !== written || described || !display.startsWith('inline') || INTERACTIVE_ROLES.has(role) || apart;
}

/** Whether it is only a part of a line. @param {Element} element @param {string} tag @param {string} display */
const isInLine = (element, tag, display) =>
  display === 'inline' ||
  display.startsWith('ruby') ||
  (isFormula(element) && !isFormulaCell(element, tag) && !(tag === 'math' && display.startsWith('block')));

/**
 * Adds the visible descendants of a hidden element.
 * @param {RunText} words
 * @param {Element} hidden
 * @param {NameContext} naming
 */
function addVisible(words, hidden, naming) {
  for (const child of flatChildrenOf(hidden))
    if (nodeTypeOf(child) === Node.ELEMENT_NODE) addElement(words, /** @type {Element} */ (child), naming);
}

/** Roles of what has a value that a person sets. */
const VALUED_ROLES = /^(?:textbox|searchbox|spinbutton|slider|combobox|listbox)$/;

/**
 * Whether a field is no part of a name, though names have the values of fields in them (accname 2C, and Chromium 156):
 * a header does not say by what its column is filtered, nor a slider, or what it is in, where the other one stands.
 * @param {string} role
 * @param {string} of role of what is named
 */
const isBesideName = (role, of) =>
  HEADER_ROLES.has(of) ? VALUED_ROLES.test(role) : role === 'slider' && (of === 'slider' || of === 'generic');

/**
 * @param {RunText} words
 * @param {Element} child
 * @param {string} tag
 * @param {string} role
 * @param {NameContext} naming
 * @param {boolean} apart
 */
function addNamed(words, child, tag, role, naming, apart) {
  if (isBesideName(role, naming.of) && !naming.seen.has(child)) {
    words.apart = true;
    return;
  }
  const value = naming.seen.has(child) ? null : embeddedValue(child, tag, role);
  if (value !== null) {
    words.add(value, true);
    return;
  }
  if (role !== 'none') {
    // Words of a label count once, wherever its field is.
    if (apart || role !== 'generic' || tag === 'label') naming.seen.add(child);
    const said = authorName(child, naming) || nativeName(child, tag, naming);
    if (!isBlank(said)) {
      const called = tag === 'input' ? withFileNames(child, said) : said;
      if (role === 'img' || role === 'generic' || LABELABLE.has(tag)) words.addAlternative(called);
      else words.add(called, true);
      return;
    }
    if (tag === 'img' && hasAttr(child, 'alt')) return; // its author declares that it has no meaning
  }
  const { length } = words.written;
  // Behind a reference all content counts, regardless of its role.
  if (hasContent(child) && (naming.referred || contributesToName(child, role))) {
    const { of } = naming;
    if (HEADER_ROLES.has(role)) naming.of = role;
    addContent(words, child, naming);
    naming.of = of;
  }
  if (role === 'none' || /\S/.test(words.written.slice(length))) return;
  const title = attr(child, 'title');
  if (title && (naming.referred || isNameable(child, role))) words.add(title, true);
}
