import { defineCustomElements } from '@ionic/core/loader';
const { h, int, pick, chance, label, noun, sentence, value, nouns } = T;
await defineCustomElements();
const fill = pick(['solid', 'outline']);
const stack = (...children) => h('div', { style: 'display:grid;gap:12px' }, ...children);
const named = () => ({ label: noun(), 'label-placement': pick(['floating', 'stacked']), fill });
const parts = {
  buttons: () =>
    h(
      'div',
      {},
      h('ion-button', {}, label()),
      h('ion-button', { fill: 'outline' }, label()),
      h('ion-button', { fill: 'clear', color: 'danger' }, label()),
      h('ion-button', { disabled: true }, label()),
    ),
  fields: () =>
    stack(
      h('ion-input', { ...named(), value: value() }),
      h('ion-input', { ...named(), type: 'password', value: 'secret' }),
      h('ion-textarea', { ...named(), value: sentence() }),
      h(
        'ion-select',
        { ...named(), interface: pick(['alert', 'popover', 'action-sheet']) },
        nouns(3, 6).map((each) => h('ion-select-option', { value: each }, each)),
      ),
      h('ion-searchbar', { placeholder: label() }),
    ),
  choices: () =>
    stack(
      h('ion-checkbox', { checked: chance(0.5), 'label-placement': 'end' }, noun()),
      h('ion-toggle', { checked: chance(0.5) }, noun()),
      h(
        'ion-radio-group',
        { value: 0 },
        nouns(2, 4).map((each, at) => h('ion-radio', { value: at }, each)),
      ),
    ),
  slider: () =>
    stack(
      h('ion-range', { value: int(5, 95), label: noun() }),
      h('ion-range', { 'dual-knobs': true, 'aria-label': noun() }),
    ),
  date: () => h('ion-datetime', { value: '2026-05-09T10:20:00', presentation: pick(['date', 'date-time']) }),
  tabs: () =>
    h(
      'ion-segment',
      { value: 0 },
      nouns(2, 4).map((each, at) => h('ion-segment-button', { value: at }, h('ion-label', {}, each))),
    ),
  list: () =>
    h(
      'ion-list',
      { inset: true },
      nouns(3, 4).map((each) => h('ion-item', { button: true, detail: true }, h('ion-label', {}, each))),
      h('ion-item', {}, h('ion-toggle', {}, noun())),
      h('ion-item', {}, h('ion-checkbox', {}, noun())),
    ),
  panels: () =>
    h(
      'ion-accordion-group',
      {},
      nouns(2, 3).map((each) =>
        h(
          'ion-accordion',
          {},
          h('ion-item', { slot: 'header' }, h('ion-label', {}, each)),
          h('div', { slot: 'content' }, each),
        ),
      ),
    ),
  menu: () => {
    const text = label();
    const items = nouns(3, 5).map((each) => h('ion-item', { button: true }, each));
    const popover = h(
      'ion-popover',
      { trigger: 'menu', 'dismiss-on-select': true },
      h('ion-content', {}, h('ion-list', {}, items)),
    );
    return h('div', {}, h('ion-button', { id: 'menu' }, text), popover);
  },
  chips: () =>
    h(
      'div',
      {},
      nouns(3, 5).map((each) => h('ion-chip', {}, each)),
    ),
  bar: () =>
    h('ion-toolbar', {}, h('ion-title', {}, noun()), h('ion-buttons', { slot: 'end' }, h('ion-button', {}, label()))),
};
document.documentElement.classList.toggle('ion-palette-dark', DATA.dark);
// The library's sheet is for an application that scrolls inside itself.
Object.assign(document.body.style, { position: 'static', overflow: 'auto', maxHeight: 'none' });
T.show(parts, (make, place) => place.append(make()), { settle: 1200, least: 0, most: 2, must: 11 });
