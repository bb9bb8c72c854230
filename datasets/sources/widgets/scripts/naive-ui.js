const { int, pick, chance, noun, sentence, value, nouns } = T;
const v = Vue.h;
/** A control that keeps what a person sets, as an application does. */
const kept = (control, first, props = {}, slots = undefined, name = 'modelValue') =>
  v({
    setup: () => {
      const state = Vue.ref(first);
      const set = (next) => (state.value = next);
      return () => v(control, { ...props, [name]: state.value, ['onUpdate:' + name]: set }, slots);
    },
  });
const stack = (...children) => v('div', { style: 'display:grid;gap:12px' }, children);
const row = (...children) => v('div', { style: 'display:flex;flex-wrap:wrap;gap:10px;align-items:center' }, children);
const options = () => nouns(3, 7).map((each) => ({ label: each, value: each, key: each }));
const of = (control, first, props, slots) => kept(control, first, props, slots, 'value');
const parts = {
  buttons: () =>
    row(
      v(naive.NButton, { type: 'primary' }, () => DATA.labels[0]),
      v(naive.NButton, { secondary: true }, () => DATA.labels[1]),
      v(naive.NButton, { text: true }, () => DATA.labels[2]),
      v(naive.NButton, { disabled: true }, () => DATA.labels[3]),
    ),
  fields: () =>
    stack(
      of(naive.NInput, value(), { clearable: true, placeholder: noun() }),
      of(naive.NInput, 'secret', { type: 'password', showPasswordOn: 'click' }),
      of(naive.NInput, sentence(), { type: 'textarea', rows: 2 }),
      of(naive.NInputNumber, int(0, 99)),
      of(naive.NSelect, null, { options: options(), placeholder: noun() }),
      of(naive.NSelect, null, { options: options(), filterable: true, multiple: true, placeholder: noun() }),
      of(naive.NAutoComplete, '', { options: options(), placeholder: noun() }),
    ),
  choices: () => {
    const list = options();
    return stack(
      kept(naive.NCheckbox, chance(0.5), { label: noun() }, undefined, 'checked'),
      of(naive.NSwitch, chance(0.5)),
      of(naive.NRadioGroup, list[0].value, {}, () => list.map((each) => v(naive.NRadio, each))),
      of(naive.NRadioGroup, list[0].value, {}, () => list.map((each) => v(naive.NRadioButton, each))),
      of(naive.NRate, int(1, 5)),
    );
  },
  sliders: () => stack(of(naive.NSlider, int(5, 95)), of(naive.NSlider, [int(5, 40), int(50, 95)], { range: true })),
  date: () => stack(of(naive.NDatePicker, 1778284800000, { type: 'date' }), of(naive.NTimePicker, null)),
  color: () => of(naive.NColorPicker, '#18a058'),
  menu: () =>
    v(naive.NDropdown, { trigger: 'click', options: options() }, () => v(naive.NButton, () => DATA.labels[4])),
  tabs: () => {
    const list = nouns(3, 4);
    return v(naive.NTabs, { type: pick(['line', 'segment', 'card']) }, () =>
      list.map((name) => v(naive.NTabPane, { name, tab: name }, () => name)),
    );
  },
  tree: () => {
    const children = options();
    const data = [{ label: noun(), key: 'first', children }];
    return v(naive.NTree, { data, checkable: true, defaultExpandAll: true });
  },
  table: () => {
    const columns = [
      { type: 'selection' },
      ...nouns(3, 4).map((title, at) => ({
        title,
        key: 'c' + at,
        sorter: 'default',
        width: 120,
        fixed: at ? undefined : 'left',
      })),
    ];
    const data = T.times(5, 8, (key) => ({ key, c0: value(), c1: value(), c2: value(), c3: value() }));
    return v(naive.NDataTable, { columns, data, scrollX: 900, pagination: { pageSize: 5 } });
  },
  panels: () =>
    v(naive.NCollapse, () =>
      nouns(2, 4).map((each) => v(naive.NCollapseItem, { title: each, name: each }, () => each)),
    ),
};
const mount = (make, place) => {
  const made = make();
  const theme = DATA.dark ? naive.darkTheme : null;
  Vue.createApp({ render: () => v(naive.NConfigProvider, { theme }, () => made) }).mount(place);
};
T.show(parts, mount, { settle: 700, least: 0, most: 3, must: Object.keys(parts).length });
