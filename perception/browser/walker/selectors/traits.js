// Traits: what identifies an element, and how stable that is.

import { attr, attributeNamesOf, matches } from '../dom/access.js';
import { tagOf } from '../dom/elements.js';
import { isInPrivate, privacy } from '../privacy/private_content.js';
import { authoredEnd, isKindOnly } from './counters.js';
import { COUNTED, isHash, stabilityOfClass, stabilityOfWord } from './word_stability.js';

/**
 * How likely each kind of descriptor survives reloads and deployments, in 0 … 1. `perception bench run stability` measures
 * what becomes of each range. `placeFree`: factor of a position among the parts of a page; `placeMore`: of each further
 * position, since those of one container last together.
 */
export const STABILITY = {
  testId: 0.97,
  id: 0.98,
  name: 0.95,
  end: 0.68,
  label: 0.88,
  reference: 0.85,
  words: 0.82,
  href: 0.85,
  data: 0.8,
  role: 0.75,
  type: 0.75,
  class: 0.65,
  part: 0.9,
  step: 0.95,
  only: 0.8,
  onlyPlain: 0.6,
  among: 0.6,
  place: 0.5,
  placePlain: 0.4,
  placeFree: 0.5,
  placeMore: 0.9,
};

/** Attributes that tests use to find elements. */
const TEST_IDS = new Set([
  'data-testid',
  'data-test-id',
  'data-test',
  'data-cy',
  'data-qa',
  'data-qa-id',
  'data-pw',
  'data-e2e',
  'data-automation-id',
  'data-automation',
  'data-hook',
  'data-tid',
  'test-id',
  'testid',
  'qa-id',
]);

/** Other attributes that identify an element, and their stability. @type {Record<string, number>} */
const DESCRIBING_ATTRIBUTES = {
  // @ts-ignore: an attribute may be called `constructor`
  __proto__: null,
  'aria-label': STABILITY.label,
  'aria-roledescription': STABILITY.label,
  title: STABILITY.words,
  alt: STABILITY.words,
  placeholder: STABILITY.reference,
  label: STABILITY.words,
  for: STABILITY.reference,
  formcontrolname: STABILITY.name,
  'ng-model': STABILITY.name,
  'v-model': STABILITY.name,
  'data-action': STABILITY.reference,
  'data-command': STABILITY.reference,
  'data-bind': STABILITY.data,
  autocomplete: STABILITY.data,
  accesskey: STABILITY.data,
  itemprop: STABILITY.data,
  property: STABILITY.data,
  action: STABILITY.href,
  headers: STABILITY.data,
  scope: STABILITY.data,
  role: STABILITY.role,
  type: STABILITY.type,
  rel: STABILITY.type,
  'aria-haspopup': STABILITY.type,
  download: STABILITY.type,
  target: STABILITY.type,
  method: STABILITY.type,
  contenteditable: STABILITY.type,
  onclick: STABILITY.data,
  'ng-click': STABILITY.data,
  'hx-get': STABILITY.href,
  'hx-post': STABILITY.href,
  'phx-click': STABILITY.data,
  'aria-controls': STABILITY.reference,
  'aria-labelledby': STABILITY.reference,
  popovertarget: STABILITY.reference,
  commandfor: STABILITY.reference,
  form: STABILITY.reference,
  list: STABILITY.reference,
  usemap: STABILITY.reference,
  coords: STABILITY.data,
  datetime: STABILITY.data,
  src: STABILITY.data,
};

/** They refer to other elements by id. */
const REFERENCES = new Set([
  'for',
  'aria-controls',
  'aria-labelledby',
  'popovertarget',
  'commandfor',
  'form',
  'list',
  'headers',
]);

/** Temporary: they describe the element's current state. */
const TRANSIENT_DATA = new RegExp(
  [
    String.raw`^data-(?:state|open|active|selected|focus|hover|index|pos|x|y|top|left|width|height|v-|`,
    String.raw`react|rbd|reactid|ember|headlessui|radix|side|align|orientation|time|timestamp|date|`,
    String.raw`loaded|loading|status|processed|once|drupal|turbo|sveltekit)`,
  ].join(''),
);

/** Attributes by which an application knows a record, and where it puts them: a number there is the record's own. */
const KEY_NAMES = /^data-(?:[a-z][a-z-]*-)?(?:id|key|pk|uid|uuid|guid|slug|sku)$/;
const KEYED_ROWS =
  'tr, li, article, option, [role=row], [role=listitem], [role=article], [role=option], [role=treeitem]';

