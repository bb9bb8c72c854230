/** The bar on top of every view. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf, postJson } from './api.ts';
import { follow } from './route.ts';
import { applyTheme, savedTheme, THEMES } from './theme.ts';
import type { Theme } from './theme.ts';

const THEME_NAMES: Record<Theme, string> = { auto: 'As the system', light: 'Light', dark: 'Dark' };

export function Header({ children }: { children?: ComponentChildren }) {
  return (
    <header class="top">
      <a class="brand" href="/" onClick={follow}>
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <path d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12z" />
          <circle cx="12" cy="12" r="3.2" />
        </svg>
        <span>Perception</span>
      </a>
      {children}
      <Menu />
    </header>
  );
}

function Menu() {
  const [theme, setTheme] = useState(savedTheme());
  const [link, setLink] = useState('');
  const [error, setError] = useState('');
  const makeLink = () =>
    postJson<{ code: string }>('/api/link').then(
      ({ code }) => setLink(`${location.origin}/#login=${code}`),
      (failure: unknown) => setError(messageOf(failure)),
    );
  const logOut = () =>
    postJson('/api/logout').then(
      () => location.assign('/'),
      () => location.assign('/'),
    );
  return (
    <details class="menu">
      <summary aria-label="Menu">
        <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
          <path d="M4 7h16M4 12h16M4 17h16" />
        </svg>
      </summary>
      <div class="sheet">
        <label for="theme">Colors</label>
        <select
          id="theme"
          value={theme}
          onChange={(event) => {
            const chosen = event.currentTarget.value as Theme;
            applyTheme(chosen);
            setTheme(chosen);
          }}
        >
          {THEMES.map((each) => (
            <option key={each} value={each}>
              {THEME_NAMES[each]}
            </option>
          ))}
        </select>
        <button onClick={makeLink}>Open on another device…</button>
        {link && (
          <p class="small">
            <label for="link">This link logs one browser in, once, within ten minutes:</label>
            <input id="link" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
          </p>
        )}
        {error && (
          <p class="error small" role="alert">
            {error}
          </p>
        )}
        <button onClick={logOut}>Log out</button>
      </div>
    </details>
  );
}
