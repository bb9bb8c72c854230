/** What a person does on the picture, as input for the page: mouse, touch, wheel, keys, text, paste. */

import { socketOf } from './api.ts';
import { pagePoint } from './geometry.ts';
import type { Point } from './geometry.ts';
import { openSocket } from './sockets.ts';
import type { SocketState } from './sockets.ts';
import type { Frame } from './types.ts';

/** Moves wait for the page when so many events are under way: only the last one matters. */
const MAX_UNDER_WAY = 4;

const MAX_EARLY = 100;

const LINE_PX = 16;

/** A finger that moved less has tapped, CSS px of the page. */
const TAP_PX = 12;

/** What the browser around the viewer needs for itself. */
const KEPT = /^(F5|F11|F12)$/;
const KEPT_WITH_CONTROL = /^[rtwnl]$/i;

export interface InputHandlers {
  state(state: SocketState): void;
  /** The page did not take an event. */
  failed(why: string): void;
  /** A dialog or a file chooser is open, which takes all input. */
  blocked(): void;
  /** Something was sent: the person is active. */
  active(): void;
  /** The person asks to leave the picture by keyboard. */
  leave(): void;
}

type Message = Record<string, unknown>;

interface Acknowledgement {
  ready?: boolean;
  number: number;
  error: string;
  dialog: boolean;
}

export interface InputTarget {
  session: string;
  /** Empty for the selected tab. */
  tabId: string;
  /** The session's screen takes touches: others get the mouse and the wheel for a finger. */
  touch: boolean;
}

/** The input of one takeover. `attach` gives it the picture and the field that takes keys. */
export class PageInput {
  private readonly close: () => void;
  private send: ((message: Message) => void) | null = null;
  /** What is done before the first connection is there. */
  private early: Message[] | null = [];
  private number = 0;
  private underWay = 0;
  private move: Message | null = null;
  private pressed = new Map<string, Message>();
  private typed = '';
  private buttons = 0;
  private tap: { start: Point; last: Point; moved: boolean } | null = null;

  constructor(
    private readonly target: InputTarget,
    private readonly frame: () => Frame | null,
    private readonly handlers: InputHandlers,
  ) {
    this.close = openSocket(socketOf(target.session, '/input'), {
      opened: (send) => {
        this.send = send;
        this.underWay = 0;
        send({ hello: true });
        this.early?.splice(0).forEach((message) => this.emit(message));
      },
      text: (message) => this.answered(message as Acknowledgement),
      state: (state) => {
        if (state.kind === 'away') this.early = null; // what was meant for the page of then is not for that of later
        if (state.kind !== 'open') this.send = null;
        handlers.state(state);
      },
    });
  }

  /** Listens on the picture and the field. Returns a function that stops it. */
  attach(picture: HTMLElement, field: HTMLTextAreaElement): () => void {
    const stop = new AbortController();
    const { signal } = stop;
    const on = <K extends keyof HTMLElementEventMap>(
      target: HTMLElement | Window,
      kind: K,
      act: (event: HTMLElementEventMap[K]) => void,
    ) => target.addEventListener(kind, act as EventListener, { signal, passive: false });
    on(picture, 'mousedown', (event) => {
      field.focus({ preventScroll: true });
      this.buttons |= 1 << event.button;
      this.mouse(picture, event, 'down');
    });
    on(window, 'mouseup', (event) => {
      if (!(this.buttons & (1 << event.button))) return;
      this.buttons &= ~(1 << event.button);
      this.mouse(picture, event, 'up');
    });
    on(window, 'mousemove', (event) => {
      if (this.buttons || picture.contains(event.target as Node)) this.mouse(picture, event, 'move');
    });
    on(picture, 'contextmenu', (event) => event.preventDefault());
    on(picture, 'wheel', (event) => this.wheel(picture, event));
    for (const kind of ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const) {
      on(picture, kind, (event) => this.touch(picture, event));
    }
    on(field, 'keydown', (event) => this.key(event, 'down'));
    on(field, 'keyup', (event) => this.key(event, 'up'));
    on(field, 'input', (event) => this.text(field, event));
    on(field, 'paste', (event) => this.paste(event));
    on(field, 'blur', () => this.releaseKeys());
    this.reset(field);
    return () => {
      this.releaseKeys();
      this.reset(field);
      stop.abort();
    };
  }

  end(): void {
    this.close();
  }

  private mouse(picture: HTMLElement, event: MouseEvent, kind: 'move' | 'down' | 'up'): void {
    event.preventDefault();
    const point = this.point(picture, event);
    if (!point) return;
    const message = { mouse: { kind, ...point, button: event.button, count: event.detail || 1, ...modifiers(event) } };
    if (kind === 'move') this.moved(message);
    else this.emit(message);
  }

  private wheel(picture: HTMLElement, event: WheelEvent): void {
    event.preventDefault();
    const point = this.point(picture, event);
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    if (point)
      this.emit({ wheel: { ...point, dx: event.deltaX * unit, dy: event.deltaY * unit, ...modifiers(event) } });
  }

