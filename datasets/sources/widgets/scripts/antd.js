const e = React.createElement;
const { int, pick, chance, some, times, label, noun, name, sentence, value, nouns } = T;
const A = antd;
const ICONS = Object.keys(icons).filter((each) => /Outlined$|Filled$|TwoTone$/.test(each));
const icon = () => e(icons[pick(ICONS)]);
const size = pick(['small', 'middle', 'middle', 'large']);
const row = (...children) => e(A.Space, { wrap: true, size: pick([4, 8, 12, 16]) }, ...children.flat());
const field = () =>
  pick([
    () =>
      e(A.Input, {
        placeholder: chance(0.6) ? noun() : undefined,
        defaultValue: chance(0.4) ? value() : undefined,
        prefix: chance(0.3) ? icon() : undefined,
        suffix: chance(0.15) ? icon() : undefined,
        allowClear: chance(0.3),
        disabled: chance(0.08),
        variant: pick(['outlined', 'outlined', 'filled', 'borderless', 'underlined']),
      }),
    () => e(A.Input.Password, { defaultValue: 'secret' }),
    () =>
      e(A.Input.Search, { placeholder: label(), enterButton: pick([true, false, label()]), style: { maxWidth: 320 } }),
    () => e(A.Input.TextArea, { rows: int(2, 4), defaultValue: chance(0.5) ? sentence() : '', showCount: chance(0.3) }),
    () => e(A.InputNumber, { defaultValue: int(0, 999), addonAfter: chance(0.2) ? '€' : undefined }),
    () => select(),
    () => e(A.DatePicker, { placeholder: noun() }),
    () => e(A.DatePicker.RangePicker, {}),
    () => e(A.TimePicker, {}),
    () => e(A.Cascader, { options: nouns(2, 4).map((each) => ({ value: each, label: each })), placeholder: noun() }),
    () =>
      e(A.Switch, {
        defaultChecked: chance(0.5),
        checkedChildren: chance(0.2) ? '1' : undefined,
        disabled: chance(0.1),
        size: pick(['small', 'default']),
      }),
    () => e(A.Slider, { defaultValue: int(5, 95), style: { minWidth: 120 } }),
    () => e(A.Slider, { range: true, defaultValue: [int(5, 40), int(50, 95)], style: { minWidth: 120 } }),
    () => e(A.Checkbox.Group, { options: nouns(2, 4), defaultValue: [] }),
    () =>
      e(A.Radio.Group, {
        options: nouns(2, 4),
        defaultValue: 0,
        optionType: pick(['default', 'default', 'button']),
        buttonStyle: pick(['outline', 'solid']),
      }),
    () => e(A.Rate, { defaultValue: int(1, 5) }),
    () => e(A.Upload, {}, e(A.Button, { icon: icon() }, label())),
    () => e(A.ColorPicker, { defaultValue: '#1677ff', showText: chance(0.5) }),
  ])();
const select = () => {
  const options = nouns(3, 8).map((each) => ({ value: each, label: each }));
  const many = chance(0.25);
  return e(A.Select, {
    options,
    mode: many ? 'multiple' : undefined,
    allowClear: chance(0.3),
    showSearch: chance(0.3),
    placeholder: noun(),
    defaultValue: many ? options.slice(0, 2).map((each) => each.value) : chance(0.6) ? options[0].value : undefined,
    style: { minWidth: int(120, 220) },
    status: pick(['', '', '', 'error']),
  });
};
const button = () =>
  e(
    A.Button,
    {
      type: pick(['primary', 'default', 'default', 'dashed', 'text', 'link']),
      danger: chance(0.12),
      ghost: chance(0.05),
      disabled: chance(0.1),
      icon: chance(0.35) ? icon() : undefined,
      shape: pick(['default', 'default', 'default', 'round']),
      loading: chance(0.04),
    },
    label(),
  );
const iconButton = () =>
  e(A.Button, {
    icon: icon(),
    type: pick(['text', 'default', 'primary', 'link']),
    shape: pick(['default', 'circle']),
    'aria-label': label(),
  });
const menuItems = (depth) =>
  nouns(3, 7).map((each, at) => ({
    key: each + at + depth,
    label: each,
    icon: chance(0.6) ? icon() : undefined,
    danger: chance(0.05),
    disabled: chance(0.05),
    children: depth < 1 && chance(0.2) ? menuItems(depth + 1) : undefined,
  }));
const tree = (depth) =>
  nouns(2, 4).map((each, at) => ({
    key: `${depth}${each}${at}`,
    title: each,
    icon: icon(),
    children: depth < 2 && chance(0.5) ? tree(depth + 1) : undefined,
  }));
