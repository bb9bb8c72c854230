// Secrets: what a page holds that must not leave it. Passwords never do; the numbers of payment cards, one-time codes and
// what a page marks as private do only for who asks.

/** `password` is never shown, `private` only when asked for. @typedef {''|'password'|'private'} Secrecy */

const secrets = {
  /** Whoever looks wants to see what is private. */
  shown: false,
  /** The document holds, or once held, what is marked as private. */
  marked: false,
  /** Each element is asked whether it is marked. */
  asking: true,
  /** Counts what was left out of names. */
  left: 0,
};

/** @param {string} names of attributes, each with a value that switches it on or with none */
const switchedOn = (names) => names.split(' ').map((name) => `[${name}]:not([${name}=false i])`).join(', ');
/** @param {string} names */
const classes = (names) => names.split(' ').map((name) => `.${name}`).join(', ');

/**
 * How pages tell the tools that record their visitors' sessions (Hotjar, Datadog, Sentry, rrweb, FullStory, PostHog, LogRocket,
 * OpenReplay, Clarity, Contentsquare, Heap, Smartlook, Matomo, New Relic, Mixpanel, Amplitude, Highlight, Metrica) what not to
 * record. `data-mask` with anything but a switch is the format of an input.
 */
const MARKED = [
  switchedOn('data-sensitive data-private data-hj-suppress data-hj-masked data-sentry-mask data-sentry-block data-openreplay-masked data-openreplay-obscured ' +
    'data-openreplay-hidden data-clarity-mask data-cs-mask data-heap-redact-text data-recording-sensitive data-matomo-mask data-nr-mask data-nr-block'),
  '[data-mask=""], [data-mask=true i], [data-dd-privacy=mask], [data-dd-privacy=hidden]',
  classes('data-hj-suppress sentry-mask sentry-block rr-mask rr-block fs-mask fs-exclude fs-mask-without-consent fs-exclude-without-consent ph-no-capture ph-mask ' +
    'dd-privacy-mask dd-privacy-hidden mp-mask mp-block amp-mask amp-block nr-mask nr-block highlight-mask highlight-block ym-hide-content smartlook-hide'),
].join(', ');

/** Inside of the above, what may be recorded after all. */
const UNMARKED = '[data-dd-privacy=allow], .dd-privacy-allow, .fs-unmask, [data-sentry-unmask], .sentry-unmask, [data-clarity-unmask=true i], [data-matomo-unmask], [data-hj-allow], .amp-unmask';

/** Where only what is typed is private. */
const MARKED_INPUT = '[data-dd-privacy=mask-user-input], .dd-privacy-mask-user-input, .ym-disable-keys, .rr-ignore';

/** Looks ahead before a whole document is found out: where nothing is marked, nobody needs to be asked. */
function expectMarks() {
  secrets.asking = document.querySelector(MARKED) !== null;
  secrets.marked = secrets.marked || secrets.asking;
}

/** Whether what is in an element is private. @param {Element} element @param {boolean} around whether what holds it is */
function isMarked(element, around) {
  if (!secrets.asking) {
    const root = rootIn(element);
    if (!root || !root.querySelector(MARKED)) return around;
    secrets.asking = true;
  }
  if (!fits(element, MARKED)) return around && !fits(element, UNMARKED);
  secrets.marked = true;
  return true;
}

/** As `isMarked`, for elements that are asked about by themselves. @param {Node|null} node */
function isInMarked(node) {
  if (!secrets.marked || !node) return false;
  for (let element = node instanceof Element ? node : parentNodeOf(node); element; element = /** @type {any} */ (rootOf(element)).host) {
    if (element instanceof ShadowRoot) element = element.host;
    const mark = element instanceof Element ? closestTo(element, `${MARKED}, ${UNMARKED}`) : null;
    if (mark) return fits(mark, MARKED);
  }
  return false;
}

/** It stands in what is private, and that is not to be told. @param {Node} node */
function isKept(node) {
  if (secrets.shown || !isInMarked(node)) return false;
  secrets.left++;
  return true;
}

/** It has no part in names. @param {Element} element */
function isLeftOut(element) {
  if (!secrets.marked || secrets.shown || !fits(element, MARKED)) return false;
  secrets.left++;
  return true;
}

/** Painted as dots. @param {CSSStyleDeclaration} style */
const isDotted = (style) => /** @type {any} */ (style).webkitTextSecurity !== 'none';

/** Text in a part must not be told. @param {Part} part */
function isVeiled(part) {
  if (part.dotted === undefined) part.dotted = isDotted(getComputedStyle(part.element));
  return !secrets.shown && (part.marked || part.dotted);
}

/** Inputs that were seen as password fields, with what they were called: one that shows its password is one still. @type {WeakMap<Element, string>} */
const oncePasswords = new WeakMap();

/** What a field is called in its source. @param {Element} element */
const sourceName = (element) => `${attr(element, 'name')} ${idOf(element)} ${attr(element, 'autocomplete')}`;

/** Kinds of input that take what is typed. */
const TYPED_IN = /^(text|tel|number|search|month)$/;

/** How secret is what a control holds. @param {any} element @returns {Secrecy} */
function secrecyOf(element) {
  const tag = tagOf(element);
  if (tag !== 'input' && tag !== 'select' && tag !== 'textarea' && !isEditingHost(element)) return '';
  if (tag === 'input') {
    const { type } = element;
    if (type === 'password') { oncePasswords.set(element, sourceName(element)); return 'password'; }
    if (!TYPED_IN.test(type)) return '';
    if (type === 'text' && oncePasswords.get(element) === sourceName(element)) return 'password';
  }
  const named = secretByName(element);
  if (named) return named;
  if (tag !== 'select' && (isDotted(getComputedStyle(element)) || isOneOfBoxes(element))) return 'private';
  return closestTo(element, MARKED_INPUT) ? 'private' : '';
}

