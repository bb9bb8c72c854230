// Masks: clip paths, filters and transforms that make an element invisible.

import { boundsOf } from '../dom/access.js';
import { gradientColors } from './colors.js';

/** @import { Part } from '../tree/part.js' */
/** @import { Color } from './colors.js' */
/** @import { PaintStyle } from './paint_style.js' */

/**
 * Whether filters, masks or clips make an element's content invisible.
 * @param {CSSStyleDeclaration} style
 * @param {string} filter the element's own
 * @param {Part} part
 * @param {PaintStyle} ink
 */
export function isMaskedOut(style, filter, part, ink) {
  const { clipPath, maskImage } = style;
  if (clipPath !== 'none') ink.permanent = false; // it is relative to its box, which may be resized
  return (
    (clipPath !== 'none' && isClippedOut(clipPath, part.element)) ||
    (filter !== 'none' && isFilteredOut(filter)) ||
    (maskImage !== 'none' && isClearGradient(maskImage)) ||
    (style.backfaceVisibility === 'hidden' && isBackface(part))
  );
}

/**
 * Whether a clip path leaves nothing visible (CSS Shapes 1 §3, CSS Masking 1 §3.5).
 * @param {string} path as computed
 * @param {Element} element
 */
function isClippedOut(path, element) {
  const box = boundsOf(element);
  const length = (/** @type {string} */ written, /** @type {number} */ whole) =>
    written.endsWith('%') ? (parseFloat(written) / 100) * whole : parseFloat(written);
  const [, shape, inside] = /^([a-z]+)\((.*)\)/.exec(path) || [];
  if (shape === 'inset' || shape === 'rect' || shape === 'xywh') {
    const sides = inside.split(' round ')[0].split(/\s+/);
    if (sides.some((side) => !/^-?[\d.]+(px|%)?$/.test(side))) return false;
    const [top, right = top, bottom = top, left = right] = sides;
    if (shape === 'inset')
      return (
        length(left, box.width) + length(right, box.width) > box.width - 2 ||
        length(top, box.height) + length(bottom, box.height) > box.height - 2
      );
    if (shape === 'xywh') return length(bottom, box.width) < 2 || length(left, box.height) < 2;
    return (
      length(right, box.width) - length(left, box.width) < 2 || length(bottom, box.height) - length(top, box.height) < 2
    );
  }
  if (shape === 'circle' || shape === 'ellipse') {
    const radii = inside
      .split(/\s*at /)[0]
      .trim()
      .split(/\s+/)
      .filter((radius) => /^[\d.]+(px|%)$/.test(radius));
    return radii.some((radius) => length(radius, Math.min(box.width, box.height)) < 1);
  }
  if (shape === 'polygon') {
    const points = inside
      .replace(/^(nonzero|evenodd),\s*/, '')
      .split(/,\s*/)
      .map((point) => point.trim().split(/\s+/));
    if (points.some((point) => point.length !== 2 || point.some((each) => !/^-?[\d.]+(px|%)?$/.test(each))))
      return false;
    const places = points.map(([x, y]) => [length(x, box.width), length(y, box.height)]);
    const area =
      places.reduce((sum, [x, y], i) => {
        const [nextX, nextY] = places[(i + 1) % places.length];
        return sum + x * nextY - nextX * y;
      }, 0) / 2;
    return (
      Math.abs(area) < 4 ||
      places.every(([x]) => x <= 0) ||
      places.every(([x]) => x >= box.width) ||
      places.every(([, y]) => y <= 0) ||
      places.every(([, y]) => y >= box.height)
    );
  }
  return false;
}

/** A larger blur makes letters unreadable: the height of letters in common text (CSS px). */
const MAX_BLUR_PX = 8;

/** Whether filters make text unreadable (Filter Effects 1 §6.1). @param {string} filter as computed */
function isFilteredOut(filter) {
  for (const [, name, amount] of filter.matchAll(/([a-z-]+)\(([^()]*)\)/g)) {
    const number = parseFloat(amount);
    if (name === 'opacity' && number < 0.05) return true;
    if (name === 'blur' && number >= MAX_BLUR_PX) return true;
  }
  return false;
}

/**
 * The single color that filters turn every color into; null if they do not.
 * @param {string} filter as computed
 * @returns {Color|null}
 */
export function filteredColor(filter) {
  const [, name = ''] = /(contrast|brightness)\(0?(?:\.0\d*)?%?\)/.exec(filter) || [];
  return name === 'contrast' ? [128, 128, 128, 1] : name === 'brightness' ? [0, 0, 0, 1] : null;
}

/** Whether every color of a gradient is transparent; false for images. @param {string} image as computed */
const isClearGradient = (image) =>
  image.includes('gradient(') &&
  !image.includes('url(') &&
  gradientColors(image).every((color) => color !== null && color[3] < 0.05);

/** Whether its back faces the viewer and is not painted (CSS Transforms 2 §7). @param {Part} part */
function isBackface(part) {
  let matrix = new DOMMatrix();
  for (let each = /** @type {Part|null} */ (part); each; each = each.parent) {
    const style = getComputedStyle(each.element);
    if (each !== part && style.transformStyle !== 'preserve-3d') break;
    if (style.rotate !== 'none') matrix = new DOMMatrix(rotationOf(style.rotate)).multiply(matrix);
    if (style.transform !== 'none') matrix = new DOMMatrix(style.transform).multiply(matrix);
  }
  return matrix.m33 < 0;
}

/** `rotate: y 180deg` as a transform. @param {string} rotate as computed */
function rotationOf(rotate) {
  const [, axis = 'z', angle = '0deg'] = /^(?:(.*) )?(\S+)$/.exec(rotate) || [];
  const vector = { x: '1, 0, 0', y: '0, 1, 0', z: '0, 0, 1' }[axis] || axis.split(' ').join(', ');
  return `rotate3d(${vector}, ${angle})`;
}
