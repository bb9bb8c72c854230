const { int, pick, chance, label, noun, sentence, value, nouns } = T;
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
const icon = () => pick(['home', 'search', 'delete', 'edit', 'menu', 'favorite', 'print', 'share']);
const parts = {
  buttons: () =>
    row(
      v(Quasar.QBtn, { color: 'primary', label: label() }),
      v(Quasar.QBtn, { outline: true, label: label(), icon: icon() }),
      v(Quasar.QBtn, { flat: true, round: true, icon: icon(), 'aria-label': label() }),
      v(Quasar.QBtn, { label: label(), disable: true }),
    ),
  fields: () =>
    stack(
      kept(Quasar.QInput, value(), { label: noun(), outlined: chance(0.5), clearable: true }),
      kept(Quasar.QInput, 'secret', { label: noun(), type: 'password', filled: true, hint: sentence(2, 4) }),
      kept(Quasar.QInput, sentence(), { label: noun(), type: 'textarea', rows: 2 }),
      kept(Quasar.QSelect, noun(), { label: noun(), options: nouns(3, 8), outlined: true }),
      kept(Quasar.QSelect, nouns(2, 3), { label: noun(), options: nouns(3, 8), multiple: true, useChips: true }),
    ),
  choices: () => {
    const options = nouns(2, 4).map((each) => ({ label: each, value: each }));
    return stack(
      kept(Quasar.QCheckbox, chance(0.5), { label: noun() }),
      kept(Quasar.QCheckbox, null, { label: noun() }),
      kept(Quasar.QToggle, chance(0.5), { label: noun() }),
      kept(Quasar.QOptionGroup, options[0].value, { options, inline: true }),
      kept(Quasar.QBtnToggle, options[0].value, { options }),
      kept(Quasar.QRating, int(1, 5), { size: '2em' }),
    );
  },
  sliders: () =>
    stack(
      kept(Quasar.QSlider, int(5, 95), { label: true, 'aria-label': noun() }),
      kept(Quasar.QRange, { min: int(5, 40), max: int(50, 95) }),
    ),
  date: () => kept(Quasar.QDate, '2026/05/09', { minimal: true }),
  menu: () => {
    const list = nouns(3, 6);
    const items = () =>
      list.map((each) => v(Quasar.QItem, { clickable: true }, () => v(Quasar.QItemSection, () => each)));
    return v(Quasar.QBtnDropdown, { label: label(), color: 'secondary' }, () => v(Quasar.QList, items));
  },
  tabs: () => {
    const list = nouns(3, 4);
    return kept(Quasar.QTabs, list[0], { align: 'left' }, () =>
      list.map((each) => v(Quasar.QTab, { name: each, label: each })),
    );
  },
  tree: () => {
    const [first, ...others] = nouns(4, 4);
    const nodes = [{ label: first, children: others.map((each) => ({ label: each })) }, { label: first + ' 2' }];
    const props = { nodes, nodeKey: 'label', tickStrategy: 'leaf', defaultExpandAll: true };
    return kept(Quasar.QTree, [], props, undefined, 'ticked');
  },
  table: () => {
    const columns = nouns(3, 4).map((each, at) => ({ name: 'c' + at, label: each, field: 'c' + at, sortable: true }));
    const rows = T.times(5, 8, (id) => ({ id, c0: value(), c1: value(), c2: value(), c3: value() }));
    const props = { title: noun(), columns, rows, rowKey: 'id', selection: 'multiple' };
    return kept(Quasar.QTable, [], props, undefined, 'selected');
  },
  panels: () =>
    v(Quasar.QList, { bordered: true }, () =>
      nouns(2, 4).map((each) => v(Quasar.QExpansionItem, { label: each, icon: icon() }, () => each)),
    ),
};
const mount = (make, place) => {
  const made = make();
  Vue.createApp({ render: () => made })
    .use(Quasar, { config: { dark: DATA.dark } })
    .mount(place);
};
T.show(parts, mount, { settle: 700, least: 0, most: 3, must: Object.keys(parts).length });
