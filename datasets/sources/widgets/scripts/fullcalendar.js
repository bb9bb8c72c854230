const { h, int, pick, chance, times, label, noun, nouns } = T;
const day = () => `2026-11-${String(int(1, 29)).padStart(2, '0')}`;
const calendar = (place) => {
  const box = h('div');
  place.append(box);
  const links = chance(0.5);
  const made = new FullCalendar.Calendar(box, {
    initialDate: '2026-11-12',
    now: '2026-11-12',
    direction: DATA.rtl ? 'rtl' : 'ltr',
    initialView: pick(['dayGridMonth', 'dayGridMonth', 'timeGridWeek', 'listMonth', 'timeGridDay', 'multiMonthYear']),
    navLinks: chance(0.5),
    height: 'auto',
    weekNumbers: chance(0.3),
    dayMaxEvents: 3,
    headerToolbar: pick([
      { left: 'prev,next today', center: 'title', right: 'dayGridMonth,timeGridWeek,timeGridDay,listMonth' },
      { left: 'title', center: '', right: 'today prev,next' },
      { start: 'prev', center: 'title', end: 'next' },
      { left: 'one,two', center: 'title', right: 'prevYear,prev,next,nextYear' },
    ]),
    customButtons: { one: { text: label() }, two: { text: label() } },
    events: times(6, 26, () => ({
      title: noun(),
      start: chance(0.5) ? day() : `${day()}T${String(int(8, 17)).padStart(2, '0')}:00:00`,
      url: links ? '#e' : undefined,
      color: chance(0.6) ? T.colour() : undefined,
    })),
  });
  made.render();
};
T.show({ calendar }, (make, place) => make(place), { least: 1, most: 2, settle: 400 });
if (DATA.dark)
  document.head.append(
    h(
      'style',
      {},
      ':root{--fc-page-bg-color:#181a1f;--fc-border-color:#3a3d44;--fc-neutral-bg-color:#23262d;--fc-list-event-hover-bg-color:#333}a{color:#8ab4f8}',
    ),
  );
