/** Who has control: asks for it, shows how long it lasts, gives it back. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf, ofSession, postJson } from './api.ts';
import { minutes, secondsLeft } from './format.ts';
import type { Control } from './types.ts';

const LEASE_SECONDS = 120;

/** Who works on the page keeps control: it is renewed when so little is left. */
const RENEW_BELOW_SECONDS = 60;
const RENEW_EVERY_MS = 10_000;

export interface ControlBarProps {
  session: string;
  control: Control | null;
  now: number;
  /** This person's token may not take over. */
  watchOnly: boolean;
}

export function ControlBar({ session, control, now, watchOnly }: ControlBarProps) {
  const [busy, setBusy] = useState('');
  const [error, setError] = useState('');
  const [note, setNote] = useState('');
  const ask = async (what: string, path: string, body: unknown = {}) => {
    setBusy(what);
    setError('');
    try {
      await postJson(ofSession(session, `/control/${path}`), body);
      if (path === 'release') setNote('');
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy('');
  };
  const left = secondsLeft(control?.expiresMs ?? null, now);
  const mine = control?.state === 'held' && control.mine;
  useRenewal(mine && left < RENEW_BELOW_SECONDS, () => ask('', 'renew', { seconds: LEASE_SECONDS }));

  if (!control || (watchOnly && control.state === 'free')) return null;
  const take = () => ask('take', 'take', { seconds: LEASE_SECONDS });
  const release = (outcome: string) => ask(outcome, 'release', { outcome, note });
  return (
    <div class={`control ${control.state} ${mine ? 'mine' : ''}`}>
      {control.state === 'requested' && (
        <p class="request" role="alert">
          <strong>The agent asks for a person.</strong> {control.reason}{' '}
          <span class="muted">{minutes(secondsLeft(control.requestExpiresMs, now))} left</span>
        </p>
      )}
      {mine && (
        <p>
          <strong>You have control.</strong> The agent waits
          {control.waitingCalls > 0 && ` with ${control.waitingCalls} ${control.waitingCalls === 1 ? 'call' : 'calls'}`}
          .{' '}
          <span class="left" role="timer" aria-label="Time left">
            {minutes(left)}
          </span>{' '}
          left
        </p>
      )}
      {control.state === 'held' && !mine && (
        <p>
          <strong>{control.holder || 'A person'} has control</strong> for {minutes(left)} more.
        </p>
      )}
      {(control.state === 'taking' || busy === 'take') && (
        <p role="status">
          Waiting for the agent's calls to end{control.underWay.length > 0 && `: ${control.underWay.join(', ')}`}…
        </p>
      )}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <div class="buttons">
        {!mine && !watchOnly && (control.state === 'free' || control.state === 'requested') && (
          <button class="primary" disabled={!!busy} onClick={take}>
            Take over
          </button>
        )}
        {control.state === 'requested' && !watchOnly && (
          <button disabled={!!busy} onClick={() => release('refused')}>
            Refuse
          </button>
        )}
        {mine && (
          <>
            <label class="note">
              <span class="hidden">Note for the agent</span>
              <input
                value={note}
                maxLength={500}
                placeholder="Note for the agent (optional)"
                onInput={(event) => setNote(event.currentTarget.value)}
              />
            </label>
            <button class="primary" id="done" disabled={!!busy} onClick={() => release('done')}>
              Done
            </button>
            <button disabled={!!busy} onClick={() => release('cancelled')}>
              Cancel
            </button>
            <button disabled={!!busy} onClick={() => ask('renew', 'renew', { seconds: LEASE_SECONDS })}>
              More time
            </button>
          </>
        )}
      </div>
    </div>
  );
}

/** Renews while the person is active. */
function useRenewal(due: boolean, renew: () => void): void {
  const last = useRef(0);
  const latest = useRef(renew);
  latest.current = renew;
  useEffect(() => {
    if (!due) return;
    const active = () => {
      if (Date.now() - last.current < RENEW_EVERY_MS) return;
      last.current = Date.now();
      latest.current();
    };
    window.addEventListener('perception-active', active);
    return () => window.removeEventListener('perception-active', active);
  }, [due]);
}
