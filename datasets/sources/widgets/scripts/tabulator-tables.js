const { h, int, pick, chance, times, label, noun, sentence, value, nouns, name } = T;
const rows = (heads) =>
  times(5, 14, (id) => ({
    id,
    ...Object.fromEntries(heads.map((_, at) => ['c' + at, value()])),
    done: chance(0.5),
    rate: int(0, 5),
    part: int(0, 100),
    state: noun(),
    ...(chance(0.1) ? { _children: [{ id: id + 100, c0: value() }] } : {}),
  }));
const kinds = [
  () => ({ formatter: 'tickCross', field: 'done', title: noun(), hozAlign: 'center' }),
  () => ({ formatter: 'star', field: 'rate', title: noun() }),
  () => ({ formatter: 'progress', field: 'part', title: noun() }),
  () => ({ formatter: 'buttonTick', title: '', width: 40, hozAlign: 'center' }),
  () => ({
    title: '',
    formatter: () =>
      '<button type="button">' + DATA.labels[2] + '</button> <button type="button">' + DATA.labels[3] + '</button>',
    width: 150,
  }),
  () => ({ formatter: 'link', field: 'c0', title: noun(), formatterParams: { url: '#x' } }),
];
const grid = (place) => {
  const heads = nouns(3, 5);
  const columns = heads.map((title, at) => ({
    title,
    field: 'c' + at,
    headerFilter: at < 2 && T.grids.filter ? pick(['input', 'list']) : undefined,
    headerSort: chance(0.7),
  }));
  if (chance(0.4))
    columns.unshift({
      formatter: 'rowSelection',
      titleFormatter: 'rowSelection',
      headerSort: false,
      width: 44,
      hozAlign: 'center',
    });
  columns.push(...T.some(kinds, 0, 3).map((each) => each()));
  const bar = h(
    'div',
    { style: 'display:flex;gap:6px;margin:6px 0' },
    times(0, 3, () => h('button', { type: 'button' }, label())),
    chance(0.4) ? h('input', { type: 'search', placeholder: label() }) : null,
    chance(0.4)
      ? h(
          'select',
          {},
          nouns(2, 4).map((each) => h('option', {}, each)),
        )
      : null,
  );
  const box = h('div');
  place.append(h('h3', {}, noun()), bar, box);
  return new Promise((done) => {
    const made = new Tabulator(box, {
      data: rows(heads),
      columns,
      layout: pick(['fitColumns', 'fitDataFill']),
      pagination: chance(0.6) ? 'local' : false,
      paginationSize: 6,
      paginationSizeSelector: chance(0.5) ? [6, 12] : false,
      dataTree: chance(0.4),
      movableRows: chance(0.2),
      groupBy: chance(0.2) ? 'state' : undefined,
    });
    made.on('tableBuilt', done);
  });
};
T.grids = { filter: chance(0.5) };
T.show({ grid }, (make, place) => make(place), { least: 1, most: 4, settle: 300 });
if (/midnight|site_dark/.test(DATA.styles[0])) {
  document.body.style.background = '#222';
  document.body.style.color = '#ddd';
}
