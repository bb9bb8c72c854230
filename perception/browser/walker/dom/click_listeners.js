// Elements that listen for clicks, as DevTools reports them.

/** Elements that listen for clicks, as reported by DevTools. @type {WeakSet<Element>} */
export const clickListeners = new WeakSet();

/** @param {Element} element */
export const hasListener = (element) => clickListeners.has(element);
