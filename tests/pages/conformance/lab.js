// Tells the top window what takes each press and click: the label of the innermost labelled element around it.
(() => {
  const press = (event) => {
    const path = event.composedPath();
    const leaves = path.some((node) => node.localName === 'a' || node.localName === 'area' || node.type === 'file' || node.type === 'color');
    if (event.type === 'click' && leaves) event.preventDefault();
    const hit = path.find((node) => node.dataset && node.dataset.case);
    if (hit) top.postMessage({ took: hit.dataset.case }, '*');
  };
  const listen = (root) => { for (const type of ['pointerdown', 'click']) root.addEventListener(type, press, true); };

  /** For handlers in the page's own source. */
  window.took = (element) => top.postMessage({ took: element.dataset.case }, '*');

  const roots = [document];

  const grow = (root) => {
    for (const template of root.querySelectorAll('template[data-shadow]')) {
      const { shadow, focus } = template.dataset;
      const inner = template.parentElement.attachShadow({ mode: shadow, delegatesFocus: focus === 'delegated' });
      inner.append(template.content.cloneNode(true));
      roots.push(inner);
      template.remove();
      if (shadow === 'closed') listen(inner);
      grow(inner);
    }
    for (const frame of root.querySelectorAll('iframe[data-from]')) fill(frame, root);
  };

  const fill = (frame, root) => {
    const other = location.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
    const host = frame.dataset.origin === 'other' ? other : location.hostname;
    const source = root.querySelector(`template#${frame.dataset.from}`).innerHTML;
    const head = '<!doctype html><script src="/conformance/lab.js"></script><link rel=stylesheet href="/conformance/lab.css">';
    frame.src = `//${host}:${location.port}/html?body=${encodeURIComponent(head + source)}`;
  };

  listen(window);
  addEventListener('submit', (event) => event.preventDefault(), true);
  document.addEventListener('DOMContentLoaded', () => {
    grow(document);
    for (const element of document.querySelectorAll('[data-scrolled]')) {
      [element.scrollLeft, element.scrollTop] = element.dataset.scrolled.split(',').map(Number);
    }
    const { scrolled } = document.documentElement.dataset;
    if (scrolled) scrollTo(...scrolled.split(',').map(Number));
    if (window.prepare) window.prepare();
  });

  const scrolled = new Map();
  const everything = () => roots.flatMap((root) => [...root.querySelectorAll('*')]);
  addEventListener('load', () => setTimeout(() => {  // after the page's own
    for (const each of everything()) if (each.scrollLeft || each.scrollTop) scrolled.set(each, [each.scrollLeft, each.scrollTop]);
  }));

  /** Scrolls all back to where it was when the page had loaded, in frames too. */
  const scrollBack = () => {
    for (const each of everything()) {
      const [x, y] = scrolled.get(each) || [0, 0];
      if (each.scrollLeft !== x || each.scrollTop !== y) each.scrollTo({ left: x, top: y, behavior: 'instant' });
      if (each.contentWindow) each.contentWindow.postMessage({ back: true }, '*');
    }
    top.postMessage({ isBack: true }, '*');
  };
  addEventListener('message', ({ data }) => { if (data.back) scrollBack(); });

  if (self !== top) {
    top.postMessage({ isHere: true }, '*');
    return;
  }
  const log = [];
  let [windows, back] = [1, 0];
  let wake = () => {};
  addEventListener('message', ({ data }) => {
    if (data.took) log.push(data.took);
    if (data.isHere) windows++;
    if (data.isBack) back++;
    wake();
  });

  /** For the next click on the same page: resolves once all has scrolled back and been painted. */
  window.restore = () => new Promise((resolve) => {
    log.length = back = 0;
    (wake = () => { if (back === windows) requestAnimationFrame(() => requestAnimationFrame(resolve)); })();
    scrollBack();
  });

  /** The labels of all that took something, once `label` is among them or 20 seconds are over. */
  window.landed = (label) => new Promise((resolve) => {
    const timer = setTimeout(() => resolve(log.join()), 20000);
    (wake = () => { if (log.includes(label)) { clearTimeout(timer); setTimeout(() => resolve(log.join())); } })();
  });
})();
