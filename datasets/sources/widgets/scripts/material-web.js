import '@material/web/all.js';
import '@material/web/labs/segmentedbuttonset/outlined-segmented-button-set.js';
import '@material/web/labs/segmentedbutton/outlined-segmented-button.js';
const { h, int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const PATHS = [
  'M12 4v16M4 12h16',
  'M5 12l5 5 9-11',
  'M5 5l14 14M19 5L5 19',
  'M3 6h18M3 12h18M3 18h18',
  'M12 3v13M6 11l6 6 6-6M4 21h16',
  'M3 11l9-8 9 8v10H3z',
  'M10 3a7 7 0 1 0 .1 0M16 16l5 5',
  'M4 20l1-5L16 4l4 4L9 19z',
  'M7 4l12 8-12 8z',
  'M12 5h.01M12 12h.01M12 19h.01',
  'M5 7h14l-1 14H6zM9 7V4h6v3',
  'M12 21C5 15 3 12 3 8a4 4 0 0 1 9-2 4 4 0 0 1 9 2c0 4-2 7-9 13z',
];
const icon = (slot) => {
  const box = h('md-icon', { slot });
  box.innerHTML = `<svg viewBox="0 0 24 24" width="100%" height="100%" fill="none" stroke="currentColor" stroke-width="2"><path d="${pick(PATHS)}"/></svg>`;
  return box;
};
const row = (children) => h('div', { style: 'display:flex;flex-wrap:wrap;gap:10px;align-items:center' }, children);
const button = () =>
  h(
    `md-${pick(['filled', 'filled-tonal', 'outlined', 'elevated', 'text'])}-button`,
    { disabled: chance(0.08) },
    label(),
    chance(0.3) ? icon('icon') : null,
  );
const iconButton = () =>
  h(
    pick(['md-icon-button', 'md-filled-icon-button', 'md-filled-tonal-icon-button', 'md-outlined-icon-button']),
    { 'aria-label': label(), disabled: chance(0.06) },
    icon(),
  );
const look = pick(['filled', 'outlined', 'outlined']);
const select = () =>
  h(
    `md-${look}-select`,
    { label: noun() },
    nouns(3, 7).map((each, at) =>
      h(
        'md-select-option',
        { value: 'o' + at, selected: at === 0 && chance(0.6) },
        h('div', { slot: 'headline' }, each),
      ),
    ),
  );
const labelled = (control) => h('label', { style: 'display:flex;gap:8px;align-items:center' }, control, noun());
const field = () =>
  pick([
    () =>
      h(
        `md-${look}-text-field`,
        {
          label: noun(),
          value: chance(0.5) ? value() : '',
          type: pick(['text', 'text', 'password', 'number']),
          disabled: chance(0.06),
          'supporting-text': chance(0.2) ? sentence(2, 5) : null,
        },
        chance(0.25) ? icon('leading-icon') : null,
      ),
    () => h(`md-${look}-text-field`, { label: noun(), type: 'textarea', rows: 2, value: sentence() }),
    select,
    select,
    () =>
      labelled(h('md-switch', { selected: chance(0.5), icons: chance(0.3), disabled: chance(0.08), class: 'switch' })),
    () => labelled(h('md-checkbox', { checked: chance(0.5), indeterminate: chance(0.1), disabled: chance(0.08) })),
    () => labelled(h('md-radio', { checked: chance(0.5), name: 'r' + int(0, 9), disabled: chance(0.08) })),
    () => h('md-slider', { value: int(5, 95), style: 'width:100%', labeled: chance(0.2) }),
    () => h('md-slider', { range: true, 'value-start': int(5, 40), 'value-end': int(50, 95), style: 'width:100%' }),
  ])();
const parts = {
  buttons: () => row(times(3, 9, () => pick([button, button, iconButton])())),
  form: () =>
    h('div', { style: 'display:grid;gap:14px;justify-items:start' }, times(2, 6, field), row([button(), button()])),
  checks: () => row(times(2, 6, () => labelled(h(pick(['md-checkbox', 'md-radio']), { checked: chance(0.5) })))),
  settings: () =>
    h(
      'div',
      {},
      times(3, 6, () =>
        h(
          'div',
          { style: 'display:flex;justify-content:space-between;padding:8px 0;border-bottom:1px solid #8883' },
          h('span', {}, noun()),
          pick([() => h('md-switch', { selected: chance(0.5), 'aria-label': 'x' }), button, iconButton])(),
        ),
      ),
    ),
  chips: () =>
    h(
      'md-chip-set',
      {},
      nouns(2, 6).map((each) =>
        h(pick(['md-assist-chip', 'md-filter-chip', 'md-input-chip', 'md-suggestion-chip']), {
          label: each,
          elevated: chance(0.2),
          selected: chance(0.2),
        }),
      ),
    ),
  tabs: () =>
    h(
      'md-tabs',
      {},
      nouns(3, 5).map((each) =>
        h(pick(['md-primary-tab', 'md-primary-tab', 'md-secondary-tab']), {}, chance(0.3) ? icon('icon') : null, each),
      ),
    ),
  list: () =>
    h(
      'md-list',
      { style: 'width:100%;background:none' },
      nouns(3, 6).map((each) =>
        h(
          'md-list-item',
          { type: pick(['button', 'link', 'text']), href: '#x' },
          chance(0.5) ? icon('start') : null,
          h('div', { slot: 'headline' }, each),
          chance(0.5) ? h('div', { slot: 'supporting-text' }, sentence()) : null,
        ),
      ),
    ),
  menu: () => {
    const id = 'm' + int(0, 1e9);
    const menu = h(
      'md-menu',
      { anchor: id, positioning: 'popover' },
      nouns(3, 7).map((each) =>
        h('md-menu-item', {}, h('div', { slot: 'headline' }, each), chance(0.3) ? icon('start') : null),
      ),
    );
    const opener = h('md-filled-tonal-button', { id, class: 'opens' }, label());
    opener.addEventListener('click', () => (menu.open = !menu.open));
    return h('span', { style: 'position:relative' }, opener, menu);
  },
  fab: () =>
    row([
      h(
        pick(['md-fab', 'md-branded-fab']),
        {
          size: pick(['small', 'medium', 'large']),
          variant: pick(['primary', 'secondary', 'tertiary', 'surface']),
          label: chance(0.4) ? label() : null,
          'aria-label': label(),
        },
        icon('icon'),
      ),
    ]),
  segmented: () =>
    h(
      'md-outlined-segmented-button-set',
      {},
      nouns(2, 4).map((each, at) => h('md-outlined-segmented-button', { label: each, selected: at === 0 })),
    ),
  card: () =>
    h(
      'div',
      { style: `padding:16px;border-radius:${pick([4, 12, 24])}px;border:1px solid #8884` },
      h('h3', {}, noun()),
      h('p', {}, sentence(6, 22)),
      row([button(), pick([button, iconButton])()]),
    ),
  bar: () =>
    h(
      'div',
      { style: 'display:flex;align-items:center;gap:8px;padding:4px' },
      h('md-icon-button', { 'aria-label': 'menu' }, icon()),
      h('b', { style: 'flex:1' }, noun()),
      times(1, 4, () => h('md-icon-button', { 'aria-label': label() }, icon())),
    ),
  progress: () =>
    h(
      'div',
      { style: 'display:grid;gap:10px' },
      h('md-linear-progress', { value: String(T.random()) }),
      h('md-circular-progress', { value: String(T.random()) }),
    ),
  text: () => h('p', {}, sentence(8, 30), ' ', h('a', { href: '#y' }, sentence(1, 3))),
};
const hue = int(0, 359);
const sheet = h(
  'style',
  {},
  DATA.dark
    ? `:root{--md-sys-color-primary:hsl(${hue} 60% 75%);--md-sys-color-on-primary:#111;--md-sys-color-surface:#141218;--md-sys-color-on-surface:#e6e0e9;--md-sys-color-on-surface-variant:#cac4d0;--md-sys-color-surface-container:#211f26;--md-sys-color-surface-container-highest:#36343b;--md-sys-color-surface-container-low:#1d1b20;--md-sys-color-outline:#938f99;--md-sys-color-secondary-container:hsl(${hue} 20% 28%);--md-sys-color-on-secondary-container:#eee}`
    : `:root{--md-sys-color-primary:hsl(${hue} 60% 40%);--md-sys-color-secondary-container:hsl(${hue} 50% 90%)}`,
);
document.head.append(sheet);

// Their padding is the host's: the button itself gets it, which looks the same and is what a click reaches.
const PADDED = 'md-filled-button,md-filled-tonal-button,md-outlined-button,md-elevated-button,md-text-button';
document.head.append(h('style', {}, `${PADDED}{padding:0!important}`));
const padding = new CSSStyleSheet();
padding.replaceSync('.button{padding-inline:24px;align-self:stretch;min-height:var(--_container-height)}');
const mount = async (make, place) => {
  place.append(make());
  for (const each of document.querySelectorAll(PADDED)) {
    await each.updateComplete;
    if (!each.shadowRoot.adoptedStyleSheets.includes(padding)) each.shadowRoot.adoptedStyleSheets.push(padding);
  }
};
if (chance(0.12))
  document.body.append(
    h(
      'md-dialog',
      { open: true },
      h('div', { slot: 'headline' }, noun()),
      h('div', { slot: 'content' }, sentence(), field()),
      h('div', { slot: 'actions' }, h('md-text-button', {}, label()), h('md-text-button', {}, label())),
    ),
  );
T.show(parts, mount, { settle: 900 });
