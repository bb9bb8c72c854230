// The current facts of an element that an action needs.

import { FLAG } from '../row_layout.js';
import { attr, isRendered, queryAllIn } from '../dom/access.js';
import { isDisabled, isEditable, isInactive } from '../dom/elements.js';
import { flatContains } from '../dom/flat_tree.js';
import { cleanText } from '../dom/text.js';
import { textBox } from '../layout/boxes.js';
import { visibleRect } from '../layout/clips.js';
import { boxOfPart } from '../layout/image_maps.js';
import { NOWHERE, isSamePlace, overlap } from '../layout/rects.js';
import { wholeViewport } from '../layout/viewport.js';
import { listedName, listedRole } from '../semantics/listed_names.js';
import { forgetIndexes } from '../semantics/names.js';
import { isCheckable, isUntold, statesOf } from '../semantics/states.js';
import { privacy } from '../privacy/private_content.js';
import { secrecyOfPart } from '../privacy/sensitive_fields.js';
import { isUnsettled } from '../tree/changes.js';
import { partOf } from '../tree/part.js';
import { probeChain, probePart } from '../tree/probe.js';
import { describeBlockerNow } from '../visibility/blockers.js';
import { findTextPoint } from '../visibility/hit_testing.js';
import { showsText } from '../visibility/paint_style.js';
import { FrameWalk } from '../rows/frame_walk.js';
import { rowNow } from '../rows/row_identity.js';

/** @import { Part } from '../tree/part.js' */

/**
 * The facts of a text in an element: a click on it lands on its letters, not elsewhere in the element.
 * @param {any} element
 * @param {Text} text
 */
export function factsOfText(element, text) {
  const facts = factsOf(element);
  const box = textBox(text) || NOWHERE;
  const part = partOf.get(element) || probeChain(element);
  const walk = new FrameWalk(wholeViewport(), true);
  const shown = overlap(overlap(box, visibleRect(part.clip, walk.number)) || NOWHERE, wholeViewport());
  const hit = shown && !facts.held ? findTextPoint(element, text, shown) : { point: null, blocker: null };
  const above = hit.blocker ? describeBlockerNow(hit.blocker) : '';
  return {
    ...facts,
    role: 'text',
    name: facts.masked ? '' : cleanText(text.data),
    box,
    point: hit.point,
    blocker: hit.point ? '' : facts.held || facts.locked ? facts.blocker : above,
    seen: walk.showsText(text, box, part) && showsText(part),
    inViewport: shown !== null,
    row: '',
  };
}

/** Whether a person sees an element once they have scrolled there, and not before. @param {any} element */
export function isOutOfView(element) {
  if (!(element instanceof Element) || !element.isConnected) return false;
  const part = partOf.get(element) || probeChain(element);
  const shown = { visibilityProperty: true, opacityProperty: true };
  const [left, top, right, bottom] = boxOfPart(part);
  if (right <= left || bottom <= top || !Element.prototype.checkVisibility.call(element, shown)) return false;
  const walk = new FrameWalk(wholeViewport(), true);
  const clipped = overlap([left, top, right, bottom], visibleRect(part.clip, walk.number));
  return clipped === null || overlap(clipped, wholeViewport()) === null;
}

/**
 * Whether style shows neither an element nor anything in it, as in closed details. An area of a picture has no box.
 * @param {Part} part
 */
const isHiddenWhole = ({ element, tag }) =>
  tag !== 'area' && !isRendered(element) && ![...queryAllIn(element, '*')].some(isRendered);

/** The current facts of an element that an action needs. @param {any} element */
export function factsOf(element) {
  forgetIndexes();
  const part = probePart(element);
  const { role } = part;
  const own = boxOfPart(part);
  const at = new FrameWalk(wholeViewport(), true).placementOf(part, own, true);
  const { withheld } = privacy;
  const holder = document.pointerLockElement;
  const held = holder !== null && !flatContains(element, holder);
  const name = listedName(element, part, part.isPrivate);
  return {
    role: listedRole(part),
    name,
    masked: secrecyOfPart(part) !== '' || part.isPrivate || privacy.withheld !== withheld,
    box: at.box,
    point: held ? null : at.point,
    blocker: held ? describeBlockerNow(holder) : at.blocker ? describeBlockerNow(at.blocker) : '',
    held,
    locked: Boolean(at.flags & FLAG.locked),
    switchedOff: getComputedStyle(element).pointerEvents === 'none',
    seen: Boolean(at.flags & FLAG.visible) && (at.point !== null || !isSamePlace(at.box, own) || !isHiddenWhole(part)),
    inViewport: Boolean(at.flags & FLAG.inViewport),
    disabled: isDisabled(element),
    inactive: isInactive(element),
    editable: isEditable(element),
    tag: part.tag,
    type: element.type || '',
    multiple: element.multiple === true,
    states: statesOf(element, role, null),
    checkable: isCheckable(element, role),
    untold: isUntold(element, role),
    toggles: role === 'button' && attr(element, 'aria-pressed') !== null,
    restless: isUnsettled(),
    row: rowNow(element),
  };
}
