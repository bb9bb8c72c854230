// Which roles have names, and from which source (ARIA 1.2 §5.2.8).

import { attr, firstElementChildOf, hasAttr } from '../dom/access.js';
import { isFocusable, isSvg, tagOf } from '../dom/elements.js';
import { isBlank } from '../dom/text.js';
import { CONTAINER_ROLES, DIGEST_CONTAINERS, GRID_ROLES, INTERACTIVE_ROLES } from './role_tables.js';
import { isInContext } from './roles.js';

/** Roles named from content (ARIA 1.2 §5.2.8.6; math, terms and drawings as in Chromium). */
export const NAMED_BY_CONTENT = new Set([
  'button',
  'cell',
  'checkbox',
  'columnheader',
  'gridcell',
  'heading',
  'link',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'row',
  'rowheader',
  'switch',
  'tab',
  'tooltip',
  'treeitem',
  'math',
  'term',
  'graphics-object',
  'doc-backlink',
  'doc-biblioref',
  'doc-glossref',
  'doc-noteref',
  'doc-subtitle',
]);

/** Roles that must not be named (ARIA 1.2 §5.2.8.5): a label on one is ignored unless it is focusable. */
export const NAMELESS = new Set([
  'caption',
  'code',
  'definition',
  'deletion',
  'emphasis',
  'generic',
  'insertion',
  'mark',
  'none',
  'paragraph',
  'strong',
  'suggestion',
]);

/** Roles whose content is not part of the name around them: page regions of their own, or values. */
export const SELF_CONTAINED = new Set([
  'alert',
  'alertdialog',
  'application',
  'article',
  'audio',
  'banner',
  'blockquote',
  'combobox',
  'comment',
  'complementary',
  'contentinfo',
  'dialog',
  'document',
  'embed',
  'feed',
  'figure',
  'form',
  'graphics-document',
  'graphics-symbol',
  'grid',
  'group',
  'iframe',
  'img',
  'listbox',
  'log',
  'main',
  'marquee',
  'menu',
  'menubar',
  'meter',
  'navigation',
  'note',
  'progressbar',
  'radiogroup',
  'rowgroup',
  'scrollbar',
  'search',
  'searchbox',
  'sectionfooter',
  'sectionheader',
  'separator',
  'slider',
  'spinbutton',
  'status',
  'suggestion',
  'table',
  'tablist',
  'tabpanel',
  'textbox',
  'timer',
  'toolbar',
  'tree',
  'treegrid',
  'video',
]);

/** @param {any} element */
export function inputName(element) {
  switch (element.type) {
    case 'submit':
      return hasAttr(element, 'value') ? element.value : 'Submit';
    case 'reset':
      return hasAttr(element, 'value') ? element.value : 'Reset';
    case 'button':
      return element.value;
    case 'image':
      return attr(element, 'alt') || attr(element, 'value') || attr(element, 'title') || 'Submit';
    case 'file':
      return element.multiple ? 'Choose Files' : 'Choose File';
    case 'text':
    case 'search':
    case 'tel':
    case 'url':
    case 'email':
    case 'password':
    case 'number':
      return attr(element, 'title') || attr(element, 'placeholder') || '';
    default:
      return '';
  }
}

/** Generic elements that Chromium gives a meaning, and so a name. */
export const NAMEABLE_TAGS = new Set(['abbr', 'dl', 'figcaption', 'label', 'legend', 'table', 'td', 'th']);

/** Elements without readable content. */
export const SILENT_TAGS = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'title',
  'desc',
  'datalist',
  'rt',
  'rp',
]);

/** Painted as one inline unit, regardless of `display`. */
export const REPLACED_TAGS = new Set([
  'img',
  'svg',
  'canvas',
  'video',
  'audio',
  'iframe',
  'object',
  'embed',
  'input',
  'select',
  'textarea',
  'button',
  'meter',
  'progress',
]);

/** Controls are separate words, inline or not. */
export const SEPARATE_ROLES = new Set(
  [...INTERACTIVE_ROLES].filter((role) => !['gridcell', 'link', 'option', 'treeitem'].includes(role)),
);

/** Whether an element's inside is content: a control's inside is its value. @param {Element} element */
export const hasContent = (element) => !/^(input|select|textarea)$/.test(tagOf(element));

/** @param {Element} element @param {string} role */
export function contributesToName(element, role) {
  if (role === 'row') return isInContext(element, GRID_ROLES);
  // A drawing or group without a name of its own is not in the tree; its content is.
  if (role === 'group' || role === 'img')
    return (isSvg(element) || tagOf(element) === 'details') && !hasAttr(element, 'role');
  // As in Chromium, a <footer> is not named and a <header> is.
  return (
    (tagOf(element) === 'footer' && !hasAttr(element, 'role')) ||
    (!SELF_CONTAINED.has(role) && !role.startsWith('doc-'))
  );
}

/** Roles that a name leaves out, and whose content is not text of its own: values, pictures, lines. */
const WORDLESS = new Set([
  'graphics-symbol',
  'img',
  'meter',
  'progressbar',
  'scrollbar',
  'separator',
  'slider',
  'spinbutton',
]);

/**
 * Whether the name of what is around an element leaves out its words, which therefore are listed by themselves.
 * @param {Element} element
 * @param {string} role
 */
export const isOutsideOfNames = (element, role) =>
  !WORDLESS.has(role) &&
  (!contributesToName(element, role) ||
    // The name around it says the name that its author gave it, and not its words.
    ((CONTAINER_ROLES.has(role) || DIGEST_CONTAINERS.has(role)) &&
      (hasAttr(element, 'aria-label') || hasAttr(element, 'aria-labelledby'))));

/**
 * The text next to the button that chooses files: the chosen files.
 * @param {any} input
 * @param {string} name
 */
export function withFileNames(input, name) {
  if (input.type !== 'file') return name;
  const count = input.files.length;
  return `${name}: ${count > 1 ? `${count} files` : count ? input.files[0].name : 'No file chosen'}`;
}

/** The name from its own <title> (SVG-AAM 1.0 §8.1). @param {Element} element */
export function svgName(element) {
  for (let child = firstElementChildOf(element); child; child = child.nextElementSibling) {
    if (tagOf(child) === 'title' && !isBlank(child.textContent)) return child.textContent || '';
  }
  return attr(element, 'xlink:title') || '';
}

/** @param {Element} element @param {string} role */
export const isNameable = (element, role) =>
  !NAMELESS.has(role) ||
  (role === 'generic' && (NAMEABLE_TAGS.has(tagOf(element)) || tagOf(element).includes('-'))) ||
  isFocusable(element);
