// Blueprint by its documented classes: dense panels of tools, tables, trees, forms, menus.
const { h, int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const ICONS =
  'cog home magnify plus pencil delete star bell format-list-bulleted dots-vertical close check download share email calendar filter refresh play pause folder file lock eye printer map chart-bar view-grid link account'.split(
    ' ',
  );
const icon = () => h('span', { class: 'bp6-icon mdi mdi-' + pick(ICONS), 'aria-hidden': 'true' });
const intent = () =>
  pick(['', '', '', ' bp6-intent-primary', ' bp6-intent-success', ' bp6-intent-warning', ' bp6-intent-danger']);
const size = pick(['', '', ' bp6-small', ' bp6-large']);
const made = (kind, ...children) =>
  h(
    'button',
    {
      type: 'button',
      class: 'bp6-button' + kind + size,
      disabled: chance(0.07),
      'aria-label': children.length ? null : label(),
    },
    ...(children.length ? children : [icon()]),
  );
const text = () => h('span', { class: 'bp6-button-text' }, label());
const minimal = () => pick(['', '', ' bp6-minimal', ' bp6-outlined']);
const button = () =>
  made(intent() + minimal() + (chance(0.06) ? ' bp6-active' : ''), chance(0.4) ? icon() : null, text());
const iconButton = () => made(minimal() + (chance(0.2) ? intent() : ''));
const any = () => pick([button, button, iconButton])();
const row = (children) => h('div', { style: 'display:flex;flex-wrap:wrap;gap:8px;align-items:center' }, children);
const select = () =>
  h(
    'div',
    { class: 'bp6-html-select' + (chance(0.3) ? ' bp6-minimal' : '') + size },
    h(
      'select',
      {},
      nouns(2, 6).map((each) => h('option', {}, each)),
    ),
    h('span', { class: 'bp6-icon mdi mdi-chevron-down' }),
  );
const control = (type) =>
  h(
    'label',
    { class: `bp6-control bp6-${type}${chance(0.4) ? ' bp6-inline' : ''}` },
    h('input', {
      type: type === 'switch' ? 'checkbox' : type,
      name: 'n' + int(0, 3),
      checked: chance(0.5),
      disabled: chance(0.07),
    }),
    h('span', { class: 'bp6-control-indicator' }),
    noun(),
  );
const input = () => {
  const isSearch = chance(0.3);
  return h(
    'div',
    { class: 'bp6-input-group' + size + intent() },
    chance(0.4) ? h('span', { class: 'bp6-icon mdi mdi-' + (isSearch ? 'magnify' : pick(ICONS)) }) : null,
    h('input', {
      class: 'bp6-input',
      type: isSearch ? 'search' : 'text',
      placeholder: noun(),
      value: chance(0.4) ? value() : null,
    }),
    chance(0.3) ? h('span', { class: 'bp6-input-action' }, made(' bp6-minimal')) : null,
  );
};
const field = () =>
  pick([
    input,
    input,
    select,
    () => h('textarea', { class: 'bp6-input bp6-fill', rows: 2 }, sentence()),
    () =>
      h(
        'div',
        {},
        times(2, 4, () => control(pick(['checkbox', 'switch']))),
      ),
    () =>
      h(
        'div',
        {},
        times(2, 4, () => control('radio')),
      ),
    () => h('div', { class: 'bp6-control-group' }, select(), input(), made('')),
  ])();
const group = () =>
  h(
    'div',
    { class: 'bp6-form-group' + (chance(0.2) ? ' bp6-inline' : '') },
    h(
      'label',
      { class: 'bp6-label' },
      noun(),
      chance(0.3) ? h('span', { class: 'bp6-text-muted' }, ' (' + noun() + ')') : null,
    ),
    h(
      'div',
      { class: 'bp6-form-content' },
      field(),
      chance(0.3) ? h('div', { class: 'bp6-form-helper-text' }, sentence()) : null,
    ),
  );
const item = () =>
  h(
    'li',
    { role: 'none' },
    h(
      'a',
      {
        class: 'bp6-menu-item' + (chance(0.1) ? ' bp6-active' : '') + (chance(0.15) ? intent() : ''),
        role: 'menuitem',
        tabindex: 0,
      },
      chance(0.6) ? icon() : null,
      h('div', { class: 'bp6-fill bp6-text-overflow-ellipsis' }, label()),
      chance(0.2) ? h('span', { class: 'bp6-menu-item-label' }, '⌘' + pick('ABCDEFG')) : null,
    ),
  );
const menu = () =>
  h(
    'ul',
    { class: 'bp6-menu bp6-elevation-' + int(0, 3), role: 'menu', style: `width:${int(170, 260)}px` },
    times(3, 8, () => (chance(0.12) ? h('li', { class: 'bp6-menu-divider', role: 'separator' }) : item())),
  );
const node = (depth) =>
  h(
    'li',
    { class: 'bp6-tree-node' + (chance(0.1) ? ' bp6-tree-node-selected' : '') },
    h(
      'div',
      { class: 'bp6-tree-node-content bp6-tree-node-content-' + depth },
      h(
        'button',
        { type: 'button', 'aria-label': label(), class: 'bp6-button bp6-minimal bp6-small' },
        h('span', { class: 'mdi mdi-chevron-' + (depth ? 'right' : 'down') }),
      ),
      icon(),
      h('span', { class: 'bp6-tree-node-label' }, noun()),
      chance(0.2) ? h('span', { class: 'bp6-tree-node-secondary-label' }, value()) : null,
    ),
    depth < 2 && chance(0.5)
      ? h(
          'ul',
          { class: 'bp6-tree-node-list' },
          times(1, 4, () => node(depth + 1)),
        )
      : null,
  );
const table = () => {
  const heads = nouns(3, 6);
  const acts = chance(0.5);
  const kind = pick(['', ' bp6-html-table-striped', ' bp6-html-table-bordered', ' bp6-compact']);
  return h(
    'table',
    { class: 'bp6-html-table' + kind, style: 'width:100%' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        heads.map((each) => h('th', {}, each)),
        acts ? h('th') : null,
      ),
    ),
    h(
      'tbody',
      {},
      times(4, 12, () =>
        h(
          'tr',
          {},
          heads.map((_, at) =>
            h(
              'td',
              {},
              !at && chance(0.4)
                ? h('a', { href: '#x' }, value())
                : chance(0.08)
                  ? h('span', { class: 'bp6-tag' + intent() }, noun())
                  : value(),
            ),
          ),
          acts ? h('td', {}, made(' bp6-minimal bp6-small'), made(' bp6-minimal bp6-small')) : null,
        ),
      ),
    ),
  );
};
const navbar = () =>
  h(
    'nav',
    { class: 'bp6-navbar' + (chance(0.3) ? ' bp6-dark' : '') },
    h(
      'div',
      { class: 'bp6-navbar-group bp6-align-left' },
      h('div', { class: 'bp6-navbar-heading' }, noun()),
      h('span', { class: 'bp6-navbar-divider' }),
      ...times(1, 4, () => made(' bp6-minimal', chance(0.6) ? icon() : null, text())),
    ),
    innerWidth > 700
      ? h(
          'div',
          { class: 'bp6-navbar-group bp6-align-right' },
          chance(0.5) ? input() : null,
          ...times(1, 3, () => made(' bp6-minimal')),
        )
      : null,
  );
