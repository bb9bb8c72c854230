// Looks at a page, clicks its first button, and reads what an error says.
// Usage: node snapshot.mjs ADDRESS URL      for example: node snapshot.mjs 127.0.0.1:50051 https://example.com
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';
import { errorInfo } from './error_info.mjs';

const MIB = 1024 * 1024;

function services(address) {
  const definition = protoLoader.loadSync(
    ['session', 'perception', 'action'].map((name) => `perception/v1/${name}_service.proto`),
    {
      includeDirs: [fileURLToPath(new URL('../../proto', import.meta.url))],
      longs: Number,
      enums: String,
      defaults: true,
      oneofs: true,
    },
  );
  const { SessionService, PerceptionService, ActionService } = grpc.loadPackageDefinition(definition).perception.v1;
  // A screenshot passes gRPC's default limit of 4 MiB.
  const options = { 'grpc.max_receive_message_length': 16 * MIB, 'grpc.max_send_message_length': 16 * MIB };
  const credentials = grpc.credentials.createInsecure();
  return {
    sessions: new SessionService(address, credentials, options),
    eyes: new PerceptionService(address, credentials, options),
    hands: new ActionService(address, credentials, options),
  };
}

// Every call has a deadline: it bounds the work on the server, too.
function call(service, method, request, seconds) {
  return new Promise((resolve, reject) => {
    service[method](request, { deadline: Date.now() + seconds * 1000 }, (error, reply) =>
      error ? reject(error) : resolve(reply),
    );
  });
}

async function lookAndClick({ eyes, sessions, hands }, sessionId, url) {
  await call(sessions, 'Navigate', { sessionId, url }, 30);
  const { snapshot } = await call(eyes, 'CaptureSnapshot', { sessionId, options: { mode: 'MODE_FUSED' } }, 30);
  console.log(snapshot.text.trimEnd());

  const button = snapshot.elements.find((element) => element.role === 'button' && element.reachable);
  if (button) {
    await call(hands, 'Click', { sessionId, target: { ref: button.ref } }, 10);
    console.log(`clicked ${button.ref}, the button "${button.name}"`);
  }

  try {
    await call(hands, 'Click', { sessionId, target: { ref: 'e999999' } }, 10);
  } catch (error) {
    const info = errorInfo(error);
    if (!info) throw error;
    console.log(`a click on e999999 is refused: ${grpc.status[error.code]}, ${info.reason}: ${error.details}`);
  }
}

async function main(address, url) {
  const clients = services(address);
  const { session } = await call(clients.sessions, 'CreateSession', {}, 30);
  try {
    await lookAndClick(clients, session.sessionId, url);
  } finally {
    await call(clients.sessions, 'CloseSession', { sessionId: session.sessionId }, 10);
    Object.values(clients).forEach((client) => client.close());
  }
}

const [address, url] = process.argv.slice(2);
if (!url) {
  console.error('usage: node snapshot.mjs ADDRESS URL');
  process.exit(2);
}
main(address, url).catch((error) => {
  console.error(`${errorInfo(error)?.reason ?? grpc.status[error.code] ?? error.name}: ${error.details ?? error.message}`);
  process.exitCode = 1;
});
