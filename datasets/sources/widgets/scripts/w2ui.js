// Applications such as mail: folders at the side, a bar of tools, a listing, a form.
const { h, int, pick, chance, times, label, noun, name, nouns, sentence } = T;
let number = 0;
const id = () => `part${number++}`;
const box = (place, height, width) => {
  const made = h('div', { style: `height:${height}px;${width ? `width:${width}px` : ''}` });
  place.append(made);
  return made;
};
const bar = (place) =>
  new w2toolbar({
    box: box(place, 40),
    name: id(),
    items: times(3, 8, () => ({
      id: id(),
      type: pick(['button', 'button', 'check', 'menu', 'break']),
      text: chance(0.8) ? label() : '',
      icon: chance(0.5) ? 'w2ui-icon-' + pick(['plus', 'cross', 'check', 'pencil', 'search']) : '',
      items: nouns(2, 3),
    })),
  });
const mails = (place) =>
  new w2grid({
    box: box(place, int(260, 520)),
    name: id(),
    show: { toolbar: chance(0.7), footer: chance(0.5), selectColumn: chance(0.6) },
    columns: [
      { field: 'from', text: noun(), size: '25%', sortable: true },
      { field: 'about', text: noun(), size: '55%' },
      { field: 'date', text: noun(), size: '20%' },
    ],
    records: times(5, 20, (recid) => ({
      recid: recid + 1,
      from: name(),
      about: sentence(3, 9),
      date: `${int(1, 28)} Nov`,
    })),
  });
const folders = (place) =>
  new w2sidebar({
    box: box(place, int(200, 360)),
    name: id(),
    nodes: [
      {
        id: id(),
        text: noun(),
        group: true,
        expanded: true,
        nodes: nouns(3, 7).map((text) => ({ id: id(), text, count: chance(0.3) ? int(1, 90) : undefined })),
      },
    ],
  });
const form = (place) =>
  new w2form({
    box: box(place, int(260, 380)),
    name: id(),
    header: chance(0.5) ? noun() : '',
    fields: times(2, 6, (at) => ({
      field: `f${at}`,
      type: pick(['text', 'text', 'checkbox', 'textarea', 'toggle', 'int']),
      html: { label: label(), attr: 'style="width:60%"' },
    })),
    actions: { [label()]: () => {}, [label()]: () => {} },
  });
T.show({ mails, bar, folders, form }, (make, place) => void make(place), { least: 0, most: 2, must: 3, settle: 700 });
