// Editors of text with toolbars of icons, lists and colors.
const { h, int, pick, sentence } = T;
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
  box.innerHTML = T.written();
  place.append(h('div', {}, box));
  const tools = T.some(TOOLS, 2, TOOLS.length).map((group) => group.filter((each) => each !== 'formula'));
  new Quill(box, { theme: 'snow', placeholder: pick(['', sentence(2, 4)]), modules: { toolbar: tools } });
};
T.showEditors(editor);
