// Players of music with lists of songs, and their small icons.
const { h, int, pick, chance, times, label, noun, name, sentence } = T;
const cover = () =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path fill="${T.colour()}" d="M0 0h9v9H0z"/></svg>`)}`;
const player = (place) => {
  const box = h('div');
  place.append(chance(0.5) ? h('h3', {}, noun()) : '', box);
  new APlayer({
    container: box,
    preload: 'none',
    theme: T.colour(),
    listFolded: chance(0.3),
    listMaxHeight: `${int(120, 300)}px`,
    audio: times(1, 8, () => ({ name: sentence(1, 4), artist: name(), url: 'none.mp3', cover: cover() })),
  });
};
const tools = (place) =>
  place.append(h('p', {}, h('input', { type: 'search', placeholder: noun() }), h('button', {}, label())));
const words = (place) => place.append(h('p', {}, sentence(8, 30), ' ', h('a', { href: '#x' }, pick([label, name])())));
T.show({ player, tools, words }, (make, place) => make(place), { least: 1, most: 5, must: 1, settle: 500 });
