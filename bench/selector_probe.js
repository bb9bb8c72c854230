// Which node a selector finds, told without any selector: for the page's own world and for one apart from it alike.
(() => {
  /** All elements, those of open shadow trees after their host. */
  const every = (root, found = []) => {
    for (const element of root.querySelectorAll('*')) {
      found.push(element);
      if (element.shadowRoot) every(element.shadowRoot, found);
    }
    return found;
  };

  /** Where a node is: its number among its siblings, and that of all that hold it, up to the document of its frame. */
  const place = (node) => {
    const steps = [];
    for (let at = node; at;) {
      const above = at.parentNode;
      if (above instanceof ShadowRoot) steps.unshift(`${[...above.children].indexOf(at)}^`);
      else if (above) steps.unshift([...above.children].indexOf(at));
      at = above instanceof ShadowRoot ? above.host : above;
    }
    return `${window === top ? '' : location.href} ${steps.join('/')}`;
  };

  const ATTRIBUTES = ['type', 'name', 'role', 'aria-label', 'title', 'alt', 'placeholder', 'href', 'value'];

  /** What a person would say of an element, ids and classes apart. */
  const words = (element) => [element.localName, ...ATTRIBUTES.map((name) => element.getAttribute(name) || ''),
    (element.textContent || '').replace(/\s+/g, ' ').trim().slice(0, 80)].join('|');

  /** How many elements share each description, and which of them each is. */
  const census = () => {
    const counts = {}, ranks = new Map();
    for (const element of every(document)) {
      const said = words(element);
      counts[said] = (counts[said] || 0) + 1;
      ranks.set(element, counts[said]);
    }
    return { counts, ranks };
  };

  /** A generator of numbers in [0, 1) that gives the same ones for the same seed (mulberry32). */
  const chance = (seed) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  /** What a build tool or a framework may have made up: it ends with a number, has figures among its letters, or begins with `_`. */
  const looksMade = (word) => /\d$|\d{2}|[a-z]\d+[a-z]|^_/i.test(word);

  const REFERENCES = ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'aria-activedescendant', 'list', 'form', 'headers', 'popovertarget'];

  /** The same element as a sibling would be: nothing in it, and nothing to see. */
  const stranger = (element) => {
    const made = element.ownerDocument.createElement(/^(li|tr|td|th|dt|dd|option|tbody)$/.test(element.localName) ? element.localName : 'div');
    made.setAttribute('style', 'display:none');
    return made;
  };

  globalThis.selectorProbe = {
    place,
    describe(node) {
      this.known = this.known || census();
      const said = words(node);
      return { place: place(node), words: said, rank: this.known.ranks.get(node) || 0, alike: this.known.counts[said] || 0 };
    },
    /** How many elements of this frame are described so. */
    alike(words) {
      this.known = this.known || census();
      return this.known.counts[words] || 0;
    },
    /**
     * The page as another build of it would be: ids and classes that look made are others, and strangers stand between
     * elements. With `all`, every class is another one, too.
     */
    rebuild(seed, all) {
      const next = chance(seed);
      const renamed = new Map();
      const other = (word) => {
        if (!renamed.has(word)) renamed.set(word, `${/^[a-z_-]*/i.exec(word)[0] || 'x'}${Math.floor(next() * 1e9).toString(36)}`);
        return renamed.get(word);
      };
      const elements = every(document);
      for (const element of elements) {
        const given = element.getAttribute('class');
        if (given) element.setAttribute('class', given.split(/\s+/).map((word) => (word && (all || looksMade(word)) ? other(word) : word)).join(' '));
        const id = element.getAttribute('id');
        if (id && looksMade(id)) element.setAttribute('id', other(id));
      }
      for (const element of elements) {
        for (const name of REFERENCES) {
          const given = element.getAttribute(name);
          if (given) element.setAttribute(name, given.split(/\s+/).map((word) => renamed.get(word) || word).join(' '));
        }
        const href = element.getAttribute('href');
        if (href && href.startsWith('#') && renamed.has(href.slice(1))) element.setAttribute('href', `#${renamed.get(href.slice(1))}`);
        const above = element.parentNode;
        if (next() < 0.3 && above instanceof Element && element !== document.body && !element.ownerSVGElement && above.localName !== 'head') above.insertBefore(stranger(element), element);
      }
      return renamed.size;
    },
    /** Every element as tools print it that give a whole page: tag, selector, id, class, words, attributes, children. */
    domMap() {
      const selectorOf = (element) => {
        if (element.id && document.querySelectorAll(`#${CSS.escape(element.id)}`).length === 1) return `#${CSS.escape(element.id)}`;
        const steps = [];
        for (let at = element; at instanceof Element; at = at.parentNode) steps.unshift(at.parentNode instanceof Element ? `${at.localName}:nth-child(${[...at.parentNode.children].indexOf(at) + 1})` : at.localName);
        return steps.join(' > ');
      };
      const map = (element) => ({
        tag: element.localName, selector: selectorOf(element), id: element.id || null, class: element.getAttribute('class') || null,
        text: (element.textContent || '').replace(/\s+/g, ' ').trim().slice(0, 100),
        attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
        children: [...element.children, ...(element.shadowRoot ? element.shadowRoot.children : [])].map(map),
      });
      return JSON.stringify(map(document.documentElement));
    },
  };
})();
