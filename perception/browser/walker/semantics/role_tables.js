// Tables of roles: ARIA 1.2, HTML-AAM 1.0, SVG-AAM 1.0, Digital Publishing ARIA 1.1, and the parts of ARIA 1.3 that
// Chromium 156 implements.

/** Roles that a person can operate. */
export const INTERACTIVE_ROLES = new Set([
  'button',
  'checkbox',
  'combobox',
  'gridcell',
  'link',
  'listbox',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'scrollbar',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
  'treeitem',
]);

/** Roles that contain others and deserve a line of their own. */
export const CONTAINER_ROLES = new Set([
  'alert',
  'alertdialog',
  'application',
  'banner',
  'complementary',
  'contentinfo',
  'dialog',
  'feed',
  'figure',
  'form',
  'grid',
  'group',
  'log',
  'main',
  'menu',
  'menubar',
  'navigation',
  'radiogroup',
  'region',
  'row',
  'search',
  'status',
  'table',
  'tablist',
  'tabpanel',
  'toolbar',
  'tooltip',
  'tree',
  'treegrid',
]);

/** Of these, the ones that count only with a name of their own (ARIA 1.2: form, region; the others to save lines). */
export const NAMED_CONTAINER_ROLES = new Set([
  'application',
  'figure',
  'form',
  'group',
  'region',
  'tabpanel',
  'table',
  'feed',
]);

/** Containers that deserve a line in a digest, named or not. */
export const DIGEST_CONTAINERS = new Set([
  'form',
  'group',
  'list',
  'table',
  'region',
  'figure',
  'feed',
  'tabpanel',
  'article',
  'application',
]);

const OTHER_ROLES = [
  'article',
  'blockquote',
  'caption',
  'cell',
  'code',
  'columnheader',
  'comment',
  'definition',
  'deletion',
  'directory',
  'document',
  'emphasis',
  'generic',
  'graphics-document',
  'graphics-object',
  'graphics-symbol',
  'heading',
  'image',
  'img',
  'insertion',
  'list',
  'listitem',
  'mark',
  'marquee',
  'math',
  'meter',
  'none',
  'note',
  'paragraph',
  'presentation',
  'progressbar',
  'rowgroup',
  'rowheader',
  'sectionfooter',
  'sectionheader',
  'separator',
  'strong',
  'subscript',
  'suggestion',
  'superscript',
  'term',
  'time',
  'timer',
];

/** Digital Publishing ARIA 1.1. */
const PUBLISHING_ROLES = [
  'abstract',
  'acknowledgments',
  'afterword',
  'appendix',
  'backlink',
  'biblioentry',
  'bibliography',
  'biblioref',
  'chapter',
  'colophon',
  'conclusion',
  'cover',
  'credit',
  'credits',
  'dedication',
  'endnote',
  'endnotes',
  'epigraph',
  'epilogue',
  'errata',
  'example',
  'footnote',
  'foreword',
  'glossary',
  'glossref',
  'index',
  'introduction',
  'noteref',
  'notice',
  'pagebreak',
  'pagefooter',
  'pageheader',
  'pagelist',
  'part',
  'preface',
  'prologue',
  'pullquote',
  'qna',
  'subtitle',
  'tip',
  'toc',
].map((each) => `doc-${each}`);

/** Valid values of a role attribute: concrete roles only, not abstract ones (`widget`, `section`). */
export const KNOWN_ROLES = new Set([...INTERACTIVE_ROLES, ...CONTAINER_ROLES, ...OTHER_ROLES, ...PUBLISHING_ROLES]);

/** Synonyms of roles. @type {Record<string, string>} */
export const SYNONYMS = { image: 'img', presentation: 'none', directory: 'list' };

/**
 * Roles that are invalid outside of these (ARIA 1.2 §5.2.6). Chromium 156 ignores `option` and `treeitem`, too, outside
 * of theirs; a person sees and clicks them all the same.
 * @type {Record<string, Set<string>>}
 */
export const REQUIRED_CONTEXT = { listitem: new Set(['list']) };

/** Items of lists, which may stand between an item and its list. */
export const LISTED_ROLES = new Set(['listitem', 'option', 'treeitem']);

/** @type {Record<string, string>} */
export const INPUT_ROLES = {
  button: 'button',
  submit: 'button',
  reset: 'button',
  image: 'button',
  file: 'button',
  color: 'button',
  checkbox: 'checkbox',
  radio: 'radio',
  range: 'slider',
  number: 'spinbutton',
  search: 'searchbox',
  hidden: '', // never rendered
};

/** Elements whose role is always the same. @type {Record<string, string>} */
export const TAG_ROLES = {
  address: 'group',
  article: 'article',
  audio: 'audio',
  blockquote: 'blockquote',
  button: 'button',
  canvas: 'canvas',
  caption: 'caption',
  code: 'code',
  dd: 'definition',
  del: 'deletion',
  details: 'group',
  dfn: 'term',
  dialog: 'dialog',
  dir: 'list',
  dt: 'term',
  em: 'emphasis',
  embed: 'embed',
  fieldset: 'group',
  figure: 'figure',
  form: 'form',
  frame: 'iframe',
  g: 'group',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  hgroup: 'group',
  hr: 'separator',
  iframe: 'iframe',
  ins: 'insertion',
  main: 'main',
  mark: 'mark',
  math: 'math',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  object: 'embed',
  ol: 'list',
  optgroup: 'group',
  option: 'option',
  output: 'status',
  p: 'paragraph',
  progress: 'progressbar',
  s: 'deletion',
  search: 'search',
  strong: 'strong',
  sub: 'subscript',
  sup: 'superscript',
  textarea: 'textbox',
  time: 'time',
  ul: 'list',
  video: 'video',
};

/** Drawings (SVG-AAM 1.0 §5.4). @type {Record<string, string>} */
export const SVG_ROLES = {
  circle: 'graphics-symbol',
  ellipse: 'graphics-symbol',
  foreignObject: 'group',
  image: 'img',
  line: 'graphics-symbol',
  path: 'graphics-symbol',
  polygon: 'graphics-symbol',
  polyline: 'graphics-symbol',
  rect: 'graphics-symbol',
  use: 'graphics-object',
};

/** In these a <header> or <footer> is not a landmark, and in all but <main> an <aside> is not (HTML-AAM 1.0 §3.4). */
export const SECTIONING =
  'article, aside, nav, section, [role=article], [role=complementary], [role=navigation], [role=region]';
export const IN_SECTION = `main, [role=main], ${SECTIONING}`;

/** Global states and properties that undo `role=none` (ARIA 1.2 §7.1; not aria-hidden, which agrees with it). */
export const GLOBAL_ATTRIBUTES = [
  'aria-atomic',
  'aria-busy',
  'aria-controls',
  'aria-current',
  'aria-describedby',
  'aria-description',
  'aria-details',
  'aria-dropeffect',
  'aria-flowto',
  'aria-grabbed',
  'aria-keyshortcuts',
  'aria-label',
  'aria-labelledby',
  'aria-live',
  'aria-owns',
  'aria-relevant',
  'aria-roledescription',
];

export const GRID_ROLES = new Set(['grid', 'treegrid']);

/** Containers whose content is listed even where they take the focus or clicks themselves: it is not their label. */
export const PANEL_ROLES = new Set(
  'alertdialog article complementary dialog document feed form log main navigation region tabpanel'.split(' '),
);
