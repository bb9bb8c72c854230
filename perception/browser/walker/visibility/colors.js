// Colors: CSS values as numbers, and how one color looks on another.

/**
 * Red, green and blue from 0 to 255, and opacity from 0 to 1.
 * @typedef {[number, number, number, number]} Color
 */

/** Colors by their CSSOM notation: pages have few. @type {Map<string, Color|null>} */
const colors = new Map();

/** Limit on cached colors, more than any page uses at a time: generated colors must not fill the memory. */
const MAX_COLORS = 1000;

/**
 * @param {string} written as in computed style
 * @returns {Color|null} null if it is not a color
 */
export function colorOf(written) {
  let color = colors.get(written);
  if (color === undefined) {
    if (colors.size > MAX_COLORS) colors.clear();
    color = parseColor(written);
    colors.set(written, color);
  }
  return color;
}

/**
 * Most colors are written as `rgb()` in bytes (CSSOM 1 §6.7.2), mixtures as `color(srgb …)`. A canvas reads all others
 * (`oklch()`, …); the first of these costs 20 ms.
 * @param {string} written
 * @returns {Color|null}
 */
function parseColor(written) {
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
 * One color laid on another.
 * @param {Color} top
 * @param {Color} under
 * @returns {Color}
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
 * The largest difference between two opaque colors in one channel.
 * @param {Color} a
 * @param {Color} b
 */
export const colorDistance = (a, b) => Math.max(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1]), Math.abs(a[2] - b[2]));

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
 * @param {Color} top
 * @param {Color} under
 * @param {string} mode of `mix-blend-mode`
 * @returns {Color}
 */
export function blendColors(top, under, mode) {
  const blend = BLENDS[mode];
  if (!blend) return top;
  const mix = (/** @type {0|1|2} */ i) => 255 * blend(top[i] / 255, under[i] / 255);
  return [mix(0), mix(1), mix(2), top[3]];
}

/** @param {string} image as computed @returns {Array<Color|null>} */
export const gradientColors = (image) =>
  (image.match(/(?:rgba?|color|oklab|oklch|lab|lch|hsla?|hwb)\([^()]*\)/g) || []).map(colorOf);
