const { h, int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const ICONS =
  'ui-icon-gear ui-icon-search ui-icon-pencil ui-icon-trash ui-icon-heart ui-icon-star ui-icon-plus ui-icon-minus ui-icon-close ui-icon-check ui-icon-print ui-icon-folder-open ui-icon-document ui-icon-mail-closed ui-icon-calendar ui-icon-cart ui-icon-home ui-icon-locked ui-icon-play ui-icon-pause ui-icon-disk ui-icon-comment ui-icon-person ui-icon-refresh ui-icon-wrench'.split(
    ' ',
  );
const row = (children) => h('div', { style: 'display:flex;flex-wrap:wrap;gap:8px;align-items:center' }, children);
const button = () => {
  const made = h('button', { type: 'button' }, label());
  $(made).button({
    icon: chance(0.4) ? pick(ICONS) : null,
    disabled: chance(0.08),
    iconPosition: pick(['beginning', 'end']),
  });
  return made;
};
const iconButton = () => {
  const made = h('button', { type: 'button' }, label());
  $(made).button({ icon: pick(ICONS), showLabel: false });
  return made;
};
const select = () =>
  h(
    'select',
    { class: 'menu' },
    nouns(3, 7).map((each) => h('option', {}, each)),
  );
const check = (type) => {
  const id = 'x' + T.random();
  return h(
    'span',
    {},
    h('label', { for: id }, noun()),
    h('input', { type, id, name: 'n' + int(0, 3), checked: chance(0.4), class: 'check' }),
  );
};
const plain = (type) =>
  h(
    'label',
    {},
    h('input', { type, checked: chance(0.4), name: 'p' + int(0, 3), disabled: chance(0.08) }),
    ' ' + noun(),
  );
const field = () =>
  pick([
    () =>
      h('input', {
        type: 'text',
        class: 'ui-widget ui-widget-content ui-corner-all',
        placeholder: chance(0.5) ? noun() : null,
        value: chance(0.5) ? value() : '',
        style: 'padding:.3em',
      }),
    () => h('textarea', { class: 'ui-widget ui-widget-content ui-corner-all', rows: 2 }, sentence()),
    select,
    select,
    () => h('input', { class: 'spin', value: int(0, 90), size: 6 }),
    () => h('input', { type: 'text', class: 'date', placeholder: noun() }),
    () => h('div', { class: 'slide', style: 'margin:.6em;min-width:120px' }),
    () => row(times(2, 4, () => check('checkbox'))),
    () => row(times(2, 4, () => check('radio'))),
    () => row(times(2, 4, () => plain(pick(['checkbox', 'radio'])))),
  ])();
const list = (depth) =>
  h(
    'ul',
    { class: depth ? null : 'list', style: depth ? null : `width:${int(130, 220)}px` },
    nouns(3, 6).map((each) =>
      h(
        'li',
        { class: chance(0.06) ? 'ui-state-disabled' : null },
        h('div', {}, chance(0.5) ? h('span', { class: 'ui-icon ' + pick(ICONS) }) : null, each),
        depth < 1 && chance(0.2) ? list(depth + 1) : null,
      ),
    ),
  );
const parts = {
  buttons: () => row(times(3, 9, () => pick([button, button, iconButton])())),
  form: () =>
    h(
      'div',
      {},
      times(2, 6, () => h('p', {}, h('label', { style: 'display:block' }, noun()), field())),
      row([button(), button()]),
    ),
  fields: () =>
    h(
      'div',
      {},
      times(2, 5, () => h('div', { style: 'margin:6px 0' }, field())),
    ),
  accordion: () =>
    h(
      'div',
      { class: 'fold' },
      nouns(2, 4).flatMap((each) => [h('h3', {}, each), h('div', {}, sentence(6, 20))]),
    ),
  menu: () => list(0),
  group: () =>
    h(
      'div',
      { class: 'group' },
      times(2, 4, () => h('button', { type: 'button' }, label())),
      select(),
    ),
  date: () => h('div', { class: 'calendar' }),
  progress: () => h('div', { class: 'bar' }),
  dialog: () =>
    h(
      'div',
      {
        class: 'ui-dialog ui-widget ui-widget-content ui-corner-all',
        style: 'position:relative;padding:.3em;width:auto;display:block',
      },
      h(
        'div',
        { class: 'ui-dialog-titlebar ui-widget-header ui-corner-all' },
        h('span', { class: 'ui-dialog-title' }, noun()),
        (() => {
          const close = h('button', { type: 'button', class: 'ui-dialog-titlebar-close' }, 'Close');
          $(close).button({ icon: 'ui-icon-closethick', showLabel: false });
          return close;
        })(),
      ),
      h('div', { class: 'ui-dialog-content ui-widget-content' }, sentence(5, 20)),
      h('div', { class: 'ui-dialog-buttonpane' }, row([button(), button()])),
    ),
  message: () =>
    h(
      'div',
      { class: pick(['ui-state-highlight', 'ui-state-error']) + ' ui-corner-all', style: 'padding:.7em' },
      h('span', { class: 'ui-icon ui-icon-info', style: 'float:inline-start;margin-inline-end:.3em' }),
      sentence(),
    ),
  table: () => {
    const heads = nouns(3, 5);
    const acts = chance(0.5);
    return h(
      'table',
      { class: 'ui-widget ui-widget-content', style: 'border-collapse:collapse;width:100%' },
      h(
        'tr',
        { class: 'ui-widget-header' },
        heads.map((each) => h('th', { style: 'padding:4px' }, each)),
      ),
      times(3, 8, () =>
        h(
          'tr',
          {},
          heads.map(() =>
            h(
              'td',
              { style: 'padding:4px;border-top:1px solid #8884' },
              chance(0.1) ? h('a', { href: '#x' }, value()) : value(),
            ),
          ),
          acts ? h('td', {}, iconButton(), iconButton()) : null,
        ),
      ),
    );
  },
  toolbar: () =>
    h(
      'div',
      { class: 'ui-widget-header ui-corner-all', style: 'padding:4px' },
      row([iconButton(), iconButton(), button(), select()]),
    ),
  text: () =>
    h(
      'div',
      { class: 'ui-widget-content ui-corner-all', style: 'padding:.8em' },
      h('h3', { class: 'ui-widget-header ui-corner-all', style: 'margin:0;padding:.3em' }, noun()),
      h('p', {}, sentence(8, 30), ' ', h('a', { href: '#y' }, sentence(1, 3))),
    ),
};
let count = 0;
parts.tabs = () => {
  const names = nouns(3, 5);
  const base = 't' + count++;
  return h(
    'div',
    { class: 'tabs' },
    h(
      'ul',
      {},
      names.map((each, at) => h('li', {}, h('a', { href: `#${base}-${at}` }, each))),
    ),
    names.map((_, at) => h('div', { id: `${base}-${at}` }, sentence())),
  );
};
const bring = (place) => {
  const all = $(place);
  all.find('.check').checkboxradio();
  all
    .find('.menu')
    .not('.group .menu')
    .selectmenu({ width: int(120, 200) });
  all.find('.spin').spinner();
  all.find('.date').datepicker({ showButtonPanel: chance(0.3) });
  all
    .find('.slide')
    .each(
      (_, each) =>
        void $(each).slider(
          chance(0.3)
            ? { range: true, values: [int(5, 40), int(50, 95)] }
            : { value: int(5, 95), range: pick(['min', false]) },
        ),
    );
  all.find('.tabs').tabs();
  all.find('.fold').accordion({ heightStyle: 'content', collapsible: true });
  all.find('.list').menu();
  all.find('.group').controlgroup();
  all.find('.calendar').datepicker({
    defaultDate: '0' + int(1, 9) + '/09/2026',
    numberOfMonths: 1,
    changeMonth: chance(0.4),
    changeYear: chance(0.4),
  });
  all.find('.bar').progressbar({ value: int(5, 95) });
};
$.fx.off = true;
T.show(
  parts,
  (make, place) => {
    place.append(make());
    bring(place);
  },
  { settle: 300 },
);
document.body.style.background = DATA.styles[0].match(/dark|black|mint|trontastic|swanky|vader/)
  ? pick(['#222', '#111', '#333'])
  : pick(['#fff', '#eee']);
document.body.style.color = /dark|black|mint|trontastic|swanky|vader/.test(DATA.styles[0]) ? '#eee' : '#222';
