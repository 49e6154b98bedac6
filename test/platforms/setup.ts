import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AdapterError } from '../../src/domain/errors.ts';
import { createFarcaster } from '../../src/platforms/farcaster/adapter.ts';
import { createXPlatform } from '../../src/platforms/x/adapter.ts';

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

/** What a call failed with. @throws Error when it did not fail, or with something else */
export async function failureOf(work: Promise<unknown>): Promise<AdapterError> {
  const error = await work.then(
    (value) => new Error(`it answered ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AdapterError) return error;
  throw error;
}

export interface Wire {
  readonly url: string;
  /** How many requests came. */
  readonly requests: { method: string; path: string; body: string; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

/** A server that answers as no sound one would. */
export async function openWire(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<Wire> {
  const requests: Wire['requests'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push({ method: request.method ?? '', path: request.url ?? '', body, headers: request.headers });
      answer(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An answer with this status, body and headers. */
export function answering(status: number, body: string, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
}
