// Editors of text with toolbars of icons, lists and colors.
const { h, int, pick, chance, times, label, sentence, nouns } = T;
const text = () =>
  times(1, 5, () => `<p>${sentence(4, 25)} ${chance(0.3) ? `<b>${label()}</b>` : ''}</p>`).join('') +
  (chance(0.3)
    ? `<ul>${nouns(2, 5)
        .map((each) => `<li>${each}</li>`)
        .join('')}</ul>`
    : '');
const TOOLS = [
  ['bold', 'italic', 'underline', 'strike'],
  ['blockquote', 'code-block', 'link', 'image', 'video', 'formula'],
  [{ header: 1 }, { header: 2 }],
  [{ list: 'ordered' }, { list: 'bullet' }, { list: 'check' }],
  [{ script: 'sub' }, { script: 'super' }, { indent: '-1' }, { indent: '+1' }],
  [{ size: ['small', false, 'large'] }, { header: [1, 2, 3, false] }],
  [{ color: [] }, { background: [] }, { font: [] }, { align: [] }],
  ['clean'],
];
const editor = (place) => {
  const box = h('div', { style: `min-height:${int(100, 300)}px` });
  box.innerHTML = text();
  place.append(h('div', {}, box));
  const tools = T.some(TOOLS, 2, TOOLS.length).map((group) => group.filter((each) => each !== 'formula'));
  new Quill(box, { theme: 'snow', placeholder: pick(['', sentence(2, 4)]), modules: { toolbar: tools } });
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
