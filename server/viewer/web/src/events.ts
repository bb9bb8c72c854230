/** The calls of a session and who has control, as both change. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { socketOf } from './api.ts';
import { openSocket } from './sockets.ts';
import type { SocketState } from './sockets.ts';
import type { Call, Control } from './types.ts';

/** As many as the service keeps. */
const MAX_CALLS = 200;

export interface Events {
  /** The newest first. */
  calls: Call[];
  control: Control | null;
  state: SocketState;
}

/**
 * Watches a session.
 * @param watching false while the page is hidden: then only a request for a person is waited for.
 * @param pictures small ones are taken before and after each call, for as long as this is set.
 */
export function useEvents(session: string, watching: boolean, pictures: boolean): Events {
  const [calls, setCalls] = useState<Call[]>([]);
  const [control, setControl] = useState<Control | null>(null);
  const [state, setState] = useState<SocketState>({ kind: 'connecting' });
  const last = useRef(0);
  useEffect(
    () =>
      openSocket(socketOf(session, '/events'), {
        opened: (send) => send({ after: last.current, calls: watching, pictures: watching && pictures }),
        text(message) {
          const told = message as { call?: Call; control?: Control };
          if (told.control) setControl(told.control);
          if (!told.call) return;
          const call = told.call;
          if (call.durationMs !== null) last.current = Math.max(last.current, call.number);
          setCalls((before) => merged(before, call));
        },
        state: setState,
      }),
    [session, watching, pictures],
  );
  return { calls, control, state };
}

function merged(before: Call[], call: Call): Call[] {
  const at = before.findIndex((each) => each.number === call.number);
  if (at >= 0) return before.with(at, call);
  const after = [call, ...before];
  if (before[0] && call.number < before[0].number) after.sort((one, other) => other.number - one.number);
  return after.slice(0, MAX_CALLS);
}
