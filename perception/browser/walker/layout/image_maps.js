// Image maps: positions of the areas of an image.

import { attr, boundsOf, closest, idOf, treeRootOf } from '../dom/access.js';
import { boxOf } from './boxes.js';
import { frameOrigin } from './frames.js';
import { NOWHERE, overlap, rectOf } from './rects.js';

/** @import { Rect } from './rects.js' */
/** @import { Part } from '../tree/part.js' */

/** The image that uses an image map. @param {Element} area @returns {Element|null} */
export function pictureOfMap(area) {
  const map = closest(area, 'map');
  const name = map && (attr(map, 'name') || idOf(map));
  if (!name) return null;
  for (const image of /** @type {any} */ (treeRootOf(area)).querySelectorAll('img[usemap], object[usemap]'))
    if (attr(image, 'usemap') === `#${name}`) return image;
  return null;
}

/**
 * The position of an area of an image map; its coordinates are in CSS px of the image (HTML §4.8.14).
 * @param {Element} area
 * @returns {Rect}
 */
function areaBox(area) {
  const image = pictureOfMap(area);
  if (!image) return NOWHERE;
  const { x, y, scaleX, scaleY } = frameOrigin(image);
  const numbers = (attr(area, 'coords') || '')
    .split(/[\s,;]+/)
    .map(parseFloat)
    .filter((number) => !Number.isNaN(number));
  const shape = (attr(area, 'shape') || 'rect').toLowerCase();
  let inner = [0, 0, image.clientWidth, image.clientHeight];
  if (shape.startsWith('circ') && numbers.length >= 3)
    inner = [numbers[0] - numbers[2], numbers[1] - numbers[2], numbers[0] + numbers[2], numbers[1] + numbers[2]];
  else if (shape !== 'default' && numbers.length >= 4) {
    const across = numbers.filter((_, i) => i % 2 === 0),
      down = numbers.filter((_, i) => i % 2 === 1);
    inner = [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
  }
  const box = /** @type {Rect} */ ([
    x + inner[0] * scaleX,
    y + inner[1] * scaleY,
    x + inner[2] * scaleX,
    y + inner[3] * scaleY,
  ]);
  return overlap(box, rectOf(boundsOf(image))) || NOWHERE;
}

/** The current position of a part. @param {Part} part @returns {Rect} */
export const boxOfPart = (part) => (part.tag === 'area' ? areaBox(part.element) : boxOf(part.element, part.display));
