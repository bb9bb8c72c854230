/** The list of sessions. */

import { useEffect, useState } from 'preact/hooks';
import { getJson, messageOf, ofSession } from './api.ts';
import { ageOf, hostOf, minutes, secondsLeft, titleOf } from './format.ts';
import { Header } from './header.tsx';
import { useNow, usePoll, useVisible } from './hooks.ts';
import { follow } from './route.ts';
import type { Session } from './types.ts';

const POLL_MS = 3000;

/** Thumbnails are taken again so often, one after the other. */
const THUMBNAIL_MS = 10_000;

export function Sessions({ open }: { open: (id: string) => void }) {
  const [sessions, setSessions] = useState<Session[] | null>(null);
  const [missing, setMissing] = useState(0);
  const [error, setError] = useState('');
  const visible = useVisible();
  const now = useNow(visible);
  useEffect(() => {
    document.title = 'Sessions · Perception';
  }, []);
  usePoll(
    async (signal) => {
      try {
        const told = await getJson<{ sessions: Session[]; workersMissing: number }>('/api/sessions', signal);
        setSessions(told.sessions);
        setMissing(told.workersMissing);
        setError('');
      } catch (failure) {
        if (!signal.aborted) setError(messageOf(failure));
      }
    },
    POLL_MS,
    visible,
  );
  return (
    <>
      <Header />
      <main class="list">
        <h1>Sessions {sessions && sessions.length > 0 && <span class="count">{sessions.length}</span>}</h1>
        {error && (
          <p class="notice error" role="alert">
            {error}
          </p>
        )}
        {missing > 0 && (
          <p class="notice" role="status">
            {missing === 1 ? 'One worker is' : `${missing} workers are`} not reached at the moment.{' '}
            {missing === 1 ? 'Its' : 'Their'} sessions are not listed.
          </p>
        )}
        {sessions === null && !error && <p class="muted">Loading…</p>}
        {sessions?.length === 0 && <Empty />}
        {sessions && sessions.length > 0 && (
          <ul class="cards">
            {sessions.map((session) => (
              <Card key={session.id} session={session} now={now} visible={visible} open={open} />
            ))}
          </ul>
        )}
      </main>
    </>
  );
}

function Empty() {
  return (
    <section class="empty" aria-labelledby="empty">
      <h2 id="empty">No session is open</h2>
      <p>A session appears here as soon as an agent opens one. To try it, run this beside the service:</p>
      <pre tabIndex={0} role="region" aria-label="Example">
        <code>{`import perception

with perception.connect("127.0.0.1:50051") as client:
    page = client.open("https://example.com")
    print(page.snapshot())
    input("Watch it in the viewer. Enter ends it. ")`}</code>
      </pre>
      <p class="muted">You see the sessions of your own token. Those of others are not listed.</p>
    </section>
  );
}

interface CardProps {
  session: Session;
  now: number;
  visible: boolean;
  open: (id: string) => void;
}

function Card({ session, now, visible }: CardProps) {
  const tab = session.tabs.find((each) => each.selected) ?? session.tabs[0];
  const title = titleOf(tab?.title ?? '', tab?.url ?? '');
  return (
    <li class="session">
      <a href={`/sessions/${encodeURIComponent(session.id)}`} onClick={follow}>
        <Thumbnail session={session.id} visible={visible} />
        <span class="what">
          <strong class="title">{title}</strong>
          <span class="muted host">{hostOf(tab?.url ?? '') || 'nothing is open'}</span>
          <span class="facts small">
            <StateChip session={session} now={now} />
            {session.tabs.length > 1 && <span>{session.tabs.length} tabs</span>}
            <span>open for {ageOf(session.createdMs, now)}</span>
            {session.owner && <span>owner {session.owner}</span>}
            {session.worker && <span>worker {session.worker}</span>}
            {session.closesAtMs !== null && (
              <span class="chip asks">ends in {minutes(secondsLeft(session.closesAtMs, now))}</span>
            )}
          </span>
        </span>
      </a>
    </li>
  );
}

export function StateChip({ session, now }: { session: Session; now: number }) {
  const control = session.control;
  if (control?.state === 'held' || control?.state === 'taking') {
    return (
      <span class="chip held">{control.mine ? 'you have control' : `${control.holder || 'a person'} has control`}</span>
    );
  }
  if (control?.state === 'requested') return <span class="chip asks">asks for a person</span>;
  if (session.dialogs.length > 0) return <span class="chip asks">dialog open</span>;
  const idle = session.usedMs !== null && now - session.usedMs > 10_000;
  return idle ? (
    <span class="chip">idle for {ageOf(session.usedMs, now)}</span>
  ) : (
    <span class="chip active">active</span>
  );
}

function Thumbnail({ session, visible }: { session: string; visible: boolean }) {
  const [picture, setPicture] = useState('');
  usePoll(
    async (signal) => {
      const response = await fetch(ofSession(session, '/thumbnail'), { signal });
      if (!response.ok) return;
      const url = URL.createObjectURL(await response.blob());
      setPicture((before) => {
        if (before) URL.revokeObjectURL(before);
        return url;
      });
    },
    THUMBNAIL_MS,
    visible,
  );
  return <span class="thumbnail">{picture && <img src={picture} alt="" />}</span>;
}
