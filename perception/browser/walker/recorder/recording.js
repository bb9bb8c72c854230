// Recorder: reports what a person or an agent does in a document, at the moment it happens, with the walker's names. It
// is not part of the walker that looks: it is loaded with a walker copy into a separate world while a recording runs.

import { attr, closest, queryAllIn } from '../dom/access.js';
import { afterDocumentOpen } from '../dom/document_open.js';
import { isSvg, tagOf } from '../dom/elements.js';
import { tellingLabel } from '../semantics/option_labels.js';
import { INTERACTIVE_ROLES } from '../semantics/role_tables.js';
import { roleOf } from '../semantics/roles.js';
import { scanForMarks } from '../privacy/private_content.js';
import { secrecyOf } from '../privacy/sensitive_fields.js';
import { PICKER_TYPES } from '../api/input_api.js';
import { editorAround, hostOf, isEditableContent, isFocusingClick, isHiddenField, isTextField } from './editors.js';
import { MAX_RECORDED_LETTERS, controlOf, describeField, describeNow, describePlace, hitOf } from './targets.js';
import { EventReporter } from './reporter.js';

/** Reported choices of a list. */
const MAX_RECORDED_OPTIONS = 200;

/** Keys that have an effect of their own in a field or list, besides chords. */
const RECORDED_KEYS = /^(Enter|Escape|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|PageUp|PageDown|Home|End)$/;

/** Chords that edit a field: their result is reported as the field's value. */
const EDITING_CHORD = /^[acvxyz]$/i;

/** The browser sends a click after a drag within this time (ms), which does not count. */
const AFTER_DRAG_MS = 50;

/** @param {EventReporter} reporter @param {MouseEvent} event */
function reportClick(reporter, event) {
  const hit = hitOf(event);
  if (hit && !event.isTrusted && tagOf(hit) === 'input' && hit.type === 'file') reporter.send({ type: 'chooser' });
  if (!event.isTrusted || !hit) return;
  if (event.timeStamp - reporter.drags.endedAt < AFTER_DRAG_MS || isFocusingClick(hit)) return;
  if (event.detail === 0 && reporter.isEntering) return; // Enter in a field clicks a button of its form
  const element = controlOf(hit);
  const label = /** @type {any} */ (closest(hit, 'label'));
  // A click on a label is followed by one on its control.
  if (label && label.control && label.control !== element && !INTERACTIVE_ROLES.has(roleOf(element))) return;
  // Its change event is recorded.
  if (tagOf(element) === 'input' && /^(checkbox|radio|file)$/.test(/** @type {any} */ (element).type)) return;
  if (tagOf(element) === 'select' || tagOf(element) === 'option') return;
  if (isTextField(element) && !isSvg(element) && event.type === 'click') return; // what is typed there says as much
  reportHover(reporter, event, element);
  const toggled = event.type === 'click' ? toggledTo(element) : null;
  if (toggled !== null) reporter.sendEvent(event, 'toggle', element, { value: toggled });
  else reporter.sendEvent(event, event.type === 'dblclick' ? 'dblclick' : 'click', element, {});
}

/** The state that a click gives to a control that has two; null for others. @param {Element} element */
function toggledTo(element) {
  const role = roleOf(element);
  if (/^(radio|menuitemradio)$/.test(role)) return true;
  if (/^(switch|checkbox|menuitemcheckbox)$/.test(role)) return attr(element, 'aria-checked') !== 'true';
  const pressed = attr(element, 'aria-pressed');
  return role === 'button' && pressed !== null ? pressed !== 'true' : null;
}

/**
 * What the pointer was on: the row or item around both, where that is what shows its controls, else the control.
 * @param {Element} cause
 * @param {Element} shown
 */
function hoveredBy(cause, shown) {
  const control = controlOf(cause);
  const row = closest(cause, 'tr, [role=row], li, [role=listitem]');
  const isNamed = INTERACTIVE_ROLES.has(roleOf(control));
  return row && !isNamed && row.contains(shown) ? row : control;
}

/** Before a click: the hover that made its target appear. @param {EventReporter} reporter @param {Event} event @param {Element} element */
function reportHover(reporter, event, element) {
  const cause = event.type === 'click' ? reporter.hovers.causeOf(element) : null;
  const over = cause && hoveredBy(cause, element);
  if (!over || over === element || element.contains(over)) return;
  const found = describePlace(over);
  const around = closest(over, 'tr, li, [role=row], [role=listitem]') || over;
  const near = found &&
    found.near && { ...found.near, row: reporter.hovers.withoutAppeared(found.near.row || '', around) };
  const text = found ? reporter.hovers.withoutAppeared(found.text, over) : '';
  const target = found && { ...found, text, ...(near ? { near } : {}) };
  const at = performance.timeOrigin + event.timeStamp;
  if (target) reporter.send({ type: 'event', kind: 'hover', at, target });
  else reporter.sendUnrecorded('what the pointer was on: it has no name, and nothing says which one it is');
}

