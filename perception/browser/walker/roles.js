// Roles: which ARIA role an element has. HTML-AAM 1.0, SVG-AAM 1.0, ARIA 1.2, and of 1.3 what Chromium 156 has.
//
// Beside the element itself a role depends on: what it stands in (table, sectioning content, list, listbox, tree), which
// ids `aria-labelledby` finds (form, region), who owns it (`aria-owns`), and whether it listens for clicks (<a>).

/** Roles that a person can operate. */
const INTERACTIVE = new Set(['button', 'checkbox', 'combobox', 'gridcell', 'link', 'listbox', 'menuitem',
  'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'scrollbar', 'searchbox', 'slider', 'spinbutton', 'switch',
  'tab', 'textbox', 'treeitem']);

/** Roles that hold others and are worth a line of their own. */
const CONTAINERS = new Set(['alert', 'alertdialog', 'application', 'banner', 'complementary', 'contentinfo', 'dialog',
  'feed', 'figure', 'form', 'grid', 'group', 'log', 'main', 'menu', 'menubar', 'navigation', 'radiogroup', 'region',
  'row', 'search', 'status', 'table', 'tablist', 'tabpanel', 'toolbar', 'tooltip', 'tree', 'treegrid']);

/** Of these, the ones that only count with a name of their own (ARIA 1.2: form, region; the rest to spare lines). */
const NAMED_CONTAINERS = new Set(['application', 'figure', 'form', 'group', 'region', 'tabpanel', 'table', 'feed']);

/** Containers that are worth a line in a digest, named or not. */
const STRUCTURES = new Set(['form', 'group', 'list', 'table', 'region', 'figure', 'feed', 'tabpanel', 'article', 'application']);

const OTHER = ['article', 'blockquote', 'caption', 'cell', 'code', 'columnheader', 'comment', 'definition', 'deletion',
  'directory', 'document', 'emphasis', 'generic', 'graphics-document', 'graphics-object', 'graphics-symbol', 'heading',
  'image', 'img', 'insertion', 'list', 'listitem', 'mark', 'marquee', 'math', 'meter', 'none', 'note', 'paragraph',
  'presentation', 'progressbar', 'rowgroup', 'rowheader', 'sectionfooter', 'sectionheader', 'separator', 'strong',
  'subscript', 'suggestion', 'superscript', 'term', 'time', 'timer'];

/** Digital Publishing ARIA 1.1. */
const PUBLISHING = ['abstract', 'acknowledgments', 'afterword', 'appendix', 'backlink', 'biblioentry', 'bibliography',
  'biblioref', 'chapter', 'colophon', 'conclusion', 'cover', 'credit', 'credits', 'dedication', 'endnote', 'endnotes',
  'epigraph', 'epilogue', 'errata', 'example', 'footnote', 'foreword', 'glossary', 'glossref', 'index', 'introduction',
  'noteref', 'notice', 'pagebreak', 'pagefooter', 'pageheader', 'pagelist', 'part', 'preface', 'prologue', 'pullquote',
  'qna', 'subtitle', 'tip', 'toc'].map((each) => `doc-${each}`);

/** What a role attribute may say: concrete roles only, abstract ones (`widget`, `section`) are none. */
const KNOWN = new Set([...INTERACTIVE, ...CONTAINERS, ...OTHER, ...PUBLISHING]);

/** Roles with another name for the same. @type {Record<string, string>} */
const SYNONYMS = { image: 'img', presentation: 'none', directory: 'list' };

/** Roles that mean nothing outside of these (ARIA 1.2 §5.2.6; Chromium 156 gives them up there). @type {Record<string, Set<string>>} */
const REQUIRED_CONTEXT = { listitem: new Set(['list']), option: new Set(['listbox']), treeitem: new Set(['tree', 'treegrid']) };

/** @type {Record<string, string>} */
const INPUT_ROLES = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', color: 'button',
  checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox',
  hidden: '', // never rendered
};

/** Elements whose role is always the same. @type {Record<string, string>} */
const TAG_ROLES = {
  address: 'group', article: 'article', audio: 'audio', blockquote: 'blockquote', button: 'button', canvas: 'canvas',
  caption: 'caption', code: 'code', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog',
  dir: 'list', dt: 'term', em: 'emphasis', embed: 'embed', fieldset: 'group', figure: 'figure', form: 'form', frame: 'iframe',
  g: 'group', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group',
  hr: 'separator', iframe: 'iframe', ins: 'insertion', main: 'main', mark: 'mark', math: 'math', menu: 'list',
  meter: 'meter', nav: 'navigation', object: 'embed', ol: 'list', optgroup: 'group', option: 'option', output: 'status',
  p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search', strong: 'strong', sub: 'subscript',
  sup: 'superscript', textarea: 'textbox', time: 'time', ul: 'list', video: 'video',
};

