// Players of video and audio with their bars, some over pictures.
const { h, int, pick, chance, label, sentence, nouns } = T;
const player = (place) => {
  const kind = pick(['video', 'video', 'audio']);
  const media = h(kind, { class: 'video-js', controls: true });
  const box = h('div', { style: `max-width:${int(320, 960)}px` }, media);
  place.append(chance(0.5) ? h('h3', {}, sentence(2, 5)) : '', box);
  const made = videojs(media, {
    audioOnlyMode: kind === 'audio',
    fluid: true,
    playbackRates: chance(0.5) ? [0.5, 1, 2] : [],
    controlBar: { skipButtons: chance(0.5) ? { forward: 10, backward: 10 } : {}, pictureInPictureToggle: chance(0.7) },
  });
  if (chance(0.6)) made.hasStarted(true); // the bar is shown in place of the large button
  if (kind === 'video' && chance(0.5)) made.el().prepend(T.picture(int(300, 600)));
};
const list = (place) =>
  place.append(
    h(
      'ol',
      {},
      nouns(3, 8).map((each) => h('li', {}, h('a', { href: '#x' }, each))),
    ),
  );
const words = (place) => place.append(h('p', {}, sentence(8, 30), ' ', h('button', {}, label())));
T.show({ player, list, words }, (make, place) => make(place), { least: 1, most: 4, must: 1, settle: 500 });
