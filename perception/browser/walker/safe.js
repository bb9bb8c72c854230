// Safe access: a form answers to the names of its controls (`<input name=parentNode>`), so what is asked of an element
// that may be a form goes by the prototypes' own getters and methods.

/** @param {any} prototype @param {string} name @returns {(node: any) => any} */
const getter = (prototype, name) => {
  const { get } = /** @type {{get: Function}} */ (Object.getOwnPropertyDescriptor(prototype, name));
  return (node) => get.call(node);
};

const childNodesOf = getter(Node.prototype, 'childNodes');
const parentNodeOf = getter(Node.prototype, 'parentNode');
const nodeTypeOf = getter(Node.prototype, 'nodeType');
const textContentOf = getter(Node.prototype, 'textContent');
const shadowRootOf = getter(Element.prototype, 'shadowRoot');
const localNameOf = getter(Element.prototype, 'localName');
const assignedSlotOf = getter(Element.prototype, 'assignedSlot');
const firstElementChildOf = getter(Element.prototype, 'firstElementChild');
const idOf = getter(Element.prototype, 'id');

/** @param {Element} element @param {string} name @returns {string|null} */
const attr = (element, name) => Element.prototype.getAttribute.call(element, name);
/** @param {Element} element @param {string} name @returns {boolean} */
const has = (element, name) => Element.prototype.hasAttribute.call(element, name);
/** @param {Element} element @returns {DOMRect} */
const boundsOf = (element) => Element.prototype.getBoundingClientRect.call(element);
/** @param {Element} element @param {string} selector @returns {boolean} */
const fits = (element, selector) => Element.prototype.matches.call(element, selector);
/** @param {Element} element @param {string} selector @returns {Element|null} */
const closestTo = (element, selector) => Element.prototype.closest.call(element, selector);
/** @param {Element} element @param {string} selector @returns {Element|null} */
const firstIn = (element, selector) => Element.prototype.querySelector.call(element, selector);
/** @param {Element} element @param {string} selector @returns {NodeListOf<Element>} */
const allIn = (element, selector) => Element.prototype.querySelectorAll.call(element, selector);
/** @param {Node} node @returns {Node} */
const rootOf = (node) => Node.prototype.getRootNode.call(node);
/** @param {Element} element @returns {DOMRectList} */
const clientRectsOf = (element) => Element.prototype.getClientRects.call(element);
/** @param {Element} slot @returns {Node[]} */
const assignedTo = (slot) => HTMLSlotElement.prototype.assignedNodes.call(slot);
const attributesOf = getter(Element.prototype, 'attributes');

/** @typedef {Document|DocumentFragment|Element} Root */
/** A document answers to the names of its pictures and forms, too. @param {any} root */
const prototypeOf = (root) => (root instanceof Document ? Document : root instanceof DocumentFragment ? DocumentFragment : Element).prototype;
/** @param {Root} root @param {string} selector @returns {Element[]} in document order */
const allUnder = (root, selector) => [...prototypeOf(root).querySelectorAll.call(root, selector)];
/** @param {Root} root @param {string} id @returns {Element|null} null also in what is in no document */
const byId = (root, id) => (root instanceof Element ? null : /** @type {any} */ (prototypeOf(root)).getElementById.call(root, id));
/** @param {Document|ShadowRoot} root @returns {CSSStyleSheet[]} */
const sheetsOf = (root) => {
  const prototype = root instanceof Document ? Document.prototype : ShadowRoot.prototype;
  return ['styleSheets', 'adoptedStyleSheets'].flatMap((name) => [...getter(prototype, name)(root)]);
};

/** Characters of a title, as Chromium itself keeps them for a tab: a longer one would fill every answer. */
const MAX_TITLE = 4096;
const titleNow = () => document.title.slice(0, MAX_TITLE);
