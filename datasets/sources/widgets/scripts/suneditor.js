// Editors of text with toolbars of icons, in rows.
const { h, int } = T;
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
  const options = { plugins: SUNEDITOR.plugins, width: '100%', height: int(150, 400) + 'px', value: T.written() };
  SUNEDITOR.create(box, { ...options, buttonList: T.some(TOOLS, 3, TOOLS.length) });
};
T.showEditors(editor);
