// Maps with their own controls: zoom, layers, markers, pop-ups. The ground is drawn here, as there are no tiles.
const { h, int, pick, chance, times, label, noun, sentence, nouns } = T;
const tile = (hue) => {
  const canvas = h('canvas', { width: 256, height: 256 });
  const pen = canvas.getContext('2d');
  const paint = (colour) => (pen.fillStyle = pen.strokeStyle = colour);
  paint(DATA.dark ? `hsl(${hue} 12% 18%)` : `hsl(${hue} 30% 92%)`);
  pen.fillRect(0, 0, 256, 256);
  for (let at = int(2, 7); at; at--) {
    paint(pick(['#b9d8a8', '#a8cde6', '#e3d9c4', '#cfe0c3']) + (DATA.dark ? '55' : ''));
    pen.fillRect(int(-40, 220), int(-40, 220), int(20, 130), int(20, 130));
  }
  for (let at = int(2, 6); at; at--) {
    paint(pick(['#fff', '#f6c667', '#d5d5d5']));
    pen.lineWidth = int(1, 7);
    pen.beginPath();
    pen.moveTo(int(-20, 276), 0);
    pen.bezierCurveTo(int(0, 256), int(0, 256), int(0, 256), int(0, 256), int(-20, 276), 256);
    pen.stroke();
  }
  paint(DATA.dark ? '#ccc' : '#555');
  pen.font = `${int(10, 14)}px sans-serif`;
  if (chance(0.6)) pen.fillText(noun(), int(10, 150), int(20, 240));
  return canvas;
};
L.Icon.Default.imagePath = '/leaflet/dist/images/';
const ground = (hue) => {
  const layer = L.gridLayer({ attribution: sentence(2, 4) });
  layer.createTile = () => tile(hue);
  return layer;
};
const map = (place) => {
  const box = h('div', { style: `height:${int(260, 620)}px` });
  place.append(chance(0.4) ? h('h3', {}, noun()) : '', box);
  const made = L.map(box, {
    center: [int(-50, 60), int(-100, 100)],
    zoom: int(3, 9),
    zoomControl: chance(0.8),
    zoomAnimation: false,
    fadeAnimation: false,
    markerZoomAnimation: false,
    attributionControl: chance(0.8),
  });
  const grounds = nouns(2, 3).map((each) => [each, ground(int(0, 359))]);
  grounds[0][1].addTo(made);
  const near = () => [made.getCenter().lat + (T.random() - 0.5) * 8, made.getCenter().lng + (T.random() - 0.5) * 16];
  const extra = L.layerGroup(times(0, 6, () => L.marker(near(), { title: noun() }))).addTo(made);
  if (chance(0.4)) L.circle(near(), { radius: int(20000, 300000), color: T.colour(), interactive: false }).addTo(made);
  if (chance(0.4)) L.polyline(times(3, 7, near), { color: T.colour(), interactive: false }).addTo(made);
  if (chance(0.6)) {
    const layers = L.control.layers(Object.fromEntries(grounds), { [noun()]: extra }, { collapsed: chance(0.5) });
    layers.addTo(made);
  }
  if (chance(0.5)) L.control.scale().addTo(made);
  if (chance(0.4))
    L.popup({ autoPan: false })
      .setLatLng(made.getCenter())
      .setContent(`<b>${noun()}</b><br>${sentence(3, 8)}`)
      .openOn(made);
};
const tools = (place) =>
  place.append(
    h(
      'form',
      { style: 'display:flex;gap:8px;flex-wrap:wrap' },
      h('input', { type: 'search', placeholder: noun() }),
      h('button', { type: 'button' }, label()),
      times(0, 3, () => h('label', {}, h('input', { type: 'checkbox', checked: chance(0.5) }), noun())),
    ),
  );
const list = (place) =>
  place.append(
    h(
      'ul',
      {},
      nouns(3, 8).map((each) => h('li', {}, chance(0.6) ? h('a', { href: '#p' }, each) : each)),
    ),
  );
T.show({ map, tools, list }, (make, place) => make(place), { least: 1, most: 4, must: 1, settle: 500 });
