// Sends what is done in one document to the service, with what it concerns and the tokens that the page holds then.

import { attr, attributesOf, queryAll } from '../dom/access.js';
import { forgetIndexes } from '../semantics/names.js';
import { scanForMarks } from '../privacy/private_content.js';
import { secrecyOf } from '../privacy/sensitive_fields.js';
import { encodeJson } from '../api/encoding.js';
import { DragWatcher } from './drags.js';
import { HiddenTyping, writtenText } from './editors.js';
import { FormReporter } from './form_reports.js';
import { HoverWatcher } from './hovers.js';
import { MAX_RECORDED_LETTERS, describeField, describeTarget, frameOfDocument, frameOwner } from './targets.js';

/** Matches what looks like a token: long, one word, not a plain one. */
const TOKEN = /^(?=.*[0-9A-Z_=+/.-])[\w+/=.:~-]{8,4096}$/;

/** Places where the document may keep a token: [kind, name, value]. @returns {string[][]} */
function findTokens() {
  const found = [];
  for (const meta of queryAll(document, 'meta[name][content]'))
    found.push(['meta', attr(meta, 'name'), attr(meta, 'content')]);
  for (const input of queryAll(document, 'input[type=hidden][name]'))
    found.push(['input', attr(input, 'name'), /** @type {any} */ (input).value]);
  for (const holder of queryAll(
    document,
    'html, body, form, main, #app, #root, [data-csrf], [data-csrf-token], [data-nonce], [data-token]',
  )) {
    for (const { name, value } of attributesOf(holder))
      if (name.startsWith('data-')) found.push(['attribute', name, value]);
  }
  try {
    for (const pair of document.cookie.split('; ')) {
      const at = pair.indexOf('=');
      if (at > 0) found.push(['cookie', pair.slice(0, at), pair.slice(at + 1)]);
    }
  } catch {
    /* a document of an opaque origin has no cookies */
  }
  return /** @type {string[][]} */ (found.filter(([, name, value]) => name && value && TOKEN.test(value)));
}

/** Reports what is done in one document. */
export class EventReporter {
  #lastTokens = '';
  /** A field that is typed into is reported at every key, and described once. @type {{element: any, target: any}} */
  #typed = { element: null, target: null };
  /** @type {(text: string) => void} */
  #report;
  /** Whether Enter is held in a field. */
  isEntering = false;
  forms = new FormReporter();
  drags = new DragWatcher();
  hovers = new HoverWatcher();
  typing = new HiddenTyping();
  /** The last text of an editor that was reported, and the editor. @type {{element: any, text: string}} */
  #written = { element: null, text: '' };

  /** @param {(text: string) => void} report */
  constructor(report) {
    this.#report = report;
  }

  /** @param {any} news */
  send(news) {
    const report = this.#report;
    report(encodeJson({ frame: frameOfDocument(), owner: frameOwner(), url: location.href, ...news }));
  }

  /** Tokens that the page holds now, if they are others than before. */
  sendTokens() {
    const tokens = findTokens();
    const text = JSON.stringify(tokens);
    if (text !== this.#lastTokens) this.send({ type: 'tokens', tokens });
    this.#lastTokens = text;
  }

  /** What the forms would send now, if that is not as it was. @param {Event} event */
  sendForms(event) {
    const forms = this.forms.news();
    if (forms) this.send({ type: 'forms', at: performance.timeOrigin + event.timeStamp, forms });
  }

  /**
   * @param {Event} event
   * @param {string} kind
   * @param {any} element
   * @param {any} [more]
   */
  sendEvent(event, kind, element, more) {
    const isTyping = kind === 'type' || kind === 'write';
    const known = isTyping && this.#typed.element === element;
    if (!known) {
      forgetIndexes();
      scanForMarks();
      this.sendTokens();
    }
    if (!isTyping) this.sendForms(event);
    const target = known ? this.#typed.target : describeTarget(element);
    this.#typed = { element, target };
    this.send({ type: 'event', kind, at: performance.timeOrigin + event.timeStamp, target, ...more });
    if (!isTyping) this.hovers.reset();
  }

  /** What could not be recorded, in words. @param {string} what */
  sendUnrecorded(what) {
    this.send({ type: 'unrecorded', what });
  }

  /** What an editor says now, if that is not what was reported. @param {Event} event @param {any} host */
  sendWritten(event, host) {
    const text = writtenText(host).slice(0, MAX_RECORDED_LETTERS);
    if (this.#written.element === host && this.#written.text === text) return;
    this.#written = { element: host, text };
    this.sendEvent(event, 'type', host, { value: text, secret: secrecyOf(host), field: describeField(host) });
  }

  /** Before something else is done: editors change their text by script, after the keys. @param {Event} event */
  sendLastWritten(event) {
    const host = this.#written.element;
    // A script that empties an editor has sent what it held.
    if (host && host.isConnected && writtenText(host)) this.sendWritten(event, host);
  }

  /** What an editor says once the page has handled an event. @param {Event} event @param {any} host */
  sendWrittenSoon(event, host) {
    if (this.#written.element !== host) this.#written = { element: host, text: writtenText(host) };
    setTimeout(() => host.isConnected && writtenText(host) && this.sendWritten(event, host), 0);
  }
}
