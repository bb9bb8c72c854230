// Names: what an element is called. W3C accname 1.2 with HTML-AAM's native names.

/** Roles that are named by what they contain (ARIA 1.2 §5.2.8.6). */
const NAMED_BY_CONTENT = new Set(['button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link',
  'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'row', 'rowheader', 'switch', 'tab', 'tooltip',
  'treeitem']);

/** Icon fonts live in the private use areas: such a glyph is a picture, no word. */
const GLYPHS = /[\u{e000}-\u{f8ff}\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}]/gu;

/** @param {string} text @returns {string} one line, without icon glyphs */
const tidy = (text) => text.replace(GLYPHS, ' ').replace(/\s+/g, ' ').trim();

/** @param {Element} element @param {string} attribute @returns {Element[]} what an IDREF list points to, in order */
function referenced(element, attribute) {
  const root = rootOf(element);
  return (attr(element, attribute) || '').split(/\s+/).filter(Boolean)
    .map((id) => root.getElementById ? root.getElementById(id) : null).filter(Boolean);
}

/** @param {Element} element @param {'::before'|'::after'} pseudo */
function generated(element, pseudo) {
  const content = getComputedStyle(element, pseudo).content;
  if (!content || content === 'none' || content === 'normal' || content[0] !== '"') return '';
  const end = content.lastIndexOf('"');
  // `content: "x" / "alt"` gives the words for it after the slash.
  const parts = content.match(/"((?:[^"\\]|\\.)*)"/g) || [content.slice(0, end + 1)];
  const spoken = content.includes('" / "') ? parts[parts.length - 1] : parts.join('');
  return spoken.replace(/"/g, '');
}

/** Children as they are painted: shadow trees opened, slots filled. @param {Node} node @returns {Iterable<Node>} */
function paintedChildren(node) {
  if (rootIn(node)) return rootIn(node).childNodes;
  if (localNameOf(node) === 'slot') {
    const assigned = assignedTo(node);
    if (assigned.length) return assigned;
  }
  return childNodesOf(node);
}

/** Labels by what they label, for each tree; made anew for every question. `element.labels` searches the whole tree for
 * each element: 2.3 s for 10,000 buttons. @type {Map<Node, Map<Element, Element[]>>} */
let labelled = new Map();

const LABELABLE = new Set(['input', 'select', 'textarea', 'meter', 'progress', 'output', 'button']);

/** @param {Element} element @returns {Element[]} its labels, in document order */
function labelsOf(element) {
  if (!LABELABLE.has(tagOf(element))) return [];
  const root = rootOf(element);
  let index = labelled.get(root);
  if (!index) {
    index = new Map();
    for (const label of root.querySelectorAll('label')) {
      if (label.control) index.set(label.control, [...(index.get(label.control) || []), label]);
    }
    labelled.set(root, index);
  }
  return index.get(element) || [];
}

/** Native name of an element, apart from its content (HTML-AAM 1.0 §4). @param {Element} element @param {Set<Node>} seen */
function nativeName(element, seen) {
  const tag = tagOf(element);
  if (tag !== 'button') {
    const text = tidy(labelsOf(element).map((label) => (isKept(label) ? '' : textOf(label, seen, element))).join(' '));
    if (text) return text;
  }
  switch (tag) {
    case 'input':
      if (element.type === 'submit') return element.value || 'Submit';
      if (element.type === 'reset') return element.value || 'Reset';
      if (element.type === 'button') return element.value;
      if (element.type === 'image') return element.alt || element.value || 'Submit';
      return '';
    case 'img': case 'area':
      return attr(element, 'alt') || '';
    case 'svg': {
      const title = firstIn(element, ':scope > title');
      return title ? title.textContent || '' : '';
    }
    case 'fieldset': {
      const legend = firstIn(element, ':scope > legend');
      return legend ? textOf(legend, seen) : '';
    }
    case 'table': return element.caption ? textOf(element.caption, seen) : '';
    case 'figure': {
      const caption = firstIn(element, ':scope > figcaption');
      return caption ? textOf(caption, seen) : '';
    }
    case 'iframe': return attr(element, 'title') || '';
    default: return '';
  }
}

