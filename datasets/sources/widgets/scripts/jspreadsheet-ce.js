// Sheets with bars of tools, lists, ticks and sheets side by side.
const { h, int, pick, chance, times, noun, nouns, value } = T;
const sheet = (place) => {
  const box = h('div', {});
  place.append(chance(0.5) ? h('h3', {}, noun()) : '', box);
  const columns = times(4, 10, () => ({
    title: chance(0.5) ? noun() : undefined,
    type: pick(['text', 'text', 'text', 'numeric', 'checkbox', 'dropdown', 'calendar']),
    source: nouns(2, 4),
    width: int(70, 160),
  }));
  const tool = (icon) => ({ type: 'i', content: icon, onclick: () => {} });
  jspreadsheet(box, {
    data: times(6, 22, () =>
      columns.map((each) =>
        each.type === 'checkbox' ? chance(0.5) : each.type === 'calendar' ? '2026-11-12' : chance(0.6) ? value() : '',
      ),
    ),
    columns,
    search: chance(0.4),
    pagination: chance(0.4) ? int(5, 10) : undefined,
    toolbar: chance(0.8)
      ? [
          ...T.some(
            ['undo', 'redo', 'save', 'format_align_left', 'format_align_center', 'format_bold', 'format_color_text'],
            3,
            7,
          ).map(tool),
          { type: 'select', v: nouns(2, 4) },
        ]
      : undefined,
    columnSorting: chance(0.5),
  });
};
const buttons = (place) =>
  place.append(
    times(1, 4, () => [h('button', { type: 'button' }, T.label()), ' '])
      .flat()
      .reduce((box, each) => (box.append(each), box), h('p')),
  );
T.show({ sheet, buttons }, (make, place) => make(place), { least: 0, most: 2, must: 1, settle: 500 });
