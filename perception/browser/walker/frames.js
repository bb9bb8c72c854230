// Frames: where the document in a frame element lies, and what of it can be seen.

/** It shows a document: an `object` may, too. @param {any} element @param {string} tag */
const isFrame = (element, tag) => tag === 'iframe' || tag === 'frame' || (tag === 'object' && element.contentWindow !== null);

/** Where a frame's own (0, 0) lies, and how it is scaled. @param {any} element */
function frameOrigin(element) {
  const rect = boundsOf(element);
  const style = getComputedStyle(element);
  // Offset sizes are rounded to whole pixels: a difference below that is no scale.
  const scaleX = Math.abs(rect.width - element.offsetWidth) < 1 ? 1 : rect.width / (element.offsetWidth || 1);
  const scaleY = Math.abs(rect.height - element.offsetHeight) < 1 ? 1 : rect.height / (element.offsetHeight || 1);
  return {
    x: rect.left + (element.clientLeft + parseFloat(style.paddingLeft)) * scaleX,
    y: rect.top + (element.clientTop + parseFloat(style.paddingTop)) * scaleY,
    scaleX, scaleY,
  };
}

/** It is turned or slanted, so that its pixels are not in rows and columns. @param {Element} element */
function isTurned(element) {
  for (let node = /** @type {Element|null} */ (element); node; node = paintedParent(node)) {
    const style = getComputedStyle(node);
    if (style.rotate !== 'none') return true;
    if (style.transform === 'none') continue;
    const matrix = new DOMMatrix(style.transform);
    if (!matrix.is2D || Math.abs(matrix.b) > 1e-6 || Math.abs(matrix.c) > 1e-6 || matrix.a < 0 || matrix.d < 0) return true;
  }
  return false;
}

/**
 * What lies on a frame at points: [0] nothing, [1, number, words] another element, [2] it is not painted there.
 * @param {Element} frame @param {Array<[number, number]>} points in the coordinates of the document that holds it
 */
function coversOf(frame, points) {
  return points.map(([x, y]) => {
    const hit = elementAt(x, y);
    if (!hit || (hit !== frame && holds(hit, frame))) return [2];
    return hit === frame ? [0] : [1, rowNumberOf(hit), describeBlocker(hit)];
  });
}

/** The number of the innermost listed element around another, 0 for none. @param {Element} element */
function rowNumberOf(element) {
  for (let node = /** @type {Element|null} */ (element); node; node = paintedParent(node)) {
    const part = partOf.get(node);
    if (part && part.listed) return numberOf(node);
  }
  return 0;
}

/** Scrolls all that is around a frame until a point of it is in view. @param {Element} frame @param {number} x @param {number} y in the frame's own pixels */
function revealPoint(frame, x, y) {
  const place = () => {
    const { x: left, y: top, scaleX, scaleY } = frameOrigin(frame);
    return { x: left + x * scaleX, y: top + y * scaleY };
  };
  for (let node = paintedParent(frame); node; node = paintedParent(node)) {
    if (node === document.documentElement || node.scrollHeight + node.scrollWidth <= node.clientHeight + node.clientWidth) continue;
    const box = boundsOf(node), at = place();
    const inside = at.x > box.left && at.x < box.right && at.y > box.top && at.y < box.bottom;
    if (!inside) node.scrollBy({ left: at.x - (box.left + box.right) / 2, top: at.y - (box.top + box.bottom) / 2, behavior: 'instant' });
  }
  const at = place();
  if (at.x < 0 || at.x > innerWidth || at.y < 0 || at.y > innerHeight) {
    scrollBy({ left: at.x < 0 || at.x > innerWidth ? at.x - innerWidth / 2 : 0, top: at.y < 0 || at.y > innerHeight ? at.y - innerHeight / 2 : 0, behavior: 'instant' });
  }
  return place();
}
