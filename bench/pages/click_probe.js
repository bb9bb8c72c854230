// What real clicks hit, reported from inside a frame: runs in a separate world, isolated from the page and the walker.
(() => {
  if (globalThis.clickProbe) return;

  const HEARD = ['pointerdown', 'mousedown', 'click'];
  const STOPPED = [...HEARD, 'pointerup', 'mouseup', 'dblclick', 'auxclick', 'contextmenu', 'submit'];
  const CONTROLS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe';

  let armed = false;
  let heard = [];
  /** Closed shadow roots by host: their content is not on an event's path outside them. */
  const closed = new Map();

  /**
   * The part of a click's path inside a closed tree: from the slot of a child of its host, or from the element at its
   * position.
   */
  const within = (root, child, event) => {
    let node = child
      ? [...root.querySelectorAll('slot')].find((slot) => slot.assignedNodes({ flatten: true }).includes(child))
      : root.elementFromPoint(event.clientX, event.clientY);
    const found = [];
    for (; node && node !== root; node = node.parentNode) found.push(node);
    return node === root ? found : [];
  };

  const pathOf = (event, nodes = event.composedPath(), path = []) => {
    for (const node of nodes) {
      const root = closed.get(node);
      if (root) pathOf(event, within(root, path.at(-1), event), path);
      path.push(node);
    }
    return path;
  };

  const hear = (event) => {
    if (!armed) return;
    if (HEARD.includes(event.type))
      heard.push({
        type: event.type,
        trusted: event.isTrusted,
        at: performance.timeOrigin + performance.now(),
        path: pathOf(event),
      });
    event.stopImmediatePropagation();
    // Preventing pointerdown would suppress mousedown and mouseup (Pointer Events §11.2), which must be recorded.
    if (event.type !== 'pointerdown') event.preventDefault();
  };
  for (const type of STOPPED) addEventListener(type, hear, { capture: true, passive: false });

  const isControl = (node) => node instanceof Element && node.matches(CONTROLS);

  /** How a hit on the first of a path relates to a node: `on` it, on a control `inside` it, by its `label`, or not. */
  const landing = (node, path) => {
    const depth = path.indexOf(node);
    if (depth >= 0) return path.slice(0, depth).some(isControl) ? 'inside' : 'on';
    const label = path.findIndex((each) => each instanceof HTMLLabelElement);
    // HTML §4.10.4: a label ignores a click on a control inside it.
    if (label >= 0 && path[label].control === node && !path.slice(0, label).some(isControl)) return 'label';
    return node instanceof HTMLLabelElement && node.control && path.includes(node.control) ? 'label' : '';
  };

  const describe = (node) => {
    if (!(node instanceof Element)) return String(node);
    const id = node.id ? `#${node.id}` : '';
    const kind = (node.getAttribute('class') || '').trim().split(/\s+/)[0];
    const text = (node.textContent || '').replace(/\s+/g, ' ').trim().slice(0, 40);
    return `${node.localName}${id}${kind ? `.${kind}` : ''}${text ? ` "${text}"` : ''}`;
  };

  const tell = (node) =>
    heard
      .splice(0)
      .map(({ type, trusted, at, path }) => ({
        type,
        trusted,
        at,
        landing: node ? landing(node, path) : '',
        hit: describe(path[0]),
      }));

  /** A node's position: from the root of its document or, in a shadow tree, from an id or the tree's own root. */
  const selectorOf = (node) => {
    const steps = [];
    const inShadow = node.getRootNode() !== document;
    for (let at = node; at; at = at.parentElement) {
      if (at === document.documentElement) return [':root', ...steps].join(' > ');
      if (inShadow && at.id) return [`#${CSS.escape(at.id)}`, ...steps].join(' > ');
      steps.unshift(`${CSS.escape(at.localName)}:nth-child(${[...at.parentNode.children].indexOf(at) + 1})`);
    }
    return steps.join(' > ');
  };

  /** How many elements a selector matches in a tree and in all open shadow trees inside it. */
  const count = (selector, tree = document) => {
    let found = tree.querySelectorAll(selector).length;
    for (const element of tree.querySelectorAll('*'))
      if (element.shadowRoot) found += count(selector, element.shadowRoot);
    return found;
  };

  globalThis.clickProbe = {
    arm() {
      armed = true;
      heard = [];
    },
    disarm() {
      armed = false;
    },
    /** Whether a checkbox or radio button is on; null for everything else. */
    checked: (node) =>
      node instanceof HTMLInputElement && ['checkbox', 'radio'].includes(node.type) ? node.checked : null,
    /** The events since the last call, judged against a node. */
    judge: tell,
    /**
     * Prepares to judge a node; returns a selector that matches it, '' in a closed shadow tree, null if the node is
     * gone.
     */
    hold(node) {
      if (!node.isConnected) return null;
      let open = node instanceof Element;
      for (let root = node.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) {
        open = open && root.mode === 'open';
        if (root.mode === 'closed') closed.set(root.host, root);
      }
      return open ? selectorOf(node) : '';
    },
    count: (selector) => count(selector),
    size: () => document.querySelectorAll('*').length,
  };
})();
