// The stubs: one method for each rpc, typed by the protos. A promise for one answer, an async iterator for a stream.
import {
  create,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { type CallOptions as GrpcOptions, Client, Metadata, type ServiceError } from '@grpc/grpc-js';
import { PerceptionError } from './errors.js';

/** Of one call. */
export interface CallOptions {
  /** Milliseconds until the call ends with DEADLINE_EXCEEDED, on the service too; the client's when absent. A stream has no limit when absent. */
  timeoutMs?: number;
  /** Ends the call, on the service too. It is rejected with the signal's reason. */
  signal?: AbortSignal;
}

/** Each rpc of a service by its name. */
export type Stub<S extends DescService> = {
  readonly [Name in keyof S['method']]: S['method'][Name] extends DescMethodServerStreaming<infer I, infer O>
    ? (request: MessageInitShape<I>, options?: CallOptions) => AsyncGenerator<MessageShape<O>, void, undefined>
    : S['method'][Name] extends DescMethodUnary<infer I, infer O>
      ? (request: MessageInitShape<I>, options?: CallOptions) => Promise<MessageShape<O>>
      : never;
};

/** What all calls of a client share. */
export interface Channel {
  readonly grpc: Client;
  readonly token: string;
  readonly timeoutMs: number;
}

export function stub<S extends DescService>(service: S, channel: Channel): Stub<S> {
  const calls = service.methods.map((method) => {
    const call = method.methodKind === 'server_streaming' ? stream : unary;
    return [method.localName, (request: object, options: CallOptions = {}) => call(channel, method, request, options)];
  });
  return Object.fromEntries(calls) as Stub<S>;
}

function unary(channel: Channel, method: DescMethod, request: object, options: CallOptions): Promise<object> {
  return new Promise((resolve, reject) => {
    const { signal, timeoutMs = channel.timeoutMs } = options;
    if (signal?.aborted) return reject(signal.reason);
    const [path, write, read] = codec(method);
    const cancel = () => call.cancel();
    const call = channel.grpc.makeUnaryRequest(
      path,
      write,
      read,
      request,
      metadataOf(channel),
      deadlineOf(timeoutMs),
      (error, reply) => {
        signal?.removeEventListener('abort', cancel);
        if (!error) resolve(reply!);
        else reject(signal?.aborted ? signal.reason : PerceptionError.of(error));
      },
    );
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

async function* stream(
  channel: Channel,
  method: DescMethod,
  request: object,
  options: CallOptions,
): AsyncGenerator<object, void, undefined> {
  const { signal, timeoutMs } = options;
  signal?.throwIfAborted();
  const [path, write, read] = codec(method);
  const call = channel.grpc.makeServerStreamRequest(
    path,
    write,
    read,
    request,
    metadataOf(channel),
    deadlineOf(timeoutMs),
  );
  const cancel = () => call.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    yield* call as AsyncIterable<object>;
  } catch (error) {
    throw signal?.aborted ? signal.reason : PerceptionError.of(error as ServiceError);
  } finally {
    signal?.removeEventListener('abort', cancel);
    call.on('error', () => {}); // of the cancellation itself, once nobody reads any more
    call.cancel();
  }
}

type Codec = [path: string, write: (request: object) => Buffer, read: (bytes: Buffer) => object];

function codec({ parent, name, input, output }: DescMethod): Codec {
  return [
    `/${parent.typeName}/${name}`,
    (request) => Buffer.from(toBinary(input, create(input, request as MessageInitShape<typeof input>))),
    (bytes) => fromBinary(output, bytes),
  ];
}

function metadataOf({ token }: Channel): Metadata {
  const metadata = new Metadata();
  if (token) metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}

function deadlineOf(timeoutMs: number | undefined): GrpcOptions {
  if (timeoutMs === undefined) return {};
  if (!(timeoutMs > 0))
    throw PerceptionError.badInput(`timeoutMs is ${timeoutMs}: it takes a number of milliseconds over 0`);
  return { deadline: Date.now() + timeoutMs };
}
