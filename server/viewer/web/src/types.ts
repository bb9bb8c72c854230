/** What the viewer answers: see `plain/` of the server. Texts of pages are texts, and become text nodes. */

/** What a token may do: each includes those before it. */
export type May = 'view' | 'control' | 'all';

export interface Tab {
  id: string;
  url: string;
  title: string;
  selected: boolean;
  name: string;
}

export interface Session {
  id: string;
  tabs: Tab[];
  createdMs: number | null;
  usedMs: number | null;
  expiresMs: number | null;
  dialogs: Dialog[];
  choosers: { id: string; tabId: string }[];
  /** Its screen takes touches; others take the mouse. */
  touch: boolean;
  owner: string;
  /** The worker that has it; empty of a service without workers. */
  worker: string;
  /** When its worker ends at the latest, and the session with it; null while that is not to end. */
  closesAtMs: number | null;
  control: Control | null;
}

export interface Dialog {
  id: string;
  tabId: string;
  kind: 'alert' | 'confirm' | 'prompt';
  message: string;
  /** What a prompt has in its field. */
  text: string;
}

export type ControlState = 'free' | 'requested' | 'taking' | 'held';

export interface Control {
  state: ControlState;
  holder: string;
  expiresMs: number | null;
  reason: string;
  requestExpiresMs: number | null;
  requestTabId: string;
  waitingCalls: number;
  /** Rpcs of the agent that a takeover still waits for. */
  underWay: string[];
  /** This browser holds the lease. */
  mine: boolean;
}

export type Kind = 'page' | 'vision' | 'both';

export interface Box {
  ref: string;
  role: string;
  name: string;
  kind: Kind;
  covered: boolean;
  coveredBy: string;
  /** x, y, width, height; CSS px of the viewport. */
  box: [number, number, number, number];
}

export interface Diff {
  since: string;
  text: string;
  tokens: number;
  textIsSnapshot: boolean;
  added: number;
  changed: number;
  removed: number;
}

export interface Snapshot {
  id: string;
  tabId: string;
  url: string;
  title: string;
  viewport: { width: number; height: number };
  scroll: { x: number; y: number };
  text: string;
  tokens: number;
  elements: number;
  omitted: number;
  boxes: Box[];
  timings: { stage: string; ms: number }[];
  skipped: { name: string; reason: string }[];
  notes: string[];
  diff: Diff | null;
}

export interface Call {
  number: number;
  rpc: string;
  what: string;
  startMs: number | null;
  /** Null while it is under way. */
  durationMs: number | null;
  tabId: string;
  url: string;
  code: string;
  reason: string;
  message: string;
  snapshotId: string;
  hasSnapshot: boolean;
  hasPictures: boolean;
  byPerson: boolean;
}

export interface CallDetails {
  call: Call;
  snapshot: Snapshot | null;
  text: string;
  /** Of what the model read: `text`, or else the snapshot's. */
  tokens: number;
  before: boolean;
  after: boolean;
  request: string;
}

export interface Explanation {
  summary: string;
  listed: boolean;
  box: Box | null;
  stages: { stage: string; outcome: string; reason: string; facts: { name: string; value: string }[] }[];
}

/** One picture of a tab, as the head of a message of the frames socket says it. */
export interface Frame {
  number: number;
  width: number;
  height: number;
  viewport: { width: number; height: number; scale: number };
  scroll: { x: number; y: number };
  tabId: string;
  url: string;
  title: string;
  /** Why there is no picture; empty where there is one. */
  note: string;
}

export interface Recording {
  id: string;
  steps: string[];
  leftOut: string[];
  events: number;
  requests: number;
}
