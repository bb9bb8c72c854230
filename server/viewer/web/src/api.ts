/** Requests to the viewer. */

/** A request that was refused, or did not arrive (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

export const LOGGED_OUT = 'perception-logged-out';

const AWAY = 'The viewer does not answer. It may be restarting.';

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, signal ? { signal } : {});
}

export async function postJson<T>(path: string, body: unknown = {}): Promise<T> {
  return ask<T>(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'AWAY', AWAY);
  }
  if (response.ok) return (await response.json()) as T;
  const told = await response.json().catch(() => null);
  const error = new ApiError(response.status, told?.error?.reason ?? '', told?.error?.message ?? response.statusText);
  // A token that was taken back ends the login as well; a wrong one in the form is the form's matter.
  if (error.status === 401 && path !== '/api/login' && path !== '/api/me') window.dispatchEvent(new Event(LOGGED_OUT));
  throw error;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function ofSession(id: string, rest = ''): string {
  return `/api/sessions/${encodeURIComponent(id)}${rest}`;
}

export function socketOf(id: string, rest: string): string {
  return `/ws/sessions/${encodeURIComponent(id)}${rest}`;
}
