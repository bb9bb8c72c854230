/** Times and names in words. */

export function ageOf(ms: number | null, nowMs: number): string {
  if (ms === null) return '';
  const seconds = Math.max(0, Math.round((nowMs - ms) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d`;
}

export function clock(ms: number | null): string {
  if (ms === null) return '';
  return new Date(ms).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
}

export function duration(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}

/** A title that is empty says nothing: the host does, or that nothing is open. */
export function titleOf(title: string, url: string): string {
  return title.trim() || hostOf(url) || 'Empty tab';
}

export function secondsLeft(endMs: number | null, nowMs: number): number {
  return endMs === null ? 0 : Math.max(0, Math.ceil((endMs - nowMs) / 1000));
}

export function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
