// The HTML of this document as the browser holds it now, without passwords, private values and private content.
//
// The document is copied into one without a browsing context: there no image is loaded, no script runs, and no custom
// element is constructed. So the page notices nothing.

import { attr, attributesOf, childNodesOf, nodeTypeOf, queryAll, queryAllIn } from '../dom/access.js';
import { isEditingHost, tagOf } from '../dom/elements.js';
import { isInPrivate, scanForMarks } from '../privacy/private_content.js';
import { classifyField, secrecyOf } from '../privacy/sensitive_fields.js';

/** What stands for a withheld value where the page repeats it. */
const MASK = '••••';

/** Shorter values occur everywhere by chance (characters). */
const MIN_REPEATED = 4;

/** Attributes of private elements that are kept: they say what the element is, not what it holds. */
const KEPT_ATTRIBUTES = /^(?:id|class|name|type|role|data-testid)$/;

/** Fields whose value is not typed text, but named like a secret. @param {any} element */
const isSecretConstant = (element) =>
  tagOf(element) === 'input' && element.type === 'hidden' && /\S/.test(element.value) && classifyField(element) !== '';

/** Whether a field's value must not be written. @param {any} element */
const isSecretField = (element) => secrecyOf(element) !== '' || isSecretConstant(element);

/**
 * The values of a field: what it holds, and what its source gives it.
 * @param {any} element
 * @returns {string[]}
 */
const valuesOf = (element) =>
  tagOf(element) === 'select'
    ? []
    : [isEditingHost(element) ? element.textContent : element.value, attr(element, 'value'), element.defaultValue]
        .map((value) => (typeof value === 'string' ? value : ''))
        .filter((value) => value.trim().length >= MIN_REPEATED);

/** Empties the copy of a field. @param {any} copy */
function emptyField(copy) {
  copy.removeAttribute('value');
  for (const option of queryAllIn(copy, 'option')) option.removeAttribute('selected');
  if (tagOf(copy) !== 'select') copy.textContent = '';
}

/** Empties the copy of a private element: its text and the attributes that hold content. @param {Element} copy */
function emptyPrivate(copy) {
  for (const { name } of [...attributesOf(copy)]) if (!KEPT_ATTRIBUTES.test(name)) copy.removeAttribute(name);
  for (const child of [...childNodesOf(copy)]) if (nodeTypeOf(child) !== Node.ELEMENT_NODE) child.remove();
}

/** Fields in templates are never shown, but their source may give them a value. @param {any} root */
function emptyTemplates(root) {
  for (const template of /** @type {any[]} */ (queryAll(root, 'template'))) {
    for (const field of queryAll(template.content, 'input')) if (isSecretField(field)) emptyField(field);
    emptyTemplates(template.content);
  }
}

/** The spellings of a value in HTML: as text, and in an attribute. @param {string} value */
function spellingsOf(value) {
  const text = value
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\u00a0/g, '&nbsp;');
  return new Set([value, text, text.replace(/"/g, '&quot;'), JSON.stringify(value).slice(1, -1)]);
}

/** @returns {string} empty for a document without an element */
export function rawHtml() {
  const top = document.documentElement;
  if (!top) return '';
  scanForMarks();
  const copy = /** @type {Element} */ (document.implementation.createHTMLDocument('').importNode(top, true));
  const originals = [top, ...queryAllIn(top, '*')];
  const copies = [copy, ...queryAllIn(copy, '*')];
  /** @type {Set<string>} */
  const withheld = new Set();
  const emptied = [];
  for (let at = 0; at < originals.length; at++) {
    if (isSecretField(originals[at])) {
      for (const value of valuesOf(originals[at])) for (const each of spellingsOf(value)) withheld.add(each);
      emptied.push(copies[at]);
    }
    if (isInPrivate(originals[at])) emptyPrivate(copies[at]);
  }
  emptied.forEach(emptyField);
  emptyTemplates(copy);
  const doctype = document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : '';
  let html = doctype + copy.outerHTML;
  for (const value of [...withheld].sort((a, b) => b.length - a.length)) html = html.replaceAll(value, MASK);
  return html;
}
