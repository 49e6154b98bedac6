import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createAlertReceivers } from '../../src/alerts/receivers.ts';
import { createEndpoint } from '../../src/chain/rpc/endpoint.ts';
import { type Chain, chainById } from '../../src/domain/chains/chain.ts';
import type { WebhookEndpoint } from '../../src/domain/events/endpoint.ts';
import { createEventSender } from '../../src/endpoints/sender.ts';
import { createNeynarClient } from '../../src/platforms/farcaster/client.ts';
import { createXClient } from '../../src/platforms/x/client.ts';
import { createFarcasterSignIn } from '../../src/sign-in/farcaster.ts';
import { siteOf } from '../../src/sign-in/site.ts';
import { createVerifiers } from '../../src/verifiers/registry.ts';
import { FARCASTER, TWITTER } from '../platforms/setup.ts';
import { type Listening, listen } from '../support/listen.ts';
import { newSigningKey } from '../support/verifier.ts';

const TIMEOUT_MS = 1_000;
/** What a sender may have handed to the machine's buffers besides what was read. */
const MOST_SENT = 48 * 1024 * 1024;
const BASE = chainById(8453) as Chain;
const SITE = 'https://gigclaim.example';
const NONCE = 'a1b2c3d4e5f6a7b8';

interface Hostile {
  /** Whether its status is a success. */
  readonly isGood: boolean;
  answer(response: ServerResponse): void;
}

const JSON_TYPE = { 'content-type': 'application/json' };
/** Answers of hostile or broken programs. */
const HOSTILE: Readonly<Record<string, Hostile>> = {
  'a flood': { isGood: true, answer: (response) => pour(response.writeHead(200, JSON_TYPE)) },
  'a failure and a flood': { isGood: false, answer: (response) => pour(response.writeHead(503, JSON_TYPE)) },
  'a trickle': {
    isGood: true,
    answer(response) {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
  },
  silence: { isGood: false, answer: () => undefined },
};
const KINDS = Object.keys(HOSTILE);

function pour(response: ServerResponse): void {
  const part = Buffer.alloc(2 ** 18, 0x20);
  const more = () => response.writable && response.write(part, more);
  more();
}

/** The connections so far, by what is asked through them: each test has a path of its own. */
const sockets = new Map<string, Set<Socket>>();
const server = createServer((request, response) => {
  const [, way = '', kind = ''] = (request.url ?? '').split('/');
  const hostile = HOSTILE[KINDS[Number(kind)] ?? ''];
  const key = `${way}/${kind}`;
  sockets.set(key, (sockets.get(key) ?? new Set()).add(request.socket));
  request.resume();
  response.on('error', () => undefined);
  hostile?.answer(response);
});
let served: Listening;
beforeAll(async () => {
  served = await listen(server);
});
afterAll(() => served.close());

const account = privateKeyToAccount(generatePrivateKey());
const signingKey = newSigningKey();
const clock = Date.now;
const timeoutMs = TIMEOUT_MS;

function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new TypeError('it is not there');
  return value;
}

function signIn(url: string) {
  return createFarcasterSignIn({ site: siteOf(SITE), relayUrl: url, rpcUrls: [url], timeoutMs });
}

async function confirm(url: string): Promise<unknown> {
  const { domain, uri } = siteOf(SITE);
  const asked = { domain, uri, nonce: NONCE, version: '1', statement: 'Farcaster Auth' } as const;
  const who = { address: account.address, chainId: 10, resources: ['farcaster://fid/1'] };
  const message = createSiweMessage({ ...asked, ...who });
  const signature = await account.signMessage({ message });
  return await signIn(url).verify({ message, signature }, NONCE);
}

const limits = { clock, timeoutMs };
const post = { id: 'msg_1', text: 'late', kind: 'late', subject: 'x', state: 'begun', at: '', service: SITE } as const;
const webhook: WebhookEndpoint = {
  id: 1,
  client: null,
  url: '',
  types: [],
  createdAt: 0,
  apiKeyId: null,
  fromSeq: 0,
  pausedAt: null,
  pausedBecause: null,
  salt: '00'.repeat(16),
  oldSalt: null,
  rotatedAt: null,
};
const question = { batchId: 'b', gigId: 1, remaining: 1n, decimals: 6, candidates: [] };

/** Everything that leaves the machine, by who is asked. */
const WAYS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  neynar: (baseUrl) =>
    createNeynarClient({ ...FARCASTER, baseUrl, ...limits }).call({ what: 'look up', answer: z.unknown() }, (sdk) =>
      sdk.fetchBulkUsers({ fids: [1] }),
    ),
  x: async (baseUrl) =>
    (await createXClient({ ...TWITTER, baseUrl, ...limits })).call({ what: 'look up', answer: z.unknown() }, (sdk) =>
      sdk.v2.get('users/me'),
    ),
  x_reply: async (baseUrl) =>
    (await createXClient({ ...TWITTER, baseUrl, ...limits })).call(
      { what: 'reply', sends: true, notAfter: Date.now() + 60_000, answer: z.unknown() },
      (sdk) => sdk.v2.post('tweets', { text: 'hello' }),
    ),
  relay_open: (url) => signIn(url).open(NONCE, Date.now() + 60_000),
  relay_status: (url) => signIn(url).status('channel'),
  relay_check: (url) => signIn(url).askRelay(),
  registries: confirm,
  registries_check: (url) => signIn(url).askRegistries(),
  chain: (rpcUrl) =>
    createEndpoint({ chain: BASE, rpcUrl, ...limits, retries: 0, deadlineMs: timeoutMs }).run((rpc) =>
      rpc.quantity({ method: 'eth_blockNumber' }),
    ),
  verifier: (url) => createVerifiers({ origins: [new URL(url).origin], signingKey }, limits).ask(url, question),
  events: (url) =>
    must(createEventSender({ signingKey, allowPrivate: true, ...limits })).test({ ...webhook, url }, 'msg_1'),
  alerts: (url) => must(createAlertReceivers([url], { timeoutMs })[0]).send(post),
};

/** Of a receiver the status is enough; whether it sends more is its own affair. */
const BY_STATUS = new Set(['events', 'alerts']);

/** Asks one that answers so, and waits until nothing is read any more. */
async function expectHangUp(way: string, kind: string): Promise<void> {
  const key = `${way}/${KINDS.indexOf(kind)}`;
  const failure = await must(WAYS[way])(`${served.url}/${key}`).then(
    () => null,
    (error: unknown) => error,
  );
  const isEnough = BY_STATUS.has(way) && HOSTILE[kind]?.isGood === true;
  if (failure !== null || !isEnough) expect(failure, key).toMatchObject({ name: 'AdapterError' });
  const mine = () => [...(sockets.get(key) ?? [])];
  expect(mine().length, key).toBeGreaterThan(0);
  await expect.poll(() => mine().every(({ destroyed }) => destroyed), { message: key, timeout: 5_000 }).toBe(true);
  expect(Math.max(...mine().map(({ bytesWritten }) => bytesWritten)), key).toBeLessThan(MOST_SENT);
}

test.each(Object.keys(WAYS))('security: %s that sends too much is hung up on', async (way) => {
  await expectHangUp(way, 'a flood');
  await expectHangUp(way, 'a failure and a flood');
});

test.each(['a trickle', 'silence'])(
  'security: whoever answers with %s is hung up on when the time is over',
  async (kind) => {
    await Promise.all(Object.keys(WAYS).map((way) => expectHangUp(way, kind)));
  },
);
