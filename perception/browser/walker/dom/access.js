// DOM access that a page cannot override: a form exposes its controls as properties by name (`<input
// name=parentNode>`), so elements that may be forms are read through the prototypes' own getters and methods.

/**
 * @param {any} prototype
 * @param {string} name
 * @returns {(node: any) => any}
 */
const getter = (prototype, name) => {
  const { get } = /** @type {{get: Function}} */ (Object.getOwnPropertyDescriptor(prototype, name));
  return (node) => get.call(node);
};

export const childNodesOf = getter(Node.prototype, 'childNodes');
export const parentNodeOf = getter(Node.prototype, 'parentNode');
export const nodeTypeOf = getter(Node.prototype, 'nodeType');
export const textContentOf = getter(Node.prototype, 'textContent');
export const shadowRootOf = getter(Element.prototype, 'shadowRoot');
export const localNameOf = getter(Element.prototype, 'localName');
export const assignedSlotOf = getter(Element.prototype, 'assignedSlot');
export const firstElementChildOf = getter(Element.prototype, 'firstElementChild');
export const scrollHeightOf = getter(Element.prototype, 'scrollHeight');
export const scrollWidthOf = getter(Element.prototype, 'scrollWidth');
export const clientHeightOf = getter(Element.prototype, 'clientHeight');
export const clientWidthOf = getter(Element.prototype, 'clientWidth');
export const idOf = getter(Element.prototype, 'id');
export const controlsOfForm = getter(HTMLFormElement.prototype, 'elements');

/**
 * @param {Element} element
 * @param {string} name
 * @returns {string|null}
 */
export const attr = (element, name) => Element.prototype.getAttribute.call(element, name);
/**
 * @param {Element} element
 * @param {string} name
 * @returns {boolean}
 */
export const hasAttr = (element, name) => Element.prototype.hasAttribute.call(element, name);
/** Whether an element is displayed and not invisible, now. @param {Element} element */
export const isRendered = (element) => Element.prototype.checkVisibility.call(element, { visibilityProperty: true });

/** @param {Element} element that is to have the focus; SVG and MathML have methods of their own */
export const focusOn = (element) => {
  const kind = [SVGElement, MathMLElement].find((each) => element instanceof each) ?? HTMLElement;
  kind.prototype.focus.call(element, { preventScroll: true });
};

/** @param {Element} element @returns {DOMRect} */
export const boundsOf = (element) => Element.prototype.getBoundingClientRect.call(element);
/**
 * @param {Element} element
 * @param {string} selector
 * @returns {boolean}
 */
export const matches = (element, selector) => Element.prototype.matches.call(element, selector);
/**
 * @param {Element} element
 * @param {string} selector
 * @returns {Element|null}
 */
export const closest = (element, selector) => Element.prototype.closest.call(element, selector);
/**
 * @param {Element} element
 * @param {string} selector
 * @returns {Element|null}
 */
export const queryIn = (element, selector) => Element.prototype.querySelector.call(element, selector);
/**
 * @param {Element} element
 * @param {string} selector
 * @returns {NodeListOf<Element>}
 */
export const queryAllIn = (element, selector) => Element.prototype.querySelectorAll.call(element, selector);
/** @param {Node} node @returns {Node} */
export const treeRootOf = (node) => Node.prototype.getRootNode.call(node);
/** @param {Element} element @returns {DOMRectList} */
export const clientRectsOf = (element) => Element.prototype.getClientRects.call(element);
/** @param {Element} slot @returns {Node[]} */
export const assignedNodesOf = (slot) => HTMLSlotElement.prototype.assignedNodes.call(slot);
export const attributesOf = getter(Element.prototype, 'attributes');
/** Without an object for each attribute, unlike `attributesOf`. @param {Element} element @returns {string[]} */
export const attributeNamesOf = (element) => Element.prototype.getAttributeNames.call(element);

/** @typedef {Document|DocumentFragment|Element} Root */
/** A document also exposes its images and forms as properties by name. @param {any} root */
const prototypeOf = (root) =>
  (root instanceof Document ? Document : root instanceof DocumentFragment ? DocumentFragment : Element).prototype;
/**
 * @param {Root} root
 * @param {string} selector
 * @returns {Element[]} in document order
 */
export const queryAll = (root, selector) => [...prototypeOf(root).querySelectorAll.call(root, selector)];
/**
 * @param {Root} root
 * @param {string} id
 * @returns {Element|null} null also if the element is in no document
 */
export const elementById = (root, id) =>
  root instanceof Element ? null : /** @type {any} */ (prototypeOf(root)).getElementById.call(root, id);
/** @param {Document|ShadowRoot} root @returns {CSSStyleSheet[]} */
export const styleSheetsOf = (root) => {
  const prototype = root instanceof Document ? Document.prototype : ShadowRoot.prototype;
  return ['styleSheets', 'adoptedStyleSheets'].flatMap((name) => [...getter(prototype, name)(root)]);
};
