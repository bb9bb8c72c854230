// Hints: information that helps to use a control and is not its name.

import {
  attr,
  firstElementChildOf,
  hasAttr,
  idOf,
  matches,
  parentNodeOf,
  queryAllIn,
  textContentOf,
} from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { shadowRootIn } from '../dom/shadow_roots.js';
import { cleanText } from '../dom/text.js';
import { walks } from '../layout/viewport.js';
import { isDrawnAsIcons, isIconWord } from './icon_fonts.js';
import { colorOf } from '../visibility/colors.js';

/** Icon fonts and sprites by class: `fa fa-trash`, `ui-icon ui-icon-close`, `bi-x`, `icon-save`, `codicon-add`, `my-icon-plus`. */
const ICON_CLASS = new RegExp(
  [
    String.raw`(?:^|\s)(?:([a-z]{2,12}(?:-icons?)?)\s(?:.*\s)?\1-([a-z0-9-]+)`,
    String.raw`|(?:icons?|fa|fas|far|bi|ti|fe|ri|la|mdi|lni|gg|oi|icofont|glyphicon|codicon`,
    String.raw`|octicon|[a-z]+-icon|lucide|feather|ph|pi|uil|bxs?)-([a-z0-9-]+))`,
  ].join(''),
);

/** Classes of icon fonts that name no icon but a width, size, motion or place: `fa-fw`, `bx-spin`. */
const ICON_SHAPE =
  /(?:^|\s)[a-z]{2,3}-(?:fw|xs|sm|lg|xl|\d+x|spin|pulse|border|inverse|stack-\dx|pull-\w+|flip-\w+|rotate-\w+)(?=\s|$)/g;

/** The same words also start layout classes: `btn btn-lg`, `nav nav-item`. */
const LAYOUT_CLASS = new RegExp(
  [
    String.raw`^(?:btn|button|nav|card|form|input|list|menu|dropdown|page|tab|table|row|col|text|toggle|`,
    String.raw`modal|badge|navbar|sidebar|dijit|js)$`,
  ].join(''),
);

/** Words of classes that say what a control does; whoever draws it by a background image writes nothing else. */
const ACTION_WORDS = new RegExp(
  [
    String.raw`^(?:zoom|fullscreen|close|play|pause|stop|next|prev|previous|delete|remove|add|edit|search|save|undo|redo|`,
    String.raw`plus|minus|up|down|increase|decrease|increment|decrement|expand|collapse|dismiss|cancel|clear|back|forward|`,
    String.raw`handle|send|more|`,
    String.raw`download|upload|refresh|reload|settings|share|copy|paste|cut|print|mute|unmute|volume|rotate|reset|home|`,
    String.raw`help|crop|flip|pan|bold|italic|underline|strike|colou?r|align|indent|outdent|minimize|maximize)$`,
  ].join(''),
);

/** Of these, classes of how text looks; with a prefix they are those of an editor's button, as in `ql-bold`. */
const TEXT_STYLE_CLASS = /^(?:bold|italic|underline|strike|colou?r|align|indent|outdent)$/;

/** Classes that undo a browser's styles: `dijitReset`, `btn-reset`. */
const CSS_RESET = /.reset$/i;

/** Files of images that show nothing; their class draws the icon. */
const SPACER = /^(?:blank|spacer|pixel|transparent|clear|empty|1x1)$/i;

/** Attributes that name an icon of a set. */
const ICON_ATTRIBUTES = ['data-icon', 'data-lucide', 'data-feather', 'data-testid', 'icon', 'icon-name'];

/** Attributes in which libraries keep tooltip text, besides `title`. */
const TOOLTIP_ATTRIBUTES = [
  'data-tooltip',
  'data-original-title',
  'data-bs-original-title',
  'data-bs-title',
  'data-title',
  'data-tip',
  'data-tippy-content',
  'data-hint',
  'uk-tooltip',
];

/**
 * How a field is filled in; else what helps to identify a nameless control: its tooltip, its icon's name, its link
 * target, its name in the source, its color where its neighbors have others.
 * @param {Element} element
 * @param {string} role
 * @param {boolean} nameless
 * @returns {string}
 */
export function hintOf(element, role, nameless) {
  const format = formatOf(element);
  if (format || !nameless) return format;
  const link = tagOf(element) === 'a' ? attr(element, 'href') || '' : '';
  const found =
    firstAttribute(element, TOOLTIP_ATTRIBUTES) ||
    iconOf(element) ||
    (link.length > 1 && !/^javascript:/i.test(link) ? link : '') ||
    firstAttribute(element, ['name']) ||
    [idOf(element) || actionClassOf(element), colorAmongOthers(element)].filter(Boolean).join(' ');
  return cleanText(found || '').slice(0, 80);
}

/**
 * The first of these attributes that has text.
 * @param {Element} element
 * @param {string[]} names
 */
function firstAttribute(element, names) {
  for (const name of names) {
    const value = attr(element, name);
    if (value) return value;
  }
  return '';
}

/** The name of the icon in an element. @param {Element} element */
function iconOf(element) {
  for (const part of [element, ...queryAllIn(element, 'i, span, svg, use, img, mat-icon, md-icon')].slice(0, 8)) {
    const tag = tagOf(part);
    const word = firstElementChildOf(part) ? '' : (textContentOf(part) || '').trim();
    if (isIconWord(word) && isDrawnAsIcons(word, getComputedStyle(part))) return word;
    const link = attr(part, 'href') || attr(part, 'xlink:href');
    if (tag === 'use' && link && link.includes('#')) return link.split('#').pop() || '';
    if (tag === 'img') {
      const file = fileName(attr(part, 'src') || '');
      return SPACER.test(file) ? actionClassOf(part) : file;
    }
    const named = part === element ? '' : firstAttribute(part, ICON_ATTRIBUTES);
    if (named) return named;
    const found = ICON_CLASS.exec((attr(part, 'class') || '').replace(ICON_SHAPE, ''));
    if (found && found[3]) return found[3];
    if (found && !LAYOUT_CLASS.test(found[1])) return found[2];
  }
  return '';
}

