/** Which view the address names. */

import { useEffect, useState } from 'preact/hooks';

export interface Route {
  /** Id of the session that is open; empty for the list. */
  session: string;
}

const MOVED = 'perception-moved';

function current(): Route {
  const [, kind, id] = location.pathname.split('/');
  return { session: kind === 'sessions' && id ? decodeURIComponent(id) : '' };
}

export function navigate(path: string): void {
  history.pushState(null, '', path);
  window.dispatchEvent(new Event(MOVED));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const update = () => setRoute(current());
    window.addEventListener('popstate', update);
    window.addEventListener(MOVED, update);
    return () => {
      window.removeEventListener('popstate', update);
      window.removeEventListener(MOVED, update);
    };
  }, []);
  return route;
}

/** For links: a plain click moves within the application. */
export function follow(event: MouseEvent): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate((event.currentTarget as HTMLAnchorElement).getAttribute('href') ?? '/');
}
