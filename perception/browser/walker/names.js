// Names: what an element is called. W3C accname 1.2 with HTML-AAM's and SVG-AAM's native names, read where they leave room
// as Chromium 156 reads them, so that both say the same. (An accname library was tried: it agrees with Chromium on 73 % of
// the controls of 21 real pages, on 80 % once icon glyphs are left out, and takes 0.13 ms a name.)
//
// A name depends on the element's subtree, with the shadow trees and slotted nodes in it; its own and its ancestors' roles;
// what its `aria-labelledby` and `aria-owns` point to, with the subtrees of those; the <label>s of its tree; style sheets.
// Nothing is kept from look to look: `forgetNames` drops what one look has found out.

/** Roles that are named by what they contain (ARIA 1.2 §5.2.8.6; math, terms and drawings as Chromium has them). */
const NAMED_BY_CONTENT = new Set(['button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link',
  'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'row', 'rowheader', 'switch', 'tab', 'tooltip',
  'treeitem', 'math', 'term', 'graphics-object', 'doc-backlink', 'doc-biblioref', 'doc-glossref', 'doc-noteref', 'doc-subtitle']);

/** Roles that may not be named (ARIA 1.2 §5.2.8.5): a label on one is no name, unless one can get to it by keyboard. */
const NAMELESS = new Set(['caption', 'code', 'definition', 'deletion', 'emphasis', 'generic', 'insertion', 'mark', 'none',
  'paragraph', 'strong', 'suggestion']);

/** Roles whose content is no part of the name around them: they hold a page's parts of their own, or only values. */
const SELF_CONTAINED = new Set(['alert', 'alertdialog', 'application', 'article', 'audio', 'banner', 'blockquote', 'combobox',
  'comment', 'complementary', 'contentinfo', 'dialog', 'document', 'embed', 'feed', 'figure', 'form', 'graphics-document',
  'graphics-symbol', 'grid', 'group', 'iframe', 'img', 'listbox', 'log', 'main', 'marquee', 'menu', 'menubar', 'meter',
  'navigation', 'note', 'progressbar', 'radiogroup', 'rowgroup', 'scrollbar', 'search', 'searchbox', 'sectionfooter',
  'sectionheader', 'separator', 'slider', 'spinbutton', 'status', 'suggestion', 'table', 'tablist', 'tabpanel', 'textbox',
  'timer', 'toolbar', 'tree', 'treegrid', 'video']);

/** Parts of a name, as Chromium counts them: one that holds a page is nobody's name. */
const MAX_PARTS = 100;

/** Icon fonts live in the private use areas: such a glyph is a picture, no word. */
const GLYPHS = /[\u{e000}-\u{f8ff}\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}]/gu;

/** What says something to programs alone: tags, which are letters that nobody sees, and marks without width in numbers that
 * no word has, joiners and variants of letters among them (Unicode 16, 23.2, 23.9). */
const SMUGGLED = /[\u{e0000}-\u{e0fff}]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufe00-\ufe0f\u180b-\u180e\u034f\u061c]{3,}/gu;

/** Nothing to tidy: ASCII words with single spaces between them. */
const TIDY = /^[!-~]+(?: [!-~]+)*$/;

/** Neither glyphs nor marks: all is in Latin-1. */
const LATIN = /^[\0-\u00ff]*$/;

/** @param {string} text @returns {string} one line, without icon glyphs and what is smuggled in */
const tidy = (text) => (text.length < 80 && TIDY.test(text) ? text : (LATIN.test(text) ? text : text.replace(GLYPHS, ' ').replace(SMUGGLED, '')).replace(/\s+/g, ' ').trim());

/** @param {string|null|undefined} text */
const isBlank = (text) => !text || !/\S/.test(text);

/** @param {Element} element @param {string} attribute @returns {Element[]} what an IDREF list points to, in order */
function referenced(element, attribute) {
  const ids = attr(element, attribute);
  if (!ids) return [];
  const root = /** @type {Root} */ (rootOf(element));
  return /** @type {Element[]} */ (ids.split(/\s+/).filter(Boolean).map((id) => byId(root, id)).filter(Boolean));
}

