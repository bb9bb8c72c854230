/** The live page with the boxes of a snapshot over it. With control, what a person does here goes to the page. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useFrames } from './frames.ts';
import { boxAt, boxesFit, fitted, pagePoint, placed } from './geometry.ts';
import type { Point } from './geometry.ts';
import { useSize } from './hooks.ts';
import { sidesOf } from './labels.ts';
import { PageInput } from './input.ts';
import type { SocketState } from './sockets.ts';
import type { Frame, Snapshot } from './types.ts';

/** Height of the line under the picture, CSS px. */
const UNDER_PX = 26;

/** At less of the page's size, refs would hide what they are about: only the one that is lit has its ref. */
const SMALL = 0.5;

/** Of the screen's height, on a phone: what is under the picture stays in sight. */
const NARROW_SHARE = 0.6;

export interface PictureProps {
  session: string;
  tabId: string;
  watching: boolean;
  mine: boolean;
  touch: boolean;
  /** A dialog is open that takes all input. */
  blocked: () => void;
  snapshot: Snapshot | null;
  boxes: boolean;
  lit: string;
  setLit: (ref: string) => void;
  /** The next click asks why the thing there is (not) listed. */
  asking: boolean;
  ask: (point: Point) => void;
  stopAsking: () => void;
}

export function Picture(props: PictureProps) {
  const { session, tabId, watching, mine, snapshot, asking } = props;
  const [room, measured] = useSize();
  // Beside the details there is as much room as the window leaves; above them, on a phone, most of the screen.
  const narrow = window.matchMedia('(max-width: 899px)').matches;
  const size = {
    width: measured.width,
    height: narrow ? window.innerHeight * NARROW_SHARE : Math.max(0, measured.height - UNDER_PX),
  };
  const stage = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const latest = useRef<Frame | null>(null);
  const ratio = window.devicePixelRatio || 1;
  const { canvas, frame, state } = useFrames({
    session,
    tabId,
    width: Math.round(size.width * ratio),
    height: Math.round(size.height * ratio),
    watching,
    mine,
  });
  latest.current = frame?.viewport.width ? frame : null; // none before the first picture
  const shown = fitted(frame, size);
  const trouble = useInput(props, stage, field, latest);

  const pointOf = (event: MouseEvent) =>
    latest.current && stage.current
      ? pagePoint(event.clientX, event.clientY, stage.current.getBoundingClientRect(), latest.current)
      : null;
  const hover = (event: MouseEvent) => {
    if (mine || !props.boxes || boxesFit(snapshot, frame) === 'gone') return;
    const point = pointOf(event);
    props.setLit((point && boxAt(point, snapshot!, frame!)?.ref) || '');
  };
  const click = (event: MouseEvent) => {
    const point = pointOf(event);
    if (asking && point) props.ask(point);
  };
  useEffect(() => {
    if (!asking) return;
    const cancel = (event: KeyboardEvent) => event.key === 'Escape' && props.stopAsking();
    window.addEventListener('keydown', cancel);
    return () => window.removeEventListener('keydown', cancel);
  }, [asking]);

  return (
    <div class="room" ref={room}>
      <div
        ref={stage}
        class={`picture ${mine ? 'mine' : ''} ${asking ? 'asking' : ''}`}
        style={{ width: `${shown.width}px`, height: `${shown.height}px` }}
        onMouseMove={hover}
        onMouseLeave={() => !mine && props.setLit('')}
        onClick={click}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Live picture of the page${frame?.title ? `: ${frame.title}` : ''}`}
        />
        {props.boxes && snapshot && frame && <Boxes snapshot={snapshot} frame={frame} lit={props.lit} shown={shown} />}
        {mine && (
          <textarea
            ref={field}
            class="keys"
            aria-label="Keys for the page. Control, Alt and Enter together leave it."
            autocomplete="off"
            autocorrect="off"
            autocapitalize="off"
            spellcheck={false}
          />
        )}
        {(!frame || frame.note) && <p class="waiting">{waiting(frame, state)}</p>}
      </div>
      <p class="under small muted" role="status">
        {under(props, frame, state.kind, trouble)}
      </p>
      {mine && (
        <button class="keyboard" onClick={() => field.current?.focus()}>
          Keyboard
        </button>
      )}
    </div>
  );
}

/** What is said in place of a picture. */
function waiting(frame: Frame | null, state: SocketState): string {
  if (frame?.note) return `No picture: ${frame.note}`;
  return state.kind === 'ended' ? state.why || 'No picture' : 'Waiting for the picture…';
}

/** The line under the picture: what a person should know of it now. */
function under(props: PictureProps, frame: Frame | null, state: string, trouble: string): string {
  if (trouble) return trouble;
  if (props.mine) return 'Mouse, keys, touch and paste go to the page. Ctrl + Alt + Enter leaves it.';
  if (props.asking) return 'Click what you want to know about. Escape cancels.';
  if (state === 'away') return 'The picture stopped. Trying again…';
  if (!props.boxes || !frame) return '';
  if (!props.snapshot) return 'No boxes yet: the agent has not looked at a page.';
  const fit = boxesFit(props.snapshot, frame);
  if (fit === 'gone') return 'No boxes: the page is another one than in this snapshot.';
  return fit === 'scrolled' ? 'The page was scrolled since this snapshot: boxes moved with it.' : '';
}

interface BoxesProps {
  snapshot: Snapshot;
  frame: Frame;
  lit: string;
  /** Size of the picture, CSS px. */
  shown: { width: number; height: number };
}

function Boxes({ snapshot, frame, lit, shown }: BoxesProps) {
  const { viewport, scroll } = frame;
  const sides = useMemo(
    () => sidesOf(snapshot, frame, shown),
    [snapshot, shown.width, shown.height, viewport.width, viewport.height, scroll.x, scroll.y],
  );
  if (boxesFit(snapshot, frame) === 'gone') return null;
  return (
    <div class={`boxes ${shown.width < viewport.width * SMALL ? 'small' : ''}`} aria-hidden="true">
      {snapshot.boxes.map((each) => {
        const [left, top, width, height] = placed(each, snapshot, frame).map((share) => `${(share * 100).toFixed(3)}%`);
        const classes = ['box', each.kind, each.covered && 'covered', each.ref === lit && 'lit'];
        return (
          <div
            key={each.ref}
            class={classes.filter(Boolean).join(' ')}
            data-ref={each.ref}
            style={{ left, top, width, height } as Record<string, string>}
          >
            <span class={sides.get(each.ref)}>{each.ref}</span>
          </div>
        );
      })}
    </div>
  );
}

/** Sends input while this browser has control. Returns what went wrong last. */
function useInput(
  { session, tabId, mine, touch, blocked }: PictureProps,
  stage: { current: HTMLDivElement | null },
  field: { current: HTMLTextAreaElement | null },
  frame: { current: Frame | null },
): string {
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    setTrouble('');
    if (!mine || !stage.current || !field.current) return;
    const input = new PageInput({ session, tabId, touch }, () => frame.current, {
      state: (state) =>
        setTrouble(state.kind === 'ended' ? state.why : state.kind === 'away' ? 'Input stopped. Trying again…' : ''),
      failed: setTrouble,
      blocked,
      active: () => window.dispatchEvent(new Event('perception-active')),
      leave: () => document.getElementById('done')?.focus(),
    });
    const detach = input.attach(stage.current, field.current);
    field.current.focus({ preventScroll: true });
    return () => {
      detach();
      input.end();
    };
  }, [session, tabId, touch, mine]);
  return trouble;
}
