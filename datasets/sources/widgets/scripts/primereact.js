const e = React.createElement;
const P = primereact;
const { int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const ICONS =
  'check times search user cog home pencil trash heart star bell bars ellipsis-v download upload share-alt envelope phone calendar shopping-cart filter sort refresh play pause volume-up camera image folder file cloud lock eye print map-marker chart-bar plus link'.split(
    ' ',
  );
const icon = () => 'pi pi-' + pick(ICONS);
const row = (children) =>
  e('div', { style: { display: 'flex', flexWrap: 'wrap', gap: 8, alignItems: 'center' } }, ...children);
const button = () =>
  e(P.Button, {
    label: label(),
    icon: chance(0.35) ? icon() : undefined,
    severity: pick([null, null, 'secondary', 'success', 'info', 'warning', 'help', 'danger']),
    outlined: chance(0.25),
    text: chance(0.12),
    raised: chance(0.1),
    rounded: chance(0.15),
    link: chance(0.05),
    disabled: chance(0.08),
    size: pick([null, null, 'small', 'large']),
    badge: chance(0.05) ? '3' : null,
  });
const iconButton = () =>
  e(P.Button, {
    icon: icon(),
    rounded: chance(0.5),
    text: chance(0.4),
    outlined: chance(0.2),
    severity: pick([null, 'secondary', 'danger', 'success']),
    'aria-label': label(),
  });
const options = () => nouns(3, 8).map((each) => ({ label: each, value: each }));
const select = () => {
  const all = options();
  return e(P.Dropdown, {
    options: all,
    value: chance(0.6) ? all[0].value : null,
    placeholder: noun(),
    showClear: chance(0.2),
    style: { minWidth: 150 },
  });
};
const field = () =>
  pick([
    () =>
      e(P.InputText, {
        placeholder: noun(),
        defaultValue: chance(0.5) ? value() : '',
        disabled: chance(0.07),
        invalid: chance(0.06),
      }),
    () =>
      e(
        'div',
        { className: 'p-inputgroup' },
        e('span', { className: 'p-inputgroup-addon' }, e('i', { className: icon() })),
        e(P.InputText, { placeholder: noun() }),
        chance(0.5) ? e(P.Button, { icon: icon(), 'aria-label': label() }) : null,
      ),
    () => e(P.InputTextarea, { rows: int(2, 4), defaultValue: sentence() }),
    () =>
      e(P.InputNumber, { value: int(0, 999), showButtons: chance(0.6), buttonLayout: pick(['stacked', 'horizontal']) }),
    () => e(P.Password, { placeholder: noun(), toggleMask: chance(0.5) }),
    select,
    select,
    () => {
      const all = options();
      return e(P.MultiSelect, {
        options: all,
        value: all.slice(0, 2).map((each) => each.value),
        display: pick(['comma', 'chip']),
        placeholder: noun(),
      });
    },
    () => e(P.Calendar, { showIcon: chance(0.7), placeholder: noun() }),
    () => e(P.AutoComplete, { dropdown: chance(0.6), placeholder: noun(), suggestions: [] }),
    () => e(P.InputSwitch, { checked: chance(0.5), disabled: chance(0.1) }),
    () =>
      e(P.ToggleButton, { checked: chance(0.5), onLabel: label(), offLabel: label(), onIcon: icon(), offIcon: icon() }),
    () => e('div', { style: { padding: 8, minWidth: 140 } }, e(P.Slider, { value: int(5, 95) })),
    () => e(P.SelectButton, { options: nouns(2, 4), value: null }),
    () => e(P.Rating, { value: int(1, 5) }),
    () => e(P.Chips, { value: nouns(1, 3) }),
    () => e(P.ListBox || P.Listbox || 'i', { options: options(), style: { width: '100%' } }),
  ])();
const check = () => {
  const id = 'c' + T.random();
  return e(
    'span',
    { style: { display: 'inline-flex', gap: 8, alignItems: 'center' } },
    pick([
      () => e(P.Checkbox, { inputId: id, checked: chance(0.5), disabled: chance(0.08) }),
      () => e(P.RadioButton, { inputId: id, checked: chance(0.4), name: id }),
    ])(),
    e('label', { htmlFor: id }, noun()),
  );
};
const items = (depth) =>
  nouns(3, 6).map((each) => ({
    label: each,
    icon: chance(0.6) ? icon() : undefined,
    disabled: chance(0.05),
    items: depth < 1 && chance(0.25) ? items(depth + 1) : undefined,
  }));
const tree = (depth) =>
  nouns(2, 4).map((each, at) => ({
    key: depth + each + at,
    label: each,
    icon: icon(),
    expanded: true,
    children: depth < 2 && chance(0.5) ? tree(depth + 1) : undefined,
  }));
const parts = {
  buttons: () => row(times(3, 9, () => pick([button, button, iconButton])())),
  form: () =>
    e(
      'div',
      { style: { display: 'grid', gap: 12 } },
      ...times(2, 6, () => e('div', {}, e('label', { style: { display: 'block', marginBottom: 4 } }, noun()), field())),
      row([button(), button()]),
    ),
  fields: () => row(times(2, 5, field)),
  checks: () => row(times(2, 6, check)),
  settings: () =>
    e(
      'div',
      {},
      ...times(3, 6, () =>
        e(
          'div',
          {
            style: {
              display: 'flex',
              justifyContent: 'space-between',
              padding: '8px 0',
              borderBottom: '1px solid #8883',
            },
          },
          noun(),
          pick([() => e(P.InputSwitch, { checked: chance(0.5) }), button, iconButton, select])(),
        ),
      ),
    ),
  table: () => {
    const heads = nouns(3, 5);
    const rows = times(3, 9, (id) => ({ id, ...Object.fromEntries(heads.map((_, at) => ['c' + at, value()])) }));
    const kinds = times(1, 3, icon);
    return e(
      P.DataTable,
      {
        value: rows,
        dataKey: 'id',
        stripedRows: chance(0.4),
        showGridlines: chance(0.3),
        size: pick(['small', 'normal', 'large']),
        paginator: chance(0.5),
        rows: 6,
        rowsPerPageOptions: chance(0.4) ? [6, 12] : undefined,
        selection: [],
        selectionMode: 'checkbox',
      },
      chance(0.4) ? e(P.Column, { selectionMode: 'multiple', style: { width: 40 } }) : null,
      ...heads.map((each, at) => e(P.Column, { key: at, field: 'c' + at, header: each, sortable: chance(0.4) })),
      chance(0.5)
        ? e(P.Column, {
            header: '',
            body: () =>
              kinds.map((each) =>
                e(P.Button, { key: each, icon: each, text: true, rounded: true, 'aria-label': each }),
              ),
          })
        : null,
    );
  },
  tabs: () =>
    e(
      P.TabView,
      {},
      ...nouns(3, 5).map((each) =>
        e(P.TabPanel, { key: each, header: each, leftIcon: chance(0.3) ? icon() + ' mr-2' : undefined }, sentence()),
      ),
    ),
  tabMenu: () => e(P.TabMenu, { model: items(1) }),
  menubar: () => e(P.Menubar, { model: items(0), end: chance(0.5) ? e(P.InputText, { placeholder: label() }) : null }),
  menu: () => e(P.Menu, { model: items(1) }),
  panelMenu: () => e(P.PanelMenu, { model: items(0) }),
  crumbs: () =>
    e(P.BreadCrumb, {
      model: nouns(2, 4).map((each) => ({ label: each, url: '#' })),
      home: { icon: 'pi pi-home', url: '#' },
    }),
  steps: () =>
    e(P.Steps, { model: nouns(3, 4).map((each) => ({ label: each })), activeIndex: 1, readOnly: chance(0.5) }),
  card: () =>
    e(
      P.Card,
      {
        title: noun(),
        subTitle: chance(0.5) ? noun() : undefined,
        footer: row([button(), pick([button, iconButton])()]),
      },
      sentence(6, 22),
    ),
  panel: () => e(P.Panel, { header: noun(), toggleable: chance(0.6) }, sentence(6, 22)),
  accordion: () =>
    e(
      P.Accordion,
      { activeIndex: 0 },
      ...nouns(2, 4).map((each) => e(P.AccordionTab, { key: each, header: each }, sentence(5, 18))),
    ),
  toolbar: () =>
    e(P.Toolbar, {
      start: row([iconButton(), button()]),
      end: row([iconButton(), e(P.SplitButton, { label: label(), model: items(1) })]),
    }),
  split: () =>
    row([
      e(P.SplitButton, {
        label: label(),
        icon: icon(),
        model: items(1),
        severity: pick([null, 'secondary', 'success']),
      }),
    ]),
  tree: () => e(P.Tree, { value: tree(0), selectionMode: pick([null, 'checkbox']), expandedKeys: {} }),
  calendar: () => e(P.Calendar, { inline: true, value: new Date(2026, int(0, 11), 9) }),
  pages: () =>
    e(P.Paginator, {
      first: 0,
      rows: 10,
      totalRecords: int(30, 200),
      rowsPerPageOptions: chance(0.5) ? [10, 20] : undefined,
    }),
  message: () => e(P.Message, { severity: pick(['info', 'success', 'warn', 'error']), text: sentence() }),
  chips: () =>
    row(
      nouns(3, 7).map((each) =>
        pick([
          () => e(P.Chip, { key: each, label: each, removable: chance(0.4), icon: chance(0.3) ? icon() : undefined }),
          () => e(P.Tag, { key: each, value: each, severity: pick(['success', 'info', 'danger']) }),
          () => e(P.Badge, { key: each, value: int(1, 99) }),
        ])(),
      ),
    ),
  progress: () =>
    e(
      'div',
      {},
      e(P.ProgressBar, { value: int(5, 95) }),
      e('br'),
      e(P.Skeleton, { height: '2rem', animation: 'none' }),
    ),
  timeline: () => e(P.Timeline, { value: nouns(3, 5), content: (each) => each }),
  order: () => e(P.PickList, { source: nouns(2, 4), target: nouns(2, 3), itemTemplate: (each) => each, dataKey: 'x' }),
  avatars: () => row(times(2, 5, () => e(P.Avatar, { icon: icon(), shape: pick(['circle', 'square']) }))),
};
const dark = /dark|arya|vela|luna/.test(DATA.styles[0]);
const over = chance(0.12)
  ? e(
      P.Dialog,
      { visible: true, header: noun(), style: { width: 420 }, footer: row([button(), button()]), onHide: () => {} },
      sentence(),
      e('p', {}, field()),
    )
  : null;
T.show(parts, (make, place) => ReactDOM.createRoot(place).render(make()), { settle: 700 });
if (over) ReactDOM.createRoot(document.body.appendChild(T.h('div'))).render(over);
document.body.style.background = dark ? 'var(--surface-ground,#17212f)' : 'var(--surface-ground,#fff)';
document.body.style.color = 'var(--text-color)';
