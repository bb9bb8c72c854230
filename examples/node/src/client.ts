// A connection to a service, and the sessions that are opened over it.
import { Client as GrpcClient, status } from '@grpc/grpc-js';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Access, prepare } from './access.js';
import { PerceptionError } from './errors.js';
import {
  ColorScheme,
  type Session as SessionState,
  type SessionOptionsSchema,
} from './generated/perception/v1/session_service_pb.js';
import { Page } from './page.js';
import type { CallOptions } from './rpc.js';
import { type Services, services } from './services.js';
import { duration, type Name, named } from './values.js';

const MAX_MESSAGE_BYTES = 16 * 2 ** 20; // the service's own limit; a screenshot exceeds gRPC's default of 4 MiB

const NO_ANSWER = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.UNIMPLEMENTED]);

export interface ConnectOptions extends Access {
  /** The deadline of each call that sets none, in milliseconds: 60,000 by default. */
  timeoutMs?: number;
}

export interface SessionOptions extends CallOptions {
  /** CSS px; 1280 × 800 at scale 1 when absent. */
  viewport?: { width: number; height: number; deviceScaleFactor?: number };
  locale?: string;
  timezone?: string;
  colorScheme?: Name<typeof ColorScheme>;
  idleTimeoutMs?: number;
  /** Allows `page.evaluate`. */
  allowEvaluate?: boolean;
  /** The only origins that the session may reach; all when absent. */
  allowedOrigins?: string[];
  /** A browser process of its own. */
  dedicatedBrowser?: boolean;
  /** A running Chromium to use in place of the service's own. */
  cdpEndpoint?: string;
  /** A repeated call with the same id returns the same session. */
  requestId?: string;
}

/**
 * Connects to the service at `HOST:PORT` or `unix:PATH`.
 *
 * Throws PerceptionError where no service answers there, a token is wrong, or options contradict each other.
 */
export async function connect(address: string, options: ConnectOptions = {}): Promise<Client> {
  const { token, credentials } = prepare(address, options);
  const timeoutMs = options.timeoutMs ?? 60_000;
  const grpc = new GrpcClient(address, credentials, {
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.enable_http_proxy': 0, // a proxy that is set for the web does not reach loopback
  });
  const client = new Client(grpc, token, timeoutMs);
  try {
    await client.sessions();
  } catch (error) {
    client.close();
    if (!(error instanceof PerceptionError) || error.reason || !NO_ANSWER.has(error.code)) throw error;
    const message = `no service answers at ${address}: check the address, or start one with 'perception serve'`;
    throw new PerceptionError(message, status.UNAVAILABLE, {}, { cause: error });
  }
  return client;
}

/** A connection. `close` ends it; so does the end of a block with `using`. */
export class Client {
  /** Every rpc as the protos define it, for all that has no method here. */
  readonly rpc: Services;

  /** @internal */
  constructor(
    private readonly grpc: GrpcClient,
    token: string,
    timeoutMs: number,
  ) {
    this.rpc = services({ grpc, token, timeoutMs });
  }

  /** Opens a new session, at a URL if one is given. */
  async open(url = '', options: SessionOptions = {}): Promise<Page> {
    const { cdpEndpoint = '', requestId = '' } = options;
    const reply = await this.rpc.sessions.createSession(
      { url, cdpEndpoint, requestId, options: sessionOptions(options) },
      options,
    );
    return new Page(this.rpc, reply.session!.sessionId);
  }

  /** Continues an open session, also one that another process opened. One that has ended is an error that says why. */
  async attach(sessionId: string, options: CallOptions = {}): Promise<Page> {
    const reply = await this.rpc.sessions.getSession({ sessionId }, options);
    return new Page(this.rpc, reply.session!.sessionId);
  }

  /** The caller's open sessions. */
  async sessions(options: CallOptions = {}): Promise<SessionState[]> {
    return (await this.rpc.sessions.listSessions({}, options)).sessions;
  }

  /** Closes the connection. Sessions stay open until they are closed or idle for too long. */
  close(): void {
    this.grpc.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function sessionOptions(given: SessionOptions): MessageInitShape<typeof SessionOptionsSchema> {
  const idleTimeout = duration(given.idleTimeoutMs, 'idleTimeoutMs');
  return {
    locale: given.locale ?? '',
    timezone: given.timezone ?? '',
    colorScheme: named(ColorScheme, given.colorScheme, 'colorScheme'),
    allowEvaluate: given.allowEvaluate ?? false,
    allowedOrigins: given.allowedOrigins ?? [],
    dedicatedBrowser: given.dedicatedBrowser ?? false,
    ...(given.viewport ? { viewport: given.viewport } : {}),
    ...(idleTimeout ? { idleTimeout } : {}),
  };
}
