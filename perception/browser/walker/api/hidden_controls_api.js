// Controls that are not visible now: in a closed menu, in another tab, not yet painted.

import { makeHiddenControl } from '../row_layout.js';
import { tagOf } from '../dom/elements.js';
import { numberOf } from '../dom/node_numbers.js';
import { everyElement } from '../dom/shadow_roots.js';
import { pictureOfMap } from '../layout/image_maps.js';
import { isClickedByLabel, isControl } from '../semantics/click_targets.js';
import { hintOf } from '../semantics/hints.js';
import { listedName } from '../semantics/listed_names.js';
import { forgetIndexes } from '../semantics/names.js';
import { roleOf } from '../semantics/roles.js';
import { statesOf } from '../semantics/states.js';
import { isInPrivate, scanForMarks } from '../privacy/private_content.js';
import { UNPAINTED_TAGS, partOf } from '../tree/part.js';
import { encodeJson } from './encoding.js';

export const hiddenControlsApi = {
  /**
   * Controls of this frame that are not painted.
   * @param {number} most limit on the number of controls
   * @returns {string} `more`: whether there are more; `found`: for each [number, the row before it, role, name, states,
   *   hint]
   */
  hiddenControls(most) {
    forgetIndexes();
    scanForMarks();
    const found = [];
    let before = 0,
      more = false;
    for (const element of everyElement(document)) {
      const tag = tagOf(element);
      if (element.checkVisibility({ visibilityProperty: true })) {
        const part = partOf.get(element);
        if (part && part.listed && part.interactive) before = numberOf(element);
        continue;
      }
      if (UNPAINTED_TAGS.has(tag) || tag === 'option') continue;
      const role = roleOf(element);
      // A control that is not painted but clickable is listed with the visible elements.
      if (!isControl(element, role) || (tag === 'area' && pictureOfMap(element)) || isClickedByLabel(element, tag))
        continue;
      if (found.length >= most) {
        more = true;
        break;
      }
      const name = listedName(element, { role, interactive: true, zone: false }, isInPrivate(element));
      const states = statesOf(element, role, null);
      found.push(
        makeHiddenControl({
          number: numberOf(element),
          before,
          role,
          name,
          states,
          hint: hintOf(element, role, !name),
        }),
      );
    }
    return encodeJson({ found, more });
  },
};
