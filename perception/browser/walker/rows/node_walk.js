// Rows for nodes from another source: Chromium's accessibility tree.

import { FLAG, makeRow } from '../row_layout.js';
import { isFrame } from '../dom/elements.js';
import { flatParentOf } from '../dom/flat_tree.js';
import { numberOf } from '../dom/node_numbers.js';
import { textBox } from '../layout/boxes.js';
import { visibleRect } from '../layout/clips.js';
import { isTurned } from '../layout/frames.js';
import { boxOfPart } from '../layout/image_maps.js';
import { NOWHERE, overlap } from '../layout/rects.js';
import { isWithheld } from '../privacy/private_content.js';
import { partOf } from '../tree/part.js';
import { probeChain, probePart } from '../tree/probe.js';
import { showsText } from '../visibility/paint_style.js';
import { FrameWalk } from './frame_walk.js';

/** Makes one row for each measured node. */
export class NodeWalk extends FrameWalk {
  /** A row for an element from another source. @param {Element} element */
  measureElement(element) {
    const part = probePart(element);
    part.clickable = part.interactive = part.listed = true;
    const index = this.addRow(part, -1, boxOfPart(part), null);
    if (isFrame(element, part.tag) && !isTurned(element))
      this.addFrame(element, index, visibleRect(part.clippedBy, this.number));
  }

  /** @param {any} node */
  measureText(node) {
    const box = node instanceof Text ? textBox(node) : null;
    const shown = box && overlap(box, this.viewport);
    const sensitive = isWithheld(node) ? FLAG.sensitive : 0;
    const around = flatParentOf(node);
    const part = around && (partOf.get(around) || probeChain(around));
    const seen = box !== null && (!part || (this.showsText(node, box, part) && showsText(part)));
    this.rows.push(
      makeRow({
        node: numberOf(node),
        states: sensitive ? ['masked'] : [],
        box: box || NOWHERE,
        flags: (shown ? FLAG.inViewport : 0) | (seen ? FLAG.visible : 0) | sensitive,
      }),
    );
  }
}
