// Editors of text with toolbars of icons, in rows.
const { h, int, pick, chance, times, label, sentence, nouns } = T;
const text = () =>
  times(1, 5, () => `<p>${sentence(4, 25)} ${chance(0.3) ? `<b>${label()}</b>` : ''}</p>`).join('') +
  (chance(0.3)
    ? `<ul>${nouns(2, 5)
        .map((each) => `<li>${each}</li>`)
        .join('')}</ul>`
    : '');
const TOOLS = [
  ['undo', 'redo'],
  ['bold', 'underline', 'italic', 'strike', 'subscript', 'superscript'],
  ['removeFormat', 'outdent', 'indent'],
  ['fullScreen', 'showBlocks', 'codeView'],
  ['preview', 'print'],
  ['align', 'font', 'fontSize', 'blockStyle'],
  ['fontColor', 'backgroundColor', 'hr', 'list', 'lineHeight'],
  ['table', 'link', 'image', 'video', 'audio'],
];
const editor = (place) => {
  const box = h('textarea', {});
  place.append(box);
  const options = { plugins: SUNEDITOR.plugins, width: '100%', height: int(150, 400) + 'px', value: text() };
  SUNEDITOR.create(box, { ...options, buttonList: T.some(TOOLS, 3, TOOLS.length) });
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
