const { int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const v = Vue.h;
const C = Vuetify.components;
const ICONS =
  'account home cog magnify plus pencil delete heart star bell menu dots-vertical close check download upload share-variant email phone calendar cart filter sort refresh play pause skip-next volume-high camera image folder file cloud lock eye printer map-marker chart-bar view-grid format-bold format-italic link'.split(
    ' ',
  );
const icon = () => 'mdi-' + pick(ICONS);
const row = (children) => v('div', { style: 'display:flex;flex-wrap:wrap;gap:10px;align-items:center' }, children);
const density = pick(['default', 'comfortable', 'compact']);
const fieldLook = pick(['filled', 'outlined', 'outlined', 'underlined', 'solo']);
const colour = () => pick(['primary', 'secondary', 'success', 'error', undefined, undefined]);
const button = () =>
  v(
    C.VBtn,
    {
      color: colour(),
      variant: pick(['elevated', 'flat', 'tonal', 'outlined', 'text', 'plain']),
      rounded: pick([0, undefined, undefined, 'xl']),
      disabled: chance(0.08),
      prependIcon: chance(0.3) ? icon() : undefined,
      appendIcon: chance(0.1) ? icon() : undefined,
      size: pick(['small', 'default', 'default', 'large']),
    },
    () => label(),
  );
const iconButton = () =>
  v(C.VBtn, {
    icon: icon(),
    color: colour(),
    variant: pick(['text', 'text', 'flat', 'tonal', 'outlined']),
    size: pick(['small', 'default']),
    'aria-label': label(),
  });
const common = () => ({
  label: chance(0.8) ? noun() : undefined,
  density,
  variant: fieldLook,
  hideDetails: chance(0.6),
  disabled: chance(0.06),
  clearable: chance(0.2),
  hint: sentence(2, 5),
  persistentHint: chance(0.1),
});
const select = () => {
  const items = nouns(3, 8);
  return v(C.VSelect, { ...common(), items, modelValue: chance(0.6) ? items[0] : undefined });
};
const field = () =>
  pick([
    () =>
      v(C.VTextField, {
        ...common(),
        modelValue: chance(0.5) ? value() : '',
        placeholder: noun(),
        prependInnerIcon: chance(0.3) ? icon() : undefined,
        appendInnerIcon: chance(0.2) ? icon() : undefined,
      }),
    () => v(C.VTextarea, { ...common(), rows: 2, modelValue: chance(0.5) ? sentence() : '' }),
    select,
    select,
    () => v(C.VAutocomplete, { ...common(), items: nouns(3, 8) }),
    () => v(C.VFileInput, common()),
    () =>
      v(C.VSwitch, {
        role: 'switch',
        label: noun(),
        modelValue: chance(0.5),
        color: colour(),
        inset: chance(0.4),
        density,
        hideDetails: true,
      }),
    () =>
      v(C.VSlider, { modelValue: int(5, 95), max: 100, color: colour(), hideDetails: true, thumbLabel: chance(0.2) }),
    () => v(C.VRangeSlider, { modelValue: [int(5, 40), int(50, 95)], max: 100, hideDetails: true }),
    () =>
      v(C.VCheckbox, {
        label: noun(),
        modelValue: chance(0.5),
        color: colour(),
        density,
        hideDetails: true,
        disabled: chance(0.1),
      }),
    () => {
      const items = nouns(2, 4);
      return v(C.VRadioGroup, { modelValue: items[0], inline: chance(0.5), hideDetails: true, density }, () =>
        items.map((each) => v(C.VRadio, { key: each, label: each, value: each })),
      );
    },
    () => v(C.VRating, { modelValue: int(1, 5), density: 'compact' }),
    () => v(C.VOtpInput, { length: 4 }),
  ])();
const parts = {
  buttons: () => row(times(3, 9, () => pick([button, button, iconButton])())),
  toggle: () =>
    v(C.VBtnToggle, { modelValue: 0, density, variant: pick(['outlined', 'text', 'flat']), color: colour() }, () =>
      times(2, 5, () =>
        chance(0.6) ? v(C.VBtn, { icon: icon(), 'aria-label': label() }) : v(C.VBtn, null, () => noun()),
      ),
    ),
  form: () =>
    v('div', null, [...times(2, 6, () => v('div', { style: 'margin:6px 0' }, [field()])), row([button(), button()])]),
  checks: () =>
    v(
      'div',
      { style: 'display:flex;flex-wrap:wrap;gap:4px 16px' },
      times(2, 5, () =>
        v(C.VCheckbox, {
          label: noun(),
          modelValue: chance(0.5),
          density,
          hideDetails: true,
          indeterminate: chance(0.1),
        }),
      ),
    ),
  list: () =>
    v(C.VList, { density, nav: chance(0.4), border: chance(0.4) }, () =>
      nouns(3, 7).map((each) => {
        const shape = int(0, 3);
        return v(
          C.VListItem,
          {
            key: each,
            title: each,
            subtitle: chance(0.4) ? sentence() : undefined,
            prependIcon: chance(0.6) ? icon() : undefined,
            href: shape === 0 ? '#' + each : undefined,
          },
          {
            append: () =>
              shape === 1
                ? iconButton()
                : shape === 2
                  ? v(C.VSwitch, { role: 'switch', modelValue: chance(0.5), hideDetails: true })
                  : undefined,
          },
        );
      }),
    ),
  table: () => {
    const heads = nouns(3, 5).map((title, at) => ({ title, key: 'c' + at, sortable: chance(0.6) }));
    const acts = chance(0.5);
    if (acts) heads.push({ title: '', key: 'act', sortable: false });
    const items = times(3, 8, (id) => ({ id, ...Object.fromEntries(heads.map((each) => [each.key, value()])) }));
    const kinds = [icon(), icon()];
    return v(
      C.VDataTable,
      { headers: heads, items, density, showSelect: chance(0.4), hideDefaultFooter: chance(0.4) },
      acts
        ? {
            'item.act': () =>
              kinds.map((each) => v(C.VBtn, { icon: each, size: 'small', variant: 'text', 'aria-label': label() })),
          }
        : {},
    );
  },
  pages: () =>
    v(C.VPagination, {
      length: int(3, 12),
      modelValue: 1,
      rounded: pick([0, 'circle', undefined]),
      density,
      totalVisible: 7,
    }),
  card: () =>
    v(
      C.VCard,
      {
        title: noun(),
        subtitle: chance(0.5) ? sentence() : undefined,
        variant: pick(['elevated', 'outlined', 'tonal', 'flat']),
        prependIcon: chance(0.3) ? icon() : undefined,
      },
      { text: () => sentence(6, 24), actions: () => times(1, 3, () => pick([button, iconButton])()) },
    ),
  panels: () =>
    v(
      C.VExpansionPanels,
      { variant: pick(['default', 'accordion', 'inset']), modelValue: chance(0.5) ? 0 : undefined },
      () => nouns(2, 5).map((each) => v(C.VExpansionPanel, { key: each, title: each, text: sentence(5, 20) })),
    ),
  alert: () =>
    v(C.VAlert, {
      type: pick(['success', 'info', 'warning', 'error']),
      text: sentence(),
      closable: chance(0.5),
      variant: pick(['flat', 'tonal', 'outlined']),
      density,
    }),
  chips: () =>
    row(
      nouns(3, 8).map((each) =>
        v(
          C.VChip,
          {
            key: each,
            closable: chance(0.35),
            color: colour(),
            variant: pick(['tonal', 'outlined', 'flat']),
            prependIcon: chance(0.2) ? icon() : undefined,
          },
          () => each,
        ),
      ),
    ),
  menu: () =>
    row([
      v(C.VMenu, null, {
        activator: ({ props }) => v(C.VBtn, { ...props, class: 'opens', appendIcon: 'mdi-menu-down' }, () => label()),
        default: () =>
          v(C.VList, { density }, () =>
            nouns(3, 7).map((each) =>
              v(C.VListItem, { key: each, title: each, link: true, prependIcon: chance(0.4) ? icon() : undefined }),
            ),
          ),
      }),
    ]),
  bar: () =>
    v(C.VToolbar, { color: pick([undefined, 'primary', 'surface']), density }, () => [
      v(C.VBtn, { icon: 'mdi-menu', 'aria-label': 'menu' }),
      v(C.VToolbarTitle, { text: noun() }),
      v(C.VSpacer),
      ...times(1, 4, () => v(C.VBtn, { icon: icon(), 'aria-label': label() })),
    ]),
  crumbs: () =>
    v(C.VBreadcrumbs, {
      items: nouns(2, 4).map((title, at, all) => ({ title, href: '#' + at, disabled: at === all.length - 1 })),
      divider: pick(['/', '›', '-']),
    }),
  steps: () => v(C.VStepper, { items: nouns(3, 4), modelValue: 1, flat: true }),
  date: () =>
    v(C.VDatePicker, { modelValue: new Date(2026, int(0, 11), 9), color: colour(), showAdjacentMonths: chance(0.5) }),
  tree: () =>
    v(C.VTimeline, { density: 'compact', side: 'end' }, () =>
      times(2, 4, (at) => v(C.VTimelineItem, { key: at, size: 'small' }, () => sentence())),
    ),
  progress: () =>
    v('div', null, [
      v(C.VProgressLinear, { modelValue: int(5, 95), height: 8 }),
      v('br'),
      v(C.VProgressCircular, { modelValue: int(5, 95) }),
    ]),
  avatars: () => row(times(2, 5, () => v(C.VAvatar, { color: T.colour(), icon: icon() }))),
  sheet: () =>
    v(C.VBottomNavigation, { modelValue: 0, style: 'position:static', active: true }, () =>
      nouns(3, 4).map((each) => v(C.VBtn, { key: each }, () => [v(C.VIcon, null, () => icon()), v('span', each)])),
    ),
};
const brand = T.colour();
const vuetify = Vuetify.createVuetify({
  theme: {
    defaultTheme: DATA.dark ? 'dark' : 'light',
    themes: chance(0.6)
      ? { light: { colors: { primary: brandHex() } }, dark: { colors: { primary: brandHex() } } }
      : undefined,
  },
  locale: { rtl: DATA.rtl ? { en: true } : {} },
});
function brandHex() {
  const box = document.createElement('canvas').getContext('2d');
  box.fillStyle = brand.replace(/ /g, ',');
  return box.fillStyle;
}
const mount = (make, place) => {
  const made = make();
  const app = Vue.createApp({
    render: () => v(C.VLocaleProvider, { rtl: DATA.rtl }, () => v(C.VDefaultsProvider, null, () => made)),
  });
  app.config.errorHandler = (error) => {
    throw error;
  };
  place.classList.add('v-theme--' + (DATA.dark ? 'dark' : 'light'));
  app.use(vuetify).mount(place);
};
if (chance(0.12)) {
  const place = document.body.appendChild(T.h('div'));
  mount(
    () =>
      v(
        C.VDialog,
        { modelValue: true, width: 420 },
        {
          default: () =>
            v(
              C.VCard,
              { title: noun() },
              { text: () => [v('p', sentence()), field()], actions: () => [button(), button()] },
            ),
        },
      ),
    place,
  );
}
T.show(parts, mount, { settle: 700 });
