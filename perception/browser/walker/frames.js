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
