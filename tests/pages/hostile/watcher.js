// Tries everything that a page can do to notice that somebody looks at it. `noticed()` says what has been since `begin()`.
(() => {
  const log = [];
  let watching = false;
  const note = (what) => { if (watching) { watching = false; log[log.length] = `${what}`; watching = true; } };

  // Every method and property of whatever a page's nodes are made of, and of the language's own tools.
  const kinds = [EventTarget, Node, Element, HTMLElement, SVGElement, HTMLInputElement, HTMLSelectElement, HTMLFormElement, HTMLIFrameElement, HTMLSlotElement,
    HTMLAnchorElement, HTMLLabelElement, HTMLTextAreaElement, HTMLImageElement, HTMLCanvasElement, Document, ShadowRoot, DocumentFragment, CharacterData, Text, Range, Event, MouseEvent,
    CSSStyleDeclaration, DOMRect, DOMRectReadOnly, DOMRectList, NodeList, HTMLCollection, NamedNodeMap, MutationObserver, IntersectionObserver, StyleSheet, CSSStyleSheet, Animation, Selection,
    Performance, History, Navigator, Screen, VisualViewport, FontFaceSet, Map, Set, WeakMap, WeakSet, WeakRef, Promise, RegExp, String, Number, Array, Object, Function, Symbol, Error];
  const descriptor = Object.getOwnPropertyDescriptor, define = Object.defineProperty, apply = Reflect.apply;
  for (const kind of kinds) {
    for (const key of Reflect.ownKeys(kind.prototype)) {
      if (key === 'constructor' || key === '__proto__') continue;
      const found = descriptor(kind.prototype, key);
      if (!found.configurable) continue;
      const name = `${kind.name}.${String(key)}`;
      const wrap = (inner, how) => inner && function (...given) { note(`${how} ${name}`); return apply(inner, this, given); };
      if (found.get || found.set) define(kind.prototype, key, { ...found, get: wrap(found.get, 'get'), set: wrap(found.set, 'set') });
      else if (typeof found.value === 'function') define(kind.prototype, key, { ...found, value: wrap(found.value, 'call') });
    }
  }
  for (const [holder, names] of [[window, ['getComputedStyle', 'matchMedia', 'requestAnimationFrame', 'queueMicrotask', 'setTimeout', 'getSelection', 'scrollTo', 'focus', 'blur']],
    [JSON, ['stringify', 'parse']], [Object, ['getOwnPropertyDescriptor', 'keys', 'assign']], [Array, ['from', 'isArray']], [Reflect, ['apply', 'get']],
    [console, ['log', 'debug', 'error', 'warn', 'info']]]) {
    for (const name of names) {
      const inner = holder[name];
      holder[name] = function (...given) { note(`call ${name}`); return apply(inner, this, given); };
    }
  }
  for (const name of ['innerWidth', 'innerHeight', 'scrollX', 'scrollY', 'devicePixelRatio', 'perceptionWalker']) {
    const found = descriptor(window, name);
    define(window, name, { configurable: true, get() { note(`get ${name}`); return found && apply(found.get, window, []); }, set() { note(`set ${name}`); } });
  }
  define(Error, 'prepareStackTrace', { configurable: true, get() { note('get prepareStackTrace'); }, set() {} });
  define(Object.prototype, 'toJSON', { configurable: true, get() { note('get toJSON'); }, set() {} });
  define(Object.prototype, 'then', { configurable: true, get() { note('get then'); }, set() {} });

  const events = ['focus', 'blur', 'focusin', 'focusout', 'scroll', 'scrollend', 'resize', 'pointermove', 'pointerover', 'pointerenter', 'pointerdown', 'mousemove', 'mouseover', 'mouseout',
    'mousedown', 'click', 'wheel', 'keydown', 'input', 'change', 'select', 'selectionchange', 'toggle', 'beforetoggle', 'visibilitychange', 'fullscreenchange', 'error', 'unhandledrejection',
    'securitypolicyviolation', 'message', 'storage', 'pagehide', 'freeze', 'contentvisibilityautostatechange', 'slotchange', 'transitionrun', 'animationstart', 'beforematch', 'beforeprint'];

  const begin = () => {
    for (const type of events) { addEventListener(type, (event) => note(`event ${event.type}`), true); document.addEventListener(type, (event) => note(`event ${event.type}`), true); }
    const roots = [document, ...[...document.querySelectorAll('*')].map((each) => each.shadowRoot).filter(Boolean)];
    for (const root of roots) new MutationObserver((records) => note(`mutation ${records.length}`)).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    // A node whose prototype is a trap, and nodes with traps of their own.
    const traps = new Proxy(HTMLDivElement.prototype, { get: (target, key, self) => { note(`trap ${String(key)}`); return Reflect.get(target, key, self); }, has: (_, key) => { note(`trap has ${String(key)}`); return false; },
      getPrototypeOf: (target) => { note('trap prototype'); return Object.getPrototypeOf(target); } });
    Object.setPrototypeOf(document.getElementById('trap'), traps);
    for (const name of ['id', 'tagName', 'textContent', 'className', 'offsetWidth']) define(document.getElementById('own'), name, { get() { note(`own ${name}`); return 'own'; } });
    new PerformanceObserver((list) => note(`performance ${list.getEntries().map((each) => each.entryType)}`)).observe({ entryTypes: ['resource', 'mark', 'measure', 'layout-shift', 'element', 'event', 'first-input', 'visibility-state'].filter((type) => PerformanceObserver.supportedEntryTypes.includes(type)) });
    let first = 0;
    const all = [...document.querySelectorAll('body *')];
    for (const Kind of [IntersectionObserver, ResizeObserver]) { let told = false; const observer = new Kind(() => { if (told) note(Kind.name); told = true; first++; }); all.forEach((each) => observer.observe(each)); }
    const state = () => [document.documentElement.outerHTML, document.adoptedStyleSheets.length, document.styleSheets.length, Reflect.ownKeys(window).length, document.activeElement.id, `${document.getSelection()}`,
      window.scrollY, document.getElementById('box').scrollTop, history.length, document.getAnimations().length, document.hasFocus(), window.innerHeight, document.visibilityState,
      ...['resource', 'mark', 'measure', 'navigation'].map((type) => performance.getEntriesByType(type).length)];
    return new Promise((ready) => {
      const wait = () => {
        if (first < 2) { requestAnimationFrame(wait); return; }
        window.noticed = null;
        const before = state();
        window.noticed = () => { watching = false; state().forEach((now, at) => { if (now !== before[at]) log[log.length] = `state ${at}: ${before[at]} -> ${now}`.slice(0, 300); }); return log.join('\n'); };
        watching = true;
        ready('watching');
      };
      wait();
    });
  };
  window.begin = begin;
})();
