// The document's elements by their place in document order, for as long as no node is added, moved or removed.

const orderObserver = new MutationObserver(() => {
  isOrderKept = false;
});
let isOrderKept = false;

/** Watches the order from now on. @returns {number} how many elements the document has */
export function keepOrder() {
  orderObserver.disconnect();
  orderObserver.observe(document, { childList: true, subtree: true });
  isOrderKept = true;
  return document.getElementsByTagName('*').length;
}

/**
 * The elements at these places. Stops watching.
 * @param {number[]} places
 * @returns {Element[]|null} null if the order has changed since it is watched
 */
export function takeFromOrder(places) {
  const same = isOrderKept && !orderObserver.takeRecords().length;
  orderObserver.disconnect();
  isOrderKept = false;
  const all = document.getElementsByTagName('*');
  return same ? places.map((place) => all[place]) : null;
}
