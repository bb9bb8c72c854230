// Breaks everything that a page can break of what a script in it would use.
(() => {
  const broken = () => { throw new Error('broken'); };
  const lies = new Proxy(function () {}, { get: broken, apply: () => 7, construct: () => ({}), has: broken });
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const { ownKeys } = Reflect;
  const kinds = [EventTarget, Node, Element, HTMLElement, HTMLInputElement, HTMLSelectElement, HTMLLabelElement, HTMLSlotElement, Document, ShadowRoot, CharacterData, Range, CSSStyleDeclaration, DOMRectReadOnly,
    NodeList, HTMLCollection, MutationObserver, Map, Set, WeakMap, WeakSet, WeakRef, RegExp, String, Number, Array, Promise, Function];
  const targets = [JSON, Math, Reflect, Object, ...kinds.map((kind) => kind.prototype)];
  const globals = ['JSON', 'Map', 'Set', 'WeakMap', 'WeakRef', 'Symbol', 'Promise', 'Proxy', 'Reflect', 'Math', 'Array', 'Object', 'String', 'Number', 'Function', 'Error', 'Node', 'Element', 'HTMLElement', 'Document',
    'ShadowRoot', 'Text', 'Range', 'MutationObserver', 'getComputedStyle', 'innerWidth', 'innerHeight', 'scrollX', 'scrollY', 'devicePixelRatio', 'addEventListener', 'parseFloat', 'parseInt', 'eval', 'perceptionWalker'];
  for (const target of targets) {
    for (const key of ownKeys(target)) {
      const found = getOwnPropertyDescriptor(target, key);
      if (!found.configurable) continue;
      defineProperty(target, key, found.get || found.set ? { configurable: true, get: broken, set: broken } : { configurable: true, writable: true, value: lies });
    }
  }
  for (const name of globals) defineProperty(window, name, { configurable: true, writable: true, value: lies });
})();
