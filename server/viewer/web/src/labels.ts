/** Where the refs of boxes go, so that they hide neither other boxes nor each other. */

import { placed } from './geometry.ts';
import type { Frame, Snapshot } from './types.ts';

/** A side of a box; `hidden` where no side has room. */
export type Side = 'above' | 'below' | 'left' | 'right' | 'hidden';

type Rect = [left: number, top: number, right: number, bottom: number];

/** Height of a ref, and width of a character and of what is around them, CSS px: as in app.css. */
const HEIGHT = 13;
const CHARACTER = 6.1;
const PADDING = 6;

const SIDES: Side[] = ['above', 'left', 'right', 'below'];

/** The side of each box that its ref goes to, by ref. @param size of the picture, CSS px */
export function sidesOf(snapshot: Snapshot, frame: Frame, size: { width: number; height: number }): Map<string, Side> {
  const boxes = snapshot.boxes.map((each): Rect => {
    const [left, top, width, height] = placed(each, snapshot, frame);
    return [left * size.width, top * size.height, (left + width) * size.width, (top + height) * size.height];
  });
  const taken: Rect[] = [];
  const sides = new Map<string, Side>();
  snapshot.boxes.forEach(({ ref }, index) => {
    const own = boxes[index]!;
    const others = boxes.filter((each) => each !== own && !holds(each, own));
    const free = SIDES.find((side) => {
      const label = beside(own, side, ref);
      const inside = label[0] >= -2 && label[1] >= 0 && label[2] <= size.width && label[3] <= size.height;
      return inside && ![...others, ...taken].some((each) => overlap(label, each));
    });
    sides.set(ref, free ?? 'hidden');
    if (free) taken.push(beside(own, free, ref));
  });
  return sides;
}

function beside([left, top, right, bottom]: Rect, side: Side, ref: string): Rect {
  const width = ref.length * CHARACTER + PADDING;
  switch (side) {
    case 'left':
      return [left - width, top, left, top + HEIGHT];
    case 'right':
      return [right, top, right + width, top + HEIGHT];
    case 'below':
      return [left, bottom, left + width, bottom + HEIGHT];
    default:
      return [left, top - HEIGHT, left + width, top];
  }
}

/** Whether a box is around another one: the ref of that one may lie in it. */
function holds(outer: Rect, inner: Rect): boolean {
  return outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
}

function overlap(a: Rect, b: Rect): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}
