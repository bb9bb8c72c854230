// Node numbers: a node keeps its number for as long as its document lives. Nothing is written into the page.

const numbers = new WeakMap();
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

/** @param {number} number @returns {Element|null} null when the node is gone or out of the document */
function nodeOf(number) {
  const reference = nodes.get(number);
  const node = reference && reference.deref();
  if (!node) nodes.delete(number);
  return node && node.isConnected ? node : null;
}
