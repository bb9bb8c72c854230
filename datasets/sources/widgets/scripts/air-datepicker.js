// Calendars within the page, with buttons below and times.
const { h, int, pick, chance, times, label, noun, sentence } = T;
const calendar = (place) => {
  const box = h('div', {});
  place.append(box);
  new AirDatepicker(box, {
    inline: true,
    startDate: new Date('2026-11-12'),
    selectedDates: [new Date(`2026-11-${int(10, 28)}`)],
    view: pick(['days', 'days', 'months', 'years']),
    timepicker: chance(0.4),
    buttons: pick([false, ['today', 'clear'], [{ content: label() }]]),
    locale: {
      days: [...'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')],
      daysShort: 'Sun Mon Tue Wed Thu Fri Sat'.split(' '),
      daysMin: 'Su Mo Tu We Th Fr Sa'.split(' '),
      months: 'January February March April May June July August September October November December'.split(' '),
      monthsShort: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '),
      today: 'Today',
      clear: 'Clear',
      dateFormat: 'yyyy-MM-dd',
      timeFormat: 'HH:mm',
      firstDay: int(0, 1),
    },
  });
};
const list = (place) =>
  place.append(
    h('h3', {}, noun()),
    h(
      'ul',
      {},
      times(2, 6, () =>
        h('li', {}, `${int(8, 18)}:00 `, chance(0.6) ? h('a', { href: '#e' }, noun()) : sentence(2, 5)),
      ),
    ),
  );
const fields = (place) =>
  place.append(
    h('p', {}, h('label', {}, label(), ' ', h('input', { placeholder: noun() }))),
    h(
      'p',
      {},
      times(1, 2, () => h('button', { type: 'button' }, label())),
    ),
  );
T.show({ calendar, list, fields }, (make, place) => make(place), { least: 1, most: 4, must: 1, settle: 500 });