/** Children as they are painted: shadow trees opened, slots filled. @param {Node} node @returns {Iterable<Node>} */
function paintedChildren(node) {
  const element = /** @type {Element} */ (node);
  const root = rootIn(element);
  if (root) return root.childNodes;
  if (localNameOf(element) === 'slot') {
    const assigned = assignedTo(element);
    if (assigned.length) return assigned;
  }
  return childNodesOf(node);
}

/** Labels by what they label, for each tree; made anew for every look. `element.labels` searches the whole tree for
 * each element: 2.3 s for 10,000 buttons. @type {Map<Node, Map<Element, Element[]>>} */
let labelled = new Map();

/** Drops what was found out for one look at the page. */
function forgetNames() {
  labelled = new Map();
  dataTables = new Map();
  owned = new Map();
  generators = new Map();
}

const LABELABLE = new Set(['input', 'select', 'textarea', 'meter', 'progress', 'output', 'button']);

/** @param {Element} element @returns {Element[]} its labels, in document order */
function labelsOf(element) {
  if (!LABELABLE.has(tagOf(element))) return [];
  const root = /** @type {Root} */ (rootOf(element));
  let index = labelled.get(root);
  if (!index) {
    index = new Map();
    for (const label of allUnder(root, 'label')) {
      const control = /** @type {HTMLLabelElement} */ (label).control;
      if (!control) continue;
      const known = index.get(control);
      if (known) known.push(label);
      else index.set(control, [label]);
    }
    labelled.set(root, index);
  }
  return index.get(element) || [];
}

/** What one name is made of. */
class Naming {
  constructor() {
    /** Elements and text nodes that are in it: none counts twice. @type {Set<Node>} */
    this.seen = new Set();
    /** What stands behind `aria-labelledby` is taken as it is: its own references are not followed (accname 2B). */
    this.referred = false;
    /** A hidden target is named by all that is in it, hidden as it is. */
    this.hidden = false;
  }
}

/** A name while it is put together: what does not stand in one line of text with what comes before gets a space. */
class Words {
  constructor() {
    this.text = '';
    this.apart = false;
  }

  /** @param {string} text @param {boolean} apart */
  add(text, apart) {
    if (!text) return;
    if ((apart || this.apart) && this.text && !/\s$/.test(this.text) && !/^\s/.test(text)) this.text += ' ';
    this.text += text;
    this.apart = apart;
  }
}

/** The accessible name. @param {Element} element @param {string} role @returns {string} tidy; empty for none */
function nameOf(element, role) {
  const plain = plainName(element, role);
  if (plain) return plain;
  const naming = new Naming();
  naming.seen.add(element);
  const given = givenName(element, naming);
  if (given) return given;
  if (!isNameable(element, role)) return '';
  const native = tidy(nativeName(element, tagOf(element), naming));
  if (native) return native;
  if (NAMED_BY_CONTENT.has(role) && hasContent(element)) {
    const content = tidy(contentOf(element, naming));
    if (content) return content;
  }
  return tidy(attr(element, 'title') || attr(element, 'aria-placeholder') || '') || (INTERACTIVE.has(role) ? tooltipIn(element) : '');
}

/** A control that says nothing itself is called by the tooltip of what is in it, mostly an icon's. @param {Element} element */
function tooltipIn(element) {
  const holder = firstIn(element, '[title]');
  return holder ? tidy(attr(holder, 'title') || '') : '';
}

/** Most names are a run of text and nothing else: those are found without more ado. @param {Element} element @param {string} role */
function plainName(element, role) {
  if (!NAMED_BY_CONTENT.has(role) || !isPlain(element)) return '';
  if (has(element, 'aria-labelledby') || has(element, 'aria-label') || !hasContent(element) || isDrawn(element) || isLeftOut(element)) return '';
  const tag = tagOf(element);
  return tag === 'option' || tag === 'area' || labelsOf(element).length ? '' : tidy(textContentOf(element) || '');
}

/** Whether all that is in an element is its text nodes. @param {Element} element */
const isPlain = (element) => !firstElementChildOf(element) && !rootIn(element) && tagOf(element) !== 'slot' && !has(element, 'aria-owns') && generates(element) === 0;

