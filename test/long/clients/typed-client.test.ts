import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createGigclaim, GigclaimError, verifyWebhook } from '../../../client/gigclaim.ts';
import { type ServedService, serveService } from '../../http/serve.ts';
import { deployToken, fundToken, type TestToken } from '../../support/anvil.ts';
import { listen } from '../../support/listen.ts';
import { temporaryFolder } from '../../support/store.ts';
import { beside, checkTypes, FOR_BROWSERS, load, PACKAGES, runNode } from './programs.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const EVENT = { id: 'evt_1', type: 'tips.awarded', timestamp: '2026-11-26T11:26:36.774Z', seq: 1, data: { gig_id: 1 } };

/** What a client's program says; `fund` is its wallet. */
const PROGRAM = `import { createGigclaim, GigclaimError, verifyWebhook } from './client.ts';
type Wallet = (to: string, data: string) => Promise<void>;
export async function createAndTip(options: { url: string; key: string }, token: string, send: Wallet) {
  const api = createGigclaim(options);
  const { data: gig } = await api.POST('/api/gigs/create', {
    body: {
      chain: 'anvil',
      token_address: token,
      amount: '100',
      start_time: '2026-11-21T09:30:00Z',
      duration: '1week',
      gig_type: 'mention',
      earning_criteria: 'The best posts, picked by hand.',
    },
  });
  await send(gig.gig_token_address, gig.tx_data);
  await api.POST('/api/gigs/start', { body: { gig_id: gig.gig_id } });
  const { data: awarded } = await api.POST('/api/gigs/{id}/tips', {
    params: { path: { id: String(gig.gig_id) } },
    body: { tips: [{ platform: 'farcaster', platform_user_id: '8004', value: '12.5' }] },
  });
  const { data: list } = await api.GET('/api/gigs/{id}/tips', { params: { path: { id: String(gig.gig_id) } } });
  const refused = await api.GET('/api/gigs/{id}', { params: { path: { id: '987654' } } }).catch((error) => error);
  const code: string = refused instanceof GigclaimError ? refused.code : 'none';
  return { gigId: gig.gig_id, left: awarded.remaining, amounts: list.data.map((tip) => tip.amount), code };
}
export async function typeOf(body: string, headers: Record<string, string>, secret: string): Promise<string> {
  return (await verifyWebhook(body, headers, secret)).type;
}
`;

interface Program {
  createAndTip(
    options: { url: string; key: string },
    token: string,
    send: (to: string, data: string) => Promise<void>,
  ): Promise<{ gigId: number; left: string; amounts: string[]; code: string }>;
  typeOf(body: string, headers: Record<string, string>, secret: string): Promise<string>;
}

function signed(body: string, { at = new Date(), secret = SECRET }: { at?: Date; secret?: string } = {}) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  };
}

let service: ServedService;
let token: TestToken;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  service = await serveService();
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  folder = temporaryFolder();
});
afterAll(async () => {
  await service.close();
  folder.remove();
});

test('behavior: the client is the one that is made of the document now', async () => {
  const outfile = join(folder.path, 'made.ts');
  const made = await runNode([beside('../../../scripts/client-types.ts'), '--outfile', outfile], folder.path);
  expect(made).toMatchObject({ code: 0 });
  const committed = await readFile(new URL('../../../client/gigclaim.ts', import.meta.url), 'utf8');
  expect(await readFile(outfile, 'utf8')).toBe(committed);
  expect(await (await service.app.request('/api/client.ts')).text()).toBe(committed);
});

test('behavior: a program of thirty lines type-checks, creates a gig, awards a tip and verifies an event', async () => {
  await writeFile(join(folder.path, 'client.ts'), await (await fetch(`${service.origin}/api/client.ts`)).text());
  await writeFile(join(folder.path, 'program.ts'), PROGRAM);
  await symlink(PACKAGES, join(folder.path, 'node_modules'));
  await checkTypes(folder.path, 'program.ts', [...FOR_BROWSERS, '--allowImportingTsExtensions', '--skipLibCheck']);
  const program = await load<Program>(folder.path, 'program.ts');

  const wallet = async () => {
    const [{ walletAddress } = { walletAddress: null }] = await service.store.gigs({ limit: 1, phase: 'all', now: 0 });
    if (walletAddress === null) throw new Error('there is no gig');
    await fundToken(token, walletAddress, 105n * 10n ** 18n);
  };
  const done = await program.createAndTip({ url: service.origin, key: service.key }, token.address, wallet);
  expect(done).toEqual({ gigId: expect.any(Number), left: '87.5', amounts: ['12.5'], code: 'gig_not_found' });

  const body = JSON.stringify(EVENT);
  expect(await program.typeOf(body, signed(body), SECRET)).toBe('tips.awarded');
});

/** Says one answer after the other, then 200, and remembers the idempotency key of each request. */
async function answerInTurn(answers: readonly (number | 'cut')[]) {
  const keys: (string | undefined)[] = [];
  const left = [...answers];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']?.toString());
    const next = left.shift() ?? 200;
    if (next === 'cut') request.socket.destroy();
    else {
      response.writeHead(next, { 'content-type': 'application/json', 'retry-after': '0', 'x-request-id': 'one' });
      response.end(JSON.stringify(next === 200 ? { data: { message: 'ok', gig_id: 1 } } : { code: 'unavailable' }));
    }
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { api: createGigclaim({ url, key: 'gck_x' }), keys };
}

