/** The form in which a person logs in. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf, postJson } from './api.ts';

export function Login({ message, entered }: { message: string; entered: () => void }) {
  const [error, setError] = useState(message);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Log in · Perception';
    field.current?.focus();
  }, []);
  useEffect(() => setError(message), [message]);

  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await postJson('/api/login', { token: field.current?.value.trim() ?? '' });
      entered();
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
      field.current?.select();
    }
  };
  return (
    <main class="login">
      <form class="card" onSubmit={submit}>
        <h1>Perception</h1>
        <p>Watch what your agents see and do, and step in when they need you.</p>
        <label for="token">Your token for the service</label>
        <input
          id="token"
          ref={field}
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby={error ? 'login-help login-error' : 'login-help'}
          aria-invalid={error ? 'true' : undefined}
        />
        <p class="muted small" id="login-help">
          It stands behind your name in the service's token file. Without a token, open the link that{' '}
          <code>perception view</code> prints: it works once.
        </p>
        {error && (
          <p class="error" id="login-error" role="alert">
            {error}
          </p>
        )}
        <button class="primary" disabled={busy}>
          {busy ? 'Logging in…' : 'Log in'}
        </button>
      </form>
    </main>
  );
}
