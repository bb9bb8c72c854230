// Identity alone: what nodes are, without where they are. For whoever holds our words against Chromium's own.

/**
 * @param {number} length of the markup that is given with each
 * @param {Node[]} given
 * @returns {string} for each node [role, name, markup]; null for what is no element, and for the inside of a native control
 */
globalThis.perceptionWalker.identify = (/** @type {number} */ length, /** @type {Node[]} */ given) => {
  forgetNames();
  return encode(given.map((node) => {
    if (!(node instanceof Element) || isInsideControl(node)) return null;
    const role = roleOf(node);
    return [role, nameOf(node, role), outerOf(node).slice(0, length)];
  }));
};

/** In a shadow tree of the browser's own: pages can make none in these hosts. @param {Element} element */
function isInsideControl(element) {
  const root = rootOf(element);
  return root instanceof ShadowRoot && !HOSTS.has(tagOf(root.host)) && !tagOf(root.host).includes('-');
}

/** Its tag with attributes. Not a clone's: making one of a custom element runs the page's own code. @param {Element} element */
const outerOf = (element) => `<${tagOf(element)}${[...attributesOf(element)].map(({ name, value }) => ` ${name}="${value}"`).join('')}>`;
