// Generated from row_layout.toml by .ci/row_layout. Not to be edited.

/** @import { Point, Rect } from './layout/rects.js' */

/**
 * Why an element's facts do not explain its pixels; empty if they do.
 * @typedef {'canvas'|'image'|'svg'|'video'|'background'|'frame'|'nameless'|'glyph'} Opaque
 */

/** Properties of a row: one bit each. */
export const FLAG = /** @type {const} */ ({
  /** a person can act on it */
  interactive: 1,
  /** some of its box is in view */
  inViewport: 2,
  /** a click at its point hits it */
  reachable: 4,
  /** a person can see it, now or once it is scrolled into view */
  visible: 8,
  /** part of its content is withheld */
  sensitive: 16,
  /** a container that only a digest lists */
  structure: 32,
  /** a text that the texts after it are about */
  term: 64,
  /** an open popup, given as what covers it, has switched the pointer off for it */
  locked: 128,
});

/** Whether a click can reach an element. */
export const REACH = /** @type {const} */ ({
  /** it is not a click target */
  unsaid: 0,
  /** at its point */
  now: 1,
  /** another element covers it */
  covered: 2,
  /** after it is scrolled into view */
  scroll: 3,
  /** not at all */
  never: 4,
});

/** What covers a frame at a point. */
export const COVER = /** @type {const} */ ({
  /** nothing: the frame itself is hit */
  clear: 0,
  /** another element; its number and description follow */
  covered: 1,
  /** the frame is not painted there */
  unpainted: 2,
});

/**
 * One thing in a frame that a person can see, read or act on. As it is sent:
 * @typedef {[
 *   node: number,
 *   parent: number,
 *   role: string,
 *   name: string,
 *   value: string,
 *   states: string[],
 *   box: Rect,
 *   flags: number,
 *   point: Point|null,
 *   coveredBy: number,
 *   blocker: string,
 *   opaque: Opaque|'',
 *   text: string,
 *   hint: string,
 *   reach: number,
 *   scrollable: number[]|null,
 *   options: string[],
 *   optionCount: number,
 *   nth: number,
 *   inRow: string,
 * ]} Row
 */

/** Places of the fields in a `Row`. */
export const ROW = /** @type {const} */ ({
  node: 0,
  parent: 1,
  role: 2,
  name: 3,
  value: 4,
  states: 5,
  box: 6,
  flags: 7,
  point: 8,
  coveredBy: 9,
  blocker: 10,
  opaque: 11,
  text: 12,
  hint: 13,
  reach: 14,
  scrollable: 15,
  options: 16,
  optionCount: 17,
  nth: 18,
  inRow: 19,
});

/**
 * @param {object} fields
 * @param {number} fields.node its number, never reused within its document
 * @param {number} [fields.parent] row of its container; -1 for none
 * @param {string} [fields.role] ARIA role, or `text`
 * @param {string} [fields.name] accessible name; for a text, its words
 * @param {string} [fields.value] current value; empty if there is none or it is withheld
 * @param {string[]} [fields.states] such as `checked` or `level=2`
 * @param {Rect} fields.box position in the frame's viewport, CSS px
 * @param {number} [fields.flags] sum of the flags that are set
 * @param {Point|null} [fields.point] point at which a click hits it, CSS px; null if there is none
 * @param {number} [fields.coveredBy] number of the innermost listed element that covers it; 0 for none
 * @param {string} [fields.blocker] description of what covers it
 * @param {Opaque|''} [fields.opaque] why its pixels are unexplained; empty if they are not
 * @param {string} [fields.text] visible text, if it differs from the name
 * @param {string} [fields.hint] information that helps to use it and is not its name
 * @param {number} [fields.reach] its Reach, as a number
 * @param {number[]|null} [fields.scrollable] remaining scroll distance up, down, left, right, CSS px; null if there is none
 * @param {string[]} [fields.options] choices of a list, in order: the first ones of many
 * @param {number} [fields.optionCount] how many choices the list has
 * @param {number} [fields.nth] its number among the elements that share role and name, from 0
 * @param {string} [fields.inRow] text that identifies its row of a list; empty where its name tells it from others
 * @returns {Row}
 */
