// Node numbers, valid while their document exists. Nothing is written into the page.

/** @type {WeakMap<Node, number>} */
const numberByNode = new WeakMap();
/** @type {Map<number, WeakRef<Node>>} */
const nodeByNumber = new Map();
// A new world for the same document starts elsewhere, so that numbers are never reused.
let lastNumber = Math.floor(Math.random() * 2 ** 28) * 2 ** 20;

/** @param {Node} node @returns {number} */
export function numberOf(node) {
  let number = numberByNode.get(node);
  if (number === undefined) {
    number = ++lastNumber;
    numberByNode.set(node, number);
    nodeByNumber.set(number, new WeakRef(node));
  }
  return number;
}

/** @param {number} number @returns {any} the node; null if it is gone or not in the document */
export function nodeOf(number) {
  const reference = nodeByNumber.get(number);
  const node = reference && reference.deref();
  if (!node) nodeByNumber.delete(number);
  return node && node.isConnected ? node : null;
}
