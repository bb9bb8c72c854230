// Mounts a page's widgets as applications do: code that loads lazily mounts them in another order at each load, and other
// widgets come and go. So counters of libraries begin at other numbers. `load` in the address seeds that; `build` is the
// deployment, which renames what a compiler names, and adds things.
(() => {
  const asked = new URLSearchParams(location.search);
  const load = Number(asked.get('load') || 1);
  globalThis.build = Number(asked.get('build') || 1);

  /** Random numbers in [0, 1), the same for the same load (mulberry32). */
  let state = load * 7919;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  globalThis.anyNumber = (below) => Math.floor(random() * below);

  const shuffled = (all) => {
    for (let at = all.length - 1; at > 0; at--) {
      const other = anyNumber(at + 1);
      [all[at], all[other]] = [all[other], all[at]];
    }
    return all;
  };

  /** The name of each widget by the element that holds it. No attribute says it: selectors would use that. */
  const names = new WeakMap();

  const add = (to, name) => {
    const holder = document.createElement('div');
    if (name) names.set(holder, name);
    const outer = build > 1 ? document.createElement('div') : holder;
    if (outer !== holder) outer.append(holder);
    to.append(outer);
    return holder;
  };

  /**
   * Which element this is, whatever it is called: its widget, and its place in it. Empty outside of widgets. What a
   * widget adds by itself in some builds is marked `added`, and not counted.
   */
  globalThis.identify = (element) => {
    const steps = [];
    for (let at = element; at; ) {
      if (names.has(at)) return `${names.get(at)}: ${steps.join(' ')}`;
      const above = at.parentNode || at.host;
      if (!above) return '';
      const beside = [...(above.children || [])].filter((each) => each.localName === at.localName && !each.added);
      steps.unshift(above === at.host ? '^' : `${at.localName}${beside.indexOf(at)}`);
      at = above;
    }
    return '';
  };

  /** How many elements each selector finds, and which one it is if there is one. `steps`: one selector for each tree. */
  globalThis.askSelectors = (all) =>
    all.map((steps) => {
      let found = [document];
      steps.forEach((css, at) => {
        found = found.flatMap((root) => [...(at ? root.shadowRoot : root)?.querySelectorAll(css) || []]);
      });
      return [found.length, found.length === 1 ? identify(found[0]) : ''];
    });

  /** All elements of widgets, those of open shadow trees too. */
  globalThis.everyIdentity = (root = document) =>
    [...root.querySelectorAll('*')].flatMap((each) => [
      ...[identify(each)].filter(Boolean),
      ...(each.shadowRoot ? everyIdentity(each.shadowRoot) : []),
    ]);

  const soon = () => new Promise((done) => setTimeout(done, anyNumber(8)));

  /**
   * @param {Record<string, (holder: HTMLElement) => unknown>} widgets in the order of the document
   * @param {(holder: HTMLElement, number: number) => unknown} other one of the widgets that come and go
   */
  globalThis.mountPage = async (widgets, other) => {
    const aside = document.createElement('aside');
    const main = document.createElement('main');
    document.body.append(aside, main);
    if (build > 1) add(main, '').textContent = 'New in this version';
    const all = Object.entries(widgets).map(([name, mount]) => [mount, add(main, name)]);
    for (let number = anyNumber(7); number > 0; number--) all.push([(holder) => other(holder, number), add(aside, '')]);
    for (const [mount, holder] of shuffled(all)) {
      await mount(holder);
      await soon();
    }
    await new Promise((done) => setTimeout(done, 150));
    globalThis.mounted = true;
  };
})();
