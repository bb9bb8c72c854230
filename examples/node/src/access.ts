// How a client reaches a service: plain, TLS, tokens, client certificates.
// Rule: a token is sent over TLS, or to this machine; never unencrypted to another one.
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { PerceptionError } from './errors.js';

export interface Access {
  /** The token itself, sent with each call. */
  token?: string;
  /** A file with the token, in place of `token`: alone, or after its name as in a service's token file. */
  tokenFile?: string;
  /** Whether to encrypt. By default for other machines, and where certificates are given. */
  tls?: boolean;
  /** PEM file of the authority that the service's certificate is checked against; the system's by default. */
  rootCertificates?: string;
  /** PEM file of the client's certificate, where the service asks for one. */
  clientCertificate?: string;
  /** PEM file of its private key. */
  clientKey?: string;
}

/** What a channel is opened with. Throws PerceptionError where the options contradict each other, or a file cannot be read. */
export function prepare(address: string, access: Access): { token: string; credentials: ChannelCredentials } {
  const { rootCertificates, clientCertificate, clientKey } = access;
  if (access.token && access.tokenFile)
    throw PerceptionError.badInput('token and tokenFile were given: give one of them');
  if (Boolean(clientCertificate) !== Boolean(clientKey)) {
    throw PerceptionError.badInput('clientCertificate and clientKey go together: give both');
  }
  const given = Boolean(rootCertificates || clientCertificate);
  const encrypted = access.tls ?? (given || !isLocal(address));
  if (given && !encrypted)
    throw PerceptionError.badInput('certificates are for TLS, which was turned off: leave one of the two out');
  const token = access.tokenFile ? readToken(access.tokenFile) : (access.token ?? '');
  if (token && !encrypted && !isLocal(address)) {
    throw PerceptionError.badInput(`a token is not sent to ${address} in the clear: use TLS`);
  }
  if (!encrypted) return { token, credentials: credentials.createInsecure() };
  const pem = (path: string | undefined) => (path ? readFile(path) : null);
  return { token, credentials: credentials.createSsl(pem(rootCertificates), pem(clientKey), pem(clientCertificate)) };
}

/** Whether an address can be reached from this machine alone: a Unix socket, or loopback. */
export function isLocal(address: string): boolean {
  if (address.startsWith('unix:')) return true;
  const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw PerceptionError.badInput(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function readToken(path: string): string {
  const lines = readFile(path)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split('\n');
  const words = lines.map((line) => line.trim().split(/\s+/)).filter(([first]) => first && !first.startsWith('#'));
  if (words.length !== 1)
    throw PerceptionError.badInput(`${path} holds ${words.length} tokens: a client's file holds one`);
  return words[0]!.at(-1)!;
}
