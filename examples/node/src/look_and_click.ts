// Looks at a page, clicks its first button, reads an error, and cancels a watch.
// Usage: node dist/look_and_click.js ADDRESS URL      for example: … 127.0.0.1:50051 https://example.com
// The token, if the service requires one, is read from PERCEPTION_TOKEN.
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';
import { errorInfo } from './error_info.js';
import type { ProtoGrpcType as ActionTypes } from './generated/action_service.js';
import type { ActionServiceClient } from './generated/perception/v1/ActionService.js';
import type { PerceptionServiceClient } from './generated/perception/v1/PerceptionService.js';
import type { SessionServiceClient } from './generated/perception/v1/SessionService.js';
import type { ProtoGrpcType as PerceptionTypes } from './generated/perception_service.js';
import type { ProtoGrpcType as SessionTypes } from './generated/session_service.js';

const MIB = 1024 * 1024;

interface Services {
  sessions: SessionServiceClient;
  eyes: PerceptionServiceClient;
  hands: ActionServiceClient;
}

function connect(address: string): Services {
  const definition = protoLoader.loadSync(
    ['session', 'perception', 'action'].map((name) => `perception/v1/${name}_service.proto`),
    {
      includeDirs: [fileURLToPath(new URL('../../../proto', import.meta.url))],
      longs: Number,
      enums: String,
      defaults: true,
      oneofs: true,
    },
  );
  const { v1 } = (grpc.loadPackageDefinition(definition) as unknown as SessionTypes & PerceptionTypes & ActionTypes)
    .perception;
  // A screenshot exceeds gRPC's default limit of 4 MiB.
  const options = { 'grpc.max_receive_message_length': 16 * MIB, 'grpc.max_send_message_length': 16 * MIB };
  // Over a network: grpc.credentials.createSsl(…).
  const credentials = grpc.credentials.createInsecure();
  return {
    sessions: new v1.SessionService(address, credentials, options),
    eyes: new v1.PerceptionService(address, credentials, options),
    hands: new v1.ActionService(address, credentials, options),
  };
}

function whoAsks(): grpc.Metadata {
  const metadata = new grpc.Metadata();
  const token = process.env.PERCEPTION_TOKEN;
  if (token) metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}

// The overloads of a generated method; all of them are needed to infer its response type.
interface Method<Request, Reply> {
  (request: Request, metadata: grpc.Metadata, options: grpc.CallOptions, done: grpc.requestCallback<Reply>): grpc.ClientUnaryCall;
  (request: Request, metadata: grpc.Metadata, done: grpc.requestCallback<Reply>): grpc.ClientUnaryCall;
  (request: Request, options: grpc.CallOptions, done: grpc.requestCallback<Reply>): grpc.ClientUnaryCall;
  (request: Request, done: grpc.requestCallback<Reply>): grpc.ClientUnaryCall;
}

// Every call has a deadline, which limits the work on the server, too.
function call<Request, Reply>(
  client: grpc.Client,
  method: Method<Request, Reply>,
  request: Request,
  seconds: number,
): Promise<Reply> {
  const bound = method.bind(client) as Method<Request, Reply>;
  return new Promise((resolve, reject) => {
    bound(request, whoAsks(), { deadline: Date.now() + seconds * 1000 }, (error, reply) =>
      error ? reject(error) : resolve(reply!),
    );
  });
}

async function lookAndClick({ eyes, sessions, hands }: Services, sessionId: string, url: string): Promise<void> {
  await call(sessions, sessions.Navigate, { sessionId, url }, 30);
  const { snapshot } = await call(eyes, eyes.CaptureSnapshot, { sessionId, options: { mode: 'MODE_FUSED' } }, 30);
  console.log(snapshot?.text.trimEnd());

  const button = snapshot?.elements.find((element) => element.role === 'button' && element.reachable);
  if (button) {
    await call(hands, hands.Click, { sessionId, target: { ref: button.ref } }, 10);
    console.log(`clicked ${button.ref}, the button "${button.name}"`);
  }

  try {
    await call(hands, hands.Click, { sessionId, target: { ref: 'e999999' } }, 10);
  } catch (error) {
    const refused = error as grpc.ServiceError;
    const info = errorInfo(refused);
    if (!info) throw error;
    const said = `${grpc.status[refused.code]}, ${info.reason} ${JSON.stringify(info.metadata)}: ${refused.details}`;
    console.log(`a click on e999999 is refused: ${said}`);
  }
}

// This stream has no deadline and ends when it is cancelled.
async function watchOnce({ eyes }: Services, sessionId: string): Promise<void> {
  const watch = eyes.WatchSnapshots({ sessionId, options: { mode: 'MODE_TEXT' } }, whoAsks());
  try {
    for await (const { snapshot } of watch) {
      console.log(`watching: ${snapshot.snapshotId} came first`);
      watch.cancel(); // on the server, too
    }
  } catch (error) {
    if ((error as grpc.ServiceError).code !== grpc.status.CANCELLED) throw error;
    console.log('the watch is cancelled');
  }
}

async function main(address: string, url: string): Promise<void> {
  const services = connect(address);
  const { sessions } = services;
  const { session } = await call(sessions, sessions.CreateSession, {}, 30);
  const sessionId = session?.sessionId ?? '';
  try {
    await lookAndClick(services, sessionId, url);
    await watchOnce(services, sessionId);
  } finally {
    await call(sessions, sessions.CloseSession, { sessionId }, 10);
    for (const client of Object.values(services)) client.close();
  }
}

const [address, url] = process.argv.slice(2);
if (!address || !url) {
  console.error('usage: node dist/look_and_click.js ADDRESS URL');
  process.exit(2);
}
main(address, url).catch((error) => {
  console.error(`${errorInfo(error)?.reason ?? grpc.status[error.code] ?? error.name}: ${error.details ?? error.message}`);
  process.exitCode = 1;
});