/** Tokens of `autocomplete` (HTML §4.10.18.7.1) that say of a field that it holds no secret, whatever its name suggests. */
const HARMLESS = /(^|\s)(name|honorific-prefix|given-name|additional-name|family-name|nickname|username|organization|organization-title|street-address|address-\S+|country|country-name|postal-code|transaction-\S+|language|bday\S*|sex|url|photo|tel\S*|email|impp)$/;

/** What the names of a field say, by these: each is judged once. @type {Map<string, Secrecy|'expiry'>} */
const judged = new Map();

/** @param {any} element @returns {Secrecy} */
function secretByName(element) {
  const given = (attr(element, 'autocomplete') || '').trim().toLowerCase();
  if (/(^|\s)(cc-\S+|one-time-code)(\s|$)/.test(given)) return 'private';
  if (tagOf(element) === 'input' && /(^|\s)(current|new)-password(\s|$)/.test(given)) return 'password';
  if (HARMLESS.test(given)) return '';
  const found = judgeNames(element);
  if (found === 'expiry') return isInCardForm(element) ? 'private' : '';
  return found === 'password' && (tagOf(element) !== 'input' || element.type !== 'text') ? '' : found;
}

/** @param {any} element @returns {Secrecy|'expiry'} */
function judgeNames(element) {
  const names = namesIn(element);
  const known = judged.get(names);
  if (known !== undefined) return known;
  if (judged.size > 5000) judged.clear();
  const found = judge(names);
  judged.set(names, found);
  return found;
}

/** @param {string} names one a line @returns {Secrecy|'expiry'} */
function judge(names) {
  const all = names.split('\n').filter(Boolean).map(plainWords);
  if (all.some((words) => CODE_WORDS.test(words) || CARD_WORDS.test(words) || CVC_WORDS.test(words) || PIN_WORDS.test(words))) return 'private';
  if (all.some((words) => PASSWORD_WORDS.test(words)) && !all.some((words) => ABOUT_PASSWORDS.test(words))) return 'password';
  return all.some((words) => EXPIRY_WORDS.test(words)) ? 'expiry' : '';
}

/** Everything a field is called by, one a line. @param {any} element */
function namesIn(element) {
  const names = ['name', 'id', 'aria-label', 'placeholder', 'title', 'data-stripe'].map((each) => attr(element, each) || '');
  for (const other of [...labelsOf(element), ...referenced(element, 'aria-labelledby')]) names.push(tidy(textContentOf(other) || ''));
  if (names.slice(2).every((name) => !name)) names.push(tidy(textBefore(element)));
  return names.map((name) => name.slice(0, 80)).join('\n');
}

/** A short text that stands before a field, or in the table cell before its own. @param {Element} element */
function textBefore(element) {
  const cell = closestTo(element, 'td, th, dd');
  for (const node of [element.previousSibling, element.previousElementSibling, cell && cell.previousElementSibling]) {
    const text = node ? textContentOf(node) || '' : '';
    if (/\S/.test(text)) return text.length <= 80 ? text : '';
  }
  return '';
}

/** Fields around a field that belong to the same form. @param {any} element @returns {Iterable<any>} */
const formOf = (element) => allIn(element.form || closestTo(element, 'form, fieldset, section, dialog, [role=dialog], body') || element, 'input, select');

/** Something in the same form takes a card's number or code. @param {any} element */
function isInCardForm(element) {
  for (const other of formOf(element)) {
    if (other === element || other.type === 'hidden') continue;
    const names = `${attr(other, 'name')}\n${namesIn(other)}`.split('\n').map(plainWords);
    if (/cc-(number|csc)/.test(attr(other, 'autocomplete') || '') || names.some((words) => CARD_WORDS.test(words) || CVC_WORDS.test(words))) return true;
  }
  return false;
}

/** Takes one character. */
const ONE_CHARACTER = ['text', 'tel', 'number', 'password'].map((type) => `input[type=${type}][maxlength="1"]`).join(', ') + ', input:not([type])[maxlength="1"]';

/** One of 4 to 8 boxes that take a character each: a code. More of them are a puzzle. @param {any} element */
function isOneOfBoxes(element) {
  if (!fits(element, ONE_CHARACTER)) return false;
  if (allIn(element.ownerDocument.documentElement, ONE_CHARACTER).length > 12) return false;
  let around = element.parentElement;
  for (let step = 0; around && step < 5; step++, around = around.parentElement) {
    const count = allIn(around, ONE_CHARACTER).length;
    if (count >= 4) return count <= 8;
  }
  return false;
}

/** How secret is what a part shows; of what is shown to whoever asked, empty. @param {Part} part @returns {Secrecy} */
function withheld(part) {
  const secrecy = secrecyOf(part.element) || (part.marked ? 'private' : '');
  return secrecy === 'private' && secrets.shown ? '' : secrecy;
}

/** Something stands in a control. @param {any} element */
const isFilled = (element) => (isEditingHost(element) ? /\S/.test(textContentOf(element) || '') : Boolean(element.value));

/** Controls that are named by what is around them, not by what they hold. @param {any} element */
function isField(element) {
  const tag = tagOf(element);
  return tag === 'select' || tag === 'textarea' || isEditingHost(element) || (tag === 'input' && !/^(button|submit|reset|image)$/.test(element.type));
}
