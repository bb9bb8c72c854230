/** A recording of what is done in the session, and the subroutine that is made of it. */

import { useState } from 'preact/hooks';
import { messageOf, ofSession, postJson } from './api.ts';
import type { Recording } from './types.ts';

type State =
  | { kind: 'idle' }
  | { kind: 'running'; id: string }
  | { kind: 'stopped'; recording: Recording }
  | { kind: 'made'; name: string; id: string };

/** Recordings by session: a person who looks at another view comes back to the same one. */
const kept = new Map<string, State>();

export function RecordingBar({ session, tabId }: { session: string; tabId: string }) {
  const [state, setState] = useState<State>(kept.get(session) ?? { kind: 'idle' });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const step = async (act: () => Promise<State>) => {
    setBusy(true);
    setError('');
    try {
      const next = await act();
      kept.set(session, next);
      setState(next);
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy(false);
  };
  const start = () =>
    step(async () => ({
      kind: 'running',
      id: (await postJson<{ id: string }>(ofSession(session, '/recording/start'), { tabId })).id,
    }));
  const stop = (id: string) =>
    step(async () => ({
      kind: 'stopped',
      recording: await postJson<Recording>(ofSession(session, '/recording/stop'), { id }),
    }));
  const make = (recording: Recording, name: string, description: string) =>
    step(async () => {
      const made = await postJson<{ id: string }>(ofSession(session, '/recording/make'), {
        id: recording.id,
        name,
        description,
      });
      return { kind: 'made', name, id: made.id };
    });
  const begin = (
    <button onClick={start} disabled={busy}>
      Record
    </button>
  );
  return (
    <section class="recording" aria-label="Recording">
      {state.kind === 'idle' && (
        <p class="row">
          {begin} <span class="small muted">what is done here, to make a subroutine of it</span>
        </p>
      )}
      {state.kind === 'running' && (
        <p class="row">
          <span class="chip recording-on">Recording</span>
          <button class="primary" onClick={() => stop(state.id)} disabled={busy}>
            {busy ? 'Stopping…' : 'Stop'}
          </button>
        </p>
      )}
      {state.kind === 'stopped' && (
        <Make
          recording={state.recording}
          busy={busy}
          make={make}
          drop={() => void step(async () => ({ kind: 'idle' }))}
        />
      )}
      {state.kind === 'made' && (
        <p class="row" role="status">
          Subroutine {state.name} is saved as {state.id}. {begin}
        </p>
      )}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}

interface MakeProps {
  recording: Recording;
  busy: boolean;
  make: (recording: Recording, name: string, description: string) => void;
  drop: () => void;
}

function Make({ recording, busy, make, drop }: MakeProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        make(recording, name, description);
      }}
    >
      <p>
        Recorded {recording.steps.length} {recording.steps.length === 1 ? 'step' : 'steps'} and {recording.requests}{' '}
        requests.
      </p>
      <ol class="steps small">
        {recording.steps.map((each, at) => (
          <li key={at}>{each}</li>
        ))}
      </ol>
      {recording.leftOut.map((each) => (
        <p key={each} class="small muted">
          {each}
        </p>
      ))}
      <label for="subroutine-name">Name of the subroutine</label>
      <input id="subroutine-name" required value={name} onInput={(event) => setName(event.currentTarget.value)} />
      <label for="subroutine-what">What it does</label>
      <input id="subroutine-what" value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
      <p class="row">
        <button class="primary" disabled={busy}>
          {busy ? 'Making it…' : 'Make a subroutine'}
        </button>
        <button type="button" onClick={drop} disabled={busy}>
          Discard
        </button>
      </p>
    </form>
  );
}