/** @param {EventReporter} reporter @param {MouseEvent} event */
function reportDrag(reporter, event) {
  const done = reporter.drags.end(event);
  if (!done) return;
  const what = done.target ? `${done.target.role} "${done.target.name}"` : 'something without a name';
  if (tagOf(done.from) === 'canvas') {
    reporter.sendUnrecorded(`a drag on a canvas (${what}): only drags from one element to another are recorded`);
    return;
  }
  const to = describePlace(done.to);
  if (!to || !done.target || done.to === document.body || done.to === document.documentElement) {
    reporter.sendUnrecorded(`a drag of ${what}: where it began and ended has no name to find it by`);
    return;
  }
  reporter.send({
    type: 'event',
    kind: 'drag',
    at: performance.timeOrigin + event.timeStamp,
    target: done.target,
    to,
    value: done.at,
  });
  reporter.hovers.reset();
}

/** @param {EventReporter} reporter @param {Event} event */
function reportInput(reporter, event) {
  const hit = hitOf(event);
  const element = hit && hostOf(hit);
  if (!event.isTrusted || !element || !isTextField(element) || PICKER_TYPES.test(element.type || '')) return;
  if (isEditableContent(element)) {
    reporter.sendWritten(event, element);
    reporter.sendWrittenSoon(event, element);
  } else if (isHiddenField(element) && editorAround(element)) {
    reportHiddenInput(reporter, /** @type {InputEvent} */ (event), element);
  } else {
    reporter.sendEvent(event, 'type', element, {
      value: String(element.value).slice(0, MAX_RECORDED_LETTERS),
      secret: secrecyOf(element),
      field: describeField(element),
    });
  }
}

/**
 * What is typed into a field that nobody sees, for an editor that paints the text itself.
 * @param {EventReporter} reporter
 * @param {InputEvent} event
 * @param {any} field
 */
function reportHiddenInput(reporter, event, field) {
  const { typing } = reporter;
  typing.begin(field);
  if (/^insert(?!LineBreak|Paragraph)/.test(event.inputType || 'insertText') && !event.isComposing)
    typing.add(event.data ?? field.value);
  reportHiddenTyping(reporter, event);
}

/** Fields whose EditContext is listened to. @type {WeakSet<Element>} */
const heardContexts = new WeakSet();

/** Text that goes to an EditContext comes with no event of the document. @param {EventReporter} reporter @param {Event} event */
function hearEditContext(reporter, event) {
  const field = hitOf(event);
  if (!field || !field.editContext || heardContexts.has(field)) return;
  heardContexts.add(field);
  field.editContext.addEventListener('textupdate', (/** @type {any} */ update) => {
    reporter.typing.begin(field);
    if (update.text && update.text !== '\n') reporter.typing.add(update.text);
    reportHiddenTyping(reporter, update);
  });
}

/** @param {EventReporter} reporter @param {Event} event */
function reportHiddenTyping(reporter, event) {
  const { typing } = reporter;
  if (!typing.text && !typing.clear) return;
  if (!typing.isKnown) {
    reporter.sendUnrecorded(
      'what was typed within the text of an editor: only typing into an empty editor, or in place of all its text ' +
        '(Control+A), is recorded',
    );
    return;
  }
  reporter.sendEvent(event, 'write', typing.field, {
    value: typing.text.slice(0, MAX_RECORDED_LETTERS),
    clear: typing.clear,
    secret: secrecyOf(typing.field),
    field: describeField(typing.field),
  });
}

/** Editors may prevent the browser's own input, and write by script. @param {EventReporter} reporter @param {Event} event */
function reportBeforeInput(reporter, event) {
  const hit = hitOf(event);
  const element = hit && hostOf(hit);
  if (event.isTrusted && element && isTextField(element) && isEditableContent(element))
    reporter.sendWrittenSoon(event, element);
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
  const chosen = [...element.selectedOptions].map((option) => tellingLabel(option, element));
  const values = [...element.selectedOptions].map((option) => option.value);
  const secret = secrecyOf(element);
  return {
    value: secret ? [] : chosen,
    values: secret ? [] : values,
    options: secret ? [] : offered.map((option) => tellingLabel(option, element)),
    option_values: secret ? [] : offered.map((option) => option.value),
    secret,
    multiple: element.multiple,
    field: describeField(element),
  };
}

