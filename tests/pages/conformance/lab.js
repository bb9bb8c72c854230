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

  const grow = (root) => {
    for (const template of root.querySelectorAll('template[data-shadow]')) {
      const { shadow, focus } = template.dataset;
      const inner = template.parentElement.attachShadow({ mode: shadow, delegatesFocus: focus === 'delegated' });
      inner.append(template.content.cloneNode(true));
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

  if (self !== top) return;
  const log = [];
  let wake = () => {};
  addEventListener('message', ({ data }) => { if (data.took) { log.push(data.took); wake(); } });

  /** For the next click on the same page. */
  window.forget = () => { log.length = 0; };

  /** The labels of all that took something, once `label` is among them or two seconds are over. */
  window.landed = (label) => new Promise((resolve) => {
    const timer = setTimeout(() => resolve(log.join()), 2000);
    (wake = () => { if (log.includes(label)) { clearTimeout(timer); setTimeout(() => resolve(log.join())); } })();
  });
})();
