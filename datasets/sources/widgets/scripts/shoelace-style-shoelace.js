import '@shoelace-style/shoelace';
import { setBasePath } from 'base-path';
import { registerIconLibrary } from 'icon-library';
setBasePath('/@shoelace-style/shoelace/cdn');
registerIconLibrary('default', { resolver: (name) => `/@shoelace-style/shoelace/cdn/assets/icons/${name}.svg` });
const { h, int, pick, chance, times, label, noun, sentence, value, nouns, name } = T;
const ICONS =
  'gear house search plus pencil trash heart star bell list three-dots-vertical x-lg check download upload share envelope telephone calendar cart filter arrow-clockwise play pause volume-up camera image folder file-earmark cloud lock eye printer geo-alt bar-chart grid type-bold link-45deg'.split(
    ' ',
  );
const size = pick(['small', 'medium', 'medium', 'large']);
const icon = (slot) => h('sl-icon', { name: pick(ICONS), slot });
const row = (children) => h('div', { style: 'display:flex;flex-wrap:wrap;gap:10px;align-items:center' }, children);
const button = () =>
  h(
    'sl-button',
    {
      size,
      variant: pick(['default', 'default', 'primary', 'success', 'neutral', 'warning', 'danger', 'text']),
      outline: chance(0.2),
      pill: chance(0.2),
      disabled: chance(0.08),
      loading: chance(0.03),
      caret: chance(0.1),
    },
    chance(0.3) ? icon('prefix') : null,
    label(),
  );
const iconButton = () =>
  chance(0.6)
    ? h('sl-icon-button', { name: pick(ICONS), label: label(), style: `font-size:${pick([1, 1.2, 1.5])}rem` })
    : h(
        'sl-button',
        { size, circle: chance(0.5), variant: pick(['default', 'primary']), 'aria-label': label() },
        h('sl-icon', { name: pick(ICONS), label: label() }),
      );
const common = () => ({
  label: chance(0.7) ? noun() : null,
  size,
  'help-text': chance(0.15) ? sentence(2, 6) : null,
  disabled: chance(0.06),
  pill: chance(0.1),
  filled: chance(0.15),
});
const select = () => {
  const list = nouns(3, 7);
  const many = chance(0.2);
  return h(
    'sl-select',
    {
      ...common(),
      placeholder: noun(),
      multiple: many,
      clearable: chance(0.3),
      value: many ? 'o0 o1' : chance(0.6) ? 'o0' : null,
    },
    list.map((each, at) => h('sl-option', { value: 'o' + at }, each)),
  );
};
const field = () =>
  pick([
    () =>
      h(
        'sl-input',
        { ...common(), placeholder: noun(), value: chance(0.4) ? value() : null, clearable: chance(0.3) },
        chance(0.3) ? icon('prefix') : null,
      ),
    () => h('sl-input', { ...common(), type: pick(['password', 'number', 'email', 'date']), 'password-toggle': true }),
    () => h('sl-textarea', { ...common(), rows: 2, value: chance(0.4) ? sentence() : null }),
    select,
    select,
    () => h('sl-switch', { size, checked: chance(0.5), disabled: chance(0.1) }, noun()),
    () => h('sl-checkbox', { size, checked: chance(0.5), disabled: chance(0.1), indeterminate: chance(0.1) }, noun()),
    () => h('sl-range', { label: noun(), value: int(0, 100) }),
    () =>
      h(
        'sl-radio-group',
        { label: noun(), value: '0', size },
        nouns(2, 4).map((each, at) => h('sl-radio', { value: String(at) }, each)),
      ),
    () =>
      h(
        'sl-radio-group',
        { label: noun(), value: '0', size },
        nouns(2, 4).map((each, at) => h('sl-radio-button', { value: String(at) }, each)),
      ),
    () => h('sl-rating', { value: int(1, 5) }),
    () => h('sl-color-picker', { value: '#4a90e2', label: noun() }),
  ])();
const menu = () =>
  h(
    'sl-menu',
    {},
    nouns(3, 7)
      .flatMap((each) => [
        h(
          'sl-menu-item',
          { type: chance(0.15) ? 'checkbox' : 'normal', disabled: chance(0.06) },
          each,
          chance(0.4) ? icon('prefix') : null,
        ),
        chance(0.12) ? h('sl-divider') : null,
      ])
      .filter(Boolean),
  );
const tree = (depth) =>
  nouns(2, 4).map((each) =>
    h('sl-tree-item', { expanded: chance(0.6) }, each, ...(depth < 2 && chance(0.5) ? tree(depth + 1) : [])),
  );
