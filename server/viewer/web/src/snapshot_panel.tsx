/** What the model gets: a text as it was served, what it cost, and what changed. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { messageOf, ofSession, postJson } from './api.ts';
import { clock, duration } from './format.ts';
import { diffLines, withContext } from './line_diff.ts';
import { parseLines } from './lines.ts';
import type { Line } from './lines.ts';
import type { Call, CallDetails, Snapshot } from './types.ts';

const KINDS = { served: 'As served', text: 'Text', fused: 'Fused', digest: 'Digest' } as const;
type KindOfText = keyof typeof KINDS;

const CONTEXT_LINES = 2;

export interface SnapshotPanelProps {
  session: string;
  /** This person's token may look at pages. */
  mayLook: boolean;
  tabId: string;
  call: Call | null;
  newest: boolean;
  served: CallDetails | null;
  before: CallDetails | null;
  /** What this person asked for, in place of what the agent was served. */
  looked: Snapshot | null;
  setLooked: (snapshot: Snapshot | null) => void;
  showNewest: () => void;
  lit: string;
  setLit: (ref: string) => void;
}

export function SnapshotPanel(props: SnapshotPanelProps) {
  const { served, looked } = props;
  const [kind, setKind] = useState<KindOfText>('served');
  const [changes, setChanges] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const choose = async (next: KindOfText) => {
    setKind(next);
    setError('');
    if (next === 'served') {
      props.setLooked(null);
      return;
    }
    setBusy(true);
    try {
      props.setLooked(await postJson<Snapshot>(ofSession(props.session, '/look'), { kind: next, tabId: props.tabId }));
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy(false);
  };
  const shown = kind === 'served' ? 'served' : looked ? kind : 'served';
  const snapshot = looked ?? served?.snapshot ?? null;
  const text = looked?.text ?? (served?.text || served?.snapshot?.text || '');
  const before = looked ? served?.snapshot?.text : props.before?.text || props.before?.snapshot?.text;
  return (
    <>
      <div class="segments" role="group" aria-label="Which text">
        {(Object.keys(KINDS) as KindOfText[]).map((each) => (
          <button
            key={each}
            aria-pressed={each === kind}
            disabled={busy || (each !== 'served' && !props.mayLook)}
            title={each !== 'served' && !props.mayLook ? 'Your token may not look at pages' : undefined}
            onClick={() => void choose(each)}
          >
            {KINDS[each]}
          </button>
        ))}
      </div>
      <p class="small muted origin">
        {shown === 'served' ? servedBy(props.call) : 'A look that you asked for. The agent does not get it.'}{' '}
        {shown === 'served' && !props.newest && <button onClick={props.showNewest}>Show the newest</button>}
        {shown !== 'served' && (
          <button disabled={busy} onClick={() => void choose(kind)}>
            Look again
          </button>
        )}
      </p>
      {busy && <p role="status">Looking…</p>}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {snapshot && <Facts snapshot={snapshot} tokens={looked?.tokens ?? served?.tokens ?? 0} />}
      {text && (
        <label class="check">
          <input type="checkbox" checked={changes} onChange={(event) => setChanges(event.currentTarget.checked)} />
          {looked ? 'Only what differs from what the agent was served' : 'Only what changed since the one before'}
        </label>
      )}
      {text && !changes && <Lines text={text} lit={props.lit} setLit={props.setLit} snapshot={snapshot} />}
      {text && changes && <Changes before={before ?? ''} after={text} />}
      {!text && !busy && (
        <p class="muted">
          The agent has not looked at a page yet. Text, Fused and Digest show what it would get: each is a look of your
          own.
        </p>
      )}
    </>
  );
}

function servedBy(call: Call | null): string {
  return call ? `Call ${call.number}, ${call.rpc}, at ${clock(call.startMs)}.` : '';
}

/** @param tokens of what the model read: the snapshot, or what an action changed */
function Facts({ snapshot, tokens }: { snapshot: Snapshot; tokens: number }) {
  const total = snapshot.timings.reduce((sum, each) => sum + each.ms, 0);
  return (
    <dl class="numbers">
      <div>
        <dt>Tokens</dt>
        <dd>{tokens.toLocaleString()}</dd>
      </div>
      <div>
        <dt>Elements</dt>
        <dd>
          {snapshot.elements.toLocaleString()}
          {snapshot.omitted > 0 && <span class="muted"> + {snapshot.omitted} omitted</span>}
        </dd>
      </div>
      {snapshot.timings.length > 0 && (
        <div class="wide">
          <dt>Time by stage</dt>
          <dd>
            {duration(total)}
            <span class="muted small stages">
              {snapshot.timings.map((each) => (
                <span key={each.stage}>
                  {each.stage} {duration(each.ms)}
                </span>
              ))}
            </span>
          </dd>
        </div>
      )}
      {[...snapshot.skipped.map((each) => `${each.name} was skipped: ${each.reason}`), ...snapshot.notes].map(
        (each) => (
          <div class="wide" key={each}>
            <dt>Note</dt>
            <dd class="small">{each}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface LinesProps {
  text: string;
  lit: string;
  setLit: (ref: string) => void;
  snapshot: Snapshot | null;
}

/** The text, line by line: the line of a ref lights its box, by mouse and by arrow keys. */
function Lines({ text, lit, setLit, snapshot }: LinesProps) {
  const lines = useMemo(() => parseLines(text), [text]);
  const kinds = useMemo(() => new Map(snapshot?.boxes.map((each) => [each.ref, each.kind])), [snapshot]);
  const list = useRef<HTMLDivElement>(null);
  const own = useRef(false);
  const at = lines.findIndex((each) => lit !== '' && each.refs.includes(lit));
  useEffect(() => {
    if (!own.current && at >= 0) list.current?.querySelector(`#line-${at}`)?.scrollIntoView({ block: 'nearest' });
    own.current = false;
  }, [at]);
  const light = (line: Line) => {
    own.current = true;
    setLit(line.refs[0] ?? '');
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    for (let next = at + step; next >= 0 && next < lines.length; next += step) {
      if (lines[next]!.refs.length) {
        setLit(lines[next]!.refs[0]!);
        return;
      }
    }
  };
  return (
    <div
      class="lines"
      ref={list}
      role="listbox"
      tabIndex={0}
      aria-label="Text as served. Arrow keys light the box of a line."
      aria-activedescendant={at >= 0 ? `line-${at}` : undefined}
      onKeyDown={move}
      onMouseLeave={() => setLit('')}
    >
      {lines.map((line, index) => (
        <div
          key={index}
          id={`line-${index}`}
          role="option"
          aria-selected={index === at}
          class={`line ${line.fence ? 'fence' : ''} ${line.refs.length ? (kinds.get(line.refs[0]!) ?? 'far') : ''}`}
          onMouseEnter={() => light(line)}
        >
          {line.text || '\u00a0'}
        </div>
      ))}
    </div>
  );
}

function Changes({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => {
    const textOf = (text: string) =>
      parseLines(text)
        .filter((each) => !each.fence)
        .map((each) => each.text);
    return withContext(diffLines(textOf(before), textOf(after)), CONTEXT_LINES);
  }, [before, after]);
  if (!before) return <p class="muted">There is no snapshot before this one.</p>;
  if (!lines.length) return <p class="muted">Nothing changed.</p>;
  const words = { '+': 'added', '-': 'removed', ' ': '' };
  return (
    <div class="lines diff" tabIndex={0} role="group" aria-label="What changed">
      {lines.map((line, index) =>
        line ? (
          <div key={index} class={`line ${words[line.sign]}`}>
            <span class="hidden">{words[line.sign]}</span>
            {line.sign} {line.text}
          </div>
        ) : (
          <div key={index} class="line muted">
            …
          </div>
        ),
      )}
    </div>
  );
}
