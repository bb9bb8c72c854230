// Graphs of nodes and edges on canvases: pictures that only show, beside a few tools.
const { h, int, pick, chance, times, label, noun, sentence, value, nouns } = T;
const graph = (place) => {
  const box = h('div', { class: 'shows', style: `height:${int(240, 520)}px;border:1px solid #8886` });
  place.append(
    h(
      'div',
      { style: 'display:flex;gap:6px;align-items:center;padding:6px 0' },
      h('b', { style: 'flex:1' }, noun()),
      ...times(0, 4, () => h('button', { type: 'button' }, pick([label, () => pick(['+', '−', '⟲', '⤢'])])())),
      chance(0.4) ? h('input', { type: 'search', placeholder: noun() }) : null,
      chance(0.4)
        ? h(
            'select',
            {},
            nouns(2, 5).map((each) => h('option', {}, each)),
          )
        : null,
    ),
    box,
  );
  const names = times(5, 22, () => noun());
  const ink = DATA.dark ? '#ddd' : '#222';
  cytoscape({
    container: box,
    autoungrabify: true,
    autounselectify: true,
    userZoomingEnabled: false,
    userPanningEnabled: false,
    boxSelectionEnabled: false,
    elements: [
      ...names.map((name, id) => ({ data: { id: 'n' + id, name } })),
      ...names.slice(1).map((_, at) => ({ data: { id: 'e' + at, source: 'n' + int(0, at), target: 'n' + (at + 1) } })),
      ...times(0, 6, (at) => ({
        data: { id: 'x' + at, source: 'n0', target: 'n' + int(1, names.length - 1) },
      })),
    ],
    style: [
      {
        selector: 'node',
        style: {
          label: 'data(name)',
          color: ink,
          'font-size': pick([8, 10, 12]),
          shape: pick(['ellipse', 'rectangle', 'round-rectangle', 'diamond', 'hexagon']),
          'background-color': T.colour(),
          'text-valign': pick(['center', 'bottom', 'top']),
          width: pick([14, 24, 40]),
          height: pick([14, 24, 30]),
        },
      },
      {
        selector: 'edge',
        style: {
          width: pick([1, 2, 3]),
          'curve-style': pick(['bezier', 'straight', 'taxi', 'haystack']),
          'target-arrow-shape': pick(['none', 'triangle']),
          'line-color': T.colour(),
        },
      },
    ],
    layout: { name: pick(['breadthfirst', 'circle', 'concentric', 'grid']), animate: false },
  });
};
const list = (place) =>
  place.append(
    h(
      'dl',
      {},
      nouns(3, 6).flatMap((each) => [
        h('dt', {}, each),
        h('dd', {}, chance(0.3) ? h('a', { href: '#x' }, value()) : value()),
      ]),
    ),
  );
const words = (place) => place.append(h('p', {}, sentence(8, 30)));
T.show({ graph, list, words }, (make, place) => make(place), { least: 1, most: 4, must: 1, settle: 500 });
