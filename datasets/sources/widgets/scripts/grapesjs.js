// A builder of pages: a canvas between panels of icons, blocks and styles.
const { h, int, pick, chance, times, label, noun, sentence, nouns } = T;
T.ground();
const box = h('div');
document.body.append(box);
const page = `<h1>${noun()}</h1>${times(2, 5, () => `<p>${sentence(5, 25)}</p>`).join('')}<button>${label()}</button>`;
const made = grapesjs.init({
  container: box,
  height: `${innerHeight}px`,
  storageManager: false,
  telemetry: false,
  components: page,
  blockManager: {
    blocks: nouns(4, 12).map((each, at) => ({ id: `b${at}`, label: each, category: pick(['A', 'B']), content: each })),
  },
});
made.on('load', () => {
  if (chance(0.5)) made.Panels.getButton('views', pick(['open-blocks', 'open-layers', 'open-tm']))?.set('active', true);
  if (chance(0.5)) made.select(made.getComponents().at(int(0, 1)));
  setTimeout(() => (window.widgetsReady = true), 800);
});