  private touch(picture: HTMLElement, event: TouchEvent): void {
    event.preventDefault();
    const frame = this.frame();
    if (!frame) return;
    const shown = picture.getBoundingClientRect();
    const kind = { touchstart: 'start', touchmove: 'move', touchend: 'end', touchcancel: 'cancel' }[event.type]!;
    const points = [...event.touches].map((each, at) => ({
      id: at,
      ...pagePoint(each.clientX, each.clientY, shown, frame),
    }));
    if (!this.target.touch) {
      this.finger(kind, points);
      return;
    }
    const message = { touch: { kind, points: kind === 'cancel' ? [] : points } };
    if (kind === 'move') this.moved(message);
    else this.emit(message);
  }

  /** A finger for a screen without touches: a tap clicks, a drag scrolls. */
  private finger(kind: string, points: Point[]): void {
    const at = points[0];
    if (kind === 'start' && at) this.tap = { start: at, last: at, moved: points.length > 1 };
    else if (kind === 'move' && at && this.tap) {
      this.tap.moved ||= Math.hypot(at.x - this.tap.start.x, at.y - this.tap.start.y) > TAP_PX;
      if (!this.tap.moved) return;
      const { start, last } = this.tap;
      this.tap.last = at;
      this.emit({ wheel: { ...start, dx: last.x - at.x, dy: last.y - at.y, modifiers: [] } });
    } else if (kind === 'end' && this.tap && !this.tap.moved) {
      for (const each of ['move', 'down', 'up']) {
        this.emit({ mouse: { kind: each, ...this.tap.start, button: 0, count: 1, modifiers: [] } });
      }
    }
    if (kind === 'end' || kind === 'cancel') this.tap = null;
  }

  private key(event: KeyboardEvent, kind: 'down' | 'up'): void {
    if (event.key === 'Enter' && event.ctrlKey && event.altKey) {
      event.preventDefault();
      if (kind === 'down') this.handlers.leave();
      return;
    }
    if (isKept(event) || event.isComposing || ['Unidentified', 'Process', 'Dead'].includes(event.key)) return;
    event.preventDefault();
    const message = { key: { kind, key: event.key, code: event.code, repeat: event.repeat, ...modifiers(event) } };
    if (kind === 'down') this.pressed.set(event.code, { key: { ...message.key, kind: 'up' } });
    else this.pressed.delete(event.code);
    this.emit(message);
  }

  /** Keyboards of phones and input methods change the field's text and press no keys: what changed is sent. */
  private text(field: HTMLTextAreaElement, event: Event): void {
    const now = field.value;
    let same = 0;
    while (same < now.length && now[same] === this.typed[same]) same++;
    for (let left = this.typed.length - same; left > 0; left--) this.press('Backspace');
    const added = now.slice(same);
    this.typed = now;
    added.split('\n').forEach((part, at) => {
      if (at) this.press('Enter');
      if (part) this.emit({ text: part });
    });
    if (!(event as InputEvent).isComposing && now.length > 200) this.reset(field);
  }

  private paste(event: ClipboardEvent): void {
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text) this.emit({ paste: text });
  }

  private press(key: string): void {
    for (const kind of ['down', 'up']) this.emit({ key: { kind, key, code: key, modifiers: [] } });
  }

  /** Phones only report Backspace in a field that is not empty. */
  private reset(field: HTMLTextAreaElement): void {
    this.typed = ' ';
    field.value = ' ';
    field.setSelectionRange(1, 1);
  }

  private releaseKeys(): void {
    for (const each of this.pressed.values()) this.emit(each);
    this.pressed.clear();
  }

  private point(picture: HTMLElement, event: MouseEvent): { x: number; y: number } | null {
    const frame = this.frame();
    return frame ? pagePoint(event.clientX, event.clientY, picture.getBoundingClientRect(), frame) : null;
  }

  private moved(message: Message): void {
    if (this.underWay < MAX_UNDER_WAY) this.emit(message);
    else this.move = message;
  }

  private emit(message: Message): void {
    if (!this.send) {
      if (this.early && this.early.length < MAX_EARLY) this.early.push(message);
      return;
    }
    if (this.move && message !== this.move) {
      const last = this.move;
      this.move = null;
      this.emit(last); // a click lands where the pointer is
    }
    this.underWay++;
    this.send({ number: ++this.number, tabId: this.target.tabId, ...message });
    this.handlers.active();
  }

  private answered(message: Acknowledgement): void {
    if (message.ready) return;
    if (message.dialog) this.handlers.blocked();
    this.underWay = Math.max(0, this.underWay - 1);
    if (message.error) this.handlers.failed(message.error);
    if (this.move && this.underWay < MAX_UNDER_WAY) {
      const last = this.move;
      this.move = null;
      this.emit(last);
    }
  }
}

function isKept(event: KeyboardEvent): boolean {
  const control = event.ctrlKey || event.metaKey;
  // Pasting is the browser's: only so does the page get what the person's own clipboard holds.
  return KEPT.test(event.key) || (control && (KEPT_WITH_CONTROL.test(event.key) || event.key.toLowerCase() === 'v'));
}

function modifiers(event: MouseEvent | KeyboardEvent): { modifiers: string[] } {
  const names: [string, boolean][] = [
    ['Alt', event.altKey],
    ['Control', event.ctrlKey],
    ['Meta', event.metaKey],
    ['Shift', event.shiftKey],
  ];
  return { modifiers: names.filter(([, held]) => held).map(([name]) => name) };
}
