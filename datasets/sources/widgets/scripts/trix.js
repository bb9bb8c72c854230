// Editors of text with a toolbar of icons.
const { h, int } = T;
const editor = (place) => {
  const field = h('input', { type: 'hidden', id: `field${int(0, 1e6)}` });
  field.value = T.written();
  place.append(field, h('trix-editor', { input: field.id }));
};
T.showEditors(editor);
