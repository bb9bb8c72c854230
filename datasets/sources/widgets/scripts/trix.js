// Editors of text with a toolbar of icons.
const { h, int, pick, chance, times, label, sentence, nouns } = T;
const text = () =>
  times(1, 5, () => `<p>${sentence(4, 25)} ${chance(0.3) ? `<b>${label()}</b>` : ''}</p>`).join('') +
  (chance(0.3)
    ? `<ul>${nouns(2, 5)
        .map((each) => `<li>${each}</li>`)
        .join('')}</ul>`
    : '');
const editor = (place) => {
  const field = h('input', { type: 'hidden', id: `field${int(0, 1e6)}` });
  field.value = text();
  place.append(field, h('trix-editor', { input: field.id }));
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
