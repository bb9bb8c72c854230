/** One session: the live page, what the model gets, the timeline, and taking over. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError, getJson, messageOf, ofSession, postJson } from './api.ts';
import { ControlBar } from './control_bar.tsx';
import { useEvents } from './events.ts';
import { ExplainPanel } from './explain_panel.tsx';
import { hostOf, minutes, secondsLeft, titleOf } from './format.ts';
import { Header } from './header.tsx';
import { useNow, usePoll, useVisible } from './hooks.ts';
import { ChooserBar, DialogBar, PageBar } from './page_bars.tsx';
import { Picture } from './picture.tsx';
import { follow } from './route.ts';
import { StateChip } from './sessions.tsx';
import { SnapshotPanel } from './snapshot_panel.tsx';
import { Tabs } from './tabs.tsx';
import { Timeline } from './timeline.tsx';
import type { CallDetails, Explanation, May, Session, Snapshot } from './types.ts';

const POLL_MS = 2000;

type View = 'snapshot' | 'timeline' | 'explain';

const VIEWS: Record<View, string> = {
  snapshot: 'What the model gets',
  timeline: 'Timeline',
  explain: 'Why not listed?',
};

export function SessionPage({ id, may }: { id: string; may: May }) {
  const visible = useVisible();
  const now = useNow(visible);
  const { session, ended, away, refresh } = useSession(id, visible);
  const [view, setView] = useState<View>('snapshot');
  const events = useEvents(id, visible, view === 'timeline');
  const [tabId, setTabId] = useState('');
  const [chosen, setChosen] = useState(0);
  const [looked, setLooked] = useState<Snapshot | null>(null);
  const [boxes, setBoxes] = useState(true);
  const [lit, setLit] = useState('');
  const [asking, setAsking] = useState(false);
  const [explanation, setExplanation] = useState<Explanation | null>(null);
  const [failure, setFailure] = useState('');

  const withSnapshot = useMemo(
    () => events.calls.filter((each) => each.hasSnapshot && each.durationMs !== null),
    [events.calls],
  );
  const shownCall = withSnapshot.find((each) => each.number === chosen) ?? withSnapshot[0] ?? null;
  const previous = shownCall
    ? withSnapshot.find((each) => each.number < shownCall.number && each.tabId === shownCall.tabId)
    : undefined;
  const served = useCall(id, shownCall?.number ?? 0);
  const before = useCall(id, previous?.number ?? 0);
  const snapshot = looked ?? served?.snapshot ?? null;

  const tab = session?.tabs.find((each) => (tabId ? each.id === tabId : each.selected)) ?? session?.tabs[0];
  useEffect(() => {
    if (session && tabId && !session.tabs.some((each) => each.id === tabId)) setTabId(''); // it was closed
  }, [session, tabId]);
  const control = events.control ?? session?.control ?? null;
  const mine = control?.state === 'held' && control.mine;
  const title = titleOf(tab?.title ?? '', tab?.url ?? '');
  useEffect(() => {
    const asks = control?.state === 'requested' ? '● A person is asked for · ' : '';
    document.title = `${asks}${title} · Perception`;
  }, [title, control?.state]);

  const explain = async (ask: Record<string, unknown>) => {
    setAsking(false);
    setView('explain');
    setExplanation(null);
    setFailure('');
    try {
      const found = await postJson<Explanation>(ofSession(id, '/explain'), { tabId: tab?.id ?? '', ...ask });
      setExplanation(found);
      if (found.box) setLit(found.box.ref);
    } catch (error) {
      setFailure(messageOf(error));
    }
  };

  if (ended) return <Ended why={ended} />;
  return (
    <>
      <Header>
        <nav aria-label="Breadcrumb" class="crumbs">
          <a href="/" onClick={follow}>
            Sessions
          </a>
        </nav>
        <div class="heading">
          <h1>{title}</h1>
          <span class="muted host">{hostOf(tab?.url ?? '')}</span>
        </div>
        {session && <StateChip session={{ ...session, control }} now={now} />}
      </Header>
      <main class="watch">
        <section class="stage" aria-label="Live page">
          {(away || events.state.kind === 'away') && (
            <p class="notice" role="status">
              The service does not answer. Trying again…
            </p>
          )}
          {session && session.closesAtMs !== null && (
            <p class="notice" role="status">
              The worker of this session is about to end. The session ends with it, in{' '}
              {minutes(secondsLeft(session.closesAtMs, now))} at the latest.
            </p>
          )}
          <ControlBar session={id} control={control} now={now} watchOnly={may === 'view'} />
          {mine && tab && <PageBar key={tab.id} session={id} tab={tab} />}
          {session?.dialogs[0] && <DialogBar session={id} dialog={session.dialogs[0]} mine={mine} answered={refresh} />}
          {mine && session?.choosers[0] && (
            <ChooserBar session={id} chooser={session.choosers[0].id} answered={refresh} />
          )}
          <div class="tools">
            {session && session.tabs.length > 1 && (
              <select aria-label="Tab" value={tabId} onChange={(event) => setTabId(event.currentTarget.value)}>
                <option value="">Follow the selected tab</option>
                {session.tabs.map((each) => (
                  <option key={each.id} value={each.id}>
                    {each.id} · {titleOf(each.title, each.url)}
                  </option>
                ))}
              </select>
            )}
            {!mine && (
              <label class="check">
                <input type="checkbox" checked={boxes} onChange={(event) => setBoxes(event.currentTarget.checked)} />
                Boxes and refs
              </label>
            )}
            <Legend shown={boxes && !mine} />
          </div>
          <Picture
            session={id}
            tabId={tabId}
            watching={visible}
            mine={mine}
            touch={session?.touch ?? false}
            blocked={refresh}
            snapshot={snapshot}
            boxes={boxes && !mine}
            lit={lit}
            setLit={setLit}
            asking={asking}
            ask={(point) => void explain({ x: point.x, y: point.y })}
            stopAsking={() => setAsking(false)}
          />
        </section>
        <section class="side" aria-label="Details">
          <Tabs views={VIEWS} view={view} setView={setView} />
          <div class="panel" role="tabpanel" id={`panel-${view}`} aria-labelledby={`tab-${view}`} tabIndex={-1}>
            {view === 'snapshot' && (
              <SnapshotPanel
                session={id}
                mayLook={may === 'all' || (may === 'control' && mine)}
                tabId={tab?.id ?? ''}
                call={shownCall}
                newest={!chosen || withSnapshot[0]?.number === chosen}
                served={served}
                before={before}
                looked={looked}
                setLooked={setLooked}
                showNewest={() => setChosen(0)}
                lit={lit}
                setLit={setLit}
              />
            )}
            {view === 'timeline' && (
              <Timeline
                session={id}
                mayRecord={may === 'all'}
                tabId={tab?.id ?? ''}
                calls={events.calls}
                show={(number) => {
                  setChosen(number);
                  setLooked(null);
                  setView('snapshot');
                }}
              />
            )}
            {view === 'explain' && (
              <ExplainPanel
                asking={asking}
                setAsking={setAsking}
                explanation={explanation}
                failure={failure}
                ask={(text) => void explain({ text })}
              />
            )}
          </div>
        </section>
      </main>
    </>
  );
}

function Legend({ shown }: { shown: boolean }) {
  if (!shown) return null;
  return (
    <ul class="legend small" aria-label="Colors of the boxes">
      <li class="page">from the page</li>
      <li class="vision">only seen</li>
      <li class="both">both</li>
      <li class="covered">covered</li>
    </ul>
  );
}

function Ended({ why }: { why: string }) {
  useEffect(() => {
    document.title = 'Session ended · Perception';
  }, []);
  return (
    <>
      <Header />
      <main class="list">
        <section class="empty">
          <h1>This session has ended</h1>
          <p>{why}</p>
          <p>
            <a href="/" onClick={follow}>
              All sessions
            </a>
          </p>
        </section>
      </main>
    </>
  );
}

/** The session, asked again and again while it is watched. */
function useSession(id: string, visible: boolean) {
  const [session, setSession] = useState<Session | null>(null);
  const [ended, setEnded] = useState('');
  const [away, setAway] = useState(false);
  const [asked, setAsked] = useState(0);
  usePoll(
    async (signal) => {
      try {
        setSession(await getJson<Session>(ofSession(id), signal));
        setAway(false);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.status === 404) setEnded(error.message);
        else setAway(error instanceof ApiError && [0, 503, 504].includes(error.status));
      }
    },
    POLL_MS,
    visible && !ended,
    `${id} ${asked}`,
  );
  return { session, ended, away, refresh: () => setAsked((before) => before + 1) };
}

/** One call with what it answered; null for number 0 and until it is there. */
function useCall(session: string, number: number): CallDetails | null {
  const [found, setFound] = useState<CallDetails | null>(null);
  useEffect(() => {
    if (!number) {
      setFound(null);
      return;
    }
    const stop = new AbortController();
    getJson<CallDetails>(ofSession(session, `/calls/${number}`), stop.signal).then(setFound, () => {
      if (!stop.signal.aborted) setFound(null);
    });
    return () => stop.abort();
  }, [session, number]);
  return found;
}
