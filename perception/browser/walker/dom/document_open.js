// `document.open` removes all listeners of a document and its window; the document and its scripts' worlds stay.

/** When the document was first seen to load without a body, ms; -1 where it does not. */
const making = { since: -1 };

/** Has listeners added again after it. Adding one that is there changes nothing. @param {() => void} listen */
export const afterDocumentOpen = (listen) => new MutationObserver(listen).observe(document, { childList: true });

/** Whether the document has no body yet. SVG and XML have none at all. */
function hasNoBodyYet() {
  if (document.readyState !== 'loading' || document.body) return false;
  const root = document.documentElement;
  return root === null || root instanceof HTMLHtmlElement;
}

/** For how long the document has been loading without a body yet, ms; -1 where it is not. */
export function makingTime() {
  if (!hasNoBodyYet()) making.since = -1;
  else if (making.since < 0) making.since = performance.now();
  return making.since < 0 ? -1 : performance.now() - making.since;
}

afterDocumentOpen(() => {
  making.since = -1;
  makingTime();
});
