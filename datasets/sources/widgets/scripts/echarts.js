// Charts painted on a canvas. Those that only show are hard negatives; those that can be acted on stay unknown.
const { h, int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const series = (kind, heads) => ({
  type: kind,
  name: noun(),
  smooth: chance(0.3),
  stack: chance(0.3) ? 'all' : undefined,
  areaStyle: kind === 'line' && chance(0.4) ? {} : undefined,
  radius: kind === 'pie' ? pick(['60%', ['40%', '65%']]) : undefined,
  symbolSize: kind === 'scatter' ? int(5, 18) : 5,
  showSymbol: chance(0.4),
  label: { show: chance(0.25) },
  silent: true,
  data: heads.map((name) => (kind === 'pie' ? { name, value: int(5, 90) } : int(2, 99))),
});
const options = (acts) => {
  const kind = pick(['line', 'line', 'bar', 'bar', 'pie', 'scatter']);
  const heads = nouns(4, 9);
  const category = { type: 'category', data: heads, axisLabel: { rotate: chance(0.2) ? 45 : 0 } };
  const number = { type: 'value', name: chance(0.3) ? noun() : '', splitLine: { show: chance(0.7) } };
  const isFlat = kind === 'bar' && chance(0.3);
  return {
    animation: false,
    backgroundColor: 'transparent',
    title: chance(0.6)
      ? { text: noun(), subtext: chance(0.3) ? sentence(2, 5) : '', left: pick(['left', 'center']) }
      : undefined,
    legend: chance(0.7) ? { [pick(['bottom', 'top'])]: pick([0, 8]), selectedMode: acts } : undefined,
    toolbox: acts
      ? { feature: { saveAsImage: {}, restore: {}, dataView: {}, magicType: { type: ['line', 'bar'] } } }
      : undefined,
    grid: { containLabel: true, left: 12, right: 16, top: 48, bottom: acts ? 60 : 34 },
    dataZoom: acts && kind !== 'pie' && chance(0.6) ? [{ type: 'slider' }] : undefined,
    visualMap:
      !acts && kind === 'scatter' && chance(0.5) ? { type: 'piecewise', max: 100, selectedMode: false } : undefined,
    ...(kind === 'pie' ? {} : isFlat ? { yAxis: category, xAxis: number } : { xAxis: category, yAxis: number }),
    color: chance(0.5) ? times(4, 7, () => T.colour()) : undefined,
    series: times(1, kind === 'pie' ? 1 : 4, () => series(kind, heads)),
  };
};
const row = (children) => h('div', { style: 'display:flex;flex-wrap:wrap;gap:8px;align-items:center' }, children);
const tools = () =>
  row([
    h('b', { style: 'flex:1' }, noun()),
    ...times(0, 3, () => h('button', { type: 'button' }, label())),
    chance(0.4)
      ? h(
          'select',
          {},
          nouns(2, 4).map((each) => h('option', {}, each)),
        )
      : null,
    chance(0.3) ? h('label', {}, h('input', { type: 'checkbox', checked: chance(0.5) }), noun()) : null,
  ]);
const frame = () =>
  `border:${pick(['0', '1px solid #8884'])};border-radius:${pick([0, 4, 10])}px;padding:${pick([0, 8, 16])}px;background:${
    DATA.dark ? '#ffffff0c' : '#fff'
  }`;
const parts = {
  chart: (place) => {
    const acts = chance(0.15);
    const box = h('div', { class: acts ? null : 'shows', style: `height:${int(160, 380)}px` });
    place.append(h('div', { style: frame() }, chance(0.6) ? tools() : null, box));
    echarts.init(box, DATA.dark ? 'dark' : null, { renderer: 'canvas' }).setOption(options(acts));
  },
  gauge: (place) => {
    const box = h('div', { class: 'shows', style: `height:${int(150, 260)}px` });
    place.append(box);
    const data = [{ value: int(0, 100), name: noun() }];
    echarts.init(box, DATA.dark ? 'dark' : null).setOption({
      animation: false,
      backgroundColor: 'transparent',
      series: [{ type: 'gauge', silent: true, data, progress: { show: chance(0.5) } }],
    });
  },
  numbers: (place) =>
    place.append(
      h(
        'div',
        { style: 'display:grid;grid-template-columns:repeat(auto-fit,minmax(110px,1fr));gap:10px' },
        times(2, 4, () =>
          h('div', { style: frame() }, h('small', {}, noun()), h('div', { style: 'font-size:1.6em' }, value())),
        ),
      ),
    ),
  words: (place) => place.append(h('p', {}, sentence(8, 30), ' ', h('a', { href: '#more' }, label()))),
};
T.show(parts, (make, place) => make(place), { least: 3, most: 8, must: 1, settle: 400 });