/** Drawings (SVG-AAM 1.0 §5.4). @type {Record<string, string>} */
const DRAWN_ROLES = {
  circle: 'graphics-symbol', ellipse: 'graphics-symbol', foreignObject: 'group', image: 'img', line: 'graphics-symbol',
  path: 'graphics-symbol', polygon: 'graphics-symbol', polyline: 'graphics-symbol', rect: 'graphics-symbol', use: 'graphics-object',
};

/** In these a <header> or <footer> is no landmark, and in all but <main> an <aside> is none (HTML-AAM 1.0 §3.4). */
const SECTIONING = 'article, aside, nav, section, [role=article], [role=complementary], [role=navigation], [role=region]';
const IN_SECTION = `main, [role=main], ${SECTIONING}`;

/** @param {Element} element @returns {string} lower case, without namespace prefix */
const tagOf = (element) => localNameOf(element);

/** Whether its author gave it a name, the only kind that makes a landmark of a form or section. @param {Element} element */
const isNamedByAuthor = (element) => /\S/.test(attr(element, 'aria-label') || '') || has(element, 'title') || referenced(element, 'aria-labelledby').length > 0;

/** Role of a native element without a role attribute. @param {any} element @returns {string} */
function implicitRole(element) {
  const tag = tagOf(element);
  const fixed = TAG_ROLES[tag];
  if (fixed !== undefined) return fixed;
  switch (tag) {
    case 'div': case 'span':
      return has(element, 'draggable') ? 'group' : 'generic';
    case 'a':
      return has(element, 'href') || has(element, 'xlink:href') || has(element, 'onclick') || hasListener(element) ? 'link' : 'generic';
    case 'area':
      return has(element, 'href') ? 'link' : 'generic';
    case 'input': {
      if (element.list && element.type !== 'color' && element.type !== 'range') return 'combobox';
      const role = INPUT_ROLES[element.type];
      return role !== undefined ? role : 'textbox';
    }
    case 'select':
      return element.size > 1 || (element.multiple && element.size !== 1) ? 'listbox' : 'combobox';
    case 'header':
      return closestTo(element, IN_SECTION) ? 'sectionheader' : 'banner';
    case 'footer':
      return closestTo(element, IN_SECTION) ? 'sectionfooter' : 'contentinfo';
    case 'aside':
      return isNamedByAuthor(element) || !isIn(element, SECTIONING) ? 'complementary' : 'generic';
    case 'section':
      return isNamedByAuthor(element) ? 'region' : 'generic';
    case 'li':
      return holdsListItems(element) ? 'listitem' : 'generic';
    case 'img':
      return attr(element, 'alt') === '' && !isNamedByAuthor(element) && !isFocusable(element) && !hasGlobalState(element) ? 'none' : 'img';
    case 'summary':
      return isSummary(element) ? 'button' : 'generic';
    case 'svg':
      return element.ownerSVGElement ? 'group' : 'img';
    default:
      return tablePartRole(element, tag) || (isDrawn(element) && DRAWN_ROLES[tag]) || (has(element, 'draggable') ? 'group' : 'generic');
  }
}

/** @param {Element} element */
const isDrawn = (element) => element instanceof SVGElement;

/** @param {Element} element @param {string} selector @returns {boolean} stands in such an element, not: is one */
const isIn = (element, selector) => { const parent = paintedParent(element); return parent !== null && closestTo(parent, selector) !== null; };

/** A list that is given another role has no items any more. @param {Element} item */
function holdsListItems(item) {
  const list = paintedParent(item);
  const given = list && /^(ul|ol|menu)$/.test(tagOf(list)) ? attr(list, 'role') : null;
  return !given || /^\s*(list|directory)\s*$/i.test(given);
}

/** @param {Element} element @returns {boolean} opens and closes the <details> around it */
function isSummary(element) {
  const parent = parentNodeOf(element);
  return parent instanceof Element && tagOf(parent) === 'details';
}

/** @param {Element} element @returns {string} ARIA role; `generic` when there is none */
function roleOf(element) {
  const given = attr(element, 'role');
  const role = (given && givenRole(element, given)) || implicitRole(element);
  return role === 'generic' && isEditingHost(element) ? 'textbox' : role;
}

