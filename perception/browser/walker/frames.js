// Frames: where the document in a frame element lies.

/** Where a frame's own (0, 0) lies, and how it is scaled. @param {any} element */
function frameOrigin(element) {
  const rect = boundsOf(element);
  const style = getComputedStyle(element);
  const scaleX = element.offsetWidth ? rect.width / element.offsetWidth : 1;
  const scaleY = element.offsetHeight ? rect.height / element.offsetHeight : 1;
  return {
    x: rect.left + (element.clientLeft + parseFloat(style.paddingLeft)) * scaleX,
    y: rect.top + (element.clientTop + parseFloat(style.paddingTop)) * scaleY,
    scaleX, scaleY,
  };
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
