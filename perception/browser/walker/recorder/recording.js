// Recorder: reports what a person or an agent does in a document, at the moment it happens, with the walker's names. It
// is not part of the walker that looks: it is loaded with a walker copy into a separate world while a recording runs.

import { attr, attributesOf, closest, queryAll, queryAllIn } from '../dom/access.js';
import { isEditingHost, isSvg, tagOf } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { allRoots } from '../dom/shadow_roots.js';
import { cleanText } from '../dom/text.js';
import { listedName, listedRole } from '../semantics/listed_names.js';
import { forgetIndexes, nameOf } from '../semantics/names.js';
import { INTERACTIVE_ROLES } from '../semantics/role_tables.js';
import { roleOf } from '../semantics/roles.js';
import { scanForMarks } from '../privacy/private_content.js';
import { isField, secrecyOf, secrecyOfPart } from '../privacy/sensitive_fields.js';
import { probePart } from '../tree/probe.js';
import { neighbourhoodOf } from '../selectors/neighbourhood.js';
import { rowOfTarget } from '../selectors/rows_around.js';
import { Routes } from '../selectors/routes.js';
import { FormReporter } from './form_reports.js';
import { encodeJson } from '../api/encoding.js';
import { PICKER_TYPES } from '../api/input_api.js';

/** Reported characters of a text or value. */
const MAX_RECORDED_LETTERS = 2000;

/** Elements that are checked for the same role and name; on a page with more, the selector is used. */
const MAX_ALIKE = 20000;

/** Reported choices of a list. */
const MAX_RECORDED_OPTIONS = 200;

/** Keys that have an effect of their own in a field or list, besides chords. */
const RECORDED_KEYS = /^(Enter|Escape|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|PageUp|PageDown|Home|End)$/;

/** Chords that edit a field: their result is reported as the field's value. */
const EDITING_CHORD = /^[acvxyz]$/i;

/**
 * Enter in one of these clicks a button of its form. Only the key is reported: a click within this time (ms) is its
 * effect.
 */
const IMPLICIT_CLICK_MS = 50;

/** Matches what looks like a token: long, one word, not a plain one. */
const TOKEN = /^(?=.*[0-9A-Z_=+/.-])[\w+/=.:~-]{8,4096}$/;

/** A selector that finds an element again; empty in a closed shadow tree. @param {Element} element */
function lastingSelector(element) {
  const route = new Routes().to(element);
  return route ? route.css.join(' >>> ') : '';
}

/**
 * How many visible elements of the document share a role and name, and the position of one among them.
 * @param {Element} element
 * @param {string} role
 * @param {string} name
 */
function placeAmongAlike(element, role, name) {
  const all = allRoots().flatMap((root) => queryAll(root, '*'));
  if (all.length > MAX_ALIKE || !name) return { nth: 0, of: 0 };
  const alike = all.filter(
    (each) => each === element || (roleOf(each) === role && each.checkVisibility() && nameOf(each, role) === name),
  );
  return { nth: alike.indexOf(element), of: alike.length };
}

/** The element an event concerns: the control around it, else the element itself. @param {Element} hit */
function controlOf(hit) {
  /** @type {Element|null} */
  let acts = null;
  for (
    let node = /** @type {Element|null} */ (hit);
    node && node !== document.documentElement && node !== document.body;
    node = flatParentOf(node)
  ) {
    if (INTERACTIVE_ROLES.has(roleOf(node))) return node;
    if (!acts && probePart(node).interactive) acts = node;
  }
  return acts || hit;
}

/** Containers of links that choose a view and not an object. */
const MENUS = 'nav, [role=navigation], [role=menu], [role=menubar], [role=tablist]';

/** Where a link leads on this origin; empty for no link, and for one of a menu. @param {any} element */
function leadOf(element) {
  const link = closest(element, 'a[href], area[href]');
  if (!link || closest(link, MENUS)) return '';
  const url = new URL(/** @type {any} */ (link).href, document.baseURI);
  return url.origin === location.origin ? url.href.slice(url.origin.length, MAX_RECORDED_LETTERS) : '';
}

/**
 * The row that an element stands in, and its place among those of its role and name there.
 * @param {Element} element
 * @param {string} role
 * @param {string} name
 * @param {boolean} isAlone whether no other element has them
 */
function describeRow(element, role, name, isAlone) {
  const found = rowOfTarget(element, isAlone);
  if (!found) return {};
  const alike = [...queryAllIn(found.row, '*')].filter(
    (each) => each === element || (roleOf(each) === role && each.checkVisibility() && nameOf(each, role) === name),
  );
  return { cells: found.cells, rows: found.rows, row_nth: alike.indexOf(element), row_of: alike.length };
}

