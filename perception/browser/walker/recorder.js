// Recorder: tells what a person or an agent does in a document, at the moment it is done and as the walker names things.
// It is no part of the walker that looks: it is loaded beside one of its own, in a world of its own, while a recording runs.

/** Characters of a text or value that are told. */
const MAX_TOLD = 2000;

/** Elements that are asked for the same role and name; a page of more is told by selector. */
const MAX_ALIKE = 20000;

/** Choices of a list that are told. */
const MAX_OFFERED = 200;

/** Keys that do something by themselves in a field or list, beside chords. */
const TOLD_KEYS = /^(Enter|Escape|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|PageUp|PageDown|Home|End)$/;

/** Chords that edit a field: what comes of them is told as what is in it. */
const EDITING_CHORD = /^[acvxyz]$/i;

/** Enter in one of these clicks a button of its form, which is told once: as the key (ms). */
const IMPLICIT = 50;

/** What looks like a token: long, one word, and no plain one. */
const TOKEN = /^(?=.*[0-9A-Z_=+/.-])[\w+/=.:~-]{8,4096}$/;

/** What finds an element again; empty in a closed shadow tree. @param {Element} element */
function lastingSelector(element) {
  const route = new Routes().to(element);
  return route ? route.css.join(' >>> ') : '';
}

/** How many visible elements of the document go by a role and name, and the place of one among them. @param {Element} element @param {string} role @param {string} name */
function amongAlike(element, role, name) {
  const all = allRoots().flatMap((root) => allUnder(root, '*'));
  if (all.length > MAX_ALIKE || !name) return { nth: 0, of: 0 };
  const alike = all.filter((each) => each === element || (roleOf(each) === role && each.checkVisibility() && nameOf(each, role) === name));
  return { nth: alike.indexOf(element), of: alike.length };
}

/** What an event at an element is about: the control that holds it, else itself. @param {Element} hit */
function controlOf(hit) {
  /** @type {Element|null} */
  let acts = null;
  for (let node = /** @type {Element|null} */ (hit); node && node !== document.documentElement && node !== document.body; node = paintedParent(node)) {
    if (INTERACTIVE.has(roleOf(node))) return node;
    if (!acts && probePart(node).acts) acts = node;
  }
  return acts || hit;
}

/** @param {Element} element */
function tellTarget(element) {
  const part = probePart(element);
  const role = listedRole(part.role, part.picture);
  const name = listedName(element, part.role, part.acts, part.marked).slice(0, MAX_TOLD);
  const text = withheld(part) || isField(element) ? '' : nameOf(element, 'button').slice(0, 120);
  return { role, name, text, placeholder: attr(element, 'placeholder') || '', selector: lastingSelector(element), tag: part.tag, ...amongAlike(element, part.role, name) };
}

/** What a field says of what it takes. @param {any} element */
function tellField(element) {
  const given = (/** @type {string} */ name) => attr(element, name) || '';
  return {
    name: given('name'), id: given('id'), type: tagOf(element) === 'input' ? element.type : tagOf(element), inputmode: given('inputmode'),
    min: given('min'), max: given('max'), pattern: given('pattern'), maxlength: given('maxlength'), required: element.required === true,
  };
}

/** Where the document keeps what may be a token: [kind, name, value]. @returns {string[][]} */
function tokensHere() {
  const found = [];
  for (const meta of allUnder(document, 'meta[name][content]')) found.push(['meta', attr(meta, 'name'), attr(meta, 'content')]);
  for (const input of allUnder(document, 'input[type=hidden][name]')) found.push(['input', attr(input, 'name'), /** @type {any} */ (input).value]);
  for (const holder of allUnder(document, 'html, body, form, main, #app, #root, [data-csrf], [data-csrf-token], [data-nonce], [data-token]')) {
    for (const { name, value } of attributesOf(holder)) if (name.startsWith('data-')) found.push(['attribute', name, value]);
  }
  try {
    for (const pair of document.cookie.split('; ')) {
      const at = pair.indexOf('=');
      if (at > 0) found.push(['cookie', pair.slice(0, at), pair.slice(at + 1)]);
    }
  } catch { /* a document of an opaque origin has no cookies */ }
  return /** @type {string[][]} */ (found.filter(([, name, value]) => name && value && TOKEN.test(value)));
}