/** Generic elements that have a meaning to Chromium, and so a name. */
const MEANT = new Set(['abbr', 'dl', 'figcaption', 'label', 'legend', 'table', 'td', 'th']);

/** @param {Element} element @param {string} role */
const isNameable = (element, role) => !NAMELESS.has(role) || (role === 'generic' && (MEANT.has(tagOf(element)) || tagOf(element).includes('-'))) || isFocusable(element);

/** By `aria-labelledby`, else `aria-label` (accname 2B, 2D). @param {Element} element @param {Naming} naming */
function givenName(element, naming) {
  const label = tidy(attr(element, 'aria-label') || '');
  if (!naming.referred && has(element, 'aria-labelledby')) {
    const named = tidy(referenced(element, 'aria-labelledby').map((other) => referredName(other, naming.seen)).join(' '));
    if (named) return named;
  }
  return label;
}

/** What a reference adds to a name. @param {Element} target @param {Set<Node>} seen */
function referredName(target, seen) {
  if (isKept(target)) return '';
  const naming = new Naming();
  naming.seen = new Set(seen);
  naming.referred = true;
  naming.hidden = !Element.prototype.checkVisibility.call(target, { visibilityProperty: true }) || closestTo(target, '[aria-hidden=true]') !== null;
  const words = new Words();
  addNamed(words, target, tagOf(target), roleOf(target), naming, false);
  seen.add(target);
  return words.text;
}

/** Whether what is in an element is content: a control's inside is its value. @param {Element} element */
const hasContent = (element) => !/^(input|select|textarea)$/.test(tagOf(element));

/** Native name of an element, apart from its content (HTML-AAM 1.0 §4.1). @param {any} element @param {string} tag @param {Naming} naming @returns {string} */
function nativeName(element, tag, naming) {
  if (LABELABLE.has(tag)) {
    const text = labelText(element, naming);
    if (text) return text;
  }
  switch (tag) {
    case 'input': return inputName(element);
    case 'textarea': return attr(element, 'title') || attr(element, 'placeholder') || '';
    case 'img': case 'area': return attr(element, 'alt') || '';
    case 'option': return attr(element, 'label') || (firstElementChildOf(element) ? '' : element.text);
    case 'optgroup': return attr(element, 'label') || '';
    case 'fieldset': return captionText(element, ':scope > legend', naming);
    case 'figure': return captionText(element, ':scope > figcaption', naming);
    case 'table': return captionText(element, ':scope > caption', naming) || attr(element, 'summary') || '';
    default: return isDrawn(element) ? drawnName(element) : '';
  }
}

/** @param {Element} element @param {Naming} naming */
function labelText(element, naming) {
  const labels = labelsOf(element);
  if (!labels.length) return '';
  return tidy(labels.map((label) => (isKept(label) ? '' : partText(label, naming))).join(' '));
}

/** @param {Element} element @param {string} selector @param {Naming} naming */
function captionText(element, selector, naming) {
  const caption = firstIn(element, selector);
  return caption ? partText(caption, naming) : '';
}

/** @param {Element} element @param {Naming} naming */
function partText(element, naming) {
  const words = new Words();
  addElement(words, element, naming);
  return words.text;
}

/** @param {any} element */
function inputName(element) {
  switch (element.type) {
    case 'submit': return has(element, 'value') ? element.value : 'Submit';
    case 'reset': return has(element, 'value') ? element.value : 'Reset';
    case 'button': return element.value;
    case 'image': return attr(element, 'alt') || attr(element, 'value') || attr(element, 'title') || 'Submit';
    case 'file': return element.multiple ? 'Choose Files' : 'Choose File';
    case 'text': case 'search': case 'tel': case 'url': case 'email': case 'password': case 'number':
      return attr(element, 'title') || attr(element, 'placeholder') || '';
    default: return '';
  }
}

/** SVG-AAM 1.0 §8.1: by its own <title>. @param {Element} element */
function drawnName(element) {
  for (let child = firstElementChildOf(element); child; child = child.nextElementSibling) {
    if (tagOf(child) === 'title' && !isBlank(child.textContent)) return child.textContent || '';
  }
  return attr(element, 'xlink:title') || '';
}