/** @param {Element} element */
function describeTarget(element) {
  const part = probePart(element);
  const role = listedRole(part.role, part.picture);
  const name = listedName(element, part.role, part.interactive, part.isPrivate).slice(0, MAX_RECORDED_LETTERS);
  const text = secrecyOfPart(part) || isField(element) ? '' : nameOf(element, 'button').slice(0, 120);
  const place = placeAmongAlike(element, part.role, name);
  return {
    role,
    name,
    text,
    placeholder: attr(element, 'placeholder') || '',
    selector: lastingSelector(element),
    tag: part.tag,
    ...place,
    ...(place.of === 1 ? {} : { near: neighbourhoodOf(element) }),
    href: leadOf(element),
    ...describeRow(element, part.role, name, place.of === 1),
  };
}

/** What a field declares about its input. @param {any} element */
function describeField(element) {
  const given = (/** @type {string} */ name) => attr(element, name) || '';
  return {
    name: given('name'),
    id: given('id'),
    type: tagOf(element) === 'input' ? element.type : tagOf(element),
    inputmode: given('inputmode'),
    min: given('min'),
    max: given('max'),
    pattern: given('pattern'),
    maxlength: given('maxlength'),
    required: element.required === true,
  };
}

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

/** @param {Event} event @returns {any} the innermost element, also in open shadow trees */
const hitOf = (event) => event.composedPath().find((each) => each instanceof Element) || null;

/** @param {any} element */
const isTextField = (element) =>
  isEditingHost(element) ||
  tagOf(element) === 'textarea' ||
  (tagOf(element) === 'input' && !/^(checkbox|radio|file|button|submit|reset|image|hidden)$/.test(element.type));

/** @param {any} element */
function hostOf(element) {
  if (!element.isContentEditable) return element;
  while (!isEditingHost(element) && element.parentElement) element = element.parentElement;
  return element;
}

/** Reports what is done in one document. */
class EventReporter {
  #frame = window === window.top ? '' : location.pathname;
  #lastTokens = '';
  /** A field that is typed into is reported at every key, and described once. @type {{element: any, target: any}} */
  #typed = { element: null, target: null };
  /** @type {(text: string) => void} */
  #report;
  forms = new FormReporter();
  /** When Enter was last reported. */
  enteredAt = -Infinity;

  /** @param {(text: string) => void} report */
  constructor(report) {
    this.#report = report;
  }

