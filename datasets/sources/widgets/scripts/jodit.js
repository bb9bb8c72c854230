// Editors of text with toolbars of many icons.
const { h, int, pick, chance } = T;
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
  made.value = T.written();
};
T.showEditors(editor);
