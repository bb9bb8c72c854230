const { int, chance, label, noun, sentence, value, nouns } = T;
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
const P = PrimeVue;
const parts = {
  buttons: () =>
    row(
      v(P.Button, { label: label() }),
      v(P.Button, { label: label(), icon: 'pi pi-check', severity: 'secondary' }),
      v(P.Button, { icon: 'pi pi-trash', text: true, rounded: true, 'aria-label': label() }),
      v(P.Button, { label: label(), disabled: true }),
    ),
  fields: () =>
    stack(
      kept(P.InputText, value(), { placeholder: noun() }),
      kept(P.Password, 'secret', { toggleMask: true }),
      kept(P.InputNumber, int(0, 99), { showButtons: true }),
      kept(P.Textarea, sentence(), { rows: 2 }),
      kept(P.Select, null, { options: nouns(3, 7), placeholder: noun() }),
      kept(P.MultiSelect, null, { options: nouns(3, 7), placeholder: noun(), filter: true }),
      kept(P.AutoComplete, '', { dropdown: true, suggestions: nouns(2, 4), placeholder: noun() }),
    ),
  choices: () => {
    const list = nouns(2, 4);
    return stack(
      row(kept(P.Checkbox, chance(0.5), { binary: true, inputId: 'check' }), v('label', { for: 'check' }, list[0])),
      row(kept(P.ToggleSwitch, chance(0.5), { inputId: 'switch' }), v('label', { for: 'switch' }, list[1])),
      row(kept(P.RadioButton, 'a', { value: 'a', inputId: 'radio' }), v('label', { for: 'radio' }, list[0])),
      kept(P.SelectButton, list[0], { options: list }),
      kept(P.ToggleButton, chance(0.5)),
      kept(P.Rating, int(1, 5)),
      kept(P.Listbox, list[0], { options: list }),
    );
  },
  slider: () => stack(kept(P.Slider, int(5, 95)), kept(P.Slider, [20, 70], { range: true })),
  date: () => kept(P.DatePicker, new Date(2026, 4, 9), { showIcon: true }),
  menu: () =>
    v(P.Menubar, {
      model: nouns(3, 4).map((each, at) => ({ label: each, items: at ? undefined : [{ label: noun() }] })),
    }),
  split: () => v(P.SplitButton, { label: label(), model: nouns(2, 4).map((each) => ({ label: each })) }),
  tabs: () => {
    const list = nouns(3, 4);
    return kept(
      P.Tabs,
      '0',
      {},
      () => v(P.TabList, () => list.map((each, at) => v(P.Tab, { value: String(at) }, () => each))),
      'value',
    );
  },
  tree: () => {
    const children = nouns(3, 4).map((each, at) => ({ key: '0-' + at, label: each }));
    const node = { key: '0', label: noun(), children };
    return kept(
      P.Tree,
      {},
      { value: [node], selectionMode: 'checkbox', expandedKeys: { 0: true } },
      undefined,
      'selectionKeys',
    );
  },
  table: () => {
    const heads = nouns(3, 4);
    const rows = T.times(5, 8, (id) => ({ id, c0: value(), c1: value(), c2: value(), c3: value() }));
    const columns = () => [
      v(P.Column, { selectionMode: 'multiple' }),
      ...heads.map((header, at) => v(P.Column, { field: 'c' + at, header, sortable: true })),
    ];
    return kept(P.DataTable, [], { value: rows, dataKey: 'id', paginator: true, rows: 5 }, columns, 'selection');
  },
};
const mount = (make, place) => {
  const made = make();
  const theme = { preset: PrimeUIX.Themes.Aura, options: { darkModeSelector: '.dark' } };
  Vue.createApp({ render: () => made })
    .use(P.Config, { theme })
    .mount(place);
};
document.documentElement.classList.toggle('dark', DATA.dark);
T.show(parts, mount, { settle: 700, least: 0, most: 3, must: Object.keys(parts).length });
