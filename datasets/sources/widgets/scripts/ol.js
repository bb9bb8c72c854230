// Maps of drawn ground with their own controls, markers and words.
const { h, int, pick, chance, times, label, noun, sentence } = T;
const hue = int(0, 359);
const ground = () =>
  new ol.layer.Tile({
    source: new ol.source.TileImage({
      projection: 'EPSG:3857',
      tileUrlFunction: ([z, x, y]) => `ground/${z}/${x}/${y}`,
      tileLoadFunction: (tile) => {
        const canvas = h('canvas', { width: 256, height: 256 });
        const pen = canvas.getContext('2d');
        pen.fillStyle = `hsl(${hue} 30% ${DATA.dark ? 20 : 92}%)`;
        pen.fillRect(0, 0, 256, 256);
        for (let at = int(3, 8); at; at--) {
          pen.fillStyle = pick(['#b9d8a8', '#a8cde6', '#e3d9c4', '#cfe0c3']);
          pen.fillRect(int(-40, 220), int(-40, 220), int(20, 130), int(6, 90));
        }
        pen.fillStyle = '#555';
        pen.font = '12px sans-serif';
        pen.fillText(noun(), int(10, 150), int(20, 240));
        tile.getImage().src = canvas.toDataURL();
      },
    }),
  });
const map = (place) => {
  const box = h('div', { style: `height:${int(300, 640)}px` });
  place.append(chance(0.5) ? h('h2', {}, noun()) : '', box);
  const all = [new ol.control.Zoom(), new ol.control.Attribution({ collapsible: true })];
  if (chance(0.6)) all.push(new ol.control.FullScreen());
  if (chance(0.4)) all.push(new ol.control.ZoomSlider());
  if (chance(0.5)) all.push(new ol.control.ScaleLine());
  if (chance(0.4)) all.push(new ol.control.ZoomToExtent());
  new ol.Map({
    target: box,
    layers: [ground()],
    controls: all,
    view: new ol.View({ center: [int(-9e6, 9e6), int(-4e6, 6e6)], zoom: int(3, 8) }),
  });
};
const bar = (place) =>
  place.append(
    h(
      'form',
      { style: 'display:flex;gap:8px;flex-wrap:wrap' },
      h('input', { type: 'search', placeholder: noun() }),
      h('button', { type: 'button' }, label()),
      times(0, 3, () => h('label', {}, h('input', { type: 'checkbox' }), noun())),
    ),
  );
const list = (place) =>
  place.append(
    h(
      'ul',
      {},
      times(3, 8, () => h('li', {}, chance(0.6) ? h('a', { href: '#p' }, noun()) : sentence(2, 6))),
    ),
  );
T.show({ map, bar, list }, (make, place) => make(place), { least: 1, most: 3, must: 1, settle: 900 });
