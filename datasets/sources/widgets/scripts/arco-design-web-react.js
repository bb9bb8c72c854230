const { int, chance, label, noun, sentence, value, nouns } = T;
const e = React.createElement;
const A = arco;
const stack = (...children) => e(A.Space, { direction: 'vertical', style: { width: '100%' } }, ...children);
const row = (...children) => e(A.Space, { wrap: true }, ...children);
const parts = {
  buttons: () =>
    row(
      e(A.Button, { type: 'primary' }, label()),
      e(A.Button, { icon: e(arcoicon.IconDelete), 'aria-label': label() }),
      e(A.Button, { type: 'outline' }, label()),
      e(A.Button, { disabled: true }, label()),
    ),
  fields: () =>
    stack(
      e(A.Input, { defaultValue: value(), allowClear: true }),
      e(A.Input.Password, { defaultValue: 'secret' }),
      e(A.Input.Search, { placeholder: noun(), searchButton: true }),
      e(A.Input.TextArea, { defaultValue: sentence() }),
      e(A.InputNumber, { defaultValue: int(0, 99) }),
      e(A.Select, { options: nouns(3, 7), placeholder: noun(), allowClear: true }),
      e(A.Select, { options: nouns(3, 7), placeholder: noun(), mode: 'multiple' }),
      e(A.Cascader, { options: nouns(3, 4).map((each) => ({ label: each, value: each })), placeholder: noun() }),
    ),
  choices: () =>
    stack(
      e(A.Checkbox, { defaultChecked: chance(0.5) }, noun()),
      e(A.Switch, { defaultChecked: chance(0.5) }),
      e(A.Radio.Group, { options: nouns(2, 4), defaultValue: 0 }),
      e(A.Radio.Group, { options: nouns(2, 4), type: 'button' }),
      e(A.Rate, { defaultValue: int(1, 5) }),
    ),
  slider: () => e(A.Slider, { defaultValue: int(5, 95) }),
  date: () => stack(e(A.DatePicker, { defaultValue: '2026-05-09' }), e(A.DatePicker.RangePicker), e(A.TimePicker)),
  menu: () => {
    const droplist = e(
      A.Menu,
      {},
      nouns(3, 5).map((each) => e(A.Menu.Item, { key: each }, each)),
    );
    return e(A.Dropdown, { droplist, trigger: 'click' }, e(A.Button, { className: 'opens' }, label()));
  },
  tabs: () =>
    e(
      A.Tabs,
      {},
      nouns(3, 4).map((title) => e(A.Tabs.TabPane, { key: title, title }, title)),
    ),
  tree: () => {
    const children = nouns(3, 4).map((title) => ({ key: '0-' + title, title }));
    return e(A.Tree, { treeData: [{ key: '0', title: noun(), children }], checkable: true });
  },
  table: () =>
    e(A.Table, {
      columns: nouns(3, 4).map((title, at) => ({
        title,
        dataIndex: 'c' + at,
        width: 120,
        sorter: () => 0,
        fixed: at ? undefined : 'left',
      })),
      data: T.times(5, 8, (key) => ({ key, c0: value(), c1: value(), c2: value(), c3: value() })),
      rowSelection: { type: 'checkbox' },
      scroll: { x: 700 },
      pagination: { pageSize: 5 },
    }),
  panels: () =>
    e(
      A.Collapse,
      {},
      nouns(2, 4).map((each) => e(A.Collapse.Item, { key: each, name: each, header: each }, sentence())),
    ),
};
if (DATA.dark) document.body.setAttribute('arco-theme', 'dark');
const mount = (make, place) => ReactDOM.createRoot(place).render(e(A.ConfigProvider, { rtl: DATA.rtl }, make()));
T.show(parts, mount, { settle: 700, least: 0, most: 3, must: Object.keys(parts).length });
