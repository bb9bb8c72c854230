const { int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const EP = ElementPlus;
const v = Vue.h;
const NAMES = Object.keys(ElementPlusIconsVue);
const anyIcon = () => ElementPlusIconsVue[pick(NAMES)];
const icon = () => v(EP.ElIcon, null, () => v(anyIcon()));
const row = (children) => v('div', { style: 'display:flex;flex-wrap:wrap;gap:10px;align-items:center' }, children);
const model = (start) => {
  const at = Vue.ref(start);
  return {
    get modelValue() {
      return at.value;
    },
    'onUpdate:modelValue': (next) => (at.value = next),
  };
};
const button = () =>
  v(
    EP.ElButton,
    {
      type: pick(['primary', 'success', 'info', 'warning', 'danger', '', '', '']),
      plain: chance(0.25),
      round: chance(0.2),
      text: chance(0.12),
      link: chance(0.08),
      disabled: chance(0.08),
      icon: chance(0.35) ? anyIcon() : undefined,
    },
    () => label(),
  );
const iconButton = () =>
  v(EP.ElButton, {
    icon: anyIcon(),
    circle: chance(0.6),
    text: chance(0.3),
    type: pick(['primary', '', 'danger', '']),
    'aria-label': label(),
  });
const options = (list) => list.map((each) => v(EP.ElOption, { key: each, label: each, value: each }));
const select = () => {
  const list = nouns(3, 8);
  const many = chance(0.2);
  return v(
    EP.ElSelect,
    {
      modelValue: many ? list.slice(0, 2) : chance(0.6) ? list[0] : '',
      multiple: many,
      filterable: chance(0.3),
      clearable: chance(0.3),
      placeholder: noun(),
      style: `width:${int(140, 240)}px`,
    },
    () => options(list),
  );
};
const field = () =>
  pick([
    () =>
      v(EP.ElInput, {
        modelValue: chance(0.5) ? value() : '',
        placeholder: noun(),
        clearable: chance(0.3),
        disabled: chance(0.08),
        prefixIcon: chance(0.3) ? anyIcon() : undefined,
        suffixIcon: chance(0.2) ? anyIcon() : undefined,
      }),
    () => v(EP.ElInput, { modelValue: '', type: 'textarea', placeholder: noun(), rows: int(2, 4) }),
    () =>
      v(
        EP.ElInput,
        { modelValue: '', placeholder: label() },
        { append: () => v(EP.ElButton, { icon: anyIcon(), 'aria-label': label() }) },
      ),
    () => v(EP.ElInputNumber, { modelValue: int(0, 90), controlsPosition: pick(['', 'right']) }),
    select,
    select,
    () =>
      v(EP.ElDatePicker, {
        modelValue: '',
        type: pick(['date', 'date', 'daterange', 'month']),
        placeholder: noun(),
        startPlaceholder: noun(),
        endPlaceholder: noun(),
      }),
    () => v(EP.ElTimePicker, { modelValue: '', placeholder: noun() }),
    () => v(EP.ElSwitch, { modelValue: chance(0.5), disabled: chance(0.1) }),
    () => v(EP.ElSlider, { modelValue: int(5, 95), style: 'min-width:140px' }),
    () => v(EP.ElRate, { modelValue: int(1, 5) }),
    () =>
      v(EP.ElCascader, {
        modelValue: [],
        placeholder: noun(),
        options: nouns(2, 4).map((each) => ({ value: each, label: each })),
      }),
    () =>
      v(EP.ElCheckboxGroup, { modelValue: [] }, () =>
        nouns(2, 4).map((each) =>
          v(pick([EP.ElCheckbox, EP.ElCheckbox, EP.ElCheckboxButton]), { key: each, label: each, value: each }),
        ),
      ),
    () => {
      const list = nouns(2, 4);
      const of = pick([EP.ElRadio, EP.ElRadio, EP.ElRadioButton]);
      return v(EP.ElRadioGroup, { modelValue: list[0] }, () =>
        list.map((each) => v(of, { key: each, value: each, label: each }, () => each)),
      );
    },
    () => v(EP.ElColorPicker, { modelValue: '#409EFF' }),
  ])();
const tree = (depth) =>
  nouns(2, 4).map((each) => ({ label: each, children: depth < 2 && chance(0.5) ? tree(depth + 1) : undefined }));
const parts = {
  buttons: () => row(times(3, 9, () => pick([button, button, iconButton])())),
  group: () =>
    v(EP.ElButtonGroup, null, () =>
      times(2, 5, () =>
        pick([
          () => v(EP.ElButton, { type: 'primary', icon: anyIcon(), 'aria-label': label() }),
          () => v(EP.ElButton, null, () => label()),
        ])(),
      ),
    ),
  form: () =>
    v(
      EP.ElForm,
      { labelPosition: pick(['top', 'left', 'right']), labelWidth: pick(['auto', '90px']), inline: chance(0.15) },
      () => [
        ...times(2, 6, (at) => v(EP.ElFormItem, { key: at, label: noun(), required: chance(0.2) }, () => field())),
        row([button(), button()]),
      ],
    ),
  checks: () =>
    row(
      times(2, 5, () =>
        v(EP.ElCheckbox, {
          modelValue: chance(0.5),
          label: noun(),
          disabled: chance(0.1),
          border: chance(0.15),
          indeterminate: chance(0.1),
        }),
      ),
    ),
  switches: () =>
    v(
      'div',
      null,
      times(3, 6, () =>
        v('div', { style: 'display:flex;justify-content:space-between;padding:8px 0;border-bottom:1px solid #8883' }, [
          v('span', noun()),
          pick([() => v(EP.ElSwitch, { modelValue: chance(0.5) }), select, button, iconButton])(),
        ]),
      ),
    ),
  table: () => {
    const list = nouns(3, 5);
    const data = times(3, 9, () => Object.fromEntries(list.map((_, at) => ['c' + at, value()])));
    const acts = () =>
      pick([
        () => [
          v(EP.ElButton, { link: true, type: 'primary' }, () => DATA.labels[2]),
          v(EP.ElButton, { link: true, type: 'danger' }, () => DATA.labels[3]),
        ],
        () => [
          v(EP.ElButton, { size: 'small', icon: ElementPlusIconsVue.Edit, 'aria-label': 'edit' }),
          v(EP.ElButton, { size: 'small', type: 'danger', icon: ElementPlusIconsVue.Delete, 'aria-label': 'delete' }),
        ],
      ])();
    return v(EP.ElTable, { data, border: chance(0.3), stripe: chance(0.4), style: 'width:100%' }, () => [
      chance(0.4) ? v(EP.ElTableColumn, { type: 'selection', width: 44 }) : null,
      ...list.map((each, at) =>
        v(EP.ElTableColumn, { prop: 'c' + at, label: each, sortable: chance(0.3), minWidth: 100 }),
      ),
      chance(0.5) ? v(EP.ElTableColumn, { label: '', width: 140 }, { default: acts }) : null,
    ]);
  },
  tabs: () =>
    v(
      EP.ElTabs,
      { modelValue: '0', type: pick(['', '', 'card', 'border-card']), tabPosition: pick(['top', 'top', 'left']) },
      () =>
        nouns(3, 5).map((each, at) => v(EP.ElTabPane, { key: each, label: each, name: String(at) }, () => sentence())),
    ),
  menu: () =>
    v(EP.ElMenu, { mode: pick(['vertical', 'vertical', 'horizontal']), defaultActive: '1', ellipsis: false }, () =>
      nouns(3, 6).map((each, at) =>
        chance(0.25)
          ? v(
              EP.ElSubMenu,
              { key: at, index: 's' + at },
              {
                title: () => [icon(), each],
                default: () =>
                  nouns(2, 3).map((inner, k) => v(EP.ElMenuItem, { index: `${at}-${k}`, key: k }, () => inner)),
              },
            )
          : v(EP.ElMenuItem, { key: at, index: String(at) }, () => [chance(0.7) ? icon() : null, v('span', each)]),
      ),
    ),
  pages: () =>
    v(EP.ElPagination, {
      total: int(30, 300),
      background: chance(0.5),
      layout: pick(['prev, pager, next', 'total, sizes, prev, pager, next, jumper', 'prev, pager, next, total']),
      size: pick(['small', 'default']),
    }),
  steps: () =>
    v(EP.ElSteps, { active: 1, direction: 'horizontal' }, () =>
      nouns(3, 4).map((each) => v(EP.ElStep, { key: each, title: each, description: sentence(2, 3) })),
    ),
  crumbs: () =>
    v(EP.ElBreadcrumb, { separator: pick(['/', '>', '›']) }, () =>
      nouns(2, 5).map((each) => v(EP.ElBreadcrumbItem, { key: each }, () => v('a', { href: '#' + each }, each))),
    ),
  card: () =>
    v(
      EP.ElCard,
      { shadow: pick(['always', 'never']) },
      {
        header: () => row([v('span', noun()), button()]),
        default: () => [v('p', sentence(6, 25)), row(times(0, 3, () => pick([button, iconButton, field])()))],
      },
    ),
  collapse: () =>
    v(EP.ElCollapse, { modelValue: '0', accordion: true }, () =>
      nouns(2, 5).map((each, at) =>
        v(EP.ElCollapseItem, { key: each, title: each, name: String(at) }, () => sentence(5, 20)),
      ),
    ),
  alert: () =>
    v(EP.ElAlert, {
      title: sentence(),
      type: pick(['success', 'info', 'warning', 'error']),
      showIcon: chance(0.7),
      effect: pick(['light', 'dark']),
      closable: chance(0.6),
    }),
  dropdown: () =>
    row([
      v(
        EP.ElDropdown,
        { trigger: 'click', splitButton: chance(0.3) },
        {
          default: () => v(EP.ElButton, null, () => [label(), icon()]),
          dropdown: () =>
            v(EP.ElDropdownMenu, null, () =>
              nouns(3, 7).map((each) =>
                v(
                  EP.ElDropdownItem,
                  { key: each, divided: chance(0.1), disabled: chance(0.1), icon: chance(0.3) ? anyIcon() : undefined },
                  () => each,
                ),
              ),
            ),
        },
      ),
    ]),
  tree: () => v(EP.ElTree, { data: tree(0), defaultExpandAll: chance(0.7), showCheckbox: chance(0.4) }),
  tags: () =>
    row(
      nouns(3, 8).map((each) =>
        v(
          EP.ElTag,
          {
            key: each,
            closable: chance(0.4),
            type: pick(['primary', 'success', 'info', 'warning', 'danger']),
            effect: pick(['light', 'dark', 'plain']),
          },
          () => each,
        ),
      ),
    ),
  calendar: () => v(EP.ElCalendar, { modelValue: new Date(2026, int(0, 11), 9) }),
  segmented: () => {
    const list = nouns(2, 5);
    return v(EP.ElSegmented, { modelValue: list[0], options: list });
  },
  stats: () => row(times(2, 4, () => v(EP.ElStatistic, { title: noun(), value: int(10, 99999) }))),
  details: () =>
    v(EP.ElDescriptions, { title: noun(), border: chance(0.5), column: 2 }, () =>
      nouns(3, 6).map((each) => v(EP.ElDescriptionsItem, { key: each, label: each }, () => value())),
    ),
  bar: () =>
    row([
      v('b', noun()),
      ...nouns(2, 4).map((each) => v(EP.ElLink, { href: '#' + each, key: each }, () => each)),
      v(EP.ElInput, {
        modelValue: '',
        placeholder: label(),
        prefixIcon: ElementPlusIconsVue.Search,
        style: 'width:180px',
      }),
      iconButton(),
      v(EP.ElBadge, { value: int(1, 20) }, () => iconButton()),
    ]),
  progress: () => v('div', null, [v(EP.ElProgress, { percentage: int(5, 95) }), v(EP.ElSkeleton, { rows: 2 })]),
  timeline: () =>
    v(EP.ElTimeline, null, () =>
      times(2, 4, (at) => v(EP.ElTimelineItem, { key: at, timestamp: value() }, () => sentence())),
    ),
};
const mount = (make, place) => {
  const size = pick(['large', 'default', 'default', 'small']);
  // Made once: a render function that draws lots would draw others at each update.
  const made = make();
  const app = Vue.createApp({ render: () => v(EP.ElConfigProvider, { size }, () => made) });
  app.config.errorHandler = (error) => {
    throw error;
  };
  app.use(EP).mount(place);
};
if (DATA.dark) document.documentElement.classList.add('dark');
if (chance(0.6)) document.documentElement.style.setProperty('--el-color-primary', T.colour());
document.documentElement.style.setProperty('--el-border-radius-base', pick(['0', '2px', '4px', '4px', '8px', '14px']));
if (chance(0.12)) {
  const place = document.body.appendChild(T.h('div'));
  mount(
    () =>
      v(
        pick([EP.ElDialog, EP.ElDrawer]),
        { modelValue: true, title: noun(), width: '420px' },
        { default: () => [v('p', sentence()), field()], footer: () => row([button(), button()]) },
      ),
    place,
  );
}
T.show(parts, mount, { settle: 700 });
