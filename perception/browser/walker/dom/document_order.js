// The document's elements by their place in document order, for as long as no node is added, moved or removed.

/** Whether the order is as it was, by what it is kept for. @type {Map<string, { observer: MutationObserver, same: boolean }>} */
const keptOrders = new Map();

/**
 * Watches the order from now on.
 * @param {string} purpose one word; what is kept for one purpose does not disturb another
 * @returns {number} how many elements the document has
 */
export function keepOrder(purpose) {
  endOrder(purpose);
  const kept = { same: true, observer: new MutationObserver(() => (kept.same = false)) };
  kept.observer.observe(document, { childList: true, subtree: true });
  keptOrders.set(purpose, kept);
  return document.getElementsByTagName('*').length;
}

/** Stops watching. @param {string} purpose @returns {boolean} whether the order is as it was */
function endOrder(purpose) {
  const kept = keptOrders.get(purpose);
  if (!kept) return false;
  keptOrders.delete(purpose);
  const same = kept.same && !kept.observer.takeRecords().length;
  kept.observer.disconnect();
  return same;
}

/**
 * The elements at these places. Stops watching.
 * @param {string} purpose
 * @param {number[]} places
 * @returns {Element[]|null} null if the order has changed since it is watched
 */
export function takeFromOrder(purpose, places) {
  const all = document.getElementsByTagName('*');
  return endOrder(purpose) ? places.map((place) => all[place]) : null;
}

/**
 * The places of these nodes, -1 for one that has none. Stops watching.
 * @param {string} purpose
 * @param {Array<Node|null>} nodes
 * @returns {number[]|null} null if the order has changed since it is watched
 */
export function placesInOrder(purpose, nodes) {
  if (!endOrder(purpose)) return null;
  /** @type {Map<Node, number>} */
  const places = new Map();
  let place = 0;
  for (const element of document.getElementsByTagName('*')) places.set(element, place++);
  return nodes.map((node) => (node && places.get(node)) ?? -1);
}
