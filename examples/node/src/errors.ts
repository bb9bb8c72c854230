// The one error of every call, and the details that the service sends with it.
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { type ServiceError, status } from '@grpc/grpc-js';
import type { Reason } from './reasons.js';

/** What an error carries beside its message. */
export interface ErrorDetails {
  /** Why, such as `STALE_REF`; empty where the answer does not come from the service itself. */
  reason?: Reason | '';
  /** Details by name, such as `covered_by`. */
  metadata?: Readonly<Record<string, string>>;
  retryAfterMs?: number | undefined;
  field?: string | undefined;
}

/** A call that the service refused, or that did not reach it, or an argument that makes no call. */
export class PerceptionError extends Error {
  override readonly name = 'PerceptionError';
  /** Why, such as `STALE_REF`; empty where the answer does not come from the service itself. Act on this, not on the message. */
  readonly reason: Reason | '';
  /** Details by name, such as `covered_by`; those that several errors have are properties, too. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Milliseconds after which a repeat may succeed; undefined where a repeat fails alike. */
  readonly retryAfterMs: number | undefined;
  /** The request's invalid field, such as `options.viewport`. */
  readonly field: string | undefined;

  constructor(
    message: string,
    /** gRPC status code, such as 9 for FAILED_PRECONDITION. */
    readonly code: status,
    details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.reason = details.reason ?? '';
    this.metadata = details.metadata ?? {};
    this.retryAfterMs = details.retryAfterMs;
    this.field = details.field;
  }

  /** Name of the gRPC status code: `FAILED_PRECONDITION`. */
  get codeName(): string {
    return status[this.code];
  }

  /** The message for people: without the marks around words of the page, which a language model needs. */
  get plain(): string {
    return this.message.replace(/<untrusted-page (\d+)>(.*?)<\/untrusted-page \1>/g, '$2');
  }

  /** The ref that the call named as its target. */
  get ref(): string | undefined {
    return this.metadata.ref;
  }

  /** The selector that the call named as its target. */
  get selector(): string | undefined {
    return this.metadata.selector;
  }

  /** The session that is unknown or has ended. */
  get session(): string | undefined {
    return this.metadata.session;
  }

  /** The snapshot that is not kept, or that a coordinate no longer fits. */
  get snapshot(): string | undefined {
    return this.metadata.snapshot;
  }

  /** The limit that is reached, in the unit of its setting. */
  get limit(): number | undefined {
    return this.metadata.limit === undefined ? undefined : Number(this.metadata.limit);
  }

  /** The environment variable of the service that sets this limit or folder. */
  get setting(): string | undefined {
    return this.metadata.setting;
  }

  /** Whether input had been sent to the page before the call failed: a repeat could act twice. */
  get inputDispatched(): boolean {
    return this.metadata.input_dispatched === 'true';
  }

  /** @internal An argument that makes no request; nothing was sent. */
  static badInput(message: string): PerceptionError {
    return new PerceptionError(message, status.INVALID_ARGUMENT, { reason: 'BAD_INPUT' });
  }

  /** @internal The error of a call that gRPC ended. */
  static of(error: ServiceError): PerceptionError {
    const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
    const found = Buffer.isBuffer(bytes) ? readStatus(bytes) : undefined;
    const late = error.code === status.DEADLINE_EXCEEDED; // gRPC's own message names nothing
    const own = late
      ? "no answer came before the call's deadline: give it more time (timeoutMs)"
      : error.details || error.message;
    const message = found?.message ?? own;
    return new PerceptionError(message, error.code, found as ErrorDetails | undefined, { cause: error });
  }
}

/** An evaluated script threw an exception. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';

  constructor(
    message: string,
    /** Where it was thrown, as the browser writes it. */
    readonly scriptStack: string,
  ) {
    super(message);
  }
}

interface Details {
  message: string;
  reason: string;
  metadata: Record<string, string>;
  retryAfterMs?: number | undefined;
  field?: string | undefined;
}

const READERS: Record<string, (bytes: Uint8Array, into: Details) => void> = {
  'google.rpc.ErrorInfo': readErrorInfo,
  'google.rpc.RetryInfo': readRetryInfo,
  'google.rpc.BadRequest': readBadRequest,
};

/** A google.rpc.Status with the details that the service sends (google/rpc/error_details.proto). */
function readStatus(bytes: Uint8Array): Details {
  const details: Details = { message: '', reason: '', metadata: {} };
  eachField(bytes, {
    2: (reader) => (details.message = reader.string()),
    3: (reader) => {
      let kind = '';
      let value: Uint8Array = new Uint8Array();
      eachField(reader.bytes(), {
        1: (any) => (kind = any.string().split('/').pop() ?? ''),
        2: (any) => (value = any.bytes()),
      });
      READERS[kind]?.(value, details);
    },
  });
  return details;
}

function readErrorInfo(bytes: Uint8Array, into: Details): void {
  eachField(bytes, {
    1: (reader) => (into.reason = reader.string()),
    3: (reader) => {
      let [key, value] = ['', ''];
      eachField(reader.bytes(), { 1: (entry) => (key = entry.string()), 2: (entry) => (value = entry.string()) });
      into.metadata[key] = value;
    },
  });
}

function readRetryInfo(bytes: Uint8Array, into: Details): void {
  eachField(bytes, {
    1: (reader) => {
      let [seconds, nanos] = [0, 0];
      eachField(reader.bytes(), { 1: (part) => (seconds = Number(part.int64())), 2: (part) => (nanos = part.int32()) });
      into.retryAfterMs = seconds * 1000 + nanos / 1e6;
    },
  });
}

function readBadRequest(bytes: Uint8Array, into: Details): void {
  eachField(bytes, { 1: (reader) => eachField(reader.bytes(), { 1: (part) => (into.field ??= part.string()) }) });
}

/** Reads a message's fields by number; skips the others. */
function eachField(bytes: Uint8Array, fields: Record<number, (reader: BinaryReader) => unknown>): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const read = fields[number];
    if (read) read(reader);
    else reader.skip(wireType, number);
  }
}
