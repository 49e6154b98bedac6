import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createFarcasterNetwork } from '../../sandbox/networks/farcaster.ts';
import type { SocialNetwork } from '../../sandbox/networks/network.ts';
import { createTwitterNetwork } from '../../sandbox/networks/twitter.ts';
import { AdapterError } from '../../src/domain/errors.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { createFarcaster } from '../../src/platforms/farcaster/adapter.ts';
import { createXPlatform } from '../../src/platforms/x/adapter.ts';
import { openReceiver as openLastingReceiver } from '../sandbox/networks/receiver.ts';

export const FARCASTER = {
  apiKey: 'fake-neynar-api-key',
  signerUuid: '00000000-0000-4000-8000-000000000001',
  webhookSecrets: ['fake-webhook-secret', 'fake-older-secret'],
  botFid: 9001,
  botUsername: 'gigclaim',
};

export const TWITTER = {
  appKey: 'fake-app-key',
  appSecret: 'fake-app-secret',
  accessToken: 'fake-access-token',
  accessSecret: 'fake-access-secret',
  botUserId: '1111111111111111111',
  botUsername: 'ExampleUser',
};

/** 2026-11-21T12:00:00Z */
export const NOW = 1_795_262_400_000;

export function openFarcaster(baseUrl: string, timeoutMs = 5_000) {
  return createFarcaster({ ...FARCASTER, baseUrl, clock: () => NOW, timeoutMs });
}

export function openTwitter(baseUrl: string, timeoutMs = 5_000) {
  return createXPlatform({ ...TWITTER, baseUrl, clock: () => NOW, timeoutMs });
}

/** Starts a network, and stops it when the test ends. */
async function started<Network extends SocialNetwork>(network: Network): Promise<Network> {
  await network.start();
  onTestFinished(() => network.stop());
  return network;
}

/** A Farcaster behind a Neynar, with the bot alone, until the test ends. */
export function startFarcaster(options: Partial<Parameters<typeof createFarcasterNetwork>[0]> = {}) {
  return started(createFarcasterNetwork({ ...FARCASTER, clock: () => NOW, ...options }));
}

/** An X with the bot alone, until the test ends. */
export function startTwitter(options: Partial<Parameters<typeof createTwitterNetwork>[0]> = {}) {
  return started(createTwitterNetwork({ ...TWITTER, clock: () => NOW, ...options }));
}

/** A webhook that keeps what it gets, until the test ends. */
export async function openReceiver(challenge?: (token: string) => string | null) {
  const receiver = await openLastingReceiver(challenge);
  onTestFinished(() => receiver.close());
  return receiver;
}

/** A reply of the bot to this post of account 1001, unless said otherwise. */
export function replyTo(id: string, changed: Partial<Parameters<SocialPlatform['reply']>[0]> = {}) {
  const reply = { replyTo: id, authorId: '1001', text: 'You have 150 DEGEN', idem: '0123456789abcdef' };
  return { ...reply, notAfter: Number.MAX_SAFE_INTEGER, ...changed };
}

/** What a call failed with. @throws Error when it did not fail, or with something else */
export async function failureOf(work: Promise<unknown>): Promise<AdapterError> {
  const error = await work.then(
    (value) => new Error(`it answered ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AdapterError) return error;
  throw error;
}

/** What a server does with a request. */
export type Reaction = (response: ServerResponse, request: IncomingMessage) => void;

export interface Wire {
  readonly url: string;
  /** The requests that came. */
  readonly requests: { method: string; path: string; body: string; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

/** A server that answers as no sound one would, until the test ends. */
export async function openWire(react: Reaction): Promise<Wire> {
  const requests: Wire['requests'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push({ method: request.method ?? '', path: request.url ?? '', body, headers: request.headers });
      react(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  // A TCP server's address is an object, never a pipe's name.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close };
}

/** An answer with this status, body and headers. */
export function answering(status: number, body: string, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
}

/** An answer with this body as JSON. */
export function json(body: unknown, status = 200) {
  return answering(status, JSON.stringify(body));
}

/** Answers each request by its path and query, in JSON. */
export function byPath(bodyOf: (path: string) => unknown): Reaction {
  return (response, { url = '' }) => json(bodyOf(url))(response);
}
