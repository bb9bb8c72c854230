// The area that pictures cover of this frame's window, CSS px²: canvases, drawings, films and images without words, as
// far as they are large enough to be more than a control's icon. Counted on a grid, so that what overlaps counts once.
() => {
  const [side, cell] = [64, 8];
  const [width, height] = [innerWidth, innerHeight];
  const cells = new Set();

  function* pictures(root) {
    for (const each of root.querySelectorAll("*")) {
      if (each.shadowRoot) yield* pictures(each.shadowRoot);
      if (each.matches("canvas, svg, video, embed, object, img:not([alt]), img[alt='']")) yield each;
    }
  }
  for (const picture of pictures(document)) {
    const box = picture.getBoundingClientRect();
    if (Math.min(box.width, box.height) < side) continue;
    if (!picture.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    for (let x = Math.floor(Math.max(box.left, 0) / cell); x < Math.min(box.right, width) / cell; x++)
      for (let y = Math.floor(Math.max(box.top, 0) / cell); y < Math.min(box.bottom, height) / cell; y++)
        cells.add(y * 10000 + x);
  }
  return Math.min(cells.size * cell * cell, width * height);
}
