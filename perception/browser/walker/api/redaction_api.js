// Redaction, as the service asks for it.

import { suspectedHosts } from '../dom/shadow_roots.js';
import { shownArea } from '../layout/viewport.js';
import { RedactionBoxes, boxesOfTextParts, paintedTexts } from '../privacy/redaction.js';
import { runningAnimations } from '../tree/animations.js';
import { changes, collectChanges } from '../tree/changes.js';
import { updatedTree } from '../tree/update.js';
import { encodeJson } from './encoding.js';

export const redactionApi = {
  /**
   * Areas of this frame's viewport that show content which must not leave the page.
   * @param {boolean} shown whether private content may be shown
   * @param {boolean} withTexts whether to return the painted texts, for `spots`
   * @param {boolean} dotted whether password fields may be shown, as dots
   */
  findRedactions(shown, withTexts, dotted) {
    const dirty = collectChanges();
    const root = updatedTree(false);
    // The next walk must not reuse the results of the last one.
    if (dirty && root) changes.touched.add(root.element);
    return encodeJson({
      texts: withTexts && root ? paintedTexts(root) : [],
      boxes: root ? new RedactionBoxes(shown, dotted).walk(root) : [],
      viewport: [innerWidth, innerHeight],
      shown: shownArea(),
      scroll: [scrollX, scrollY],
      running: runningAnimations().length,
      suspects: suspectedHosts.size,
      changes: changes.count,
    });
  },

  /**
   * Areas of parts of the texts that `findRedactions` has returned.
   * @param {Array<[number, number, number]>} parts index of the text, start, end
   */
  boxesOfText(parts) {
    return encodeJson(boxesOfTextParts(parts));
  },
};
