// The client of Perception. The messages of the wire and their enums are in `perception-client/v1`.
export type { Access } from './access.js';
export { Client, connect, type ConnectOptions, type SessionOptions } from './client.js';
export { PerceptionError, ScriptError } from './errors.js';
export {
  type ActOptions,
  type ClickOptions,
  type Condition,
  type FindOptions,
  Page,
  type TypeOptions,
} from './page.js';
export type { Reason } from './reasons.js';
export type { CallOptions, Stub } from './rpc.js';
export type { Services } from './services.js';
export type { DialogOptions, NavigateOptions } from './session.js';
export type { LookOptions, TabOptions, TargetLike } from './values.js';