/** Value of a control that stands inside another's name (accname 2C). @param {any} element @param {string} tag @param {string} role @returns {string|null} null for what has none */
function embeddedValue(element, tag, role) {
  const secrecy = secrecyOf(element);
  if (secrecy === 'password' || (secrecy === 'private' && !secrets.shown)) { secrets.left++; return ''; }
  const isTyped = tag === 'input' && /^(text|search|email|tel|url|number|password)$/.test(element.type);
  if (isTyped || tag === 'textarea') return element.value === '' ? null : element.type === 'password' ? '' : element.value;
  switch (role) {
    case 'textbox': case 'searchbox': return tag === 'input' ? null : element.innerText;
    case 'spinbutton': case 'slider': case 'progressbar': case 'meter': case 'scrollbar': {
      const said = attr(element, 'aria-valuetext') || attr(element, 'aria-valuenow');
      return said !== null ? said : /^(input|meter|progress)$/.test(tag) && (tag !== 'progress' || has(element, 'value')) ? String(element.value) : null;
    }
    case 'combobox': case 'listbox':
      if (tag === 'select') return [...element.selectedOptions].map((option) => option.label).join(' ');
      if (tag === 'input') return element.value;
      return chosenOptions(element, role);
    default: return null;
  }
}

/** @param {Element} element @param {string} role */
function chosenOptions(element, role) {
  const chosen = [...allIn(element, '[role=option][aria-selected=true]')];
  if (chosen.length) return chosen.map((option) => nameOf(option, 'option')).join(' ');
  return role === 'combobox' ? (isFocusable(element) ? contentOf(element, new Naming()) : '') : null;
}

/** All the text in an element, as a name from content has it (accname 2F). @param {Element} element @returns {string} */
function textOf(element) {
  const naming = new Naming();
  naming.seen.add(element);
  return contentOf(element, naming);
}

/** @param {Element} element @param {Naming} naming @returns {string} */
function contentOf(element, naming) {
  if (isLeftOut(element)) return '';
  if (isPlain(element)) return textContentOf(element) || '';
  const words = new Words();
  addContent(words, element, naming);
  return words.text;
}

/** @param {Words} words @param {Element} element @param {Naming} naming */
function addContent(words, element, naming) {
  const where = generates(element);
  if (where & BEFORE) addGenerated(words, element, '::before', naming);
  const closed = tagOf(element) === 'details' && !(/** @type {HTMLDetailsElement} */ (element).open);
  for (const child of paintedChildren(element)) {
    if (naming.seen.size > MAX_PARTS) break;
    const type = nodeTypeOf(child);
    if (closed && (type !== Node.ELEMENT_NODE || localNameOf(child) !== 'summary')) continue;
    if (type === Node.TEXT_NODE) {
      const text = /** @type {Text} */ (child).data;
      if (/\S/.test(text)) naming.seen.add(child);
      words.add(text, false);
    } else if (type === Node.ELEMENT_NODE) addElement(words, /** @type {Element} */ (child), naming);
  }
  for (const other of referenced(element, 'aria-owns')) {
    words.apart = true;
    addElement(words, other, naming);
  }
  if (where & AFTER) addGenerated(words, element, '::after', naming);
}

/** @param {Words} words @param {Element} element @param {'::before'|'::after'} pseudo @param {Naming} naming */
function addGenerated(words, element, pseudo, naming) {
  const made = generated(element, pseudo);
  if (!made) return;
  if (made.apart) words.apart = true;
  words.add(made.text, made.apart);
  if (made.text) naming.seen.add(document.createTextNode(''));
}

/** Elements with nothing to read in them. */
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'title', 'desc', 'datalist', 'rt', 'rp']);

/** Painted as one thing in the line, whatever their display. */
const REPLACED = new Set(['img', 'svg', 'canvas', 'video', 'audio', 'iframe', 'object', 'embed', 'input', 'select', 'textarea', 'button', 'meter', 'progress']);

