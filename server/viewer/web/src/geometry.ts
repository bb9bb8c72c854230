/** From points of the picture to CSS px of the page's viewport, and back. */

import type { Box, Frame, Snapshot } from './types.ts';

export interface Point {
  x: number;
  y: number;
}

/** Browsers name a px of the window by its left top corner: its middle is meant. */
const HALF_PX = 0.5;

/** A point of the window as one of the page; points beside the picture are moved to its edge. */
export function pagePoint(clientX: number, clientY: number, shown: DOMRect, frame: Frame): Point {
  const share = (at: number, start: number, size: number) => Math.min(1, Math.max(0, (at - start) / Math.max(1, size)));
  const { width, height } = frame.viewport;
  return {
    x: Math.min(width - 0.01, share(clientX + HALF_PX, shown.left, shown.width) * width),
    y: Math.min(height - 0.01, share(clientY + HALF_PX, shown.top, shown.height) * height),
  };
}

/** The size at which a picture is shown in a room: never larger than the page is. */
export function fitted(
  frame: Frame | null,
  room: { width: number; height: number },
): { width: number; height: number } {
  const page = frame?.viewport.width ? frame.viewport : { width: 1280, height: 800 };
  const scale = Math.min(1, room.width / page.width, room.height / page.height);
  return { width: Math.max(1, Math.floor(page.width * scale)), height: Math.max(1, Math.floor(page.height * scale)) };
}

/** How boxes of a snapshot fit the picture of now: `gone` for another page. */
export function boxesFit(snapshot: Snapshot | null, frame: Frame | null): 'fit' | 'scrolled' | 'gone' {
  if (!snapshot || !frame) return 'gone';
  if (snapshot.tabId && frame.tabId && snapshot.tabId !== frame.tabId) return 'gone';
  if (withoutFragment(snapshot.url) !== withoutFragment(frame.url)) return 'gone';
  const moved = Math.hypot(frame.scroll.x - snapshot.scroll.x, frame.scroll.y - snapshot.scroll.y);
  return moved < 1 ? 'fit' : 'scrolled';
}

/** Where a box is now, in shares of the picture. */
export function placed(box: Box, snapshot: Snapshot, frame: Frame): [number, number, number, number] {
  const [x, y, width, height] = box.box;
  const left = x + snapshot.scroll.x - frame.scroll.x;
  const top = y + snapshot.scroll.y - frame.scroll.y;
  const page = frame.viewport;
  return [left / page.width, top / page.height, width / page.width, height / page.height];
}

/** The smallest box at a point of the page; null where there is none. */
export function boxAt(point: Point, snapshot: Snapshot, frame: Frame): Box | null {
  const x = point.x + frame.scroll.x - snapshot.scroll.x;
  const y = point.y + frame.scroll.y - snapshot.scroll.y;
  let best: Box | null = null;
  for (const each of snapshot.boxes) {
    const [left, top, width, height] = each.box;
    if (x < left || y < top || x >= left + width || y >= top + height) continue;
    if (!best || width * height < best.box[2] * best.box[3]) best = each;
  }
  return best;
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? '';
}
