// What one frame paints as text, read from client rectangles and hit tests. Runs in a world of its own.
// JOINT stands between two pieces of text that are neither clearly apart nor clearly joined.
globalThis.paintedWords ??= (() => {
  const JOINT = "\u0001";
  const SKIPPED = new Set(["script", "style", "noscript", "template", "head", "textarea", "select", "option", "iframe"]);
  const FIELDS = "input:not([type=hidden]), select, textarea, progress, meter, [contenteditable=''], [contenteditable=true], "
    + "[role=combobox], [role=textbox], [role=searchbox], [role=spinbutton], [role=slider], [role=progressbar], [role=meter]";
  const TEXTS = "aria-label aria-description aria-placeholder aria-valuetext aria-valuenow aria-valuemin aria-valuemax alt title value placeholder label"
    .split(" ");
  const closed = new WeakMap();
  let stream = "", pieces = [], words = [], fields = [];

  const shadow = (node) => node.shadowRoot ?? closed.get(node) ?? null;
  const parentOf = (node) => node.assignedSlot ?? (node.parentNode instanceof ShadowRoot ? node.parentNode.host : node.parentElement);
  const letter = (text) => /[\p{L}\p{N}]/u.test(text);

  function childrenOf(node) {
    if (node.localName === "slot") {
      const assigned = node.assignedNodes();
      if (assigned.length) return assigned;
    }
    return (shadow(node) ?? node).childNodes;
  }

  function* texts(node) {
    if (node.nodeType === Node.TEXT_NODE) { yield node; return; }
    if (node.nodeType !== Node.ELEMENT_NODE || SKIPPED.has(node.localName) || getComputedStyle(node).display === "none") return;
    for (const child of childrenOf(node)) yield* texts(child);
  }

  function* elements(root) {
    for (const element of root.querySelectorAll("*")) {
      yield element;
      const inner = shadow(element);
      if (inner) yield* elements(inner);
    }
  }

  function rects(node, start, end) {
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, end);
    return [...range.getClientRects()].filter((each) => each.width > 0 && each.height > 0);
  }

  function blockOf(node) {
    let element = parentOf(node);
    while (element && /^(inline|contents|ruby)/.test(getComputedStyle(element).display) && getComputedStyle(element).display !== "inline-block") element = parentOf(element);
    return element;
  }

  // Between the last letter of one piece and the first of the next.
  function joint(before, after) {
    const one = rects(before.node, before.end - 1, before.end).at(-1), other = rects(after.node, after.start, after.start + 1)[0];
    if (!one || !other) return " ";
    const size = Math.min(one.height, other.height), gap = other.left - one.right;
    if (Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) < size / 2 || gap > size * 0.2 || gap < -size) return " ";
    if (Math.abs(one.bottom - other.bottom) > size * 0.15) return " ";
    return Math.abs(gap) < size * 0.04 && blockOf(before.node) === blockOf(after.node) ? "" : JOINT;
  }

  function collect(roots) {
    for (const root of roots) closed.set(root.host, root);
    stream = "";
    pieces = [];
    for (const node of texts(document.body ?? document.documentElement)) {
      const found = /\S(?:[\s\S]*\S)?/.exec(node.data);
      if (!found || !rects(node, 0, node.data.length).length) continue;
      const piece = { node, data: node.data, start: found.index, end: found.index + found[0].length, at: 0, block: null };
      const before = pieces.at(-1);
      if (before) {
        const bare = before.end === before.data.length && piece.start === 0;
        const space = !bare && before.node.parentNode !== node.parentNode ? " " : bare ? "" : " ";
        stream += space || joint(before, piece);
      }
      piece.at = stream.length;
      piece.block = blockOf(node);
      stream += found[0];
      pieces.push(piece);
    }
    const blocks = new Map();
    words = [];
    let at = 0;
    for (const found of stream.matchAll(/[\p{L}\p{N}\p{M}_\u00ad\u200b-\u200d\u2060\u0001]+(?:[.,'’:][\p{N}]+)*/gu)) {
      const start = found.index, text = found[0];
      if (!letter(text)) continue;
      while (pieces[at + 1] && pieces[at + 1].at <= start) at += 1;
      const piece = pieces[at], from = piece.start + start - piece.at;
      const first = text.startsWith(JOINT) ? 0 : Math.min(piece.end - from, text.length);
      if (first <= 0) continue;
      const box = rects(piece.node, from, from + first)[0];
      if (!blocks.has(piece.block)) blocks.set(piece.block, blocks.size);
      words.push({ text, piece, from, to: from + first, block: blocks.get(piece.block), painted: false, top: box ? box.top + scrollY : null });
    }
    return words.map((each) => [each.text, each.block]);
  }

  const alpha = (color) => (/^rgba\(.*, ([\d.]+)\)$/.exec(color) ?? [0, color === "transparent" ? 0 : 1])[1] * 1;

  function isShown(element) {
    const own = getComputedStyle(element);
    if (own.visibility !== "visible" || parseFloat(own.fontSize) < 3 || own.webkitTextSecurity !== "none") return false;
    if (alpha(own.webkitTextFillColor) < 0.05 && own.backgroundClip !== "text") return false;
    let opacity = 1;
    for (let node = element; node; node = parentOf(node)) opacity *= getComputedStyle(node).opacity;
    return opacity > 0.05;
  }

  function isAround(outer, inner) {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  }

  function covers(element) {
    const own = getComputedStyle(element);
    if (own.visibility !== "visible" || own.opacity < 0.5) return false;
    return alpha(own.backgroundColor) >= 0.5 || own.backgroundImage !== "none" || ["img", "video", "canvas", "iframe"].includes(element.localName);
  }

  function isClipped(element, box) {
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    for (let node = element; node; node = parentOf(node)) {
      const own = getComputedStyle(node);
      if (own.position === "fixed") return false;
      if (own.overflow === "visible" && own.clipPath === "none" && own.clip === "auto") continue;
      const area = node.getBoundingClientRect();
      if (node !== document.body && node !== document.documentElement && (x < area.left || x > area.right || y < area.top || y > area.bottom)) return true;
    }
    return false;
  }

  function isPainted(element, box) {
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || !isShown(element)) return false;
    let target = element;
    while (target && getComputedStyle(target).display === "contents") target = parentOf(target);
    for (const over of target.getRootNode().elementsFromPoint(x, y)) {
      if (over === target || target.contains(over)) return true;
      if (isAround(over, target)) break;
      if (covers(over)) return false;
    }
    const off = getComputedStyle(target).pointerEvents === "none" || target.closest("[inert]") || document.querySelector("dialog:modal");
    return Boolean(off) && !isClipped(target, box);
  }

  // Where the frame begins in the tab, or null if the frame itself is not painted there.
  function offset() {
    let x = 0, y = 0;
    for (let view = window; view !== view.parent; view = view.parent) {
      const frame = view.frameElement;
      if (!frame) return null;
      const box = frame.getBoundingClientRect();
      x += box.left + frame.clientLeft;
      y += box.top + frame.clientTop;
    }
    return { x, y };
  }

  const inTab = (at, box, place) => at.x >= 0 && at.y >= 0 && box.left + place.x >= 0 && at.x < top.innerWidth && at.y < top.innerHeight;

  function boxOf(word) {
    if (word.piece.node.data !== word.piece.data || !word.piece.node.isConnected) return null;
    return rects(word.piece.node, word.from, word.to)[0] ?? null;
  }

  // Marks the words that are painted at this position of scrolling.
  function look() {
    const place = offset();
    if (!place) return 0;
    let count = 0;
    for (const word of words) {
      if (word.painted || word.top === null) continue;
      if (window === top && (word.top < scrollY - innerHeight || word.top > scrollY + 2 * innerHeight)) continue;
      const box = boxOf(word);
      if (!box) continue;
      const at = { x: box.left + box.width / 2 + place.x, y: box.top + box.height / 2 + place.y };
      if (inTab(at, box, place) && isPainted(parentOf(word.piece.node), box)) { word.painted = true; count += 1; }
    }
    return count;
  }

  // 2: seen; 1: it would be, elsewhere in its scrolling box or under what covers it; 0: it is not to be seen.
  const painted = () => words.map((each) => (each.painted ? 2 : each.top !== null && isShown(parentOf(each.piece.node)) ? 1 : 0));

  // The line of a word, with what is left and right of it, in the tab; it is scrolled to if it must be.
  function show(index) {
    const word = words[index];
    let box = boxOf(word);
    if (!box) return null;
    const far = () => { const place = offset(); return !place || box.top + place.y < 60 || box.bottom + place.y > top.innerHeight - 60; };
    if (far()) { top.scrollTo({ top: top.scrollY + box.top + (offset()?.y ?? 0) - top.innerHeight / 2, behavior: "instant" }); box = boxOf(word); }
    const place = offset();
    if (!box || !place) return null;
    return { x: box.left + place.x, y: box.top + place.y, width: box.width, height: box.height };
  }

  const context = (index) => {
    const word = words[index];
    return (parentOf(word.piece.node)?.outerHTML ?? "").replace(/\s+/g, " ").slice(0, 160);
  };

  // All that a page may say without painting it as text of its own: attributes, values, texts of lists.
  function named() {
    const found = [];
    for (const element of elements(document)) {
      for (const name of TEXTS) {
        const said = element.getAttribute(name);
        if (said) found.push(said);
      }
      for (const name of ["aria-labelledby", "aria-describedby"]) {
        for (const id of (element.getAttribute(name) ?? "").split(/\s+/)) found.push(element.getRootNode().getElementById?.(id)?.textContent ?? "");
      }
      if (element.matches("input, textarea, select, progress, meter") && element.type !== "password") found.push(String(element.value), String(element.max ?? ""));
      if (element.localName === "option" || (element.localName === "title" && element.namespaceURI.endsWith("svg"))) found.push(element.textContent);
    }
    return found;
  }

  function paintedValue(element) {
    const own = element.localName;
    if (own === "select") return element.size > 1 || element.multiple ? "" : element.selectedOptions[0]?.label ?? "";
    if (own === "progress" || own === "meter") return element.hasAttribute("value") ? String(element.value) : "";
    if (own === "textarea") return element.value || element.placeholder;
    if (own !== "input" || ["password", "checkbox", "radio", "file", "image", "color"].includes(element.type)) return "";
    if (/^(date|time|month|week|datetime-local|range)$/.test(element.type)) return element.value;
    return element.value || element.placeholder;
  }

  const level = (element) => {
    const own = element.getAttribute("role");
    return own === "slider" || own === "progressbar" || own === "meter" ? element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? "" : "";
  };

  // Controls in view, each with what is painted in its box.
  function controls() {
    const place = offset();
    fields = [];
    if (!place) return [];
    for (const element of elements(document)) {
      if (!element.matches(FIELDS)) continue;
      const box = element.getBoundingClientRect();
      const x = box.left + box.width / 2 + place.x, y = box.top + box.height / 2 + place.y;
      if (box.width < 4 || box.height < 4 || x < 0 || y < 0 || x >= top.innerWidth || y >= top.innerHeight) continue;
      const native = element.matches("input, select, textarea, progress, meter");
      const shown = isPainted(element, box);
      const value = shown && native && parseFloat(getComputedStyle(element).fontSize) > 2 && alpha(getComputedStyle(element).webkitTextFillColor) > 0.05 ? paintedValue(element) : shown ? level(element) : "";
      fields.push({ element, box, value, inside: [] });
    }
    for (const word of words) {
      const box = word.painted && boxOf(word);
      if (!box) continue;
      const x = box.left + box.width / 2, y = box.top + box.height / 2;
      const around = fields.filter((each) => x > each.box.left && x < each.box.right && y > each.box.top && y < each.box.bottom);
      const least = around.sort((one, other) => one.box.width * one.box.height - other.box.width * other.box.height)[0];
      const other = least && parentOf(word.piece.node).closest("button, a[href], label");
      if (least && !(other && !isAround(least.element, other) && !isAround(other, least.element))) least.inside.push(word.text);
    }
    return fields.map((each) => {
      const html = each.element.outerHTML.replace(/\s+/g, " ").slice(0, 140);
      const letters = each.element.matches("input, textarea, select") && !/^(date|time|month|week|datetime-local|range)$/.test(each.element.type);
      return { value: each.value, letters, inside: each.inside, html, x: each.box.left + place.x, y: each.box.top + place.y, width: each.box.width, height: each.box.height };
    });
  }

  // An element, its elements below, and the three around it: whose lines may say what is painted in it.
  function near(index, kind) {
    const { element } = fields[index];
    if (kind === "self") return [element];
    if (kind === "below") return [...element.querySelectorAll("*"), ...(shadow(element)?.querySelectorAll("*") ?? [])].slice(0, 40);
    const found = [];
    for (let node = parentOf(element); node && found.length < 3; node = parentOf(node)) found.push(node);
    return found;
  }

  return { collect, look, painted, show, context, named, controls, near };
})();
