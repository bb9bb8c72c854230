// Editors of code with a menu bar, tabs, a tree of files, a status bar, in the editor's own themes.
const { h, int, pick, chance, times, label, noun, sentence, nouns, name } = T;
const word = () =>
  noun()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_') || 'x';
const CODE = {
  javascript: () =>
    `// ${sentence()}\nexport function ${word()}(${word()}, ${word()}) {\n  const ${word()} = [${int(1, 99)}, '${noun()}'];\n` +
    `  if (${word()} > ${int(1, 50)}) {\n    return ${word()}.map((each) => each.${word()});\n  }\n  return null;\n}\n\n`,
  python: () =>
    `# ${sentence()}\nclass ${name().replace(/[^\p{L}\p{N}]/gu, '') || 'Item'}:\n    def ${word()}(self, ${word()}=${int(0, 9)}):\n` +
    `        """${sentence()}"""\n        for ${word()} in range(${int(2, 90)}):\n            yield "${noun()}"\n\n`,
  css: () => `/* ${sentence()} */\n.${word()} {\n  color: ${T.colour()};\n  margin: ${int(0, 40)}px;\n}\n\n`,
};
const dark = DATA.dark || chance(0.3);
const themes = dark
  ? ['monokai', 'dracula', 'material', 'nord', 'darcula', 'cobalt', 'solarized', 'ayu-dark', 'gruvbox-dark']
  : ['default', 'eclipse', 'neo', 'idea', 'mdn-like', 'xq-light', 'solarized', 'duotone-light', 'elegant'];
const theme = pick(themes);
const sheet = h('link', { rel: 'stylesheet', href: `/codemirror/theme/${theme}.css` });
const styled = theme === 'default' || new Promise((done) => (sheet.onload = done));
if (theme !== 'default') document.head.append(sheet);
const shade = dark
  ? pick(['#252526', '#1e1e1e', '#2b2b2b', '#21222c'])
  : pick(['#f3f3f3', '#e8e8e8', '#fff', '#eceff4']);
const line = `1px solid ${dark ? '#555' : '#ccc'}`;
const bare = `font:inherit;color:inherit;background:none;border:0;padding:${int(3, 6)}px ${int(6, 12)}px`;
const bar = (...children) =>
  h('div', { style: `display:flex;align-items:center;background:${shade};border-bottom:${line}` }, ...children);
const button = (text, extra = '') => h('button', { type: 'button', style: bare + ';' + extra }, text);
const glyphs = ['▶', '⏸', '⚙', '🔍', '＋', '✕', '⟳', '↶', '↷', '☰', '⋮', '💾'];
const menus = () =>
  bar(
    h(
      'div',
      { role: 'menubar', style: 'display:flex' },
      nouns(4, 8).map((each) => h('div', { role: 'menuitem', tabindex: 0, style: bare }, each)),
    ),
  );
const toolbar = () =>
  bar(
    ...times(3, 8, () => button(chance(0.7) ? pick(glyphs) : label(), `border:${chance(0.5) ? line : 0};margin:2px`)),
    chance(0.4)
      ? h(
          'select',
          {},
          nouns(2, 5).map((each) => h('option', {}, each)),
        )
      : null,
    chance(0.4) ? h('input', { type: 'search', placeholder: label() }) : null,
  );
const tabs = () =>
  bar(
    h(
      'div',
      { role: 'tablist', style: 'display:flex' },
      times(2, 5, (at) =>
        h(
          'div',
          {
            role: 'tab',
            tabindex: at ? -1 : 0,
            'aria-selected': String(!at),
            style: `${bare};${at ? 'opacity:.7' : 'border-bottom:2px solid #3794ff'}`,
          },
          `${word()}.${pick(['js', 'py', 'css'])}`,
        ),
      ),
    ),
  );
const files = () =>
  h(
    'div',
    {
      role: 'tree',
      style: `width:${int(140, 240)}px;background:${shade};border-inline-end:${line};padding:6px 0;flex:none`,
    },
    times(5, 14, () =>
      h(
        'div',
        { role: 'treeitem', tabindex: -1, style: `padding:2px 8px 2px ${pick([8, 20, 32])}px;cursor:pointer` },
        `${pick(['▸ ', '▾ ', ''])}${word()}`,
      ),
    ),
  );
const status = () =>
  bar(...times(2, 5, () => (chance(0.5) ? button(label()) : h('span', { style: 'padding:3px 8px' }, noun()))));
const editor = async (place) => {
  await styled;
  const mode = pick(Object.keys(CODE));
  const box = h('div', { style: 'flex:1;min-width:0' });
  place.append(
    h(
      'div',
      { style: `border:${line};color:${dark ? '#ddd' : '#222'};font-size:13px` },
      chance(0.5) ? menus() : null,
      chance(0.6) ? toolbar() : null,
      chance(0.5) ? tabs() : null,
      h('div', { style: 'display:flex' }, chance(0.5) && innerWidth > 600 ? files() : null, box),
      chance(0.5) ? status() : null,
    ),
  );
  const made = CodeMirror(box, {
    value: times(2, 9, () => CODE[mode]()).join(''),
    mode,
    theme,
    inputStyle: 'contenteditable', // a text box as large as its lines
    lineNumbers: chance(0.8),
    lineWrapping: chance(0.3),
    cursorBlinkRate: 0,
    readOnly: chance(0.1),
  });
  if (!made.getOption('readOnly')) made.getInputField().setAttribute('role', 'textbox'); // as its sixth version does
  made.setSize(null, int(180, 520));
  // The first measures the numbers, the second leaves room for them.
  setTimeout(() => [made, made].forEach((each) => each.refresh()), 100);
};
const words = (place) => place.append(h('p', {}, sentence(6, 20), ' ', h('a', { href: '#x' }, label())));
T.show({ editor, words }, (make, place) => make(place), { least: 0, most: 2, must: 1, settle: 500 });
if (dark) document.body.style.background = '#1b1b1b';
