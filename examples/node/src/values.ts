// Plain values of a program as values of the wire: targets, short names of enums, milliseconds.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { durationFromMs, type DurationSchema } from '@bufbuild/protobuf/wkt';
import { PerceptionError } from './errors.js';
import {
  Engine,
  Mode,
  Scope,
  type SnapshotOptionsSchema,
  TextStyle,
  View,
} from './generated/perception/v1/perception_service_pb.js';
import type { CallOptions } from './rpc.js';
import type { Element, TargetSchema } from './generated/perception/v1/types_pb.js';

/** A ref (`e3`), a CSS selector (any other string), a point in CSS px, or an element of a snapshot. */
export type TargetLike = string | { x: number; y: number; snapshotId?: string } | Element;

/** The names of an enum as people write them: `'text'` for `Mode.TEXT`. */
export type Name<E> = Lowercase<Exclude<Extract<keyof E, string>, 'UNSPECIFIED'>>;

/** Options of every call about a tab. */
export interface TabOptions extends CallOptions {
  /** The selected tab when absent. */
  tabId?: string;
}

/** How a look is made; see SnapshotOptions in the wire reference. */
export interface LookOptions extends TabOptions {
  /** Page facts alone, facts and vision (default), or pixels alone. */
  mode?: Name<typeof Mode>;
  engine?: Name<typeof Engine>;
  /** What is in view (default), or the whole document. */
  scope?: Name<typeof Scope>;
  /** Everything, controls with the headings above them, or a line for each region. */
  view?: Name<typeof View>;
  style?: Name<typeof TextStyle>;
  /** Most o200k tokens of the text; 0 for no limit. */
  maxTokens?: number;
  detectors?: string[];
  /** Only this element and its content. */
  root?: TargetLike;
  includeSelectors?: boolean;
  /** Each line of the text has its element's box, CSS px: `[box=x,y,width,height]`. */
  includeBoxes?: boolean;
  /** How long to wait for the page to come to rest. */
  settleTimeoutMs?: number;
  revealSensitive?: boolean;
}

type Init<T> = T extends null | undefined ? never : T;
type TargetInit = Init<MessageInitShape<typeof TargetSchema>>;

/** The wire's target. Throws PerceptionError for an element without a ref. */
export function target(of: TargetLike, name = 'target'): TargetInit {
  if (typeof of === 'string') {
    return { target: /^[ev]\d+$/.test(of) ? { case: 'ref', value: of } : { case: 'selector', value: of } };
  }
  if ('ref' in of) {
    if (!of.ref) throw PerceptionError.badInput(`${name} is a ${of.role} without a ref: there is nothing to act on`);
    return { target: { case: 'ref', value: of.ref } };
  }
  if (typeof of?.x !== 'number' || typeof of.y !== 'number') {
    throw PerceptionError.badInput(`${name} takes a ref such as 'e3', a CSS selector, a point {x, y}, or an element`);
  }
  return { target: { case: 'coordinate', value: { x: of.x, y: of.y, snapshotId: of.snapshotId ?? '' } } };
}

/** The number of an enum's short name, 0 where none is given. Throws PerceptionError with the names that there are. */
export function named<E extends Record<string, string | number>>(
  choices: E,
  name: string | undefined,
  option: string,
): number {
  if (name === undefined) return 0;
  const found = choices[String(name).toUpperCase().replaceAll('-', '_')];
  if (typeof found === 'number') return found;
  const known = Object.keys(choices).filter((each) => Number.isNaN(Number(each)) && each !== 'UNSPECIFIED');
  throw PerceptionError.badInput(
    `${option} is '${name}': it takes ${known.map((each) => `'${each.toLowerCase()}'`).join(', ')}`,
  );
}

/** A Duration; absent where no milliseconds are given. */
export function duration(
  milliseconds: number | undefined,
  option: string,
): MessageInitShape<typeof DurationSchema> | undefined {
  if (milliseconds === undefined) return undefined;
  if (!Number.isFinite(milliseconds))
    throw PerceptionError.badInput(`${option} is ${milliseconds}: it takes milliseconds`);
  return durationFromMs(milliseconds);
}

/** SnapshotOptions of the wire. */
export function lookOptions(given: LookOptions): MessageInitShape<typeof SnapshotOptionsSchema> {
  const settleTimeout = duration(given.settleTimeoutMs, 'settleTimeoutMs');
  return {
    mode: named(Mode, given.mode, 'mode'),
    engine: named(Engine, given.engine, 'engine'),
    scope: named(Scope, given.scope, 'scope'),
    view: named(View, given.view, 'view'),
    style: named(TextStyle, given.style, 'style'),
    maxTokens: given.maxTokens ?? 0,
    detectors: given.detectors ?? [],
    includeSelectors: given.includeSelectors ?? false,
    includeBoxes: given.includeBoxes ?? false,
    revealSensitive: given.revealSensitive ?? false,
    ...(given.root === undefined ? {} : { root: target(given.root, 'root') }),
    ...(settleTimeout ? { settleTimeout } : {}),
  };
}
