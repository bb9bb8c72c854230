// The visible content of fields, buttons and pictures, as minimal clean HTML.

import { attr, closest, queryIn, textContentOf } from '../dom/access.js';
import { isEditingHost, isFrame, isSvg } from '../dom/elements.js';
import { numberOf } from '../dom/node_numbers.js';
import { cleanText } from '../dom/text.js';
import { areaOf } from '../layout/rects.js';
import { isClickedByLabel } from '../semantics/click_targets.js';
import { nameOf } from '../semantics/names.js';
import { inputName } from '../semantics/naming_rules.js';
import { isCheckable, valueOf } from '../semantics/states.js';
import { isFilled, secrecyOfPart } from '../privacy/sensitive_fields.js';
import { MIN_PICTURE, showsFallback } from '../tree/pictures.js';
import { Writer, escapeHtml } from './html_writer.js';

/** @import { Part } from '../tree/part.js' */
/** @import { ContentWalk } from './content_walk.js' */

/** Longest link address in characters; longer ones contain data (browsers and servers accept 2,000 everywhere). */
const MAX_ADDRESS = 2000;

/** Minimum size of a picture without author's text to count as content rather than an icon (CSS px). */
const CONTENT_PICTURE = 64;

/** URL schemes that can be followed. */
const LINK_SCHEMES = /^(https?|ftp|mailto|tel|sms|geo|magnet):$/;

/** Placeholder for content that must not leave the page. */
const MASKED = '[masked]';

/**
 * Options of a content request.
 * @typedef {{origin: string, isTop: boolean, values: boolean, outline: boolean}} ContentOptions
 * `origin`: of the page; `values`: also what fields contain; `outline`: also the nesting of blocks, with their classes
 */

/** Whether it is the box at the start of a list's item, which says what is done. @param {Element} element */
function isTask(element) {
  if (attr(element, 'type') !== 'checkbox' && attr(element, 'role') !== 'checkbox') return false;
  const item = closest(element, 'li');
  return item !== null && !/\S/.test(textUpTo(item, element));
}

/** @param {Element} item @param {Element} end @returns {string} */
function textUpTo(item, end) {
  const range = document.createRange();
  range.setStart(item, 0);
  range.setEndBefore(end);
  return range.toString();
}

export class FieldReader extends Writer {
  /** @param {ContentWalk} survey @param {ContentOptions} options */
  constructor(survey, options) {
    super();
    this.survey = survey;
    this.options = options;
    /** Frame elements that are read separately: number and name. @type {Array<[number, string]>} */
    this.frames = [];
  }

  /** Marks content that must not leave the page; adjacent marks are merged. */
  masked() {
    if (this.out[this.out.length - 1] !== MASKED) this.apart(MASKED);
  }

  /** A shortened address: relative to the root within the page's own site. @param {string} raw */
  addressOf(raw) {
    if (!raw || (raw.startsWith('#') && this.options.isTop)) return raw.slice(0, MAX_ADDRESS);
    let url;
    try {
      url = new URL(raw, raw.startsWith('#') ? location.href : document.baseURI);
    } catch {
      return '';
    }
    if (!LINK_SCHEMES.test(url.protocol) || url.href.length > MAX_ADDRESS) return '';
    return url.origin === this.options.origin && url.origin !== 'null'
      ? url.pathname + url.search + url.hash
      : url.href;
  }

  /** Writes what fields and buttons show. @param {Part} part @returns {boolean} whether it was one */
  control(part) {
    const { element, tag, role } = part;
    const field = /** @type {any} */ (element);
    if (tag === 'input') {
      this.input(part, field);
      return true;
    }
    if (tag === 'textarea' || tag === 'select') {
      const secrecy = secrecyOfPart(part);
      if (!this.options.values || !this.survey.seesBox(part)) return true;
      if (secrecy) {
        if (isFilled(field)) this.masked();
      } else if (tag === 'select')
        this.value([...field.selectedOptions].map((option) => cleanText(option.label)).join(', '));
      else this.value(field.value);
      return true;
    }
    if (/^(progress|meter)$/.test(tag)) return true;
    if (isEditingHost(element) && secrecyOfPart(part)) {
      if (isFilled(element) && this.survey.seesBox(part)) this.masked();
      return true;
    }
    if ((this.options.values || isTask(element)) && isCheckable(element, role) && this.survey.seesBox(part))
      this.check(attr(element, 'aria-checked') === 'true');
    return false;
  }