const parts = {
  buttons: () => row(times(3, 9, () => pick([button, button, iconButton])())),
  group: () =>
    h(
      'sl-button-group',
      {},
      times(2, 5, () =>
        h('sl-button', { size }, chance(0.5) ? h('sl-icon', { name: pick(ICONS), label: label() }) : label()),
      ),
    ),
  form: () => h('div', { style: 'display:grid;gap:12px' }, times(2, 6, field), row([button(), button()])),
  fields: () => h('div', { style: 'display:grid;gap:12px' }, times(2, 6, field)),
  checks: () =>
    h(
      'div',
      { style: 'display:flex;flex-wrap:wrap;gap:8px 18px' },
      times(2, 6, () => h(pick(['sl-checkbox', 'sl-switch']), { size, checked: chance(0.5) }, noun())),
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
          pick([() => h('sl-switch', { checked: chance(0.5) }), button, iconButton, select])(),
        ),
      ),
    ),
  tabs: () =>
    h(
      'sl-tab-group',
      { placement: pick(['top', 'top', 'start', 'bottom']) },
      nouns(3, 5).flatMap((each, at) => [
        h('sl-tab', { slot: 'nav', panel: 'p' + at, closable: chance(0.1) }, each),
        h('sl-tab-panel', { name: 'p' + at }, sentence()),
      ]),
    ),
  menu,
  dropdown: () =>
    row([h('sl-dropdown', {}, h('sl-button', { slot: 'trigger', caret: true, class: 'opens' }, label()), menu())]),
  tree: () => h('sl-tree', { selection: pick(['single', 'multiple', 'leaf']) }, tree(0)),
  card: () =>
    h(
      'sl-card',
      { style: 'width:100%' },
      chance(0.5)
        ? h('div', { slot: 'header', style: 'display:flex;justify-content:space-between' }, noun(), iconButton())
        : null,
      sentence(6, 24),
      h('div', { slot: 'footer' }, row([button(), pick([button, iconButton])()])),
    ),
  details: () =>
    h(
      'div',
      {},
      nouns(2, 4).map((each) => h('sl-details', { summary: each, open: chance(0.25) }, sentence(6, 20))),
    ),
  alert: () =>
    h(
      'sl-alert',
      { open: true, variant: pick(['primary', 'success', 'neutral', 'warning', 'danger']), closable: chance(0.5) },
      icon('icon'),
      sentence(),
    ),
  crumbs: () =>
    h(
      'sl-breadcrumb',
      {},
      nouns(2, 5).map((each) => h('sl-breadcrumb-item', { href: '#' + each }, each)),
    ),
  tags: () =>
    row(
      nouns(3, 8).map((each) =>
        h(
          pick(['sl-tag', 'sl-badge']),
          { size, removable: chance(0.4), variant: pick(['primary', 'success', 'neutral']), pill: chance(0.3) },
          each,
        ),
      ),
    ),
  table: () => {
    const list = nouns(3, 5);
    const acts = chance(0.6);
    return h(
      'table',
      { style: 'width:100%;border-collapse:collapse' },
      h(
        'tr',
        {},
        list.map((each) => h('th', { style: 'text-align:start;padding:6px' }, each)),
      ),
      times(3, 8, () =>
        h(
          'tr',
          { style: 'border-top:1px solid #8884' },
          list.map((_, at) =>
            h('td', { style: 'padding:6px' }, at === 0 && chance(0.2) ? h('a', { href: '#x' }, value()) : value()),
          ),
          acts
            ? h(
                'td',
                {},
                h('sl-icon-button', { name: 'pencil', label: 'edit' }),
                h('sl-icon-button', { name: 'trash', label: 'delete' }),
              )
            : null,
        ),
      ),
    );
  },
  progress: () =>
    h(
      'div',
      { style: 'display:grid;gap:10px' },
      h('sl-progress-bar', { value: int(5, 95) }),
      h('sl-progress-ring', { value: int(5, 95) }),
      h('sl-skeleton', { effect: 'none' }),
    ),
  people: () => row(times(3, 6, () => h('sl-avatar', { initials: name().slice(0, 1), label: name() }))),
  copy: () => row([h('code', {}, value()), h('sl-copy-button', { value: 'x' })]),
  split: () =>
    h(
      'sl-split-panel',
      { style: 'height:120px' },
      h('div', { slot: 'start' }, sentence()),
      h('div', { slot: 'end' }, sentence()),
    ),
};
if (DATA.dark) document.documentElement.classList.add('sl-theme-dark');
if (chance(0.6)) {
  const hue = int(0, 359);
  for (const [step, light] of [
    [500, 50],
    [600, 42],
    [700, 34],
  ])
    document.documentElement.style.setProperty(`--sl-color-primary-${step}`, `hsl(${hue} 70% ${light}%)`);
}
for (const each of ['small', 'medium', 'large'])
  document.documentElement.style.setProperty(`--sl-border-radius-${each}`, pick(['0', '2px', '4px', '8px', '12px']));
if (chance(0.12))
  document.body.append(
    h(
      pick(['sl-dialog', 'sl-drawer']),
      { label: noun(), open: true },
      sentence(),
      field(),
      h('div', { slot: 'footer' }, row([button(), button()])),
    ),
  );
T.show(parts, (make, place) => place.append(make()), { settle: 1200 });
