// Colours: CSS values as numbers, and how one colour looks on another.

/**
 * Red, green and blue from 0 to 255, and opacity from 0 to 1.
 * @typedef {[number, number, number, number]} Colour
 */

/** Colours by their CSSOM notation: pages have few. @type {Map<string, Colour|null>} */
const colours = new Map();

/** Limit on cached colours, more than any page uses at a time: generated colours must not fill the memory. */
const MAX_COLOURS = 1000;

/**
 * @param {string} written as in computed style
 * @returns {Colour|null} null if it is not a colour
 */
export function colourOf(written) {
  let colour = colours.get(written);
  if (colour === undefined) {
    if (colours.size > MAX_COLOURS) colours.clear();
    colour = parseColour(written);
    colours.set(written, colour);
  }
  return colour;
}

/**
 * Most colours are written as `rgb()` in bytes (CSSOM 1 §6.7.2), mixtures as `color(srgb …)`. A canvas reads all others
 * (`oklch()`, …); the first of these costs 20 ms.
 * @param {string} written
 * @returns {Colour|null}
 */
function parseColour(written) {
  const numbers = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(written);
  if (numbers) return [+numbers[1], +numbers[2], +numbers[3], numbers[4] === undefined ? 1 : +numbers[4]];
  const shares = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/.exec(written);
  if (shares) return [255 * +shares[1], 255 * +shares[2], 255 * +shares[3], shares[4] === undefined ? 1 : +shares[4]];
  if (!/^[a-z]+\(|^#|^[a-z]+$/i.test(written)) return null;
  const context = /** @type {OffscreenCanvasRenderingContext2D|null} */ (new OffscreenCanvas(1, 1).getContext('2d'));
  if (!context) return null;
  context.fillStyle = '#010203';
  context.fillStyle = written;
  if (context.fillStyle === '#010203') return null;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}

/**
 * One colour laid on another.
 * @param {Colour} top
 * @param {Colour} under
 * @returns {Colour}
 */
export function compositeOver(top, under) {
  const alpha = top[3],
    rest = under[3] * (1 - alpha),
    all = alpha + rest;
  if (alpha >= 1 || all === 0) return top;
  const mix = (/** @type {0|1|2} */ i) => (top[i] * alpha + under[i] * rest) / all;
  return [mix(0), mix(1), mix(2), all];
}

/**
 * The largest difference between two opaque colours in one channel.
 * @param {Colour} a
 * @param {Colour} b
 */
export const colourDistance = (a, b) => Math.max(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1]), Math.abs(a[2] - b[2]));

/**
 * How a blend mode paints one channel over another, both from 0 to 1 (Compositing 1 §10).
 * @type {Record<string, (top: number, under: number) => number>}
 */
const BLENDS = {
  multiply: (top, under) => top * under,
  screen: (top, under) => top + under - top * under,
  darken: Math.min,
  lighten: Math.max,
  difference: (top, under) => Math.abs(top - under),
  exclusion: (top, under) => top + under - 2 * top * under,
  'color-dodge': (top, under) => (under === 0 ? 0 : top >= 1 ? 1 : Math.min(1, under / (1 - top))),
  'color-burn': (top, under) => (under >= 1 ? 1 : top <= 0 ? 0 : 1 - Math.min(1, (1 - under) / top)),
  'plus-lighter': (top, under) => Math.min(1, top + under),
};

/**
 * @param {Colour} top
 * @param {Colour} under
 * @param {string} mode of `mix-blend-mode`
 * @returns {Colour}
 */
export function blendColours(top, under, mode) {
  const blend = BLENDS[mode];
  if (!blend) return top;
  const mix = (/** @type {0|1|2} */ i) => 255 * blend(top[i] / 255, under[i] / 255);
  return [mix(0), mix(1), mix(2), top[3]];
}

/** @param {string} image as computed @returns {Array<Colour|null>} */
export const gradientColours = (image) =>
  (image.match(/(?:rgba?|color|oklab|oklch|lab|lch|hsla?|hwb)\([^()]*\)/g) || []).map(colourOf);
