// The current facts of an element that an action needs.

import { FLAG } from '../row_layout.js';
import { isDisabled, isEditable } from '../dom/elements.js';
import { boxOfPart } from '../layout/image_maps.js';
import { wholeViewport } from '../layout/viewport.js';
import { listedName, listedRole } from '../semantics/listed_names.js';
import { forgetIndexes } from '../semantics/names.js';
import { statesOf } from '../semantics/states.js';
import { privacy } from '../privacy/private_content.js';
import { secrecyOfPart } from '../privacy/sensitive_fields.js';
import { isUnsettled } from '../tree/changes.js';
import { probePart } from '../tree/probe.js';
import { describeBlocker } from '../visibility/blockers.js';
import { FrameWalk } from '../rows/frame_walk.js';
import { rowNow } from '../rows/row_identity.js';

/** The current facts of an element that an action needs. @param {any} element */
export function factsOf(element) {
  forgetIndexes();
  const part = probePart(element);
  const { role, interactive } = part;
  const at = new FrameWalk(wholeViewport(), true).placementOf(part, boxOfPart(part), true);
  const { withheld } = privacy;
  const name = listedName(element, role, interactive, part.isPrivate);
  return {
    role: listedRole(role, part.picture),
    name,
    masked: secrecyOfPart(part) !== '' || part.isPrivate || privacy.withheld !== withheld,
    box: at.box,
    point: at.point,
    blocker: at.blocker ? describeBlocker(at.blocker) : '',
    seen: Boolean(at.flags & FLAG.visible),
    inViewport: Boolean(at.flags & FLAG.inViewport),
    disabled: isDisabled(element),
    editable: isEditable(element),
    tag: part.tag,
    type: element.type || '',
    multiple: element.multiple === true,
    states: statesOf(element, role, null),
    restless: isUnsettled(),
    row: rowNow(element),
  };
}