/** @param {EventReporter} reporter @param {KeyboardEvent} event */
function reportKey(reporter, event) {
  reporter.isEntering = false;
  const element = hitOf(event);
  if (!event.isTrusted || !element || event.isComposing || event.repeat) return;
  const chord = event.ctrlKey || event.metaKey || event.altKey;
  if (isTextField(element) && isHiddenField(element) && editorAround(element)) {
    reporter.typing.begin(element);
    reporter.typing.press(event);
    if (reporter.typing.text && /^(Enter|Backspace|Delete)$/.test(event.key)) reportHiddenTyping(reporter, event);
    if (event.key !== 'Escape' && (!chord || EDITING_CHORD.test(event.key))) return;
  }
  if (isEditableContent(hostOf(element)) && !chord && event.key === 'Enter') {
    reportEnter(reporter, event, hostOf(element));
    return;
  }
  if (
    tagOf(element) === 'select' ||
    (chord ? EDITING_CHORD.test(event.key) || event.key.length > 1 : !RECORDED_KEYS.test(event.key))
  )
    return;
  const field = isTextField(hostOf(element));
  if (event.key === 'Enter' && !field) return; // it clicks what it is on
  if (field && !chord && /^(Arrow|Home|End|Page)/.test(event.key) && roleOf(element) !== 'combobox') return;
  if (event.key === 'Enter') {
    if (!chord && (tagOf(element) === 'textarea' || isTextField(element)) && event.shiftKey) return; // a new line
    reporter.isEntering = true;
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

/**
 * Enter in an editor: a new line, or the key that sends what was written.
 * @param {EventReporter} reporter
 * @param {KeyboardEvent} event
 * @param {any} host
 */
function reportEnter(reporter, event, host) {
  const before = host.innerText.length;
  const target = describeNow(host);
  const at = performance.timeOrigin + event.timeStamp;
  setTimeout(() => {
    if (host.isConnected && host.innerText.length > before) return;
    reporter.send({ type: 'event', kind: 'press', at, target, value: event.shiftKey ? 'Shift+Enter' : 'Enter' });
  }, 0);
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

/** A field that the browser does not let a form be sent with. @param {EventReporter} reporter @param {Event} event */
function reportInvalid(reporter, event) {
  const field = /** @type {any} */ (hitOf(event));
  const found = field && describePlace(field);
  const name = found ? found.name || found.placeholder : '';
  if (field)
    reporter.send({ type: 'invalid', what: `${name || tagOf(field)}: ${field.validationMessage || 'invalid'}` });
}

/** Before these the forms are as the page has left them. */
const BEFORE_INPUT = ['keydown', 'pointerdown', 'focusin'];

/** @type {Array<[string, (reporter: EventReporter, event: any) => void]>} */
const HEARD = [
  ['pointerdown', (reporter, event) => (reporter.sendLastWritten(event), reporter.drags.begin(event))],
  ['pointermove', (reporter, event) => reporter.drags.move(event)],
  ['pointerup', reportDrag],
  ['pointerover', (reporter, event) => reporter.hovers.enter(event)],
  ['dragstart', (reporter, event) => reporter.drags.beginNative(event)],
  ['drop', reportDrag],
  ['dragend', (reporter) => reporter.drags.cancel()],
  ['click', reportClick],
  ['dblclick', reportClick],
  ['beforeinput', reportBeforeInput],
  ['paste', reportBeforeInput],
  ['input', reportInput],
  ['change', reportChange],
  ['focusin', hearEditContext],
  ['focusout', (reporter, event) => reporter.sendLastWritten(event)],
  ['keydown', reportKey],
  ['keyup', (reporter) => (reporter.isEntering = false)],
  ['submit', reportSubmit],
  ['invalid', reportInvalid],
];

export const recorder = {
  /** Starts reporting. @param {(text: string) => void} report */
  start(report) {
    const reporter = new EventReporter(report);
    const listeners = HEARD.map(
      ([name, hear]) => /** @type {[string, (event: any) => void]} */ ([name, (event) => hear(reporter, event)]),
    );
    const listen = () => {
      for (const [name, hear] of listeners) window.addEventListener(name, hear, { capture: true, passive: true });
      for (const name of BEFORE_INPUT) window.addEventListener(name, look, { capture: true, passive: true });
    };
    const look = () => reporter.forms.look();
    listen();
    afterDocumentOpen(listen);
    const ready = () => {
      scanForMarks();
      reporter.sendTokens();
      reporter.hovers.look();
    };
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', ready, { once: true });
    else ready();
  },
};
