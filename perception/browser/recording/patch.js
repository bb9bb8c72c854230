// Reports what a page's own scripts send, when they send it: fetch, XMLHttpRequest, sendBeacon and form.submit. It adds
// what DevTools' network events lack: the fields of a FormData and the names of its files, and the kind of a body.
//
// It must not change anything for the page. Rule 1: no page code is run, no getter read and no body consumed before the
// native call is made. Rule 2: results and exceptions of the native function are passed on unchanged. Rule 3: nothing
// is looked up on objects that the page can reach once it runs.
(bindingName) => {
  'use strict';
  const tell = /** @type {any} */ (globalThis)[bindingName];
  if (typeof tell !== 'function') return;
  delete (/** @type {any} */ (globalThis)[bindingName]);

  const { apply, getOwnPropertyDescriptor: describe, defineProperty: define, setPrototypeOf } = Reflect;
  const { stringify } = JSON;
  const bare = (/** @type {any} */ holder, /** @type {string} */ name) => Function.prototype.call.bind(holder[name]);
  const getterOf = (/** @type {any} */ holder, /** @type {string} */ name) =>
    Function.prototype.call.bind(/** @type {any} */ (describe(holder, name)).get);
  const remember = bare(WeakMap.prototype, 'set'),
    recall = bare(WeakMap.prototype, 'get');
  const nowOf = bare(Performance.prototype, 'now'),
    timing = performance,
    origin = performance.timeOrigin;
  const [RequestOf, UrlOf, FormDataOf, BlobOf, FileOf, ParamsOf, StreamOf, DocumentOf] = [
    Request,
    URL,
    FormData,
    Blob,
    File,
    URLSearchParams,
    ReadableStream,
    Document,
  ];
  const isView = ArrayBuffer.isView,
    BufferOf = ArrayBuffer,
    ProxyOf = Proxy,
    TextOf = String;
  const urlOfRequest = getterOf(Request.prototype, 'url'),
    methodOfRequest = getterOf(Request.prototype, 'method'),
    hrefOf = getterOf(URL.prototype, 'href');
  const baseOf = getterOf(Node.prototype, 'baseURI'),
    page = document;
  const sizeOf = getterOf(Blob.prototype, 'size'),
    typeOf = getterOf(Blob.prototype, 'type'),
    fileNameOf = getterOf(File.prototype, 'name');
  const eachEntry = bare(FormData.prototype, 'forEach'),
    lengthOf = getterOf(Object.getPrototypeOf(Uint8Array.prototype), 'byteLength');
  const actionOf = getterOf(HTMLFormElement.prototype, 'action'),
    formMethodOf = getterOf(HTMLFormElement.prototype, 'method');
  const lengthOfBuffer = getterOf(ArrayBuffer.prototype, 'byteLength');
  const upper = bare(String.prototype, 'toUpperCase');
  const isConnected = getterOf(Node.prototype, 'isConnected'),
    inputTypeOf = getterOf(HTMLInputElement.prototype, 'type'),
    filesOf = getterOf(HTMLInputElement.prototype, 'files'),
    countOf = getterOf(FileList.prototype, 'length'),
    fileAt = bare(FileList.prototype, 'item'),
    happenedAt = getterOf(Event.prototype, 'timeStamp'),
    listen = bare(EventTarget.prototype, 'addEventListener');
  const InputOf = HTMLInputElement;
  const MAX_FIELDS = 500,
    MAX_VALUE = 65536;
  const cut = bare(String.prototype, 'slice');

  /** @type {WeakMap<object, Function>} */
  const natives = new WeakMap();

  /** Describes a body by kind, without reading what can be read only once. @param {any} body */
  function bodyOf(body) {
    const told = /** @type {any} */ ({ __proto__: null, kind: 'other' });
    if (body === undefined || body === null) told.kind = 'none';
    else if (typeof body === 'string') {
      told.kind = 'text';
      told.size = body.length;
    } else if (body instanceof ParamsOf) told.kind = 'urlencoded';
    else if (body instanceof FormDataOf) {
      told.kind = 'formdata';
      told.fields = [];
      setPrototypeOf(told.fields, null);
      let count = 0;
      eachEntry(body, (/** @type {any} */ value, /** @type {string} */ name) => {
        if (count >= MAX_FIELDS) {
          told.cut = true;
          return;
        }
        const field = /** @type {any} */ ({ __proto__: null, name });
        if (value instanceof FileOf)
          field.file = { __proto__: null, name: fileNameOf(value), size: sizeOf(value), type: typeOf(value) };
        else {
          field.value = cut(value, 0, MAX_VALUE);
          if (value.length > MAX_VALUE) told.cut = true;
        }
        define(told.fields, TextOf(count++), {
          __proto__: null,
          value: field,
          enumerable: true,
          writable: true,
          configurable: true,
        });
      });
    } else if (body instanceof BlobOf) {
      told.kind = 'blob';
      told.size = sizeOf(body);
      told.type = typeOf(body);
      if (body instanceof FileOf) told.name = fileNameOf(body);
    } else if (isView(body)) {
      told.kind = 'bytes';
      told.size = body instanceof DataView ? -1 : lengthOf(body);
    } else if (body instanceof BufferOf) {
      told.kind = 'bytes';
      told.size = lengthOfBuffer(body);
    } else if (body instanceof StreamOf) told.kind = 'stream';
    else if (body instanceof DocumentOf) told.kind = 'document';
    return told;
  }

  /** The requested address; empty if determining it would run page code. @param {any} url */
  function addressOf(url) {
    if (url instanceof RequestOf) return urlOfRequest(url);
    if (url instanceof UrlOf) return hrefOf(url);
    return typeof url === 'string' ? hrefOf(new UrlOf(url, baseOf(page))) : '';
  }

  /**
   * A plain property of an object, read without getters and proxy traps.
   * @param {any} holder
   * @param {string} name
   */
  function plainOf(holder, name) {
    const found = holder && typeof holder === 'object' ? describe(holder, name) : undefined;
    return found ? found.value : undefined;
  }

  /**
   * @param {string} api
   * @param {any} method
   * @param {any} url
   * @param {any} body
   */
  function report(api, method, url, body) {
    const address = addressOf(url);
    if (address)
      tell(
        stringify({
          __proto__: null,
          type: 'sent',
          api,
          wrapped: api === 'fetch' && (wasWrapped || plainOf(globalThis, 'fetch') !== own),
          at: origin + nowOf(timing),
          method: upper(typeof method === 'string' ? method : 'GET'),
          url: address,
          body: bodyOf(body),
        }),
      );
  }

  /**
   * @param {any} holder
   * @param {string} name
   * @param {(self: any, given: any) => void} before
   */
  function wrap(holder, name, before) {
    const found = describe(holder, name);
    if (!found || typeof found.value !== 'function') return;
    const native = found.value;
    const proxy = new ProxyOf(
      native,
      /** @type {any} */ ({
        __proto__: null,
        apply(/** @type {Function} */ target, /** @type {any} */ self, /** @type {any} */ given) {
          try {
            before(self, given);
          } catch {
            /* What fails here is reported by DevTools' network events; the page must not notice. */
          }
          return apply(target, self, given);
        },
      }),
    );
    remember(natives, proxy, native);
    define(holder, name, { ...found, value: proxy });
  }

  /** A page that was loaded before may have wrapped fetch already. */
  const wasWrapped = !String(globalThis.fetch).includes('[native code]');
  /** The `fetch` that the page finds, until it wraps it. @type {any} */
  let own = null;
  wrap(globalThis, 'fetch', (_, given) => {
    const [url, init] = [given[0], given[1]];
    const method = plainOf(init, 'method') ?? (url instanceof RequestOf ? methodOfRequest(url) : 'GET');
    report('fetch', method, url, plainOf(init, 'body'));
  });
  own = plainOf(globalThis, 'fetch');
  /** @type {WeakMap<object, [any, any]>} */
  const opened = new WeakMap();
  wrap(XMLHttpRequest.prototype, 'open', (self, given) => {
    remember(opened, self, [given[0], given[1]]);
  });
  wrap(XMLHttpRequest.prototype, 'send', (self, given) => {
    const known = recall(opened, self);
    if (known) report('xhr', known[0], known[1], given[0]);
  });
  wrap(Navigator.prototype, 'sendBeacon', (_, given) => report('beacon', 'POST', given[0], given[1]));

  /** File fields in no document whose chooser was opened, and that are listened to. @type {WeakMap<object, boolean>} */
  const heard = new WeakMap();

  /** A field in no document reports its files itself: no listener of the document hears it. @param {any} self */
  function hearFiles(self) {
    if (!(self instanceof InputOf) || inputTypeOf(self) !== 'file' || isConnected(self)) return;
    tell(stringify({ __proto__: null, type: 'chooser' }));
    if (recall(heard, self)) return;
    remember(heard, self, true);
    listen(self, 'change', (/** @type {Event} */ event) => {
      const files = filesOf(self);
      const names = /** @type {any} */ ([]);
      setPrototypeOf(names, null);
      for (let index = 0; index < countOf(files); index++)
        define(names, TextOf(index), {
          __proto__: null,
          value: fileNameOf(fileAt(files, index)),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      tell(stringify({ __proto__: null, type: 'files', at: origin + happenedAt(event), names }));
    });
  }
  wrap(HTMLElement.prototype, 'click', hearFiles);
  wrap(HTMLInputElement.prototype, 'showPicker', hearFiles);
  wrap(HTMLFormElement.prototype, 'submit', (self) => report('form', formMethodOf(self), actionOf(self), undefined));
  const shown = describe(Function.prototype, 'toString');
  if (shown) {
    const native = shown.value;
    const proxy = new ProxyOf(
      native,
      /** @type {any} */ ({
        __proto__: null,
        apply: (/** @type {Function} */ target, /** @type {any} */ self, /** @type {any} */ given) =>
          apply(target, recall(natives, self) || self, given),
      }),
    );
    remember(natives, proxy, native);
    define(Function.prototype, 'toString', { ...shown, value: proxy });
  }
};
