const e = React.createElement;
const R = rsuite;
const { int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const PATHS = [
  'M2 8h12M8 2v12',
  'M3 8l4 4 6-8',
  'M3 3l10 10M13 3L3 13',
  'M2 4h12M2 8h12M2 12h12',
  'M8 2v9M4 8l4 4 4-4M2 14h12',
  'M8 14V5M4 8l4-4 4 4',
  'M2 7l6-5 6 5v7H2z',
  'M7 2a5 5 0 1 0 .1 0M11 11l4 4',
  'M3 14l1-4 8-8 3 3-8 8z',
  'M5 2l7 6-7 6z',
];
const icon = () =>
  e(
    'svg',
    {
      width: '1em',
      height: '1em',
      viewBox: '0 0 16 16',
      fill: 'none',
      stroke: 'currentColor',
      strokeWidth: pick([1.2, 1.6, 2]),
      className: 'rs-icon',
      'aria-hidden': true,
    },
    e('path', { d: pick(PATHS) }),
  );
const row = (children) => e(R.Stack, { wrap: true, spacing: pick([6, 10, 14]) }, ...children);
const size = pick(['xs', 'sm', 'md', 'md', 'lg']);
const button = () =>
  e(
    R.Button,
    {
      size,
      appearance: pick(['default', 'default', 'primary', 'link', 'subtle', 'ghost']),
      color: pick([undefined, undefined, 'red', 'green', 'cyan', 'violet']),
      disabled: chance(0.08),
      startIcon: chance(0.3) ? icon() : undefined,
      active: chance(0.05),
      loading: chance(0.03),
    },
    label(),
  );
const iconButton = () =>
  e(R.IconButton, {
    size,
    icon: icon(),
    circle: chance(0.4),
    appearance: pick(['default', 'primary', 'subtle', 'ghost']),
    'aria-label': label(),
  });
const data = () => nouns(3, 8).map((each) => ({ label: each, value: each }));
const select = () => {
  const all = data();
  return e(R.SelectPicker, {
    data: all,
    defaultValue: chance(0.6) ? all[0].value : undefined,
    size,
    placeholder: noun(),
    searchable: chance(0.5),
    style: { minWidth: 160 },
  });
};
const field = () =>
  pick([
    () => e(R.Input, { placeholder: noun(), size, defaultValue: chance(0.5) ? value() : '', disabled: chance(0.08) }),
    () =>
      e(
        R.InputGroup,
        { inside: chance(0.6), size },
        e(R.Input, { placeholder: noun() }),
        chance(0.6) ? e(R.InputGroup.Button, { 'aria-label': label() }, icon()) : e(R.InputGroup.Addon, {}, '@'),
      ),
    () => e(R.Input, { as: 'textarea', rows: int(2, 4), placeholder: noun() }),
    () => e(R.InputNumber, { defaultValue: int(0, 99), size }),
    select,
    select,
    () => e(R.CheckPicker, { data: data(), placeholder: noun(), size }),
    () => e(R.TagPicker, { data: data(), placeholder: noun(), style: { width: 220 } }),
    () => e(R.DatePicker, { placeholder: noun(), size }),
    () => e(R.DateRangePicker, { placeholder: noun(), size }),
    () => e(R.Toggle, { defaultChecked: chance(0.5), size: pick(['sm', 'md', 'lg']), disabled: chance(0.08) }),
    () => e(R.Slider, { defaultValue: int(5, 95), progress: chance(0.7) }),
    () => e(R.RangeSlider, { defaultValue: [int(5, 40), int(50, 95)] }),
    () =>
      e(
        R.CheckboxGroup,
        { inline: chance(0.5), name: 'c' + T.random(), defaultValue: [] },
        ...nouns(2, 4).map((each) => e(R.Checkbox, { key: each, value: each, disabled: chance(0.08) }, each)),
      ),
    () => {
      const list = nouns(2, 4);
      return e(
        R.RadioGroup,
        {
          inline: chance(0.5),
          name: 'r' + T.random(),
          defaultValue: list[0],
          appearance: pick(['default', 'default', 'picker']),
        },
        ...list.map((each) => e(R.Radio, { key: each, value: each }, each)),
      );
    },
    () => e(R.Rate, { defaultValue: int(1, 5), size: 'sm' }),
    () => e(R.AutoComplete, { data: data(), placeholder: noun() }),
    () => e(R.TreePicker, { data: data(), placeholder: noun(), size }),
  ])();
const tree = (depth) =>
  nouns(2, 4).map((each, at) => ({
    label: each,
    value: depth + each + at,
    children: depth < 2 && chance(0.5) ? tree(depth + 1) : undefined,
  }));
const parts = {
  buttons: () => row(times(3, 9, () => pick([button, button, iconButton])())),
  group: () => e(R.ButtonGroup, { size }, ...times(2, 5, button)),
  form: () =>
    e(
      R.Form,
      { layout: pick(['vertical', 'vertical', 'horizontal']), fluid: chance(0.5) },
      ...times(2, 6, (at) => e(R.Form.Group, { key: at }, e(R.Form.ControlLabel, {}, noun()), field())),
      row([button(), button()]),
    ),
  fields: () => e('div', { style: { display: 'grid', gap: 12 } }, ...times(2, 5, field)),
  settings: () =>
    e(
      R.List,
      { bordered: chance(0.6) },
      ...times(3, 6, (at) =>
        e(
          R.List.Item,
          { key: at },
          e(
            'div',
            { style: { display: 'flex', justifyContent: 'space-between' } },
            noun(),
            pick([() => e(R.Toggle, { defaultChecked: chance(0.5) }), button, iconButton, select])(),
          ),
        ),
      ),
    ),
  nav: () =>
    e(
      R.Nav,
      { appearance: pick(['default', 'tabs', 'subtle', 'pills']), vertical: chance(0.2), defaultActiveKey: 0 },
      ...nouns(3, 5).map((each, at) =>
        e(R.Nav.Item, { key: each, eventKey: at, icon: chance(0.3) ? icon() : undefined }, each),
      ),
    ),
  tabs: () =>
    e(
      R.Tabs || R.Nav,
      { defaultActiveKey: '0', appearance: pick(['tabs', 'subtle', 'pills']) },
      ...nouns(3, 5).map((each, at) =>
        e((R.Tabs || {}).Tab || R.Nav.Item, { key: each, eventKey: String(at), title: each }, sentence()),
      ),
    ),
  navbar: () =>
    e(
      R.Navbar,
      { appearance: pick(['default', 'subtle', 'inverse']) },
      e(R.Navbar.Brand, { href: '#' }, noun()),
      e(
        R.Nav,
        {},
        ...nouns(2, 4).map((each) => e(R.Nav.Item, { key: each, href: '#' + each }, each)),
        e(R.Nav.Menu, { title: noun() }, e(R.Nav.Item, {}, noun())),
      ),
      e(R.Nav, { pullRight: true }, e(R.Nav.Item, { icon: icon() }, label())),
    ),
  sidenav: () =>
    e(
      R.Sidenav,
      { defaultOpenKeys: ['m'], appearance: pick(['default', 'subtle', 'inverse']) },
      e(
        R.Sidenav.Body,
        {},
        e(
          R.Nav,
          { activeKey: '0' },
          ...nouns(3, 5).map((each, at) => e(R.Nav.Item, { key: each, eventKey: String(at), icon: icon() }, each)),
          e(
            R.Nav.Menu,
            { eventKey: 'm', title: noun(), icon: icon() },
            ...nouns(2, 3).map((each) => e(R.Nav.Item, { key: each }, each)),
          ),
        ),
      ),
    ),
  dropdown: () =>
    row([
      e(
        R.Dropdown,
        { title: label(), size, appearance: pick(['default', 'primary', 'subtle']) },
        ...nouns(3, 7).map((each) => e(R.Dropdown.Item, { key: each, icon: chance(0.3) ? icon() : undefined }, each)),
      ),
    ]),
  pages: () =>
    e(R.Pagination, {
      prev: true,
      next: true,
      first: chance(0.5),
      last: chance(0.5),
      ellipsis: true,
      boundaryLinks: true,
      maxButtons: 5,
      total: int(50, 300),
      limit: 10,
      activePage: 1,
      size,
      layout: pick([['pager'], ['total', '-', 'limit', '|', 'pager', 'skip']]),
    }),
  crumbs: () =>
    e(
      R.Breadcrumb,
      {},
      ...nouns(2, 4).map((each) => e(R.Breadcrumb.Item, { key: each, href: '#' + each }, each)),
      e(R.Breadcrumb.Item, { active: true }, noun()),
    ),
  steps: () =>
    e(
      R.Steps,
      { current: 1, small: chance(0.4) },
      ...nouns(3, 4).map((each) => e(R.Steps.Item, { key: each, title: each })),
    ),
  panel: () =>
    e(
      R.Panel,
      { header: noun(), bordered: chance(0.7), shaded: chance(0.4), collapsible: chance(0.3), defaultExpanded: true },
      e('p', {}, sentence(6, 22)),
      row(times(0, 3, () => pick([button, iconButton, field])())),
    ),
  panels: () =>
    e(
      R.PanelGroup,
      { accordion: true, bordered: chance(0.7), defaultActiveKey: 0 },
      ...nouns(2, 4).map((each, at) => e(R.Panel, { key: at, eventKey: at, header: each }, sentence(5, 18))),
    ),
  message: () =>
    e(
      R.Message,
      {
        type: pick(['info', 'success', 'warning', 'error']),
        showIcon: chance(0.6),
        closable: chance(0.5),
        header: chance(0.4) ? noun() : undefined,
      },
      sentence(),
    ),
  tags: () =>
    e(
      R.TagGroup,
      {},
      ...nouns(3, 8).map((each) =>
        e(R.Tag, { key: each, closable: chance(0.4), color: pick([undefined, 'red', 'green', 'blue']) }, each),
      ),
    ),
  tree: () => e(pick([R.Tree, R.CheckTree]), { data: tree(0), defaultExpandAll: true, showIndentLine: chance(0.4) }),
  calendar: () => e(R.Calendar, { compact: true, defaultValue: new Date(2026, int(0, 11), 9) }),
  table: () => {
    const heads = nouns(3, 5);
    const rows = times(3, 9, (id) => ({ id, ...Object.fromEntries(heads.map((_, at) => ['c' + at, value()])) }));
    const kind = int(0, 2);
    return e(
      R.Table,
      { data: rows, autoHeight: true, bordered: chance(0.4), cellBordered: chance(0.3), rowHeight: pick([40, 46]) },
      ...heads.map((each, at) =>
        e(
          R.Table.Column,
          { key: at, flexGrow: 1, sortable: chance(0.3) },
          e(R.Table.HeaderCell, {}, each),
          e(R.Table.Cell, { dataKey: 'c' + at }),
        ),
      ),
      e(
        R.Table.Column,
        { width: 120 },
        e(R.Table.HeaderCell, {}, ''),
        e(R.Table.Cell, { style: { padding: 6 } }, () =>
          kind
            ? e(
                'span',
                {},
                e(R.IconButton, { size: 'xs', icon: icon(), 'aria-label': 'edit' }),
                e(R.IconButton, { size: 'xs', icon: icon(), 'aria-label': 'delete' }),
              )
            : e(R.Button, { size: 'xs', appearance: 'link' }, DATA.labels[2]),
        ),
      ),
    );
  },
  progress: () => e('div', {}, e(R.Progress.Line, { percent: int(5, 95) }), e(R.Placeholder.Paragraph, { rows: 2 })),
  people: () => row(times(2, 5, () => e(R.Avatar, { circle: chance(0.5) }, T.name().slice(0, 1)))),
  timeline: () => e(R.Timeline, {}, ...times(2, 4, (at) => e(R.Timeline.Item, { key: at }, sentence()))),
  uploader: () => e(R.Uploader, { action: '', draggable: chance(0.4) }, e(R.Button, {}, label())),
};
const theme = DATA.dark ? pick(['dark', 'dark', 'high-contrast']) : 'light';
const wrap = (child) => e(R.CustomProvider, { theme, rtl: DATA.rtl }, child);
if (chance(0.12))
  ReactDOM.createRoot(document.body.appendChild(T.h('div'))).render(
    wrap(
      e(
        pick([R.Modal, R.Drawer]),
        { open: true, size: 'xs' },
        e(R.Modal.Header, {}, e(R.Modal.Title, {}, noun())),
        e(R.Modal.Body, {}, sentence(), field()),
        e(R.Modal.Footer, {}, row([button(), button()])),
      ),
    ),
  );
T.show(parts, (make, place) => ReactDOM.createRoot(place).render(wrap(make())), { settle: 700 });