/** Value of a control that stands inside a name (accname 2C). @param {Element} element */
function embeddedValue(element) {
  const tag = tagOf(element);
  const secrecy = secrecyOf(element);
  if (secrecy === 'password' || (secrecy === 'private' && !secrets.shown)) { secrets.left++; return ''; }
  if (tag === 'input' && /^(text|search|email|tel|url|number|range)$/.test(element.type)) return element.value;
  if (tag === 'textarea') return element.value;
  if (tag === 'select') return [...element.selectedOptions].map((option) => option.label).join(' ');
  return null;
}

/**
 * Text alternative from content (accname 2F). `skip` is the control that a label names: it is not part of its own name.
 * @param {Element} element @param {Set<Node>} seen @param {Element|null} [skip]
 */
function textOf(element, seen, skip = null) {
  if (seen.has(element) || isLeftOut(element)) return '';
  seen.add(element);
  let text = generated(element, '::before');
  for (const child of paintedChildren(element)) {
    if (nodeTypeOf(child) === Node.TEXT_NODE) { text += child.data; continue; }
    if (nodeTypeOf(child) !== Node.ELEMENT_NODE || child === skip) continue;
    const tag = tagOf(child);
    if (tag === 'script' || tag === 'style' || tag === 'noscript' || tag === 'template') continue;
    if (tag === 'br') { text += ' '; continue; }
    if (attr(child, 'aria-hidden') === 'true') continue;
    const style = getComputedStyle(child);
    if (style.display === 'none' || style.visibility === 'hidden' || style.visibility === 'collapse') continue;
    if (!secrets.shown && isDotted(style)) { secrets.left++; continue; }
    const inline = style.display.startsWith('inline') || style.display === 'contents';
    const part = partName(child, seen);
    text += inline ? part : ` ${part} `;
  }
  return text + generated(element, '::after');
}

/** An element's part in the name of another. @param {Element} child @param {Set<Node>} seen */
function partName(child, seen) {
  if (isLeftOut(child)) return '';
  const label = attr(child, 'aria-label');
  if (label && label.trim()) return label;
  const value = embeddedValue(child);
  if (value !== null) return value;
  const tag = tagOf(child);
  if (tag === 'svg' && !firstIn(child, 'text')) return nativeName(child, seen);
  return nativeName(child, seen) || textOf(child, seen) || attr(child, 'title') || '';
}

/** The accessible name. @param {Element} element @param {string} role @returns {string} tidy; empty for none */
function nameOf(element, role) {
  const labelled = referenced(element, 'aria-labelledby');
  if (labelled.length) {
    const name = tidy(labelled.map((other) => isKept(other) ? '' : attr(other, 'aria-label') || embeddedValue(other) || nativeName(other, new Set()) || textOf(other, new Set([element]))).join(' '));
    if (name) return name;
  }
  const label = tidy(attr(element, 'aria-label') || '');
  if (label) return label;
  const native = tidy(nativeName(element, new Set()));
  if (native) return native;
  if (NAMED_BY_CONTENT.has(role)) {
    const content = tidy(textOf(element, new Set()));
    if (content) return content;
  }
  const title = tidy(attr(element, 'title') || '');
  if (title) return title;
  return tidy(attr(element, 'placeholder') || attr(element, 'aria-placeholder') || '');
}

/** Icon fonts are used as `fa fa-trash`, `bi bi-x`, `fe fe-bell`: the family, then the family with the icon's name. */
const ICON_CLASS = /(?:^|\s)(?!btn\b)([a-z]{2,12})\s(?:.*\s)?\1-([a-z0-9-]+)|(?:^|\s)(?:icon|fa|mdi|lni)-([a-z0-9-]+)/;

/** What helps to tell a nameless control from another, without being its name. @param {Element} element */
function hintOf(element, role, nameless) {
  if (!nameless) return '';
  for (const part of [element, ...allIn(element, 'i, span, svg, use')].slice(0, 8)) {
    const link = attr(part, 'href') || attr(part, 'xlink:href');
    if (link && link.includes('#') && tagOf(part) === 'use') return link.split('#').pop() || '';
    const found = ICON_CLASS.exec(attr(part, 'class') || '');
    if (found) return found[2] || found[3];
  }
  const link = tagOf(element) === 'a' ? attr(element, 'href') || '' : '';
  if (link.length > 1) return link.slice(0, 80);
  const spelled = attr(element, 'data-tooltip') || attr(element, 'data-original-title') || attr(element, 'name') || idOf(element);
  return spelled ? spelled.slice(0, 80) : '';
}
