/** The pictures of a tab, drawn as they come: one at a time, each acknowledged when it is shown. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { socketOf } from './api.ts';
import { openSocket } from './sockets.ts';
import type { SocketState } from './sockets.ts';
import type { Frame } from './types.ts';

/** Sizes are asked for in steps, so that a window that is being resized does not ask for hundreds. */
const STEP_PX = 160;

export interface FramesOptions {
  session: string;
  tabId: string;
  /** Device px at which the picture is shown. */
  width: number;
  height: number;
  /** Somebody can see it. */
  watching: boolean;
  /** This browser has control: it sees fields that are masked for others. */
  mine: boolean;
}

export interface Frames {
  canvas: (element: HTMLCanvasElement | null) => void;
  /** The last picture's head, as far as it changed. */
  frame: Frame | null;
  state: SocketState;
}

export function useFrames(options: FramesOptions): Frames {
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const [attach] = useState(() => (element: HTMLCanvasElement | null) => {
    canvas.current = element;
  });
  const [frame, setFrame] = useState<Frame | null>(null);
  const [state, setState] = useState<SocketState>({ kind: 'connecting' });
  const resize = useRef<((size: [number, number]) => void) | null>(null);
  const size: [number, number] = [stepped(options.width), stepped(options.height)];
  const wanted = useRef(size);
  wanted.current = size;

  useEffect(() => resize.current?.(size), [size[0], size[1]]);
  useEffect(() => {
    if (!options.watching || !size[0]) return;
    const close = openSocket(socketOf(options.session, '/frames'), {
      opened(send) {
        resize.current = (next) => send({ size: next });
        send({ tabId: options.tabId, size: wanted.current });
      },
      binary(data, send) {
        void show(data, canvas.current).then((head) => {
          send({ shown: head.number });
          setFrame((before) => {
            // Where there is no picture for a moment, the last one's place stays: what is clicked there is meant.
            const next = head.note && before ? { ...head, viewport: before.viewport, scroll: before.scroll } : head;
            return before && isSame(before, next) ? before : next;
          });
        });
      },
      state: setState,
    });
    return () => {
      resize.current = null;
      close();
    };
  }, [options.session, options.tabId, options.watching, options.mine, size[0] > 0]);
  return { canvas: attach, frame, state };
}

/** Draws a message's picture. Returns its head. */
async function show(data: ArrayBuffer, canvas: HTMLCanvasElement | null): Promise<Frame> {
  const length = new DataView(data).getUint32(0);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as Frame;
  const jpeg = new Uint8Array(data, 4 + length);
  const bitmap = jpeg.length
    ? await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' })).catch(() => null)
    : null;
  if (bitmap && canvas) {
    if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
    }
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    canvas.dataset['number'] = String(head.number);
  }
  bitmap?.close();
  return head;
}

function stepped(px: number): number {
  return px ? Math.ceil(px / STEP_PX) * STEP_PX : 0;
}

function isSame(one: Frame, other: Frame): boolean {
  const values = (each: Frame) => [
    each.viewport.width,
    each.viewport.height,
    each.scroll.x,
    each.scroll.y,
    each.tabId,
    each.url,
    each.title,
    each.note,
  ];
  return String(values(one)) === String(values(other));
}
