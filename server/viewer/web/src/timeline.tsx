/** The calls of a session as they happen, and a recording of what is done. */

import { useEffect, useState } from 'preact/hooks';
import { getJson, ofSession } from './api.ts';
import { clock, duration } from './format.ts';
import { RecordingBar } from './recording.tsx';
import type { Call, CallDetails } from './types.ts';

export interface TimelineProps {
  session: string;
  /** This person's token may make recordings. */
  mayRecord: boolean;
  tabId: string;
  calls: Call[];
  /** Shows the snapshot that a call answered with. */
  show: (number: number) => void;
}

export function Timeline({ session, mayRecord, tabId, calls, show }: TimelineProps) {
  const [open, setOpen] = useState(0);
  return (
    <>
      {mayRecord && <RecordingBar session={session} tabId={tabId} />}
      {calls.length === 0 && <p class="muted">No call yet. Each one appears here as it begins.</p>}
      <ol class="calls" reversed>
        {calls.map((call) => (
          <li key={call.number} class={statusOf(call)}>
            <button
              class="call"
              aria-expanded={open === call.number}
              onClick={() => setOpen(open === call.number ? 0 : call.number)}
            >
              <span class="when muted small">{clock(call.startMs)}</span>
              <span class="what">{call.what || call.rpc}</span>
              <span class="result small">{resultOf(call)}</span>
            </button>
            {open === call.number && <Details session={session} call={call} show={show} />}
          </li>
        ))}
      </ol>
    </>
  );
}

function statusOf(call: Call): string {
  if (call.durationMs === null) return 'running';
  if (call.byPerson) return 'person';
  return call.code === 'OK' || call.code === '' ? 'ok' : 'failed';
}

function resultOf(call: Call): string {
  if (call.durationMs === null) return 'running…';
  const took = duration(call.durationMs);
  return statusOf(call) === 'failed' ? `${call.reason || call.code} · ${took}` : took;
}

function Details({ session, call, show }: { session: string; call: Call; show: (number: number) => void }) {
  const [details, setDetails] = useState<CallDetails | null>(null);
  const ended = call.durationMs !== null;
  useEffect(() => {
    const stop = new AbortController();
    getJson<CallDetails>(ofSession(session, `/calls/${call.number}`), stop.signal).then(setDetails, () => undefined);
    return () => stop.abort();
  }, [session, call.number, ended, call.hasPictures]);
  const picture = (which: string) => ofSession(session, `/calls/${call.number}/${which}`);
  return (
    <div class="details">
      <dl class="small">
        <dt>Call</dt>
        <dd>
          {call.number} · {call.rpc}
        </dd>
        {call.url && <dt>Page</dt>}
        {call.url && <dd class="url">{call.url}</dd>}
        {call.message && <dt>Message</dt>}
        {call.message && <dd>{call.message}</dd>}
      </dl>
      {(details?.before || details?.after) && (
        <div class="pictures">
          {details.before && (
            <figure>
              <img src={picture('before')} alt="The page before the call" />
              <figcaption class="small muted">before</figcaption>
            </figure>
          )}
          {details.after && (
            <figure>
              <img src={picture('after')} alt="The page after the call" />
              <figcaption class="small muted">after</figcaption>
            </figure>
          )}
        </div>
      )}
      {call.hasSnapshot && <button onClick={() => show(call.number)}>Show what the model got</button>}
      {details?.request && (
        <details>
          <summary class="small">Request</summary>
          <pre class="small">{details.request}</pre>
        </details>
      )}
    </div>
  );
}
