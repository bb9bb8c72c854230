const { h, int, pick, chance, times, label, noun, value, nouns } = T;
const theme = (DATA.styles[1].match(/ag-theme-\w+/) || ['ag-theme-quartz'])[0] + (DATA.dark ? '-dark' : '');
const grid = (place) => {
  const heads = nouns(3, 6);
  const filters = chance(0.5);
  const columnDefs = heads.map((headerName, at) => ({
    headerName,
    field: 'c' + at,
    filter: true,
    floatingFilter: filters,
    sortable: true,
    checkboxSelection: at === 0 && chance(0.4),
    headerCheckboxSelection: false,
    rowDrag: at === 0 && chance(0.15),
    flex: 1,
    minWidth: 90,
    sort: at === 1 && chance(0.5) ? 'asc' : null,
  }));
  if (chance(0.4)) columnDefs.push({ headerName: '', field: 'done', cellDataType: 'boolean', width: 80 });
  if (chance(0.5))
    columnDefs.push({
      headerName: '',
      width: 150,
      cellRenderer: () => {
        const box = h(
          'span',
          {},
          h('button', { type: 'button' }, DATA.labels[2]),
          ' ',
          h('button', { type: 'button' }, DATA.labels[3]),
        );
        return box;
      },
    });
  const rowData = times(4, 14, () => ({
    ...Object.fromEntries(heads.map((_, at) => ['c' + at, value()])),
    done: chance(0.5),
  }));
  const box = h('div', { class: theme });
  place.append(
    h('h3', {}, noun()),
    h(
      'div',
      { style: 'display:flex;gap:6px;margin:6px 0' },
      times(0, 3, () => h('button', { type: 'button' }, label())),
    ),
    box,
  );
  return new Promise((done) =>
    agGrid.createGrid(box, {
      columnDefs,
      rowData,
      domLayout: 'autoHeight',
      rowSelection: 'multiple',
      pagination: chance(0.6),
      paginationPageSize: 20,
      enableRtl: DATA.rtl,
      animateRows: false,
      onFirstDataRendered: () => done(),
    }),
  );
};
T.show({ grid }, (make, place) => make(place), { least: 1, most: 4, settle: 500 });