const tabs = () => {
  const names = nouns(3, 6);
  return h(
    'div',
    { class: 'bp6-tabs' + (chance(0.2) ? ' bp6-vertical' : '') },
    h(
      'div',
      { class: 'bp6-tab-list', role: 'tablist' },
      names.map((each, at) =>
        h('div', { class: 'bp6-tab', role: 'tab', tabindex: at ? -1 : 0, 'aria-selected': String(!at) }, each),
      ),
    ),
    h('div', { class: 'bp6-tab-panel', role: 'tabpanel' }, sentence(5, 20)),
  );
};
const card = () =>
  h(
    'div',
    { class: `bp6-card bp6-elevation-${int(0, 3)}` },
    h('h5', { class: 'bp6-heading' }, noun()),
    h('p', {}, sentence(6, 24)),
    row(times(1, 3, any)),
  );
const section = () =>
  h(
    'section',
    { class: 'bp6-section bp6-card' },
    h(
      'div',
      { class: 'bp6-section-header' },
      h(
        'div',
        { class: 'bp6-section-header-left' },
        icon(),
        h('h6', { class: 'bp6-heading bp6-section-header-title' }, noun()),
      ),
      h('div', { class: 'bp6-section-header-right' }, any(), made(' bp6-minimal')),
    ),
    h(
      'div',
      { class: 'bp6-section-card padded', style: 'padding:12px' },
      pick([table, () => row(times(2, 4, field)), () => sentence(8, 20)])(),
    ),
  );
const parts = {
  buttons: () => row(times(3, 9, any)),
  toolbar: () => h('div', { class: 'bp6-button-group' + (chance(0.4) ? ' bp6-minimal' : '') }, times(3, 7, iconButton)),
  segments: () =>
    h(
      'div',
      { class: 'bp6-segmented-control' },
      nouns(2, 4).map((each, at) =>
        h('button', { type: 'button', class: 'bp6-button' + (at ? ' bp6-minimal' : '') }, each),
      ),
    ),
  form: () => h('div', { class: 'bp6-card' }, times(2, 5, group), row([button(), button()])),
  fields: () => h('div', {}, times(2, 5, group)),
  checks: () =>
    h(
      'div',
      {},
      times(3, 7, () => control(pick(['checkbox', 'radio', 'switch']))),
    ),
  callout: () => h('div', { class: 'bp6-callout' + intent() }, h('h5', { class: 'bp6-heading' }, noun()), sentence()),
  crumbs: () =>
    h(
      'ul',
      { class: 'bp6-breadcrumbs' },
      nouns(2, 5).map((each) => h('li', {}, h('a', { class: 'bp6-breadcrumb', href: '#x' }, each))),
    ),
  tree: () =>
    h(
      'div',
      { class: 'bp6-tree bp6-card' },
      h(
        'ul',
        { class: 'bp6-tree-node-list bp6-tree-root' },
        times(2, 5, () => node(0)),
      ),
    ),
  tags: () =>
    row(
      nouns(3, 8).map((each) => h('span', { class: 'bp6-tag' + intent() + (chance(0.3) ? ' bp6-round' : '') }, each)),
    ),
  words: () =>
    h(
      'div',
      { class: 'bp6-running-text' },
      h('h4', {}, noun()),
      h('p', {}, sentence(12, 40), ' ', h('a', { href: '#x' }, label())),
    ),
  menu,
  table,
  navbar,
  tabs,
  card,
  section,
};
if (DATA.dark) document.body.classList.add('bp6-dark');
T.show(parts, (make, place) => place.append(make()), { settle: 400 });
if (DATA.dark) document.body.style.background = pick(['#1c2127', '#252a31', '#2f343c']);