export function makeRow({
  node,
  parent = -1,
  role = '',
  name = '',
  value = '',
  states = [],
  box,
  flags = 0,
  point = null,
  coveredBy = 0,
  blocker = '',
  opaque = '',
  text = '',
  hint = '',
  reach = 0,
  scrollable = null,
  options = [],
  optionCount = 0,
  nth = 0,
  inRow = '',
}) {
  return [
    node,
    parent,
    role,
    name,
    value,
    states,
    box,
    flags,
    point,
    coveredBy,
    blocker,
    opaque,
    text,
    hint,
    reach,
    scrollable,
    options,
    optionCount,
    nth,
    inRow,
  ];
}

/**
 * A frame element: the origin, the scale and the visible part of its content. As it is sent:
 * @typedef {[
 *   row: number,
 *   node: number,
 *   x: number,
 *   y: number,
 *   scaleX: number,
 *   scaleY: number,
 *   clip: Rect,
 * ]} FrameRow
 */

/** Places of the fields in a `FrameRow`. */
export const FRAME_ROW = /** @type {const} */ ({
  row: 0,
  node: 1,
  x: 2,
  y: 3,
  scaleX: 4,
  scaleY: 5,
  clip: 6,
});

/**
 * @param {object} fields
 * @param {number} fields.row its row
 * @param {number} fields.node its number
 * @param {number} fields.x left edge of its content
 * @param {number} fields.y top edge of its content
 * @param {number} fields.scaleX px of the containing frame for one px of its content, horizontally
 * @param {number} fields.scaleY the same, vertically
 * @param {Rect} fields.clip its visible part
 * @returns {FrameRow}
 */
export function makeFrameRow({
  row,
  node,
  x,
  y,
  scaleX,
  scaleY,
  clip,
}) {
  return [
    row,
    node,
    x,
    y,
    scaleX,
    scaleY,
    clip,
  ];
}

/**
 * A control that is not painted. As it is sent:
 * @typedef {[
 *   number: number,
 *   before: number,
 *   role: string,
 *   name: string,
 *   states: string[],
 *   hint: string,
 * ]} HiddenControl
 */

/** Places of the fields in a `HiddenControl`. */
export const HIDDEN_CONTROL = /** @type {const} */ ({
  number: 0,
  before: 1,
  role: 2,
  name: 3,
  states: 4,
  hint: 5,
});

/**
 * @param {object} fields
 * @param {number} fields.number its number
 * @param {number} fields.before number of the listed control before it in the document
 * @param {string} fields.role ARIA role
 * @param {string} fields.name accessible name
 * @param {string[]} fields.states as of a row
 * @param {string} fields.hint as of a row
 * @returns {HiddenControl}
 */
export function makeHiddenControl({
  number,
  before,
  role,
  name,
  states,
  hint,
}) {
  return [
    number,
    before,
    role,
    name,
    states,
    hint,
  ];
}

/**
 * How to find an element again, and its kind of control. As it is sent:
 * @typedef {[
 *   css: string[],
 *   playwright: string[],
 *   stability: number,
 *   reason: string,
 *   kind: string,
 *   inputType: string,
 *   placeholder: string,
 * ]} SelectorRow
 */

/** Places of the fields in a `SelectorRow`. */
export const SELECTOR_ROW = /** @type {const} */ ({
  css: 0,
  playwright: 1,
  stability: 2,
  reason: 3,
  kind: 4,
  inputType: 5,
  placeholder: 6,
});

/**
 * @param {object} fields
 * @param {string[]} fields.css a selector in each tree from the document inwards
 * @param {string[]} fields.playwright the same for Playwright; empty if Playwright cannot reach the element
 * @param {number} fields.stability how likely it survives a rebuild, 0 to 1
 * @param {string} fields.reason kind of trait that identifies the element
 * @param {string} fields.kind kind of control, such as `button` or `link`
 * @param {string} fields.inputType type of an input; else empty
 * @param {string} fields.placeholder its placeholder
 * @returns {SelectorRow}
 */
export function makeSelectorRow({
  css,
  playwright,
  stability,
  reason,
  kind,
  inputType,
  placeholder,
}) {
  return [
    css,
    playwright,
    stability,
    reason,
    kind,
    inputType,
    placeholder,
  ];
}
