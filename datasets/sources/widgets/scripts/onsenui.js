// Applications of phones, such as mail: lists, bars, switches, round buttons.
const { h, int, pick, chance, times, label, noun, name, sentence } = T;
const html = (place, text) => place.append(Object.assign(document.createElement('div'), { innerHTML: text }));
const mails = (place) =>
  html(
    place,
    `<ons-list>${times(4, 12, () => `<ons-list-item tappable ${chance(0.5) ? 'modifier="chevron"' : ''}><label class="left">${chance(0.5) ? '<ons-checkbox></ons-checkbox>' : ''}</label><div class="center"><a href="#m" style="color:inherit">${name()}</a>&nbsp; ${sentence(2, 6)}</div></ons-list-item>`).join('')}</ons-list>`,
  );
const bar = (place) =>
  html(
    place,
    `<div style="display:flex;gap:8px">${times(2, 5, () => `<ons-button ${pick(['', 'modifier="outline"', 'modifier="quiet"'])}>${label()}</ons-button>`).join('')}</div>`,
  );
const fields = (place) =>
  html(
    place,
    times(2, 5, () =>
      pick([
        `<p><ons-input placeholder="${noun()}"></ons-input></p>`,
        `<p><ons-switch></ons-switch> ${noun()}</p>`,
        `<p><label><ons-radio></ons-radio> ${noun()}</label></p>`,
        `<p><ons-search-input placeholder="${noun()}"></ons-search-input></p>`,
        `<p><ons-select><select><option>${noun()}</option></select></ons-select></p>`,
      ]),
    ).join(''),
  );
T.show({ mails, bar, fields }, (make, place) => make(place), { least: 1, most: 3, must: 2, settle: 600 });
