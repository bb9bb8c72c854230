// Traits: what an element can be told by, and how sure that is to stay.

/**
 * How sure each kind of descriptor is to be there again after a rebuild, in 0 … 1. Their order is what counts; `perception bench
 * run selectors` says of each kind how it lasts.
 */
const SURE = { testId: 0.97, id: 0.98, name: 0.95, label: 0.88, reference: 0.85, words: 0.82, href: 0.85, data: 0.8, role: 0.75, type: 0.75, class: 0.65, part: 0.9, step: 0.95, only: 0.8, onlyPlain: 0.6, among: 0.6, place: 0.5, placePlain: 0.4 };

/** Attributes that tests find elements by. */
const TEST_IDS = new Set(['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa', 'data-qa-id', 'data-pw', 'data-e2e', 'data-automation-id', 'data-automation', 'data-hook', 'data-tid', 'test-id', 'testid', 'qa-id']);

/** What else an author means an element by, and how sure that is. @type {Record<string, number>} */
const DESCRIBING = {
  'aria-label': SURE.label, 'aria-roledescription': SURE.label, title: SURE.words, alt: SURE.words, placeholder: SURE.reference, label: SURE.words,
  for: SURE.reference, formcontrolname: SURE.name, 'ng-model': SURE.name, 'v-model': SURE.name, 'data-action': SURE.reference, 'data-command': SURE.reference,
  'data-bind': SURE.data, autocomplete: SURE.data, accesskey: SURE.data, itemprop: SURE.data, property: SURE.data, action: SURE.href, headers: SURE.data, scope: SURE.data,
  role: SURE.role, type: SURE.type, rel: SURE.type, 'aria-haspopup': SURE.type, download: SURE.type, target: SURE.type, method: SURE.type, contenteditable: SURE.type,
  onclick: SURE.data, 'ng-click': SURE.data, 'hx-get': SURE.href, 'hx-post': SURE.href, 'phx-click': SURE.data, 'aria-controls': SURE.reference, 'aria-labelledby': SURE.reference,
  popovertarget: SURE.reference, commandfor: SURE.reference, form: SURE.reference, list: SURE.reference, usemap: SURE.reference, coords: SURE.data, datetime: SURE.data, src: SURE.data,
};

/** They name other elements by id. */
const REFERENCES = new Set(['for', 'aria-controls', 'aria-labelledby', 'popovertarget', 'commandfor', 'form', 'list', 'headers']);

/** Of a moment: they say what an element does now. */
const PASSING = /^data-(?:state|open|active|selected|focus|hover|index|pos|x|y|top|left|width|height|v-|react|rbd|reactid|ember|headlessui|radix|side|align|orientation|time|timestamp|date|loaded|loading|status|processed|once|drupal|turbo|sveltekit)/;

/** Longer values are content (characters). */
const MAX_VALUE = 100;

/**
 * A descriptor of an element: what CSS says of it, by which key it is in the index, how sure it is, what it is called.
 * @typedef {{ css: string, key: string, sure: number, why: string }} Trait
 */

/** What ends a line, or reorders what stands around it. */
const UNPRINTED = /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** A string as CSS writes it, on one line (CSS Syntax 3 §4.3.7). @param {string} text */
const quoted = (text) => `"${text.replace(/["\\]/g, '\\$&').replace(UNPRINTED, (sign) => `\\${/** @type {number} */ (sign.codePointAt(0)).toString(16)} `)}"`;

/** @param {string} name @param {string} value */
const keyOf = (name, value) => `${name}=${value}`;

/** @param {Element} element @returns {Trait[]} */
function readTraits(element) {
  /** @type {Trait[]} */
  const traits = [];
  const isPrivate = secrets.marked && !secrets.shown && isInMarked(element);
  for (const { name, value } of attributesOf(element)) {
    if (name === 'class') {
      for (const each of new Set(value.split(/\s+/))) {
        const sure = each ? meantClass(each) : 0;
        if (sure > 0) traits.push({ css: `.${CSS.escape(each)}`, key: `.${each}`, sure: SURE.class * sure, why: 'class' });
      }
      continue;
    }
    const [sure, why] = isPrivate && !/^(?:id|name|type|role)$/.test(name) && !TEST_IDS.has(name) ? [0, ''] : sureOf(element, name, value);
    if (sure <= 0) continue;
    const css = name === 'id' ? `#${CSS.escape(value)}` : `[${name}=${quoted(value)}]`;
    traits.push({ css, key: keyOf(name, value), sure, why });
  }
  return traits;
}

/**
 * How sure an attribute is to be there again.
 * @param {Element} element @param {string} name @param {string} value @returns {[number, string]} 0 for what is no descriptor; and what it is called
 */
function sureOf(element, name, value) {
  if (!value || value.length > MAX_VALUE || !/^[a-z][\w-]*$/i.test(name) || /[\0\ufffd]/.test(value) || !value.isWellFormed()) return [0, ''];
  if (name === 'id') return [SURE.id * meant(value), 'id'];
  if (TEST_IDS.has(name)) return [SURE.testId * Math.max(meant(value), /^\d+$/.test(value) ? 0.8 : 0), 'test id'];
  if (name === 'name') return [SURE.name * meant(value), 'name'];
  if (name === 'href' || name === 'action' || name === 'src' || name.startsWith('hx-')) return [addressed(name, value), name];
  if (name === 'value') return [isValueOwn(element) ? SURE.data * worded(value) : 0, 'value'];
  const listed = DESCRIBING[name];
  if (listed) return [listed * (REFERENCES.has(name) ? meant(value) : worded(value)), name];
  if (!name.startsWith('data-') || PASSING.test(name)) return [0, ''];
  if (worded(value) < 0.5) return [0, '']; // a token, a hash
  return [SURE.data * Math.min(worded(value), Math.max(meant(value), 0.6)) * (/^(?:true|false|\d{1,2})$/.test(value) ? 0.6 : 1), name];
}

/** A button's words and a choice's value are written by the author; a field's are what it begins with. @param {any} element */
const isValueOwn = (element) => tagOf(element) === 'option' || tagOf(element) === 'button' || (tagOf(element) === 'input' && /^(?:submit|button|reset|radio|checkbox)$/.test(element.type));

/** How sure words that a person reads are to stay: numbers in them count something. @param {string} words */
function worded(words) {
  if (words.split(/[^\p{L}\p{N}]+/u).some(isHash)) return 0.3;
  return /\d/.test(words) ? 0.8 : 1;
}

/** How sure an address is to stay. @param {string} name @param {string} value */
function addressed(name, value) {
  if (value === '#' || value === '/' || /^(?:javascript|data|blob):/i.test(value)) return 0.3;
  if (/[?&;](?:sid|session|token|csrf|nonce|_|ts|t|time|v|ver|hash|sig|expires)=/i.test(value)) return 0;
  const sure = name === 'src' ? SURE.data : SURE.href;
  return sure * (value.split(/[^\p{L}\p{N}]+/u).some(isHash) ? 0.4 : value.startsWith('#') ? Math.max(meant(value.slice(1)), 0.3) : 1);
}