describe('a request that gets no success', () => {
  test.each([
    ['cut', 429, 502],
    [503, 504, 'cut'],
  ] as const)('behavior: after %s, %s and %s it is sent again, under one idempotency key', async (...answers) => {
    const { api, keys } = await answerInTurn(answers);
    const { data } = await api.POST('/api/gigs/start', { body: { gig_id: 1 } });
    expect(data.data.gig_id).toBe(1);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
  });

  test('behavior: the program’s own idempotency key is kept', async () => {
    const { api, keys } = await answerInTurn([503]);
    const header = { 'Idempotency-Key': 'order-1' };
    await api.POST('/api/gigs/start', { params: { header }, body: { gig_id: 1 } });
    expect(keys).toEqual(['order-1', 'order-1']);
  });

  test('error: what another try would not change is an error at once, and 503 after six tries', async () => {
    const { api, keys } = await answerInTurn([500, 503, 503, 503, 503, 503, 503]);
    const failed = await api.GET('/api/gigs').catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(GigclaimError);
    expect(failed).toMatchObject({ status: 500, code: 'unavailable', requestId: 'one', body: { code: 'unavailable' } });
    expect(keys).toHaveLength(1);
    await expect(api.GET('/api/gigs')).rejects.toMatchObject({ status: 503 });
    expect(keys).toHaveLength(7);
  });

  test('security: the key does not follow a redirect', async () => {
    const { api, keys } = await answerInTurn([302]);
    await expect(api.GET('/api/gigs')).rejects.toMatchObject({ status: 302 });
    expect(keys).toHaveLength(1);
  });
});

describe('the signature of a webhook', () => {
  const body = JSON.stringify(EVENT);

  test('behavior: one of several that fits is enough, in any spelling of the headers', async () => {
    const other = signed(body, { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` })['webhook-signature'];
    const headers = signed(body);
    const both = { ...headers, 'webhook-signature': `v1,%%% v1a,AAAA ${other} ${headers['webhook-signature']}` };
    expect(await verifyWebhook(body, both, SECRET)).toEqual(EVENT);
    expect(await verifyWebhook(body, new Headers(both), SECRET)).toEqual(EVENT);
  });

  test.each([
    ['in capitals', (entries: [string, string][]) => Object.fromEntries(entries)],
    ['in lists', (entries: [string, string][]) => Object.fromEntries(entries.map(([name, value]) => [name, [value]]))],
    ['in a map', (entries: [string, string][]) => new Map(entries)],
    [
      'of another kind of Headers',
      (entries: [string, string][]) => ({ get: (name: string) => new Headers(entries).get(name) }),
    ],
  ])('behavior: headers are read %s', async (_, made) => {
    const entries = Object.entries(signed(body)).map(([name, value]): [string, string] => [
      name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()),
      value,
    ]);
    expect(await verifyWebhook(body, made(entries), SECRET)).toEqual(EVENT);
  });

  test.each([
    ['another body', `${body} `, signed(body)],
    ['another secret', body, signed(body, { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` })],
    ['another id', body, { ...signed(body), 'webhook-id': 'evt_2' }],
    ['no signature', body, { ...signed(body), 'webhook-signature': undefined }],
    ['a signature of another version', body, { ...signed(body), 'webhook-signature': 'v1a,AAAA' }],
  ])('security: is refused with %s', async (_, sent, headers) => {
    await expect(verifyWebhook(sent, headers, SECRET)).rejects.toThrow('The webhook is not signed with this secret');
  });

  test.each([
    ['six minutes ago', signed(body, { at: new Date(Date.now() - 360_000) })],
    ['in six minutes', signed(body, { at: new Date(Date.now() + 360_000) })],
  ])('security: is refused when it was made %s', async (_, headers) => {
    await expect(verifyWebhook(body, headers, SECRET)).rejects.toThrow('The webhook is older, or newer');
  });

  const NO_ID = 'The request has no header webhook-id';
  const NO_SECRET = 'The secret is not a webhook’s: that is whsec_ and base64';
  const NO_TEXT = 'The body is not text: pass it as it was received';
  const inWords = { ...signed(body), 'webhook-timestamp': 'now' };

  test.each([
    ['no headers', body, {}, SECRET, NO_ID],
    ['no id', body, { ...signed(body), 'webhook-id': undefined }, SECRET, NO_ID],
    ['a time in words', body, inWords, SECRET, 'webhook-timestamp is not a time in seconds'],
    ['no secret', body, signed(body), '', NO_SECRET],
    ['an API key for a secret', body, signed(body), 'gck_x-y', NO_SECRET],
    ['a parsed body', EVENT as unknown as string, signed(body), SECRET, NO_TEXT],
  ])('error: says what is wrong with %s', async (_, sent, headers, secret, reason) => {
    await expect(verifyWebhook(sent, headers, secret)).rejects.toThrow(reason);
  });
});
