/** What a person with control needs of a browser around a page: the address, the way back, dialogs. */

import { useState } from 'preact/hooks';
import { messageOf, ofSession, postJson } from './api.ts';
import type { Dialog, Tab } from './types.ts';

/** Sends a request, and says what went wrong with the last one. */
function useAsk(session: string): {
  ask: (path: string, body: unknown) => Promise<void>;
  busy: boolean;
  error: string;
} {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const ask = async (path: string, body: unknown) => {
    setBusy(true);
    setError('');
    try {
      await postJson(ofSession(session, path), body);
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy(false);
  };
  return { ask, busy, error };
}

export function PageBar({ session, tab }: { session: string; tab: Tab }) {
  const { ask, busy, error } = useAsk(session);
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <form
      class="row pagebar"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed) void ask('/navigate', { url: withScheme(typed), tabId: tab.id }).then(() => setTyped(null));
      }}
    >
      <button type="button" disabled={busy} onClick={() => void ask('/navigate', { tabId: tab.id })}>
        Back
      </button>
      <input
        aria-label="Address of the page"
        inputMode="url"
        autocomplete="off"
        spellcheck={false}
        value={typed ?? tab.url}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => typed === tab.url && setTyped(null)}
      />
      <button disabled={busy || !typed}>{busy ? 'Opening…' : 'Go'}</button>
      {error && (
        <p class="error small" role="alert">
          {error}
        </p>
      )}
    </form>
  );
}

interface DialogBarProps {
  session: string;
  dialog: Dialog;
  mine: boolean;
  answered: () => void;
}

export function DialogBar({ session, dialog, mine, answered }: DialogBarProps) {
  const { ask, busy, error } = useAsk(session);
  const [text, setText] = useState(dialog.text);
  const answer = (accept: boolean) => void ask('/dialog', { id: dialog.id, accept, text }).then(answered);
  return (
    <section class="notice dialog" aria-label="Dialog of the page">
      <p>
        <strong>The page says:</strong> {dialog.message}
      </p>
      {mine && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            answer(true);
          }}
        >
          {dialog.kind === 'prompt' && (
            <input aria-label="Answer" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          )}
          <button class="primary" disabled={busy}>
            OK
          </button>
          {dialog.kind !== 'alert' && (
            <button type="button" disabled={busy} onClick={() => answer(false)}>
              Cancel
            </button>
          )}
        </form>
      )}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}

export function ChooserBar({ session, chooser, answered }: { session: string; chooser: string; answered: () => void }) {
  const { ask, busy, error } = useAsk(session);
  return (
    <section class="notice dialog" aria-label="File chooser of the page">
      <p>The page asks for a file. Files are the agent's to give.</p>
      <button disabled={busy} onClick={() => void ask('/dialog', { id: chooser }).then(answered)}>
        Dismiss
      </button>
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}

/** What people type as an address: without a scheme it is meant as https. */
function withScheme(typed: string): string {
  const trimmed = typed.trim();
  return /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[^/]+:\d+/.test(trimmed) ? trimmed : `https://${trimmed}`;
}
