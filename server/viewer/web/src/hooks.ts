/** What several views need. */

import { useEffect, useRef, useState } from 'preact/hooks';

/** Whether a person can see this page: nothing is asked for while it is hidden. */
export function useVisible(): boolean {
  const [visible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const update = () => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);
  return visible;
}

/** The time, every second while it is shown. */
export function useNow(visible: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!visible) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [visible]);
  return now;
}

/** Calls `ask` at once and then `everyMs` after each answer, while `active`. */
export function usePoll(ask: (signal: AbortSignal) => Promise<void>, everyMs: number, active: boolean, key = ''): void {
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (!active) return;
    const stop = new AbortController();
    let timer = 0;
    const next = async () => {
      await latest.current(stop.signal).catch(() => undefined);
      if (!stop.signal.aborted) timer = window.setTimeout(next, everyMs);
    };
    void next();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [everyMs, active, key]);
}

/** The size of an element, CSS px. */
export function useSize(): [(element: HTMLElement | null) => void, { width: number; height: number }] {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const observer = useRef<ResizeObserver | null>(null);
  const [attach] = useState(() => (element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (!element) return;
    observer.current = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.current.observe(element);
  });
  return [attach, size];
}