globalThis.perceptionRecorder = {
  /** Begins to tell. @param {(text: string) => void} tell */
  start(tell) {
    const frame = window === window.top ? '' : location.pathname;
    let lastTokens = '';
    let enteredAt = -Infinity;

    const send = (/** @type {any} */ news) => tell(encode({ frame, url: location.href, ...news }));

    /** Tokens that the page holds now, if they are others than before. */
    function sendTokens() {
      const tokens = tokensHere();
      const text = JSON.stringify(tokens);
      if (text !== lastTokens) send({ type: 'tokens', tokens });
      lastTokens = text;
    }

    /** A field that is typed into is told at every key, and found out once. @type {{element: any, target: any}} */
    let typed = { element: null, target: null };

    /** @param {Event} event @param {string} kind @param {any} element @param {any} [more] */
    function sendEvent(event, kind, element, more) {
      const known = kind === 'type' && typed.element === element;
      if (!known) {
        forgetNames();
        expectMarks();
        sendTokens();
      }
      const target = known ? typed.target : tellTarget(element);
      typed = { element, target };
      send({ type: 'event', kind, at: performance.timeOrigin + event.timeStamp, target, ...more });
    }

    /** @param {Event} event @returns {any} the innermost element, also in open shadow trees */
    const hitOf = (event) => event.composedPath().find((each) => each instanceof Element) || null;

    /** @param {any} element */
    const isTextField = (element) => isEditingHost(element) || tagOf(element) === 'textarea' || (tagOf(element) === 'input' && !/^(checkbox|radio|file|button|submit|reset|image|hidden)$/.test(element.type));

    /** @param {any} element */
    function hostOf(element) {
      if (!element.isContentEditable) return element;
      while (!isEditingHost(element) && element.parentElement) element = element.parentElement;
      return element;
    }

    function onClick(/** @type {MouseEvent} */ event) {
      const hit = hitOf(event);
      if (!event.isTrusted || !hit) return;
      if (event.detail === 0 && event.timeStamp - enteredAt < IMPLICIT) return;
      const element = controlOf(hit);
      const label = /** @type {any} */ (closestTo(hit, 'label'));
      if (label && label.control && label.control !== element && !INTERACTIVE.has(roleOf(element))) return; // its control is clicked next
      if (tagOf(element) === 'input' && /^(checkbox|radio|file)$/.test(/** @type {any} */ (element).type)) return; // told by its change
      if (tagOf(element) === 'select' || tagOf(element) === 'option') return;
      if (isTextField(element) && !isDrawn(element) && event.type === 'click') return; // what is typed there says as much
      sendEvent(event, event.type === 'dblclick' ? 'dblclick' : 'click', element, {});
    }

    function onInput(/** @type {Event} */ event) {
      const hit = hitOf(event);
      const element = hit && hostOf(hit);
      if (!event.isTrusted || !element || !isTextField(element) || PICKED.test(element.type || '')) return;
      const value = isEditingHost(element) ? element.innerText : element.value;
      sendEvent(event, 'type', element, { value: String(value).slice(0, MAX_TOLD), secret: secrecyOf(element), field: tellField(element) });
    }

    function onChange(/** @type {Event} */ event) {
      const element = hitOf(event);
      const tag = element ? tagOf(element) : '';
      if (tag === 'select') {
        const offered = [...element.options].slice(0, MAX_OFFERED);
        const chosen = [...element.selectedOptions].map((option) => tidy(option.label));
        const values = [...element.selectedOptions].map((option) => option.value);
        const secret = secrecyOf(element);
        sendEvent(event, 'select', element, { value: secret ? [] : chosen, values: secret ? [] : values, options: secret ? [] : offered.map((option) => tidy(option.label)), option_values: secret ? [] : offered.map((option) => option.value), secret, multiple: element.multiple, field: tellField(element) });
      } else if (tag !== 'input') {
        return;
      } else if (/^(checkbox|radio)$/.test(element.type)) {
        if (event.isTrusted) sendEvent(event, 'check', element, { value: element.checked, values: [element.value], field: tellField(element) });
      } else if (element.type === 'file') {
        sendEvent(event, 'upload', element, { value: [...element.files].map((file) => file.name), field: tellField(element) });
      } else if (PICKED.test(element.type)) {
        sendEvent(event, 'type', element, { value: element.value, secret: secrecyOf(element), field: tellField(element) });
      }
    }

    function onKey(/** @type {KeyboardEvent} */ event) {
      const element = hitOf(event);
      if (!event.isTrusted || !element || event.isComposing || event.repeat) return;
      const chord = event.ctrlKey || event.metaKey || event.altKey;
      if (tagOf(element) === 'select' || (chord ? EDITING_CHORD.test(event.key) || event.key.length > 1 : !TOLD_KEYS.test(event.key))) return;
      const field = isTextField(hostOf(element));
      if (event.key === 'Enter' && !field) return; // it clicks what it is on
      if (field && !chord && /^(Arrow|Home|End|Page)/.test(event.key) && roleOf(element) !== 'combobox') return;
      if (event.key === 'Enter') {
        if (!chord && (tagOf(element) === 'textarea' || isEditingHost(element)) && event.shiftKey) return; // a new line
        enteredAt = event.timeStamp;
      }
      const keys = [event.ctrlKey && 'Control', event.metaKey && 'Meta', event.altKey && 'Alt', event.shiftKey && chord && 'Shift', event.key];
      sendEvent(event, 'press', hostOf(element), { value: keys.filter(Boolean).join('+') });
    }

    function onSubmit(/** @type {SubmitEvent} */ event) {
      const form = /** @type {any} */ (hitOf(event));
      const files = form ? [...allIn(form, 'input[type=file]')].flatMap((input) => [.../** @type {any} */ (input).files].map((file) => ({ field: attr(input, 'name') || '', name: file.name, size: file.size, type: file.type }))) : [];
      sendTokens();
      send({ type: 'submit', at: performance.timeOrigin + event.timeStamp, files });
    }

    for (const [name, hear] of /** @type {Array<[string, any]>} */ ([['click', onClick], ['dblclick', onClick], ['input', onInput], ['change', onChange], ['keydown', onKey], ['submit', onSubmit]])) {
      window.addEventListener(name, hear, { capture: true, passive: true });
    }
    const ready = () => { expectMarks(); sendTokens(); };
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', ready, { once: true });
    else ready();
  },
};
