// Players of video and audio, with their bars over pictures and without.
const { h, int, pick, chance, sentence, nouns } = T;
const CONTROLS = ['play-large', 'rewind', 'fast-forward', 'captions', 'settings', 'pip', 'airplay', 'download'];
const player = (place) => {
  const kind = pick(['video', 'video', 'audio']);
  const media = h(kind, { controls: true, playsinline: true });
  const box = h('div', { style: `max-width:${int(320, 900)}px` }, media);
  place.append(chance(0.5) ? h('h3', {}, sentence(2, 5)) : '', box);
  new Plyr(media, {
    controls: ['play', 'progress', 'current-time', 'mute', 'volume', 'fullscreen', ...T.some(CONTROLS, 1, 6)],
    iconUrl: '/plyr/dist/plyr.svg',
    blankVideo: '',
    ratio: pick(['16:9', '4:3', '21:9']),
    storage: { enabled: false },
  });
  const wrapper = box.querySelector('.plyr__video-wrapper');
  if (wrapper && chance(0.6)) wrapper.append(T.picture(int(300, 600)));
};
const list = (place) =>
  place.append(
    h(
      'ol',
      {},
      nouns(3, 8).map((each) => h('li', {}, h('a', { href: '#x' }, each))),
    ),
  );
const words = (place) => place.append(h('p', {}, sentence(8, 30)));
T.show({ player, list, words }, (make, place) => make(place), { least: 1, most: 4, must: 1, settle: 500 });