/** Longer values are content (characters). */
export const MAX_VALUE = 100;

/**
 * A descriptor of an element: its CSS, its key in the index, its stability, its name.
 * @typedef {{ readonly css: string, key: string, sure: number, why: string, isEnd?: boolean }} Trait
 */

/** Characters that end a line or reorder text. */
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** A string in CSS notation, on one line (CSS Syntax 3 §4.3.7). @param {string} text */
const cssString = (text) =>
  `"${text.replace(/["\\]/g, '\\$&').replace(UNPRINTABLE, (sign) => `\\${/** @type {number} */ (sign.codePointAt(0)).toString(16)} `)}"`;

/** @param {string} name @param {string} value */
export const keyOf = (name, value) => `${name}=${value}`;

/** A trait by an attribute. Its CSS is written when it is used: most traits are only counted. */
class AttributeTrait {
  /** @param {string} name @param {string} value @param {number} sure @param {string} why */
  constructor(name, value, sure, why) {
    this.name = name;
    this.value = value;
    this.key = keyOf(name, value);
    this.sure = sure;
    this.why = why;
  }

  get css() {
    return this.name === 'id' ? `#${CSS.escape(this.value)}` : `[${this.name}=${cssString(this.value)}]`;
  }
}

/**
 * What a `class` attribute says: the keys of all classes, and the traits of those that identify.
 * @typedef {{ keys: string[], traits: Trait[] }} Classes
 */

/** By the attribute's value: many elements share one. @type {Map<string, Classes>} */
const knownClasses = new Map();

/** @param {string} value of a `class` attribute @returns {Classes} */
export function classesIn(value) {
  let known = knownClasses.get(value);
  if (!known) {
    const names = [...new Set(value.split(/\s+/))].filter(Boolean);
    const traits = names
      .map((name) => ({
        css: `.${CSS.escape(name)}`,
        key: `.${name}`,
        sure: STABILITY.class * stabilityOfClass(name),
        why: 'class',
      }))
      .filter((trait) => trait.sure > 0);
    known = { keys: names.map((name) => `.${name}`), traits };
    if (knownClasses.size > 5000) knownClasses.clear();
    knownClasses.set(value, known);
  }
  return known;
}

/** Attributes besides those listed above that identify an element. */
const OTHER_DESCRIBING = /^(?:id|name|href|action|src|value|hx-.*|data-.*|[a-z]+-(?:id|key|name))$/;

/** By attribute name. @type {Map<string, boolean>} */
const knownNames = new Map();

/** Whether an attribute may identify an element. @param {string} name */
export function isDescribing(name) {
  let known = knownNames.get(name);
  if (known === undefined) {
    known =
      (name in DESCRIBING_ATTRIBUTES || TEST_IDS.has(name) || OTHER_DESCRIBING.test(name)) &&
      !TRANSIENT_DATA.test(name);
    if (knownNames.size > 5000) knownNames.clear();
    knownNames.set(name, known);
  }
  return known;
}

/** @param {Element} element @returns {Trait[]} */
export function readTraits(element) {
  /** @type {Trait[]} */
  const traits = [];
  const isPrivate = privacy.marked && !privacy.revealed && isInPrivate(element);
  for (const name of attributeNamesOf(element)) {
    if (name === 'class') {
      traits.push(...classesIn(attr(element, name) || '').traits);
      continue;
    }
    if (!isDescribing(name)) continue;
    const value = attr(element, name) || '';
    if (hasEnds(name)) traits.push(...readEnd(name, value));
    const [sure, why] =
      isPrivate && !/^(?:id|name|type|role)$/.test(name) && !TEST_IDS.has(name)
        ? [0, '']
        : stabilityOfAttribute(element, name, value);
    if (sure > 0) traits.push(new AttributeTrait(name, value, sure, why));
  }
  return traits;
}

/** Attributes whose value may be a counter with an authored end. @param {string} name */
export const hasEnds = (name) => name === 'id' || name === 'name' || name.endsWith('-id');

/**
 * The authored end of a value that counts: `[id$="_lnkEdit"]`.
 * @param {string} name
 * @param {string} value
 * @returns {Trait[]}
 */
