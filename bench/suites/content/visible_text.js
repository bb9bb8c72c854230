// What text this document shows: see visible_text.py. One function, given to a frame as it is.
() => {
  const NOT_TEXT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'TITLE', 'HEAD', 'TEXTAREA', 'SELECT', 'OPTION', 'DATALIST', 'RP',
    'IFRAME', 'OBJECT', 'VIDEO', 'AUDIO', 'CANVAS', 'METADATA', 'DESC', 'title', 'desc', 'style', 'script', 'metadata', 'DEFS', 'defs', 'symbol']);
  const ICONS = /icon|symbol|awesome|glyph/i;
  const parentOf = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
  const root = document.scrollingElement || document.documentElement;
  const holds = (style) => style.position !== 'static' || style.transform !== 'none' || style.filter !== 'none' || style.contain.includes('paint');
  const cut = (box, by) => [Math.max(box[0], by[0]), Math.max(box[1], by[1]), Math.min(box[2], by[2]), Math.min(box[3], by[3])];
  const empty = (box) => box[2] - box[0] < 1 || box[3] - box[1] < 1;
  const isRtl = () => getComputedStyle(document.body || root).direction === 'rtl';
  const clipped = (element, box) => {
    let position = getComputedStyle(element).position;
    for (let each = element; each && each !== document.body && each !== document.documentElement; each = parentOf(each)) {
      const style = getComputedStyle(each);
      if (/rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)/.test(style.clip) && style.position !== 'static') return true;
      if (/^inset\((50|100)%\)/.test(style.clipPath)) return true;
      const escapes = each !== element && ((position === 'absolute' && !holds(style)) || position === 'fixed');
      if (!escapes && each !== element || each === element) {
        if (!escapes && style.overflow !== 'visible' && style.display !== 'inline' && style.display !== 'contents') {
          const rect = each.getBoundingClientRect();
          const inside = [rect.left, rect.top, rect.right, rect.bottom];
          if (rect.width < 3 || rect.height < 3) return true;
          const now = cut(box, inside);
          if (empty(now)) {
            const x = box[2] <= inside[0] || box[0] >= inside[2], y = box[3] <= inside[1] || box[1] >= inside[3];
            if ((x && !/auto|scroll/.test(style.overflowX)) || (y && !/auto|scroll/.test(style.overflowY))) return true;
            box = inside;
          } else box = now;
        }
        if (position !== 'fixed' && (position !== 'absolute' || holds(style) || each === element)) position = each === element ? position : style.position;
      }
    }
    const left = box[0] + scrollX, right = box[2] + scrollX, bottom = box[3] + scrollY;
    return bottom <= 0 || (isRtl() ? left >= innerWidth : right <= 0);
  };
  const faint = (element) => {
    for (let each = element, opacity = 1; each; each = parentOf(each)) if ((opacity *= parseFloat(getComputedStyle(each).opacity)) < 0.05) return true;
    return false;
  };
  const isSeen = (node, element) => {
    if (!element.checkVisibility({ visibilityProperty: true }) || faint(element)) return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rect = range.getBoundingClientRect();
    if (rect.width * rect.height < 4 || ![...range.getClientRects()].some((line) => line.height >= 4 && line.width >= 1)) return false;
    return !clipped(element, [rect.left, rect.top, rect.right, rect.bottom]);
  };
  const main = document.querySelector('main, [role=main]');
  const found = { seen: [], hidden: [], main: [], named: [] };
  const walk = (node, inMain) => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.data.trim()) { if (found.seen.length) { found.seen.push(' '); found.main.push(' '); } return; }
      const element = node.assignedSlot || node.parentElement || node.parentNode.host;
      if (!element || ICONS.test(getComputedStyle(element).fontFamily.split(',')[0])) return;
      if (isSeen(node, element)) { found.seen.push(node.data); if (inMain) found.main.push(node.data); }
      else found.hidden.push(node.data);
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || NOT_TEXT.has(node.tagName)) return;
    for (const name of ['alt', 'title', 'aria-label', 'value']) if (node.hasAttribute(name)) found.named.push(node.getAttribute(name));
    const inline = /^(inline|contents|ruby.*)$/.test(getComputedStyle(node).display);
    const part = () => { found.seen.push('\n'); found.main.push('\n'); };
    if (!inline || node.tagName === 'BR') part();
    const within = inMain || node === main;
    const closed = node.tagName === 'DETAILS' && !node.open;
    if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) walk(child, within);
    else {
      const assigned = node.tagName === 'SLOT' ? node.assignedNodes() : [];
      for (const child of assigned.length ? assigned : node.childNodes) walk(child, within);
    }
    if (!inline) part();
  };
  if (document.documentElement) walk(document.documentElement, false);
  const text = (parts) => parts.join('');
  return { seen: text(found.seen), hidden: found.hidden.join('\n'), named: found.named.join('\n'), main: main ? text(found.main) : '' };
}
