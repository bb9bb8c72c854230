// What all pages of widgets share: chance by the page's seed, words, and the grid that widgets are mounted in.

const T = (() => {
  let state = DATA.seed;
  const random = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const int = (least, most) => least + Math.floor(random() * (most - least + 1));
  const pick = (list) => list[int(0, list.length - 1)];
  const chance = (share) => random() < share;
  const shuffle = (list) => {
    const all = [...list];
    for (let at = all.length - 1; at > 0; at--) {
      const other = int(0, at);
      [all[at], all[other]] = [all[other], all[at]];
    }
    return all;
  };
  const some = (list, least, most) => shuffle(list).slice(0, int(least, most));
  const times = (least, most, make) => Array.from({ length: int(least, most) }, (_, index) => make(index));
  const label = () => pick(DATA.labels);
  const noun = () => pick(DATA.nouns);
  const name = () => pick(DATA.names);
  const sentence = (least = 3, most = 12) => {
    const text = times(least, most, () => pick(DATA.sentence)).join(' ');
    return text[0].toUpperCase() + text.slice(1) + pick(['', '.', '.']);
  };
  const value = () =>
    pick([
      () => String(int(0, 9999)),
      () => (random() * 100).toFixed(1) + '%',
      () => pick('$€£¥') + int(1, 99999).toLocaleString('en'),
      () => `2026-${String(int(1, 12)).padStart(2, '0')}-${String(int(1, 28)).padStart(2, '0')}`,
      () => `#${int(1000, 99999)}`,
      noun,
      name,
      () => '–',
    ])();
  const nouns = (least, most) => some(DATA.nouns, least, Math.min(most, DATA.nouns.length));
  const colour = () => `hsl(${int(0, 359)} ${int(35, 90)}% ${int(28, 52)}%)`;

  /** A DOM element with attributes, properties (names with a dot before) and children. */
  const h = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, entry] of Object.entries(attributes || {})) {
      if (key[0] === '.') element[key.slice(1)] = entry;
      else if (entry !== false && entry != null) element.setAttribute(key, entry === true ? '' : entry);
    }
    element.append(...children.flat().filter((each) => each !== null && each !== false && each !== undefined));
    return element;
  };

  /** A picture without anything to click: coloured forms. */
  const picture = (height = int(60, 160)) => {
    const forms = times(
      3,
      9,
      () => `<circle cx='${int(0, 300)}' cy='${int(0, 150)}' r='${int(10, 90)}' fill='${colour()}' opacity='.6'/>`,
    );
    const box = h('div', { style: `height:${height}px;overflow:hidden` });
    box.innerHTML = `<svg width='100%' height='100%' viewBox='0 0 300 150' preserveAspectRatio='xMidYMid slice'>${forms.join('')}</svg>`;
    return box;
  };

  const ground = () => {
    const dark = DATA.dark;
    const style = document.body.style;
    style.margin = '0';
    style.colorScheme = dark ? 'dark' : 'light';
    style.background = dark
      ? pick(['#141414', '#18181b', '#0f172a', '#1e1e1e', '#121212'])
      : pick(['#fff', '#fff', '#f5f5f5', '#f0f2f5', '#fafaf9']);
    style.color = dark ? '#e5e5e5' : '#1f1f1f';
    style.fontFamily = pick([
      'system-ui',
      'sans-serif',
      'Arial',
      'Verdana',
      'DejaVu Sans',
      'Liberation Sans',
      'Noto Sans',
    ]);
    style.fontSize = pick([12, 13, 14, 14, 14, 16]) + 'px';
  };

  /** The places that parts are mounted in: columns beside each other, as the page's main part. */
  const places = (count) => {
    ground();
    const columns = innerWidth < 600 ? 1 : innerWidth < 900 ? pick([1, 2]) : pick([2, 2, 3, 3, 4]);
    const gap = pick([8, 12, 16, 24]);
    const main = h('main', {
      style: `display:flex;gap:${gap}px;padding:${pick([0, 8, 16, 32])}px;align-items:flex-start`,
    });
    const stacks = Array.from({ length: columns }, () =>
      h('div', { style: `flex:${pick([1, 1, 1, 2])};min-width:0;display:flex;flex-direction:column;gap:${gap}px` }),
    );
    main.append(...stacks);
    document.body.append(main);
    return Array.from({ length: count }, (_, index) => {
      const place = h('section', { style: 'min-width:0' });
      if (chance(0.25)) stacks[index % columns].append(h('div', { style: 'font-size:1.15em;font-weight:600' }, noun()));
      stacks[index % columns].append(place);
      return place;
    });
  };

  /** Mounts parts, chosen by chance, with `mount(part, place)`; then the page is ready. */
  const show = async (parts, mount, { least = 8, most = 20, settle = 200, must = 0 } = {}) => {
    const names = Object.keys(parts);
    const chosen = [...names.slice(0, must), ...times(least, most, () => pick(names))];
    const where = places(chosen.length);
    try {
      for (const [index, name] of chosen.entries()) await mount(parts[name], where[index], name);
    } catch (error) {
      window.widgetsError = String(error && error.stack ? error.stack : error).slice(0, 400);
      return;
    }
    await document.fonts.ready;
    setTimeout(() => (window.widgetsReady = true), settle);
  };

  addEventListener('error', (event) => {
    if (event.message && !/ResizeObserver/.test(event.message)) window.widgetsError = event.message;
  });
  addEventListener('unhandledrejection', (event) => (window.widgetsError = String(event.reason)));

  /** Text of paragraphs and lists, as HTML. */
  const written = () =>
    times(1, 5, () => `<p>${sentence(4, 25)} ${chance(0.3) ? `<b>${label()}</b>` : ''}</p>`).join('') +
    (chance(0.3)
      ? `<ul>${nouns(2, 5)
          .map((each) => `<li>${each}</li>`)
          .join('')}</ul>`
      : '');
  /** Editors, made by `editor(place)`, between fields and words. */
  const showEditors = (editor) => {
    const form = (place) =>
      place.append(
        h('p', {}, h('label', {}, label(), ' ', h('input', { placeholder: chance(0.5) ? sentence(1, 3) : '' }))),
        h(
          'p',
          {},
          times(1, 3, () => h('button', { type: 'button' }, label())),
        ),
      );
    const words = (place) => place.append(h('p', {}, sentence(8, 30), ' ', h('a', { href: '#x' }, label())));
    show({ editor, form, words }, (make, place) => make(place), { least: 1, most: 3, must: 1, settle: 600 });
  };
  return {
    random,
    int,
    pick,
    chance,
    shuffle,
    some,
    times,
    label,
    noun,
    name,
    sentence,
    value,
    nouns,
    colour,
    h,
    picture,
    places,
    show,
    showEditors,
    written,
    ground,
  };
})();