/** The first role that is one and that holds here (ARIA 1.2 §5.4, §7). @param {any} element @param {string} given @returns {string} empty for none */
function givenRole(element, given) {
  for (const token of given.toLowerCase().split(/\s+/)) {
    if (!KNOWN.has(token)) continue;
    if ((token === 'form' || token === 'region') && !isNamedByAuthor(element)) continue;
    // A focusable element, or one with a state that holds for every role, cannot be presentational.
    if (token === 'none' || token === 'presentation') return isFocusable(element) || hasGlobalState(element) ? '' : 'none';
    if (token === 'combobox' && tagOf(element) === 'select' && !(element.size > 1)) return '';
    const context = REQUIRED_CONTEXT[token];
    if (context && !isInContext(element, context)) return implicitRole(element);
    return SYNONYMS[token] || token;
  }
  return '';
}

/** Global states and properties that undo `role=none` (ARIA 1.2 §7.1; not aria-hidden, which agrees with it). */
const GLOBAL = ['aria-atomic', 'aria-busy', 'aria-controls', 'aria-current', 'aria-describedby', 'aria-description', 'aria-details',
  'aria-dropeffect', 'aria-flowto', 'aria-grabbed', 'aria-keyshortcuts', 'aria-label', 'aria-labelledby', 'aria-live', 'aria-owns',
  'aria-relevant', 'aria-roledescription'];

/** @param {Element} element */
const hasGlobalState = (element) => GLOBAL.some((name) => has(element, name));

/** Whether a role of a set is above, by place or by `aria-owns`. @param {Element} element @param {Set<string>} wanted */
function isInContext(element, wanted) {
  for (let above = paintedParent(element); above; above = paintedParent(above)) {
    const given = attr(above, 'role');
    const role = given ? givenRole(above, given) || implicitRole(above) : implicitRole(above);
    if (wanted.has(role)) return true;
    if (role !== 'generic' && role !== 'none' && role !== 'group' && role !== 'rowgroup' && role !== 'list' && !REQUIRED_CONTEXT[role]) break;
  }
  const id = idOf(element);
  return id !== '' && ownedIds(/** @type {Root} */ (rootOf(element))).has(id);
}

/** Ids that some `aria-owns` names, by tree, for one look at the page. @type {Map<Node, Set<string>>} */
let owned = new Map();

/** @param {Root} root @returns {Set<string>} */
function ownedIds(root) {
  let ids = owned.get(root);
  if (!ids) {
    ids = new Set(allUnder(root, '[aria-owns]').flatMap((owner) => (attr(owner, 'aria-owns') || '').split(/\s+/)));
    owned.set(root, ids);
  }
  return ids;
}

/** @param {any} element */
function isEditingHost(element) {
  const given = attr(element, 'contenteditable');
  return given !== null && given.toLowerCase() !== 'false' && element.isContentEditable === true;
}

/** @param {any} element */
function isFocusable(element) {
  const tabindex = attr(element, 'tabindex');
  if (tabindex !== null && !Number.isNaN(parseInt(tabindex, 10))) return true;
  switch (tagOf(element)) {
    case 'a': case 'area': return has(element, 'href') || has(element, 'xlink:href');
    case 'button': case 'select': case 'textarea': case 'input': return !element.disabled;
    case 'iframe': case 'frame': return true;
    case 'summary': return isSummary(element);
    default: return isEditingHost(element);
  }
}

/** Native controls: what holds one of them needs no ref for its cursor alone. */
const CONTROLS = 'a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=checkbox], [role=menuitem], [role=tab]';

/** Attributes of what asks for clicks: by a handler, by a framework's word for one, by a state that only a control has. */
const ASKING = ['onclick', 'ng-click', 'data-action', 'phx-click', 'aria-expanded', 'aria-pressed', 'aria-haspopup'];

/**
 * Something that no role explains but that a person would click: it asks for clicks itself, or its cursor turns into
 * a hand where its parent's does not (a cursor is inherited, so only the outermost counts).
 * @param {Element} element @param {CSSStyleDeclaration} style @param {string} parentCursor
 */
function isPointerTarget(element, style, parentCursor) {
  if (ASKING.some((name) => has(element, name))) return true;
  const tabindex = attr(element, 'tabindex');
  if (tabindex !== null && parseInt(tabindex, 10) >= 0) return true;
  return style.cursor === 'pointer' && parentCursor !== 'pointer' && tagOf(element) !== 'label' && (!firstIn(element, CONTROLS) || isCard(element));
}