  /** @param {Part} part @param {any} input */
  input(part, input) {
    const { type } = input;
    if (/^(submit|reset|button)$/.test(type)) {
      if (this.survey.seesBox(part)) this.apart(cleanText(inputName(input)));
      return;
    }
    if (type === 'image') {
      if (this.survey.seesBox(part)) this.image(cleanText(nameOf(input, 'button')), attr(input, 'src') || '');
      return;
    }
    if (type === 'password' || (!this.options.values && !isTask(input))) return;
    if (type === 'checkbox' || type === 'radio') {
      if (this.survey.seesBox(part) || isClickedByLabel(input, 'input')) this.check(input.checked);
      return;
    }
    if (!this.survey.seesBox(part)) return;
    const secrecy = secrecyOfPart(part);
    if (secrecy === 'private' && isFilled(input)) this.masked();
    else if (!secrecy) this.value(valueOf(input, part.role));
  }

  /** @param {boolean} isOn */
  check(isOn) {
    this.apart(isOn ? '[x]' : '[ ]');
  }

  /** Writes what a field contains. @param {string} value */
  value(value) {
    if (!/\S/.test(value)) return;
    if (value.trim().includes('\n') && !this.joined && !this.isFlat()) {
      this.within('pre', '', () => {
        this.inPre = true;
        this.say(`<code>${escapeHtml(value)}</code>`);
        this.inPre = false;
      });
      return;
    }
    this.gap = true;
    this.say(`<code>${escapeHtml(cleanText(value))}</code>`);
    this.gap = true;
  }

  /**
   * Writes painted content that is not text.
   * @param {Part} part
   * @returns {boolean} whether it was such content
   */
  picture(part) {
    const { element, tag, role } = part;
    if (isFrame(element, tag)) {
      if (this.survey.seesBox(part) && areaOf(part.place) >= MIN_PICTURE * MIN_PICTURE) this.frame(element);
      return true;
    }
    const isPainted =
      tag === 'img' ||
      tag === 'canvas' ||
      tag === 'video' ||
      tag === 'audio' ||
      (tag === 'object' && !showsFallback(element)) ||
      tag === 'embed' ||
      (tag === 'svg' && !queryIn(element, 'text, foreignObject'));
    const isNamed =
      part.drawn !== '' ||
      (role === 'img' && !isPainted && !(tag === 'svg' || isSvg(element)) && !/\S/.test(textContentOf(element) || ''));
    if (!isPainted && !isNamed) return false;
    if (
      this.inPre ||
      attr(element, 'alt') === '' ||
      (tag === 'svg' && attr(element, 'aria-hidden') === 'true') ||
      !this.survey.seesBox(part)
    )
      return true;
    if (part.isPrivate) {
      this.masked();
      return true;
    }
    const name = cleanText(
      tag === 'img' || tag === 'svg' || isNamed
        ? nameOf(element, 'img')
        : attr(element, 'aria-label') || attr(element, 'title') || '',
    );
    const source =
      tag === 'img' || tag === 'video' || tag === 'audio'
        ? /** @type {any} */ (element).currentSrc || attr(element, 'src') || ''
        : '';
    const box = part.place;
    const isLarge = box[2] - box[0] >= CONTENT_PICTURE && box[3] - box[1] >= CONTENT_PICTURE;
    if (name || (tag === 'img' && isLarge && this.addressOf(source))) this.image(name, source);
    return true;
  }

  /** Writes a picture; one without an address as its name. @param {string} name @param {string} source */
  image(name, source) {
    const address = this.addressOf(source);
    if (address) this.say(`<img alt="${escapeHtml(name)}" src="${escapeHtml(address)}">`);
    else if (name) this.apart(name);
  }

  /** @param {Element} element */
  frame(element) {
    const number = numberOf(element);
    this.end();
    this.imply();
    this.frames.push([number, nameOf(element, 'iframe') || attr(element, 'name') || '']);
    this.put(`<perception-frame number="${number}"></perception-frame>`);
    this.said++;
  }
}
