// What is kept of nodes for as long as their document lives: numbers, closed shadow roots, who listens for clicks.
// Nothing is written into the page.

/** @type {WeakMap<Node, number>} */
const numbers = new WeakMap();
/** @type {Map<number, WeakRef<Node>>} */
const nodes = new Map();
// A world made anew for the same document begins elsewhere: no number is ever that of another node.
let last = Math.floor(Math.random() * 2 ** 28) * 2 ** 20;

/** @param {Node} node @returns {number} */
function numberOf(node) {
  let number = numbers.get(node);
  if (number === undefined) {
    number = ++last;
    numbers.set(node, number);
    nodes.set(number, new WeakRef(node));
  }
  return number;
}

/** @param {number} number @returns {any} the node; null when it is gone or out of the document */
function nodeOf(number) {
  const reference = nodes.get(number);
  const node = reference && reference.deref();
  if (!node) nodes.delete(number);
  return node && node.isConnected ? node : null;
}

/** Closed shadow roots, which only DevTools can enter, by host. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();

/** Elements that DevTools was asked about. @type {WeakSet<Element>} */
const askedForRoots = new WeakSet();

/** @param {Element} element @returns {ShadowRoot|null} open or closed */
const rootIn = (element) => shadowRootOf(element) || closedRoots.get(element) || null;

/** Elements that listen for clicks, as DevTools told. @type {WeakSet<Element>} */
const clickListeners = new WeakSet();

/** @param {Element} element */
const hasListener = (element) => clickListeners.has(element);