/**
 * The class of an element, without a library's prefix, that says what it does: `pnlm-zoom-in`. The shortest of several.
 * @param {Element} element
 */
function actionClassOf(element) {
  let shortest = /** @type {string[]} */ ([]);
  for (const name of (attr(element, 'class') || '').split(/\s+/)) {
    if (TEXT_STYLE_CLASS.test(name) || CSS_RESET.test(name)) continue;
    const words = name
      .replace(/([a-z])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .split(/[-_]+/);
    const at = words.findIndex((word) => ACTION_WORDS.test(word));
    const said = at < 0 ? [] : words.slice(at);
    if (said.length && (!shortest.length || said.length < shortest.length)) shortest = said;
  }
  return shortest.join('-');
}

/** Neighbors of a control that are looked at. Chosen by hand. */
const MAX_NEIGHBORS = 60;

/** Elements around one another, each the only one in it, that are taken for one. Chosen by hand. */
const MAX_WRAPPERS = 3;

/** How many fills the neighbors in an element have, and in which walk they were counted. @type {WeakMap<Element, {look: number, count: number}>} */
const fillsIn = new WeakMap();

/**
 * `#rrggbb` of a swatch, or of a square of a board: of a control that shows nothing but a color, beside others that
 * show another one.
 * @param {Element} element
 */
function colorAmongOthers(element) {
  const fill = fillOf(element);
  if (!fill) return '';
  let outer = element;
  for (let up = 0; up < MAX_WRAPPERS; up++) {
    const above = parentNodeOf(outer);
    if (!(above instanceof Element) || above.childElementCount > 1) break;
    outer = above;
  }
  const holder = parentNodeOf(outer);
  return holder instanceof Element && countFills(holder) > 1 ? fill : '';
}

/** @param {Element} holder */
function countFills(holder) {
  const known = fillsIn.get(holder);
  if (known && known.look === walks.count) return known.count;
  const count = new Set([...holder.children].slice(0, MAX_NEIGHBORS).map(fillOf).filter(Boolean)).size;
  fillsIn.set(holder, { look: walks.count, count });
  return count;
}

/** The color that is all that an element shows, empty if it shows more. @param {Element} element */
function fillOf(element) {
  let inner = /** @type {Element|null} */ (element);
  let fill = '';
  for (let down = 0; inner && down <= MAX_WRAPPERS; down++) {
    if (inner.childElementCount > 1 || !mayBeFill(inner)) return '';
    const style = getComputedStyle(inner);
    const color = colorOf(style.backgroundColor);
    if (style.backgroundImage !== 'none') return '';
    if (color && color[3] > 0.5) fill = hexOf(color);
    inner = firstElementChildOf(inner);
  }
  return fill;
}

/** @param {Element} element */
const mayBeFill = (element) =>
  !matches(element, FIELDS) &&
  !shadowRootIn(element) &&
  !/\S/.test(textContentOf(element) || '') &&
  ['::before', '::after'].every((pseudo) => /^(none|normal|"")$/.test(getComputedStyle(element, pseudo).content));

/** Show what is entered. */
const FIELDS =
  'select, textarea, img, svg, canvas, video, iframe, input:not([type=radio], [type=checkbox], [type=button])';

/** @param {import('../visibility/colors.js').Color} color */
const hexOf = ([red, green, blue]) =>
  '#' + [red, green, blue].map((each) => Math.round(each).toString(16).padStart(2, '0')).join('');

/** `/img/zoom-in.4f3a9c.svg` → `zoom-in`. @param {string} url @returns {string} empty without a readable file name */
function fileName(url) {
  if (/^(data|blob):/.test(url)) return '';
  const file = (url.split(/[?#]/)[0].split('/').pop() || '').split('.')[0];
  return /[a-z]{3}/i.test(file) ? file : '';
}

/** The format of a field's value (HTML §2.3.5 and §4.10.5). @type {Record<string, string>} */
const FORMATS = {
  date: 'yyyy-mm-dd',
  'datetime-local': 'yyyy-mm-ddThh:mm',
  month: 'yyyy-mm',
  time: 'hh:mm',
  week: 'yyyy-Www',
  color: '#rrggbb',
};

/**
 * What a field accepts, named or not: format, range, pattern, kinds of files.
 * @param {any} element
 * @returns {string} empty if it accepts anything
 */
function formatOf(element) {
  if (tagOf(element) !== 'input') return '';
  const parts = FORMATS[element.type] ? [FORMATS[element.type]] : [];
  if (FORMATS[element.type] || element.type === 'number') {
    const [least, most, step] = ['min', 'max', 'step'].map((name) => attr(element, name) || '');
    if (least || most) parts.push(`${least}…${most}`);
    if (step && step !== 'any') parts.push(`step ${step}`);
  } else if (element.type === 'file') parts.push(attr(element, 'accept') || '');
  else if (hasAttr(element, 'pattern') && /^(text|search|tel|url|email|password)$/.test(element.type))
    parts.push(`/${attr(element, 'pattern')}/`);
  return parts.filter(Boolean).join(' ').slice(0, 80);
}
