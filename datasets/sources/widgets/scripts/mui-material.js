const { int, pick, chance, label, noun, sentence, value, nouns } = T;
const e = React.createElement;
const M = MaterialUI;
const stack = (...children) => e(M.Stack, { spacing: 1.5 }, ...children);
const row = (...children) =>
  e(M.Stack, { direction: 'row', spacing: 1, flexWrap: 'wrap', useFlexGap: true }, ...children);
const look = pick(['outlined', 'filled', 'standard']);
const labeled = (control) => e(M.FormControlLabel, { control, label: noun() });
const TabBar = ({ list }) => {
  const [at, set] = React.useState(0);
  const tabs = list.map((each) => e(M.Tab, { label: each, key: each }));
  return e(M.Tabs, { value: at, onChange: (_, next) => set(next), variant: 'scrollable' }, tabs);
};
const Menu = ({ text, list }) => {
  const [anchor, set] = React.useState(null);
  const items = list.map((each) => e(M.MenuItem, { key: each, onClick: () => set(null) }, each));
  return row(
    e(M.Button, { className: 'opens', onClick: (event) => set(event.currentTarget), 'aria-haspopup': 'menu' }, text),
    e(M.Menu, { anchorEl: anchor, open: !!anchor, onClose: () => set(null) }, items),
  );
};
const parts = {
  buttons: () =>
    row(
      e(M.Button, { variant: 'contained' }, label()),
      e(M.Button, { variant: 'outlined' }, label()),
      e(M.Button, { disabled: true }, label()),
      e(M.Fab, { size: 'small', 'aria-label': label() }, '+'),
    ),
  fields: () =>
    stack(
      e(M.TextField, { label: noun(), defaultValue: value(), variant: look }),
      e(M.TextField, { label: noun(), type: 'password', variant: look, helperText: sentence(2, 4) }),
      e(M.TextField, { label: noun(), multiline: true, defaultValue: sentence(), variant: look }),
      e(
        M.TextField,
        { label: noun(), select: true, defaultValue: 0, variant: look },
        nouns(3, 6).map((each, at) => e(M.MenuItem, { value: at, key: each }, each)),
      ),
      e(M.Autocomplete, {
        options: nouns(3, 7),
        renderInput: (props) => e(M.TextField, { ...props, label: DATA.nouns[0] }),
      }),
    ),
  choices: () =>
    stack(
      labeled(e(M.Checkbox, { defaultChecked: chance(0.5) })),
      labeled(e(M.Switch, { defaultChecked: chance(0.5) })),
      e(
        M.RadioGroup,
        { defaultValue: 0, row: true },
        nouns(2, 4).map((each, at) =>
          e(M.FormControlLabel, { value: at, key: each, label: each, control: e(M.Radio) }),
        ),
      ),
      e(M.Rating, { defaultValue: int(1, 5) }),
    ),
  slider: () =>
    stack(e(M.Slider, { defaultValue: int(5, 95), 'aria-label': noun() }), e(M.Slider, { defaultValue: [20, 70] })),
  date: () =>
    e(M.TextField, { label: noun(), type: 'date', InputLabelProps: { shrink: true }, defaultValue: '2026-05-09' }),
  menu: () => e(Menu, { text: label(), list: nouns(3, 6) }),
  tabs: () => e(TabBar, { list: nouns(3, 5) }),
  table: () =>
    e(
      M.Table,
      { size: 'small' },
      e(
        M.TableHead,
        {},
        e(
          M.TableRow,
          {},
          nouns(3, 3).map((each, at) =>
            e(M.TableCell, { key: each }, e(M.TableSortLabel, { active: !at, direction: 'asc' }, each)),
          ),
        ),
      ),
      e(
        M.TableBody,
        {},
        [0, 1, 2, 3].map((id) =>
          e(
            M.TableRow,
            { key: id, hover: true },
            e(M.TableCell, {}, e(M.Checkbox, { size: 'small' })),
            e(M.TableCell, {}, value()),
            e(M.TableCell, {}, value()),
          ),
        ),
      ),
    ),
  list: () =>
    e(
      M.List,
      { dense: true },
      nouns(3, 5).map((each) => e(M.ListItemButton, { key: each }, e(M.ListItemText, { primary: each }))),
    ),
  panels: () =>
    e(
      'div',
      {},
      nouns(2, 3).map((each) =>
        e(M.Accordion, { key: each }, e(M.AccordionSummary, {}, each), e(M.AccordionDetails, {}, sentence())),
      ),
    ),
  chips: () =>
    row(nouns(3, 5).map((each) => e(M.Chip, { key: each, label: each, onClick: () => {}, onDelete: () => {} }))),
  pages: () => e(M.Pagination, { count: 8 }),
};
const theme = M.createTheme({ palette: { mode: DATA.dark ? 'dark' : 'light' }, direction: DATA.rtl ? 'rtl' : 'ltr' });
const mount = (make, place) => ReactDOM.createRoot(place).render(e(M.ThemeProvider, { theme }, make()));
T.show(parts, mount, { settle: 700, least: 0, most: 3, must: Object.keys(parts).length });
