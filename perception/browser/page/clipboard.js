// The page's clipboard functions, in its own world: what the page copies goes to the clipboard of its session; and which
// permissions it asks for.
//
// The browser's clipboard is one for all sessions. Chromium refuses it to every page here (`clipboard.py`); this script
// gives a page what it may do all the same. Where it does not run, the page is refused: nothing leaks.
(secret, limit) => {
  const call = Function.prototype.call.bind(Function.prototype.call);
  const { addEventListener, dispatchEvent } = EventTarget.prototype;
  const { stopImmediatePropagation, preventDefault, composedPath } = Event.prototype;
  const { getData } = DataTransfer.prototype;
  const stringify = JSON.stringify,
    text = String,
    now = Date.now,
    apply = Reflect.apply;
  const [Custom, ClipEvent, Transfer, Refusal, Later] = [CustomEvent, ClipboardEvent, DataTransfer, DOMException, setTimeout];
  let copied = null,
    asked = [];

  const hold = (plain, html) => {
    if (plain.length + html.length > limit) return false;
    copied = { text: plain, html, at: now() };
    return true;
  };
  const noteAsked = (name) => {
    if (!asked.includes(name)) asked.push(name);
  };
  const onAsked = () => {
    const detail = copied || asked.length ? stringify({ copied, asked }) : '';
    copied = null;
    asked = [];
    call(dispatchEvent, window, new Custom(`${secret}:`, { detail }));
  };
  /** Has a function say first which permissions a page asks for by calling it. */
  const watch = (owner, method, namesOf) => {
    const own = owner && owner[method];
    if (typeof own !== 'function') return;
    const watched = {
      [method](...given) {
        for (const name of namesOf(...given)) noteAsked(name);
        return apply(own, this, given);
      },
    };
    Object.defineProperty(owner, method, { value: watched[method], writable: true, configurable: true });
  };
  const prototypeOf = (name) => (typeof window[name] === 'function' ? window[name].prototype : null);
  for (const method of ['getCurrentPosition', 'watchPosition'])
    watch(prototypeOf('Geolocation'), method, () => ['geolocation']);
  watch(window.Notification, 'requestPermission', () => ['notifications']);
  watch(prototypeOf('MediaDevices'), 'getUserMedia', (wanted) =>
    [wanted && wanted.video && 'camera', wanted && wanted.audio && 'microphone'].filter((name) => name),
  );
  for (const method of ['read', 'readText']) watch(prototypeOf('Clipboard'), method, () => ['clipboard-read']);

  const selected = (target) => {
    const value = target && typeof target.selectionStart === 'number' ? text(target.value) : null;
    if (value !== null) return target.type === 'password' ? '' : value.slice(target.selectionStart, target.selectionEnd);
    return text(window.getSelection());
  };
  const onCopy = (event) => {
    if (!event.isTrusted) return;
    call(stopImmediatePropagation, event);
    call(preventDefault, event);
    const target = call(composedPath, event)[0] || document;
    const clipboardData = new Transfer();
    const again = new ClipEvent(event.type, { clipboardData, bubbles: true, cancelable: true, composed: true });
    const isTaken = !call(dispatchEvent, target, again);
    const plain = isTaken ? call(getData, clipboardData, 'text/plain') : selected(target);
    if (plain || isTaken) hold(plain, isTaken ? call(getData, clipboardData, 'text/html') : '');
    if (event.type === 'cut' && !isTaken && plain) Later(() => document.execCommand('delete'));
  };
  const listen = () => {
    call(addEventListener, window, secret, onAsked);
    for (const kind of ['copy', 'cut']) call(addEventListener, window, kind, onCopy, true);
  };
  listen();
  // `document.open` removes all listeners; adding one again that is there changes nothing.
  new MutationObserver(listen).observe(document, { childList: true });

  if (typeof Clipboard !== 'function') return;
  const refuse = (why) => Promise.reject(new Refusal(why, 'NotAllowedError'));
  const mayWrite = () => document.hasFocus() && navigator.userActivation.isActive;
  const methods = {
    writeText(data) {
      const plain = text(data);
      if (!mayWrite()) return refuse('Write permission denied.');
      return hold(plain, '') ? Promise.resolve() : refuse('The text is too long for the clipboard.');
    },
    async write(items) {
      if (!mayWrite()) return refuse('Write permission denied.');
      const read = async (item, type) => (item.types.includes(type) ? await (await item.getType(type)).text() : '');
      const [item] = items;
      const plain = await read(item, 'text/plain'),
        html = await read(item, 'text/html');
      if (!plain && !html) return refuse('Only text/plain and text/html are supported here.');
      return hold(plain, html) ? undefined : refuse('The text is too long for the clipboard.');
    },
  };
  for (const name of Object.keys(methods)) {
    const { [name]: own } = methods;
    Object.defineProperty(Clipboard.prototype, name, { value: own, writable: true, enumerable: true, configurable: true });
  }
  const { query } = Permissions.prototype;
  Permissions.prototype.query = {
    async query(wanted) {
      const status = await call(query, this, wanted);
      if (wanted && wanted.name === 'clipboard-write') Object.defineProperty(status, 'state', { value: 'granted' });
      return status;
    },
  }.query;
}