const control = () => pick([button, button, iconButton, field])();
const parts = {
  buttons: () => row(times(3, 9, () => pick([button, button, iconButton])())),
  form: () => {
    const layout = pick(['vertical', 'vertical', 'horizontal', 'inline']);
    return e(
      A.Form,
      { layout, labelCol: layout === 'horizontal' ? { span: 8 } : undefined },
      times(2, 6, (at) =>
        e(
          A.Form.Item,
          { key: at, label: noun(), required: chance(0.2), help: chance(0.12) ? sentence() : undefined },
          field(),
        ),
      ),
      row(button(), button()),
    );
  },
  checks: () =>
    e(
      A.Space,
      { direction: pick(['vertical', 'horizontal']), wrap: true },
      times(2, 6, () =>
        pick([
          () =>
            e(A.Checkbox, { defaultChecked: chance(0.5), disabled: chance(0.1), indeterminate: chance(0.1) }, noun()),
          () => e(A.Radio, { defaultChecked: chance(0.4), disabled: chance(0.1) }, noun()),
        ])(),
      ),
    ),
  switches: () =>
    e(A.List, {
      bordered: chance(0.6),
      dataSource: nouns(3, 6),
      renderItem: (each) =>
        e(
          A.List.Item,
          { extra: pick([() => e(A.Switch, { defaultChecked: chance(0.5) }), iconButton, button, select])() },
          e(A.List.Item.Meta, {
            title: each,
            description: chance(0.5) ? sentence() : undefined,
            avatar: chance(0.4) ? e(A.Avatar, { icon: icon() }) : undefined,
          }),
        ),
    }),
  table: () => {
    const columns = nouns(3, 6).map((title, at) => ({
      title,
      dataIndex: 'c' + at,
      key: at,
      sorter: chance(0.3) ? (a, b) => 0 : undefined,
      filters: chance(0.15) ? [{ text: 'a', value: 'a' }] : undefined,
      render:
        at === 0 && chance(0.4)
          ? (text) => e('a', { href: '#x' }, text)
          : chance(0.12)
            ? (text) => e(A.Tag, { color: pick(['green', 'red', 'blue', 'default']) }, text)
            : undefined,
    }));
    if (chance(0.5))
      columns.push({
        title: '',
        key: 'act',
        render: pick([
          () =>
            row(
              e(A.Button, { size: 'small', icon: e(icons.EditOutlined), 'aria-label': 'edit' }),
              e(A.Button, { size: 'small', danger: true, icon: e(icons.DeleteOutlined), 'aria-label': 'delete' }),
            ),
          () => row(e('a', { href: '#1' }, DATA.labels[2]), e('a', { href: '#2' }, DATA.labels[3])),
          () => e(A.Button, { type: 'text', icon: e(icons.MoreOutlined), 'aria-label': 'more' }),
        ]),
      });
    const data = times(3, 10, (key) =>
      Object.fromEntries([['key', key], ...columns.map((each) => [each.dataIndex, value()])]),
    );
    return e(A.Table, {
      columns,
      dataSource: data,
      size: pick(['small', 'middle', 'large']),
      bordered: chance(0.3),
      rowSelection: chance(0.4) ? { type: pick(['checkbox', 'radio']) } : undefined,
      pagination: chance(0.6) ? { total: 85, showSizeChanger: chance(0.4) } : false,
      scroll: { x: 'max-content' },
    });
  },
  tabs: () =>
    e(A.Tabs, {
      type: pick(['line', 'line', 'card', 'editable-card']),
      centered: chance(0.2),
      tabPosition: pick(['top', 'top', 'top', 'left']),
      size,
      items: nouns(3, 6).map((each, at) => ({
        key: at,
        label: each,
        icon: chance(0.3) ? icon() : undefined,
        children: sentence(),
      })),
    }),
  menu: () =>
    e(A.Menu, {
      mode: pick(['inline', 'inline', 'vertical', 'horizontal']),
      theme: pick(['light', 'light', 'dark']),
      items: menuItems(0),
      defaultSelectedKeys: [],
      defaultOpenKeys: [],
    }),
  pages: () =>
    e(A.Pagination, {
      total: int(20, 300),
      defaultCurrent: 1,
      simple: chance(0.15),
      size: pick(['default', 'small']),
      showQuickJumper: chance(0.3),
      showSizeChanger: chance(0.3),
    }),
  steps: () =>
    e(A.Steps, {
      current: 1,
      size: pick(['default', 'small']),
      direction: pick(['horizontal', 'vertical']),
      items: nouns(3, 4).map((title) => ({ title, description: chance(0.5) ? sentence(2, 4) : undefined })),
    }),
  crumbs: () =>
    e(A.Breadcrumb, {
      items: nouns(2, 5).map((title, at, all) => (at < all.length - 1 ? { title, href: '#' + at } : { title })),
    }),
  card: () =>
    e(
      A.Card,
      {
        title: chance(0.8) ? noun() : undefined,
        extra: chance(0.5) ? e('a', { href: '#more' }, label()) : undefined,
        actions: chance(0.4) ? [iconButton(), iconButton()] : undefined,
        size: pick(['small', 'default']),
        bordered: chance(0.8),
      },
      e(A.Typography.Paragraph, {}, sentence(5, 30)),
      row(times(0, 3, control)),
    ),
  collapse: () =>
    e(A.Collapse, {
      defaultActiveKey: [0],
      ghost: chance(0.3),
      items: nouns(2, 5).map((each, at) => ({ key: at, label: each, children: sentence(6, 20) })),
    }),
  alert: () =>
    e(A.Alert, {
      message: sentence(),
      type: pick(['success', 'info', 'warning', 'error']),
      showIcon: chance(0.7),
      closable: chance(0.5),
      action: chance(0.3) ? e(A.Button, { size: 'small' }, label()) : undefined,
      description: chance(0.3) ? sentence() : undefined,
    }),
  dropdown: () =>
    row(
      e(A.Dropdown.Button, { menu: { items: menuItems(1) } }, label()),
      e(
        A.Dropdown,
        { menu: { items: menuItems(1) }, trigger: ['click'] },
        e(A.Button, {}, label(), e(icons.DownOutlined)),
      ),
    ),
  tree: () =>
    e(A.Tree, {
      treeData: tree(0),
      defaultExpandAll: chance(0.6),
      checkable: chance(0.4),
      showIcon: chance(0.5),
      showLine: chance(0.3),
    }),
  calendar: () => e(A.Calendar, { fullscreen: false }),
  segmented: () => e(A.Segmented, { options: nouns(2, 5), block: chance(0.3) }),
  tags: () =>
    row(
      nouns(3, 8).map((each) =>
        e(A.Tag, { key: each, closable: chance(0.3), color: pick([undefined, 'blue', 'green', 'gold']) }, each),
      ),
    ),
  stats: () =>
    row(
      times(2, 4, () =>
        e(
          A.Card,
          { size: 'small' },
          e(A.Statistic, { title: noun(), value: int(10, 99999), prefix: chance(0.4) ? icon() : undefined }),
        ),
      ),
    ),
  details: () =>
    e(A.Descriptions, {
      bordered: chance(0.5),
      title: noun(),
      size: 'small',
      column: 2,
      items: nouns(3, 6).map((each) => ({ key: each, label: each, children: value() })),
    }),
  bar: () =>
    row(
      e('b', {}, noun()),
      nouns(2, 4).map((each) => e('a', { href: '#' + each, key: each }, each)),
      e(A.Input.Search, { placeholder: label(), style: { width: 200 } }),
      iconButton(),
      e(A.Badge, { count: int(1, 30) }, iconButton()),
      e(A.Avatar, {}, 'A'),
    ),
  progress: () =>
    e(
      A.Space,
      { direction: 'vertical', style: { width: '100%' } },
      e(A.Progress, { percent: int(5, 95) }),
      e(A.Progress, { percent: int(5, 95), status: 'exception' }),
      e(A.Skeleton, {}),
    ),
  timeline: () => e(A.Timeline, { items: times(3, 5, () => ({ children: sentence() })) }),
  empty: () =>
    e(A.Result, {
      status: pick(['success', 'info', 'warning', '404']),
      title: noun(),
      subTitle: sentence(),
      extra: [e(A.Button, { key: 1, type: 'primary' }, label())],
    }),
  transfer: () =>
    e(A.Transfer, {
      dataSource: nouns(4, 8).map((title) => ({ key: title, title })),
      render: (each) => each.title,
      showSearch: chance(0.4),
    }),
};
const theme = {
  algorithm: [
    DATA.dark ? A.theme.darkAlgorithm : A.theme.defaultAlgorithm,
    ...(chance(0.3) ? [A.theme.compactAlgorithm] : []),
  ],
  token: {
    colorPrimary: chance(0.5)
      ? '#1677ff'
      : `#${int(0x10, 0xd0).toString(16)}${int(0x10, 0xa0).toString(16)}${int(0x40, 0xd0).toString(16)}`,
    borderRadius: pick([0, 2, 4, 6, 6, 10, 16]),
    fontSize: pick([12, 14, 14, 14, 16]),
  },
};
const config = (children) =>
  e(A.ConfigProvider, { theme, direction: DATA.rtl ? 'rtl' : 'ltr', componentSize: size }, children);
const over = chance(0.12)
  ? config(
      e(
        pick([A.Modal, A.Drawer]),
        { open: true, title: noun(), okText: label(), cancelText: label() },
        e(
          A.Form,
          { layout: 'vertical' },
          times(1, 4, (at) => e(A.Form.Item, { key: at, label: noun() }, field())),
        ),
      ),
    )
  : null;
if (over) ReactDOM.createRoot(document.body.appendChild(T.h('div'))).render(over);
if (chance(0.1)) antd.notification.open({ message: noun(), description: sentence(), duration: 0 });
T.show(parts, (part, place) => ReactDOM.createRoot(place).render(config(part())), { settle: 700 });
