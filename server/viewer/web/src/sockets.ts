/** WebSockets that connect again when the viewer or the service was away. */

import { LOGGED_OUT } from './api.ts';

/** How the viewer ends a socket, beside the codes that all have. */
const CLOSED = { loggedOut: 4401, notAllowed: 4403, gone: 4404 };

const RETRY_MS = [300, 600, 1200, 2500, 5000];

export type SocketState = { kind: 'connecting' } | { kind: 'open' } | { kind: 'away' } | { kind: 'ended'; why: string };

export interface SocketHandlers {
  /** A new connection: say what is wanted. */
  opened(send: (message: unknown) => void): void;
  text?(message: unknown): void;
  binary?(data: ArrayBuffer, send: (message: unknown) => void): void;
  state(state: SocketState): void;
}

/** Opens a socket. Returns a function that closes it for good. */
export function openSocket(path: string, handlers: SocketHandlers): () => void {
  let socket: WebSocket | null = null;
  let stopped = false;
  let tries = 0;
  let timer = 0;

  const connect = () => {
    handlers.state({ kind: tries ? 'away' : 'connecting' });
    const each = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`);
    socket = each;
    each.binaryType = 'arraybuffer';
    const send = (message: unknown) => {
      if (each.readyState === WebSocket.OPEN) each.send(JSON.stringify(message));
    };
    each.onopen = () => handlers.opened(send);
    each.onmessage = (event) => {
      if (stopped) return;
      if (tries || each !== socket) tries = 0;
      handlers.state({ kind: 'open' });
      if (typeof event.data === 'string') handlers.text?.(JSON.parse(event.data));
      else handlers.binary?.(event.data as ArrayBuffer, send);
    };
    each.onclose = (event) => {
      if (stopped) return;
      if (event.code === CLOSED.loggedOut) window.dispatchEvent(new Event(LOGGED_OUT));
      if (event.code === CLOSED.gone || event.code === CLOSED.notAllowed) {
        handlers.state({ kind: 'ended', why: event.reason });
        return;
      }
      handlers.state({ kind: 'away' });
      timer = window.setTimeout(connect, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)]);
    };
  };
  connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    socket?.close(1000);
  };
}
