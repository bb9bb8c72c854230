// Identity alone: what nodes are, without where they are. For whoever holds our words against Chromium's own.

/**
 * @param {Node[]} given
 * @returns {string} for each node [role, name, value, states]; null for what is no element
 */
perceptionWalker.identify = (...given) => {
  forgetNames();
  const focused = deepFocus();
  return encode(given.map((node) => {
    if (!(node instanceof Element)) return null;
    const role = roleOf(node);
    return [role, nameOf(node, role), valueOf(node, role), statesOf(node, role, focused)];
  }));
};

/** What DevTools knows to listen for clicks. @param {Element[]} given */
perceptionWalker.listening = (...given) => { for (const each of given) if (each instanceof Element) clickListeners.add(each); };
