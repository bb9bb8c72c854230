// Calendars to choose days, months and times in.
const { h, int, pick, chance, times, label, noun, sentence } = T;
const calendar = (place) => {
  const box = h('div', {});
  place.append(chance(0.4) ? h('h3', {}, noun()) : '', box);
  new VanillaCalendarPro.Calendar(box, {
    type: pick(['default', 'default', 'multiple', 'month', 'year']),
    dateToday: new Date('2026-11-12'),
    selectedMonth: 10,
    selectedYear: 2026,
    selectedTheme: DATA.dark ? 'dark' : 'light',
    enableWeekNumbers: chance(0.3),
    selectionTimeMode: chance(0.3) ? 24 : false,
    selectedDates: [`2026-11-${int(10, 28)}`],
  }).init();
};
const words = (place) => place.append(h('p', {}, sentence(8, 20), ' ', h('a', { href: '#x' }, label())));
const fields = (place) =>
  place.append(
    h('p', {}, h('label', {}, label(), ' ', h('input', { type: pick(['date', 'time', 'text']) }))),
    h('button', { type: 'button' }, label()),
  );
T.show({ calendar, words, fields }, (make, place) => make(place), { least: 1, most: 4, must: 1, settle: 500 });
