// Editors of text with toolbars of many icons.
const { h, int, pick, chance, times, label, sentence, nouns } = T;
const text = () =>
  times(1, 5, () => `<p>${sentence(4, 25)} ${chance(0.3) ? `<b>${label()}</b>` : ''}</p>`).join('') +
  (chance(0.3)
    ? `<ul>${nouns(2, 5)
        .map((each) => `<li>${each}</li>`)
        .join('')}</ul>`
    : '');
const editor = (place) => {
  const box = h('textarea', {});
  place.append(box);
  const made = Jodit.make(box, {
    theme: DATA.dark ? 'dark' : 'default',
    height: int(200, 500),
    toolbarButtonSize: pick(['small', 'middle', 'large']),
    toolbarAdaptive: chance(0.6),
    showCharsCounter: chance(0.5),
    language: 'en',
  });
  made.value = text();
};
const form = (place) =>
  place.append(
    h('p', {}, h('label', {}, label(), ' ', h('input', { placeholder: chance(0.5) ? sentence(1, 3) : '' }))),
    h(
      'p',
      {},
      times(1, 3, () => h('button', { type: 'button' }, label())),
    ),
  );
const words = (place) => place.append(h('p', {}, sentence(8, 30), ' ', h('a', { href: '#x' }, label())));
T.show({ editor, form, words }, (make, place) => make(place), { least: 1, most: 3, must: 1, settle: 600 });
