/** The web application: who is logged in, and which view is open. */

import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, getJson, LOGGED_OUT, messageOf, postJson } from './api.ts';
import { Login } from './login.tsx';
import { navigate, useRoute } from './route.ts';
import { SessionPage } from './session_page.tsx';
import { Sessions } from './sessions.tsx';
import { applyTheme, savedTheme } from './theme.ts';
import type { May } from './types.ts';

type State = { kind: 'asking' } | { kind: 'out'; message: string } | { kind: 'in'; may: May };

/** The code of a link, which leaves the address bar and the history at once. */
function takeCode(): string {
  const code = new URLSearchParams(location.hash.slice(1)).get('login') ?? '';
  if (code) history.replaceState(null, '', location.pathname);
  return code;
}

/** Logs in, if need be, and says what this person may do. */
async function enter(code: string): Promise<May> {
  if (code) await postJson('/api/login', { code });
  const ask = async () => (await getJson<{ may: May }>('/api/me')).may;
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'OPEN')) throw error;
    await postJson('/api/login');
    return ask();
  }
}

function App() {
  const [state, setState] = useState<State>({ kind: 'asking' });
  const route = useRoute();
  const begin = (code: string) =>
    enter(code).then(
      (may) => setState({ kind: 'in', may }),
      (error: unknown) => {
        const plain = error instanceof ApiError && error.reason === 'LOGIN_NEEDED';
        setState({ kind: 'out', message: plain ? '' : messageOf(error) });
      },
    );
  useEffect(() => {
    void begin(takeCode());
    const again = () => void begin('');
    window.addEventListener(LOGGED_OUT, again);
    return () => window.removeEventListener(LOGGED_OUT, again);
  }, []);
  if (state.kind === 'asking') return <p class="centered muted">Connecting…</p>;
  if (state.kind === 'out') return <Login message={state.message} entered={() => void begin('')} />;
  if (route.session) return <SessionPage key={route.session} id={route.session} may={state.may} />;
  return <Sessions open={(id) => navigate(`/sessions/${encodeURIComponent(id)}`)} />;
}

applyTheme(savedTheme());
render(<App />, document.getElementById('app')!);
