// Neighborhood: what is around an element and what it looks like. An element without a name is known again by it, where
// a selector only says at which position it was.

import { attr, attributesOf, closest, matches, parentNodeOf, queryAll, queryAllIn, treeRootOf } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { UNREAD_TEXTS, cleanText } from '../dom/text.js';
import { isInPrivate, isPaintedAsDots } from '../privacy/private_content.js';
import { textOf } from '../semantics/names.js';
import { isHash, stabilityOfClass } from './word_stability.js';

/** Characters of a fact. */
const MAX_FACT = 200;

/** Limits on texts that are read on one side of an element, or in its row; and on parts that show what it looks like. */
const MAX_TEXTS = 200;
const MAX_PICTURES = 6;

/** How many containers may hold the identity of an element, or be its row. */
const MAX_ABOVE = 6;

const ROWS = 'tr, li, article, [role=row], [role=listitem], [role=treeitem], [role=article]';
const TITLES = 'h1, h2, h3, h4, h5, h6, [role=heading], legend, caption';

/** Names of `data-` attributes that say which thing this is. */
const IDENTITY = /(?:^|[-_])(?:id|uid|uuid|guid|key|name|slug|code|ref|record|entity|item|test|testid|cy|qa)$/;

/** @param {Node} root */
export const textsIn = (root) => Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);

/** A text that a person reads; empty for another one. @param {Node} node */
export function readText(node) {
  const text = cleanText(/** @type {Text} */ (node).data);
  const holder = parentNodeOf(node);
  if (!text || !(holder instanceof Element) || closest(holder, UNREAD_TEXTS) || isInPrivate(holder)) return '';
  return Element.prototype.checkVisibility.call(holder) && !isPaintedAsDots(getComputedStyle(holder)) ? text : '';
}

/**
 * The nearest text before or after an element, and its node.
 * @param {Element} element
 * @param {'previousNode'|'nextNode'} step
 */
function nearestText(element, step) {
  const walker = textsIn(treeRootOf(element));
  walker.currentNode = element;
  for (let tried = 0; tried < MAX_TEXTS; tried++) {
    const node = walker[step]();
    if (!node) break;
    const text = Node.prototype.contains.call(element, node) ? '' : readText(node);
    if (text) return { node, text: text.slice(0, MAX_FACT) };
  }
  return { node: null, text: '' };
}

/** All text that a person reads in an element. @param {Element} element */
export function readTexts(element) {
  const walker = textsIn(element);
  const found = [];
  for (let tried = 0; tried < MAX_TEXTS && walker.nextNode(); tried++) found.push(readText(walker.currentNode));
  return found.filter(Boolean).join(' ').slice(0, MAX_FACT);
}

/** @param {Element} element @returns {Element[]} its nearest containers, nearest first */
function containersOf(element) {
  const found = [];
  for (
    let node = parentNodeOf(element);
    node instanceof Element && found.length < MAX_ABOVE;
    node = parentNodeOf(node)
  ) {
    if (node === document.body) break;
    found.push(node);
  }
  return found;
}

/** Whether an element is one of several of a kind: a row, or next to another with its tag and classes. @param {Element} element */
function isOneOfSeveral(element) {
  if (matches(element, ROWS)) return true;
  const above = parentNodeOf(element);
  const beside = above instanceof Element ? [...queryAllIn(above, `:scope > ${CSS.escape(tagOf(element))}`)] : [];
  return beside.some((each) => each !== element && attr(each, 'class') === attr(element, 'class'));
}

/** What the element's author calls the thing that it belongs to. @param {Element[]} chain */
function identityOf(chain) {
  for (const node of chain) {
    if (isInPrivate(node)) continue;
    for (const { name, value } of attributesOf(node))
      if (name.startsWith('data-') && value && IDENTITY.test(name.slice(5)))
        return `${name}=${value}`.slice(0, MAX_FACT);
  }
  return '';
}

/** @param {Element} element @returns {string} the heading before it, else the document's title */
function headingOf(element) {
  const before = queryAll(/** @type {any} */ (treeRootOf(element)), TITLES).filter(
    (each) => Node.prototype.compareDocumentPosition.call(element, each) & Node.DOCUMENT_POSITION_PRECEDING,
  );
  const last = before.at(-1);
  if (last) return isInPrivate(last) ? '' : cleanText(textOf(last)).slice(0, MAX_FACT);
  const title = Object.getOwnPropertyDescriptor(Document.prototype, 'title');
  return cleanText(/** @type {any} */ (title).get.call(document)).slice(0, MAX_FACT);
}

/** Its own classes and pictures, as far as they are no work of a build; empty if there are none. @param {Element} element */
function looksOf(element) {
  const parts = [element, ...queryAllIn(element, '*')].slice(0, MAX_PICTURES);
  const words = parts.flatMap((part) => [
    ...(attr(part, 'class') || '').split(/\s+/).filter((each) => each && stabilityOfClass(each) > 0),
    ...['src', 'href', 'xlink:href', 'd', 'type']
      .map((name) => attr(part, name) || '')
      .map((value) =>
        value
          .split(/[/.?#_-]/)
          .filter((each) => each && !isHash(each))
          .slice(-3)
          .join('.'),
      ),
  ]);
  return words.filter(Boolean).join(' ').slice(0, MAX_FACT);
}

/**
 * Whether nothing between the texts around an element looks like it.
 * @param {Element} element
 * @param {Node|null} before
 * @param {Node|null} after
 * @param {string} looks
 */
function looksAlone(element, before, after, looks) {
  const order = (/** @type {Node} */ one, /** @type {Node} */ other) =>
    Node.prototype.compareDocumentPosition.call(one, other);
  return !queryAll(/** @type {any} */ (treeRootOf(element)), CSS.escape(tagOf(element))).some(
    (each) =>
      each !== element &&
      (!before || order(before, each) & Node.DOCUMENT_POSITION_FOLLOWING) &&
      (!after || order(after, each) & Node.DOCUMENT_POSITION_PRECEDING) &&
      Element.prototype.checkVisibility.call(each) &&
      looksOf(each) === looks,
  );
}

/**
 * What is around an element; each fact is empty if there is none. `alone` says that these facts tell it from others.
 * @param {Element} element
 */
export function neighborhoodOf(element) {
  const above = containersOf(element);
  const row = above.find((each) => isOneOfSeveral(each) && readTexts(each));
  const [before, after] = [nearestText(element, 'previousNode'), nearestText(element, 'nextNode')];
  const looks = looksOf(element);
  return {
    data: identityOf([element, ...above]),
    row: row ? readTexts(row) : '',
    before: before.text,
    after: after.text,
    heading: headingOf(element),
    looks,
    alone: looksAlone(element, before.node, after.node, looks),
  };
}