/** Controls are words of their own, in the line or not. */
const STANDING = new Set([...INTERACTIVE].filter((role) => !['gridcell', 'link', 'option', 'treeitem'].includes(role)));

/** An element's part in the name of another (accname 2A–2I). @param {Words} words @param {Element} child @param {Naming} naming */
function addElement(words, child, naming) {
  const tag = tagOf(child);
  if (SILENT.has(tag)) return;
  if (isLeftOut(child)) { words.apart = true; return; }
  // The control that a label names stands in the label all the same.
  if (naming.seen.has(child)) { words.apart = true; return; }
  if (tag === 'br') { words.add('\n', false); return; }
  if (tag === 'wbr') { words.add(' ', false); return; }
  const style = getComputedStyle(child);
  if (!secrets.shown && hasContent(child) && isDotted(style)) { secrets.left++; return; }
  const display = style.display;
  const inline = display === 'inline' || display.startsWith('ruby');
  if (!naming.hidden) {
    if (display === 'none') return;
    if (attr(child, 'aria-hidden') === 'true') { if (!display.startsWith('inline')) words.apart = true; return; }
    if (style.visibility !== 'visible') { addVisible(words, child, naming); return; }
  }
  const role = roleOf(child);
  if (inline && !REPLACED.has(tag)) {
    const stands = STANDING.has(role);
    if (stands) words.apart = true;
    addNamed(words, child, tag, role, naming, stands);
    if (stands) words.apart = true;
    return;
  }
  // What is painted as one thing stands apart, but is not there at all while it says nothing; a block always ends the line.
  const apart = words.apart;
  const before = words.text.length;
  words.apart = true;
  addNamed(words, child, tag, role, naming, true);
  const described = tag === 'svg' && firstIn(child, ':scope > desc') !== null;
  words.apart = words.text.length > before || described || !display.startsWith('inline') || INTERACTIVE.has(role) || apart;
}

/** What is shown in an element that is not. @param {Words} words @param {Element} hidden @param {Naming} naming */
function addVisible(words, hidden, naming) {
  for (const child of paintedChildren(hidden)) if (nodeTypeOf(child) === Node.ELEMENT_NODE) addElement(words, /** @type {Element} */ (child), naming);
}

/** @param {Words} words @param {Element} child @param {string} tag @param {string} role @param {Naming} naming @param {boolean} apart */
function addNamed(words, child, tag, role, naming, apart) {
  const value = naming.seen.has(child) ? null : embeddedValue(child, tag, role);
  if (value !== null) { words.add(value, true); return; }
  if (role !== 'none') {
    if (apart || role !== 'generic') naming.seen.add(child);
    const said = givenName(child, naming) || nativeName(child, tag, naming);
    if (!isBlank(said)) { words.add(tag === 'input' ? withFiles(child, said) : said, true); return; }
    if (tag === 'img' && has(child, 'alt')) return; // its author says that it says nothing
  }
  const length = words.text.length;
  // Behind a reference everything counts, whatever its role.
  if (hasContent(child) && (naming.referred || contributes(child, role))) addContent(words, child, naming);
  if (role === 'none' || /\S/.test(words.text.slice(length))) return;
  const title = attr(child, 'title');
  if (title && (naming.referred || isNameable(child, role))) words.add(title, true);
}

/** What is chosen stands beside the button that chooses files. @param {any} input @param {string} name */
function withFiles(input, name) {
  if (input.type !== 'file') return name;
  const count = input.files.length;
  return `${name}: ${count > 1 ? `${count} files` : count ? input.files[0].name : 'No file chosen'}`;
}

/** @param {Element} element @param {string} role */
function contributes(element, role) {
  if (role === 'row') return isInContext(element, GRIDS);
  // A drawing or group without a name of its own is not in the tree: what is in it is.
  if (role === 'group' || role === 'img') return (isDrawn(element) || tagOf(element) === 'details') && !has(element, 'role');
  // A <footer> is not, a <header> is: so Chromium has it.
  return tagOf(element) === 'footer' && !has(element, 'role') || (!SELF_CONTAINED.has(role) && !role.startsWith('doc-'));
}
