// Controls that nobody sees now: of a closed menu, of another tab, not yet painted.

/** @param {Element} element @param {string} role */
const isControl = (element, role) => (INTERACTIVE.has(role) ? role !== 'gridcell' || isFocusable(element) : [...ASKING, 'tabindex'].some((name) => has(element, name)));

/**
 * All elements below a root, those of shadow roots after their host.
 * @param {Root} root @returns {Generator<Element>}
 */
function* everyElement(root) {
  for (const element of allUnder(root, '*')) {
    yield element;
    const inner = rootIn(element);
    if (inner) yield* everyElement(inner);
  }
}

Object.assign(globalThis.perceptionWalker, {
  /**
   * Controls of this frame that are not painted.
   * @param {number} most so many at most
   * @returns {string} `more`: whether there are more; `found`: for each [number, the row before it, role, name, states, hint]
   */
  unseen(most) {
    forgetNames();
    expectMarks();
    const found = [];
    let before = 0, more = false;
    for (const element of everyElement(document)) {
      const tag = tagOf(element);
      if (element.checkVisibility({ visibilityProperty: true })) {
        const part = partOf.get(element);
        if (part && part.listed && part.acts) before = numberOf(element);
        continue;
      }
      if (SKIPPED.has(tag) || tag === 'option') continue;
      const role = roleOf(element);
      // What is not painted and can be clicked all the same is listed as what is seen.
      if (!isControl(element, role) || (tag === 'area' && pictureOfMap(element)) || isClickedByLabel(element, tag)) continue;
      if (found.length >= most) { more = true; break; }
      const name = listedName(element, role, true, isInMarked(element));
      found.push([numberOf(element), before, role, name, statesOf(element, role, null), hintOf(element, role, !name)]);
    }
    return encode({ found, more });
  },
});