  /** @param {any} news */
  send(news) {
    const report = this.#report;
    report(encodeJson({ frame: this.#frame, url: location.href, ...news }));
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
    const known = kind === 'type' && this.#typed.element === element;
    if (!known) {
      forgetIndexes();
      scanForMarks();
      this.sendTokens();
    }
    if (kind !== 'type') this.sendForms(event);
    const target = known ? this.#typed.target : describeTarget(element);
    this.#typed = { element, target };
    this.send({ type: 'event', kind, at: performance.timeOrigin + event.timeStamp, target, ...more });
  }
}

/** @param {EventReporter} reporter @param {MouseEvent} event */
function reportClick(reporter, event) {
  const hit = hitOf(event);
  if (!event.isTrusted || !hit) return;
  if (event.detail === 0 && event.timeStamp - reporter.enteredAt < IMPLICIT_CLICK_MS) return;
  const element = controlOf(hit);
  const label = /** @type {any} */ (closest(hit, 'label'));
  // A click on a label is followed by one on its control.
  if (label && label.control && label.control !== element && !INTERACTIVE_ROLES.has(roleOf(element))) return;
  // Its change event is recorded.
  if (tagOf(element) === 'input' && /^(checkbox|radio|file)$/.test(/** @type {any} */ (element).type)) return;
  if (tagOf(element) === 'select' || tagOf(element) === 'option') return;
  if (isTextField(element) && !isSvg(element) && event.type === 'click') return; // what is typed there says as much
  reporter.sendEvent(event, event.type === 'dblclick' ? 'dblclick' : 'click', element, {});
}

/** @param {EventReporter} reporter @param {Event} event */
function reportInput(reporter, event) {
  const hit = hitOf(event);
  const element = hit && hostOf(hit);
  if (!event.isTrusted || !element || !isTextField(element) || PICKER_TYPES.test(element.type || '')) return;
  const value = isEditingHost(element) ? element.innerText : element.value;
  reporter.sendEvent(event, 'type', element, {
    value: String(value).slice(0, MAX_RECORDED_LETTERS),
    secret: secrecyOf(element),
    field: describeField(element),
  });
}

/** @param {EventReporter} reporter @param {Event} event */
function reportChange(reporter, event) {
  const element = hitOf(event);
  const tag = element ? tagOf(element) : '';
  if (tag === 'select') {
    reporter.sendEvent(event, 'select', element, describeChoice(element));
  } else if (tag !== 'input') {
    return;
  } else if (/^(checkbox|radio)$/.test(element.type)) {
    if (event.isTrusted)
      reporter.sendEvent(event, 'check', element, {
        value: element.checked,
        values: [element.value],
        field: describeField(element),
      });
  } else if (element.type === 'file') {
    reporter.sendEvent(event, 'upload', element, {
      value: [...element.files].map((file) => file.name),
      field: describeField(element),
    });
  } else if (PICKER_TYPES.test(element.type)) {
    reporter.sendEvent(event, 'type', element, {
      value: element.value,
      secret: secrecyOf(element),
      field: describeField(element),
    });
  }
}

/** What a list offers, and what is chosen of it. @param {any} element */
function describeChoice(element) {
  const offered = [...element.options].slice(0, MAX_RECORDED_OPTIONS);
  const chosen = [...element.selectedOptions].map((option) => cleanText(option.label));
  const values = [...element.selectedOptions].map((option) => option.value);
  const secret = secrecyOf(element);
  return {
    value: secret ? [] : chosen,
    values: secret ? [] : values,
    options: secret ? [] : offered.map((option) => cleanText(option.label)),
    option_values: secret ? [] : offered.map((option) => option.value),
    secret,
    multiple: element.multiple,
    field: describeField(element),
  };
}

/** @param {EventReporter} reporter @param {KeyboardEvent} event */
function reportKey(reporter, event) {
  const element = hitOf(event);
  if (!event.isTrusted || !element || event.isComposing || event.repeat) return;
  const chord = event.ctrlKey || event.metaKey || event.altKey;
  if (
    tagOf(element) === 'select' ||
    (chord ? EDITING_CHORD.test(event.key) || event.key.length > 1 : !RECORDED_KEYS.test(event.key))
  )
    return;
  const field = isTextField(hostOf(element));
  if (event.key === 'Enter' && !field) return; // it clicks what it is on
  if (field && !chord && /^(Arrow|Home|End|Page)/.test(event.key) && roleOf(element) !== 'combobox') return;
  if (event.key === 'Enter') {
    if (!chord && (tagOf(element) === 'textarea' || isEditingHost(element)) && event.shiftKey) return; // a new line
    reporter.enteredAt = event.timeStamp;
  }
  const keys = [
    event.ctrlKey && 'Control',
    event.metaKey && 'Meta',
    event.altKey && 'Alt',
    event.shiftKey && chord && 'Shift',
    event.key,
  ];
  reporter.sendEvent(event, 'press', hostOf(element), { value: keys.filter(Boolean).join('+') });
}

/** @param {EventReporter} reporter @param {SubmitEvent} event */
function reportSubmit(reporter, event) {
  const form = /** @type {any} */ (hitOf(event));
  const files = form
    ? [...queryAllIn(form, 'input[type=file]')].flatMap((input) =>
        [.../** @type {any} */ (input).files].map((file) => ({
          field: attr(input, 'name') || '',
          name: file.name,
          size: file.size,
          type: file.type,
        })),
      )
    : [];
  reporter.sendTokens();
  reporter.sendForms(event);
  reporter.send({ type: 'submit', at: performance.timeOrigin + event.timeStamp, files });
}

export const recorder = {
  /** Starts reporting. @param {(text: string) => void} report */
  start(report) {
    const reporter = new EventReporter(report);
    for (const [name, hear] of /** @type {Array<[string, (reporter: EventReporter, event: any) => void]>} */ ([
      ['click', reportClick],
      ['dblclick', reportClick],
      ['input', reportInput],
      ['change', reportChange],
      ['keydown', reportKey],
      ['submit', reportSubmit],
    ])) {
      window.addEventListener(name, (event) => hear(reporter, event), { capture: true, passive: true });
    }
    for (const name of ['keydown', 'pointerdown', 'focusin'])
      window.addEventListener(name, () => reporter.forms.look(), { capture: true, passive: true });
    const ready = () => {
      scanForMarks();
      reporter.sendTokens();
    };
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', ready, { once: true });
    else ready();
  },
};
