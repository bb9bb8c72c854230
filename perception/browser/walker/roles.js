// Roles: which ARIA role an element has. HTML-AAM 1.0 and ARIA 1.2.

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
const STRUCTURES = new Set(['form', 'group', 'list', 'table', 'region', 'figure', 'feed', 'tabpanel', 'article', 'application', 'directory']);

const OTHER = new Set(['heading', 'img', 'image', 'math', 'meter', 'progressbar', 'separator', 'list', 'listitem',
  'cell', 'columnheader', 'rowheader', 'rowgroup', 'article', 'paragraph', 'none', 'presentation', 'generic', 'note',
  'definition', 'term', 'directory', 'document', 'timer', 'marquee', 'code', 'time', 'blockquote', 'caption',
  'emphasis', 'strong', 'deletion', 'insertion', 'subscript', 'superscript', 'mark', 'label', 'legend']);

const KNOWN = new Set([...INTERACTIVE, ...CONTAINERS, ...OTHER]);

const INPUT_ROLES = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', color: 'button',
  checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox',
  hidden: '', // never rendered
};

const TAG_ROLES = {
  article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', canvas: 'canvas',
  caption: 'caption', dd: 'definition', details: 'group', dialog: 'dialog', dt: 'term', fieldset: 'group',
  figure: 'figure', form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading',
  h6: 'heading', hr: 'separator', iframe: 'iframe', frame: 'iframe', img: 'img', li: 'listitem', main: 'main',
  math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', option: 'option', output: 'status',
  p: 'paragraph', progress: 'progressbar', search: 'search', section: 'region', svg: 'img', table: 'table',
  tbody: 'rowgroup', td: 'cell', textarea: 'textbox', tfoot: 'rowgroup', th: 'columnheader', thead: 'rowgroup',
  tr: 'row', ul: 'list', video: 'video', audio: 'audio', embed: 'embed', object: 'embed',
};

const SECTIONING = 'article, aside, main, nav, section, [role=article], [role=complementary], [role=main], [role=navigation], [role=region]';

/** @param {Element} element @returns {string} lower case, without namespace prefix */
const tagOf = (element) => localNameOf(element);

/** Role of a native element without a role attribute. @param {Element} element @returns {string} */
function implicitRole(element) {
  const tag = tagOf(element);
  switch (tag) {
    case 'a': case 'area':
      return has(element, 'href') ? 'link' : 'generic';
    case 'input': {
      const role = INPUT_ROLES[element.type];
      if (role !== undefined) return role;
      return element.list ? 'combobox' : 'textbox';
    }
    case 'select':
      return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    case 'header':
      return closestTo(element, SECTIONING) ? 'generic' : 'banner';
    case 'footer':
      return closestTo(element, SECTIONING) ? 'generic' : 'contentinfo';
    case 'img':
      return attr(element, 'alt') === '' && !has(element, 'title') ? 'none' : 'img';
    case 'summary':
      return tagOf(element.parentElement || element) === 'details' ? 'button' : 'generic';
    case 'th':
      return element.scope === 'row' || element.scope === 'rowgroup' ? 'rowheader' : 'columnheader';
    default:
      return TAG_ROLES[tag] || 'generic';
  }
}

/** @param {Element} element @returns {string} ARIA role; `generic` when there is none */
function roleOf(element) {
  const given = attr(element, 'role');
  if (given) {
    for (const token of given.toLowerCase().split(/\s+/)) {
      if (!KNOWN.has(token)) continue;
      // ARIA 1.2 §7.1: a focusable element cannot be presentational.
      if ((token === 'none' || token === 'presentation') && isFocusable(element)) break;
      return token === 'image' ? 'img' : token === 'presentation' ? 'none' : token;
    }
  }
  const role = implicitRole(element);
  return role === 'generic' && isEditingHost(element) ? 'textbox' : role;
}

/** @param {Element} element */
function isEditingHost(element) {
  const given = attr(element, 'contenteditable');
  return given !== null && given.toLowerCase() !== 'false' && element.isContentEditable === true;
}

/** @param {Element} element */
function isFocusable(element) {
  const tabindex = attr(element, 'tabindex');
  if (tabindex !== null && !Number.isNaN(parseInt(tabindex, 10))) return true;
  const tag = tagOf(element);
  if (tag === 'a' || tag === 'area') return has(element, 'href');
  if (tag === 'button' || tag === 'select' || tag === 'textarea' || tag === 'input') return !element.disabled;
  return tag === 'summary' || isEditingHost(element);
}

/** Native controls: what holds one of them needs no ref for its cursor alone. */
const CONTROLS = 'a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=checkbox], [role=menuitem], [role=tab]';

/**
 * Something that no role explains but that a person would click: it asks for clicks itself, or its cursor turns into
 * a hand where its parent's does not (a cursor is inherited, so only the outermost counts).
 * @param {Element} element @param {CSSStyleDeclaration} style @param {string} parentCursor
 */
function isPointerTarget(element, style, parentCursor) {
  if (has(element, 'onclick') || has(element, 'ng-click') || has(element, 'data-action')) return true;
  const tabindex = attr(element, 'tabindex');
  if (tabindex !== null && parseInt(tabindex, 10) >= 0) return true;
  return style.cursor === 'pointer' && parentCursor !== 'pointer' && tagOf(element) !== 'label' && (!firstIn(element, CONTROLS) || isCard(element));
}