function readEnd(name, value) {
  const end = value.length <= MAX_VALUE && stabilityOfWord(value) <= COUNTED ? authoredEnd(value) : '';
  if (!end || stabilityOfWord(end) < 1) return [];
  const css = `[${name}$=${cssString(end)}]`;
  return [{ css, key: keyOf(`${name}$`, end), sure: STABILITY.end, why: `end of ${name}`, isEnd: true }];
}

/**
 * How likely an attribute survives a rebuild.
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 * @returns {[number, string]} 0 if it is not a descriptor; and its name
 */
function stabilityOfAttribute(element, name, value) {
  if (
    !value ||
    value.length > MAX_VALUE ||
    !/^[a-z][\w-]*$/i.test(name) ||
    /[\0\ufffd]/.test(value) ||
    !value.isWellFormed()
  )
    return [0, ''];
  if (name === 'id') return [STABILITY.id * stabilityOfWord(value), 'id'];
  if (TEST_IDS.has(name))
    return [STABILITY.testId * Math.max(stabilityOfSent(value), /^\d+$/.test(value) ? 0.8 : 0), 'test id'];
  if (name === 'name') return [STABILITY.name * stabilityOfSent(value), 'name'];
  if (name === 'href' || name === 'action' || name === 'src' || name.startsWith('hx-'))
    return [stabilityOfUrl(name, value), name];
  if (name === 'value') return [isValueOwn(element) ? STABILITY.data * stabilityOfText(value) : 0, 'value'];
  if (KEY_NAMES.test(name) && !readEnd(name, value).length && matches(element, KEYED_ROWS))
    return [STABILITY.data * (stabilityOfText(value) < 0.5 ? 0.75 : 1), name];
  const listed = DESCRIBING_ATTRIBUTES[name];
  if (listed) return [listed * (REFERENCES.has(name) ? stabilityOfWord(value) : stabilityOfText(value)), name];
  if (!isDescribing(name) || (!name.startsWith('data-') && /^\d+$/.test(value))) return [0, ''];
  if (stabilityOfText(value) < 0.5) return [0, '']; // a token, a hash
  return [
    STABILITY.data *
      Math.min(stabilityOfText(value), Math.max(stabilityOfWord(value), 0.6)) *
      (/^(?:true|false|\d{1,2})$/.test(value) ? 0.6 : 1),
    name,
  ];
}

/**
 * The stability of a name that others rely on: a server reads a field's name, a test a test id. So a number in it is
 * the author's (`items[0][price]`), unless all of it looks generated, or says only what kind of field it is.
 * @param {string} word
 */
const stabilityOfSent = (word) => {
  const sure = stabilityOfWord(word);
  return sure > COUNTED || (sure > 0 && !isKindOnly(word)) ? Math.max(sure, 0.85) : sure;
};

/**
 * A button's label and a choice's value are written by the author; a field's value is only its initial one.
 * @param {any} element
 */
const isValueOwn = (element) =>
  tagOf(element) === 'option' ||
  tagOf(element) === 'button' ||
  (tagOf(element) === 'input' && /^(?:submit|button|reset|radio|checkbox)$/.test(element.type));

/** @type {Map<string, number>} */
const knownTexts = new Map();

/** The stability of visible words: numbers in them often count something. @param {string} words */
function stabilityOfText(words) {
  let sure = knownTexts.get(words);
  if (sure === undefined) {
    sure = words.split(/[^\p{L}\p{N}]+/u).some(isHash) ? 0.3 : /\d/.test(words) ? 0.8 : 1;
    if (knownTexts.size > 5000) knownTexts.clear();
    knownTexts.set(words, sure);
  }
  return sure;
}

/** The stability of an address. @param {string} name @param {string} value */
function stabilityOfUrl(name, value) {
  if (value === '#' || value === '/' || /^(?:javascript|data|blob):/i.test(value)) return 0.3;
  if (/[?&;](?:sid|session|token|csrf|nonce|_|ts|t|time|v|ver|hash|sig|expires)=/i.test(value)) return 0;
  const sure = name === 'src' ? STABILITY.data : STABILITY.href;
  return (
    sure *
    (value.split(/[^\p{L}\p{N}]+/u).some(isHash)
      ? 0.4
      : value.startsWith('#')
        ? Math.max(stabilityOfWord(value.slice(1)), 0.3)
        : 1)
  );
}
