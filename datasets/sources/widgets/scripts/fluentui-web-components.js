import {
  allComponents,
  baseLayerLuminance,
  accentBaseColor,
  SwatchRGB,
  provideFluentDesignSystem,
  StandardLuminance,
  density,
  controlCornerRadius,
} from '@fluentui/web-components';
provideFluentDesignSystem().register(allComponents);
const { h, int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const PATHS = [
  'M2 8h12M8 2v12',
  'M3 8l4 4 6-8',
  'M3 3l10 10M13 3L3 13',
  'M2 4h12M2 8h12M2 12h12',
  'M8 2v9M4 8l4 4 4-4M2 14h12',
  'M2 7l6-5 6 5v7H2z',
  'M7 2a5 5 0 1 0 .1 0M11 11l4 4',
  'M3 14l1-4 8-8 3 3-8 8z',
  'M5 2l7 6-7 6z',
  'M3 8h.01M8 8h.01M13 8h.01',
];
const icon = (slot) => {
  const box = h('span', { slot, style: 'display:inline-flex' });
  box.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.4"><path d="${pick(PATHS)}"/></svg>`;
  return box;
};
const row = (children) => h('div', { style: 'display:flex;flex-wrap:wrap;gap:8px;align-items:center' }, children);
const button = () =>
  h(
    'fluent-button',
    { appearance: pick(['neutral', 'neutral', 'accent', 'outline', 'stealth', 'lightweight']), disabled: chance(0.08) },
    chance(0.25) ? icon('start') : null,
    label(),
  );
const iconButton = () =>
  h(
    'fluent-button',
    { appearance: pick(['neutral', 'stealth', 'accent', 'outline']), 'aria-label': label(), title: label() },
    icon(),
  );
const options = () => nouns(3, 7).map((each) => h('fluent-option', {}, each));
const select = () => h('fluent-select', { appearance: pick(['outline', 'filled']) }, options());
const field = () =>
  pick([
    () =>
      h(
        'fluent-text-field',
        {
          placeholder: noun(),
          value: chance(0.5) ? value() : null,
          appearance: pick(['outline', 'filled']),
          disabled: chance(0.07),
        },
        chance(0.6) ? noun() : null,
        chance(0.2) ? icon('start') : null,
      ),
    () => h('fluent-text-area', { placeholder: noun(), rows: 2 }, noun()),
    () => h('fluent-number-field', { value: int(0, 99) }, noun()),
    () => h('fluent-search', { placeholder: label() }),
    select,
    select,
    () => h('fluent-combobox', { placeholder: noun() }, options()),
    () => h('fluent-checkbox', { checked: chance(0.5), disabled: chance(0.08) }, noun()),
    () => h('fluent-switch', { checked: chance(0.5), disabled: chance(0.08) }, noun()),
    () => h('fluent-slider', { value: int(5, 95), min: 0, max: 100, style: 'min-width:140px' }),
    () =>
      h(
        'fluent-radio-group',
        { value: 'r0', orientation: pick(['vertical', 'horizontal']) },
        nouns(2, 4).map((each, at) => h('fluent-radio', { value: 'r' + at }, each)),
      ),
  ])();
const tree = (depth) =>
  nouns(2, 4).map((each) =>
    h('fluent-tree-item', { expanded: chance(0.7) }, each, ...(depth < 2 && chance(0.5) ? tree(depth + 1) : [])),
  );
const parts = {
  buttons: () => row(times(3, 9, () => pick([button, button, iconButton])())),
  form: () =>
    h('div', { style: 'display:grid;gap:10px;justify-items:start' }, times(2, 6, field), row([button(), button()])),
  fields: () => h('div', { style: 'display:grid;gap:10px;justify-items:start' }, times(2, 6, field)),
  checks: () =>
    row(
      times(2, 6, () =>
        h(pick(['fluent-checkbox', 'fluent-switch', 'fluent-radio']), { checked: chance(0.5) }, noun()),
      ),
    ),
  settings: () =>
    h(
      'div',
      {},
      times(3, 6, () =>
        h(
          'div',
          { style: 'display:flex;justify-content:space-between;padding:8px 0;border-bottom:1px solid #8883' },
          h('span', {}, noun()),
          pick([() => h('fluent-switch', { checked: chance(0.5) }), button, iconButton, select])(),
        ),
      ),
    ),
  tabs: () =>
    h(
      'fluent-tabs',
      { orientation: pick(['horizontal', 'horizontal', 'vertical']) },
      nouns(3, 5).flatMap((each) => [h('fluent-tab', {}, each), h('fluent-tab-panel', {}, sentence())]),
    ),
  menu: () =>
    h(
      'fluent-menu',
      {},
      nouns(3, 6).map((each) =>
        h(
          'fluent-menu-item',
          { role: pick(['menuitem', 'menuitem', 'menuitemcheckbox']), disabled: chance(0.06) },
          each,
        ),
      ),
    ),
  tree: () => h('fluent-tree-view', {}, tree(0)),
  accordion: () =>
    h(
      'fluent-accordion',
      {},
      nouns(2, 4).map((each) =>
        h('fluent-accordion-item', { expanded: chance(0.3) }, h('span', { slot: 'heading' }, each), sentence(5, 18)),
      ),
    ),
  card: () =>
    h(
      'fluent-card',
      { style: 'padding:14px' },
      h('h3', {}, noun()),
      h('p', {}, sentence(6, 20)),
      row([
        button(),
        pick([
          button,
          iconButton,
          () => h('fluent-anchor', { href: '#a', appearance: pick(['hypertext', 'outline', 'accent']) }, label()),
        ])(),
      ]),
    ),
  crumbs: () =>
    h(
      'fluent-breadcrumb',
      {},
      nouns(2, 4).map((each) => h('fluent-breadcrumb-item', { href: '#' + each }, each)),
    ),
  toolbar: () =>
    h(
      'fluent-toolbar',
      {},
      times(3, 7, () => pick([iconButton, iconButton, button])()),
    ),
  list: () => h('fluent-listbox', {}, options()),
  badges: () =>
    row(nouns(2, 6).map((each) => h('fluent-badge', { appearance: pick(['accent', 'neutral', 'lightweight']) }, each))),
  progress: () => h('div', {}, h('fluent-progress', { value: int(5, 95), min: 0, max: 100 })),
  table: () => {
    const heads = nouns(3, 5);
    const acts = chance(0.6);
    return h(
      'table',
      { style: 'width:100%;border-collapse:collapse' },
      h(
        'tr',
        {},
        heads.map((each) => h('th', { style: 'text-align:start;padding:6px' }, each)),
      ),
      times(3, 8, () =>
        h(
          'tr',
          { style: 'border-top:1px solid #8884' },
          heads.map(() => h('td', { style: 'padding:6px' }, value())),
          acts ? h('td', {}, iconButton(), iconButton()) : null,
        ),
      ),
    );
  },
  links: () =>
    row(
      times(2, 4, () =>
        h('fluent-anchor', { href: '#b', appearance: pick(['hypertext', 'hypertext', 'neutral', 'stealth']) }, label()),
      ),
    ),
};
baseLayerLuminance.setValueFor(document.body, DATA.dark ? StandardLuminance.DarkMode : StandardLuminance.LightMode);
if (chance(0.5))
  accentBaseColor.setValueFor(document.body, SwatchRGB.create(T.random() * 0.8, T.random() * 0.6, T.random() * 0.8));
density.setValueFor(document.body, pick([-1, 0, 0, 1]));
controlCornerRadius.setValueFor(document.body, pick([0, 2, 4, 4, 8, 12]));
if (chance(0.1))
  document.body.append(
    h(
      'fluent-dialog',
      { modal: true },
      h('div', { style: 'padding:16px' }, h('h3', {}, noun()), sentence(), field(), row([button(), button()])),
    ),
  );
T.show(parts, (make, place) => place.append(make()), { settle: 900 });
