import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '../../src/domain/operators/actor.ts';
import { createEventSender } from '../../src/endpoints/sender.ts';
import type { Operation } from '../../src/http/api/define-operation.ts';
import { OPERATIONS } from '../../src/http/api/operations.ts';
import { newSigningKey } from '../services/events/world.ts';
import { deployToken, fundToken, type TestToken } from '../support/anvil.ts';
import { read, shareDocument } from './document.ts';
import { forThisTest, NOW, openService, seedLocalGig, service, shareService } from './service.ts';
import { knowDegen, TERMS } from './terms.ts';

/** Who asks: without a key, or with a key of the client `shop` that has one scope. The operator's key is of the client `desk`. */
const CALLERS = ['no key', ...SCOPES] as const;
type Caller = (typeof CALLERS)[number];

/** What the test of an operation needs beyond what the operation says of itself. */
interface Case {
  /** What is sent for a gig, or for a webhook; when absent the path with its id, and the example of the body. */
  readonly request?: (id: number) => { url: string; body?: unknown };
  /** Whether the request is about one gig or webhook although its path has no id. */
  readonly isOfOne?: true;
  /** Whether the gig must be live, and whether its wallet must be funded. */
  readonly gig?: { live?: boolean; funded?: boolean };
  /** What is answered to whoever may ask, where that is no success. */
  readonly status?: number;
  /** Why the gig refuses it, if it does. */
  readonly refused?: (gigId: number) => string;
  /** Of an operation that is partly public, what is answered without a key. */
  readonly keyless?: { readonly status: number; readonly error?: string };
}

interface Row extends Required<Pick<Case, 'request' | 'status'>>, Omit<Case, 'request' | 'status'> {
  /** `get /api/gigs/{id}`. */
  readonly name: string;
  /** What is needed; null for a public operation. */
  readonly scope: Scope | null;
  readonly isPartlyPublic: boolean;
  /** Whether it is about a webhook of the client, not a gig. */
  readonly isOfWebhook: boolean;
}

/** Nobody listens there. */
const WEBHOOK = 'http://127.0.0.1:1025/';

const CASES: Readonly<Record<string, Case>> = {
  findClaimable: { request: () => ({ url: '/api/claim?identifiers=8004' }) },
  claimRewards: { request: () => ({ url: '/api/claim', body: { url: 'https://example.org/' } }), status: 400 },
  // No platform is on here.
  findAccount: { request: () => ({ url: '/api/accounts?platform=farcaster&username=alice' }), status: 503 },
  startGig: {
    request: (gig_id) => ({ url: '/api/gigs/start', body: { gig_id } }),
    isOfOne: true,
    gig: { funded: true },
  },
  createGig: { request: () => ({ url: '/api/gigs/create', body: TERMS }) },
  // It is off here.
  createPaidGig: { status: 503 },
  listGigs: { request: () => ({ url: '/api/gigs?status=all' }) },
  // Of gigs that are no raffles.
  findDraw: { status: 400 },
  listEntrants: { status: 400 },
  // The sums are public, the accounts are not.
  reportGig: { keyless: { status: 200 } },
  findEarnings: {
    keyless: { status: 401, error: 'Name accounts in identifiers, or send an API key, which lists all accounts' },
  },
  stopGig: { gig: { live: true } },
  // Of a gig that runs: only one that is over can be settled.
  settleGig: { gig: { live: true }, status: 400, refused: (id) => `Gig with id ${id} has not ended: stop it first` },
  awardTips: { gig: { live: true } },
  // A gig without a verifier has nothing to decide about.
  decideSubmissions: {
    gig: { live: true },
    status: 400,
    refused: (id) => `Gig ${id} has no submissions to decide on: its rule is not verifier.`,
  },
  listEvents: { request: (id) => ({ url: `/api/events?gig_id=${id}` }), isOfOne: true },
  createWebhook: { request: () => ({ url: '/api/webhooks', body: { url: WEBHOOK } }) },
  checkCompleted: {
    request: (gigId) => ({ url: '/api/tasks/check-completed', body: { gigId, platformUserId: '8004' } }),
  },
};

function rowOfOperation({ id, method, path, scope, keyIfNeeded, params, body, answer }: Operation): Row {
  const request = (of: number) => ({
    url: path.replace(':id{[0-9]+}', String(of)),
    ...(body && { body: JSON.parse(body.sample) }),
  });
  return {
    name: `${method} ${path.replace(':id{[0-9]+}', '{id}')}`,
    scope,
    isPartlyPublic: keyIfNeeded !== undefined,
    isOfWebhook: path.startsWith('/api/webhooks/'),
    request,
    status: answer.status,
    ...(params && { isOfOne: true }),
    ...CASES[id],
  };
}

/** Of the operations for monitoring, which are public and no part of the API. */
const MONITORING = ['/health', '/ready', '/metrics', '/.well-known/gigclaim.json'].map(
  (url): Row => ({
    name: `get ${url}`,
    scope: null,
    isPartlyPublic: false,
    isOfWebhook: false,
    request: () => ({ url }),
    status: 200,
  }),
);

const ROWS = [...OPERATIONS.map(rowOfOperation), ...MONITORING];

/** What is answered to each of {@link CALLERS} about a gig of the client `shop`, or of the client `rival`. */
function statusFor(row: Row, caller: Caller, whose: 'own' | 'other'): number {
  if (row.scope === null) return row.status;
  if (caller === 'no key') return row.keyless?.status ?? 401;
  if (caller === 'operator') return row.status;
  if (caller !== row.scope) return 403;
  return whose === 'other' && row.isOfOne ? 404 : row.status;
}

let token: TestToken;
const keys = new Map<Caller, string>();

const signing = { signingKey: newSigningKey(), allowPrivate: true, clock: () => NOW };
shareService({ sender: createEventSender(signing) });
shareDocument();
beforeAll(async () => {
  await knowDegen(service);
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  for (const scope of SCOPES) {
    const client = scope === 'operator' ? 'desk' : 'shop';
    keys.set(scope, (await service.newKey({ name: `${client} ${scope}`, client, scopes: [scope] })).key);
  }
});

function rowOf(name: string): Row {
  const row = ROWS.find((each) => each.name === name);
  if (row === undefined) throw new Error(`there is no operation ${name}`);
  return row;
}

/** A new gig of this client. */
async function seed(client: string, { live = false, funded = false }: NonNullable<Row['gig']>): Promise<number> {
  const gig = await seedLocalGig(service.store, token, live ? { live, startTime: NOW } : {});
  await service.store.transaction((tx) => tx.assignGig(gig.id, client));
  if (funded) await fundToken(token, gig.walletAddress, 105n * 10n ** 18n);
  return gig.id;
}

/** A new webhook of this client. */
async function seedWebhook(client: string): Promise<number> {
  const endpoint = { client, url: WEBHOOK, types: [], salt: 'ab'.repeat(16), apiKeyId: null, createdAt: NOW };
  return await service.store.transaction((tx) => tx.insertWebhookEndpoint(endpoint));
}

async function ask(row: Row, { caller, gigId }: { caller: Caller; gigId: number }) {
  const { url, body } = row.request(gigId);
  const key = keys.get(caller);
  const method = row.name.split(' ')[0]?.toUpperCase() ?? '';
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) };
  const response = await service.app.request(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const [cached, varies] = ['cache-control', 'vary'].map((name) => response.headers.get(name));
  return { status: response.status, text: await response.text(), cached, varies };
}

test('security: every operation of the document has a row, every scope is a caller, and the document says the same scope', () => {
  const operations = Object.entries(read.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${method} ${path}`,
      Reflect.get(operation, 'x-required-scope') ?? null,
    ]),
  );
  const rows = ROWS.map(({ name, scope }) => [name, scope]);
  expect(Object.fromEntries(operations)).toEqual(Object.fromEntries(rows));
  expect(CALLERS).toEqual(['no key', ...SCOPES]);
  for (const [path, methods] of Object.entries(read.document.paths)) {
    for (const [method, { security = [] }] of Object.entries(methods)) {
      const { scope, isPartlyPublic } = rowOf(`${method} ${path}`);
      const keyed = isPartlyPublic ? [{}, { apiKey: [] }] : [{ apiKey: [] }];
      expect(security).toEqual(scope === null ? [] : keyed);
    }
  }
});

describe.each(ROWS)('$name', (row) => {
  test.each(['own', 'other'] as const)(
    'security: answers each scope by what the operation needs, for a gig of its %s client',
    async (whose) => {
      const client = whose === 'own' ? 'shop' : 'rival';
      for (const caller of CALLERS) {
        const gigId = await seed(client, row.gig ?? {});
        const before = await service.store.gig(gigId);
        const id = row.isOfWebhook ? await seedWebhook(client) : gigId;
        const { status, text, cached, varies } = await ask(row, { caller, gigId: id });
        // A client may have ten.
        if (row.isOfWebhook) await service.store.transaction((tx) => tx.deleteWebhookEndpoint(id, NOW));
        // A cache may keep what is public alone; 401 says that a key is needed.
        const needsKey = row.scope !== null && (!row.isPartlyPublic || caller !== 'no key' || status === 401);
        expect([caller, cached, varies]).toEqual([
          caller,
          needsKey ? 'no-store' : null,
          row.isPartlyPublic ? 'x-api-key' : null,
        ]);
        const expected = statusFor(row, caller, whose);
        expect([caller, status, status === expected ? '' : text]).toEqual([caller, expected, '']);
        if (row.scope === null || status < 400) continue;
        const refusal = {
          400: row.refused?.(gigId),
          401: row.keyless?.error ?? 'Invalid API key',
          403: `This API key lacks the scope ${row.scope}`,
          404: `${row.isOfWebhook ? 'Webhook' : 'Gig'} with id ${id} not found`,
          503: 'Farcaster is turned off: the operator has not configured it',
        }[status];
        expect(JSON.parse(text)).toMatchObject({ error: refusal });
        expect(await service.store.gig(gigId)).toEqual(before);
        expect(await service.store.gigOwners(gigId)).toEqual([]);
      }
    },
  );
});

test('security: what becomes of named accounts is public, for a gig of any client, with any key', async () => {
  const request = (id: number) => ({ url: `/api/gigs/${id}/earnings?identifiers=8004` });
  const row: Row = { ...rowOf('get /api/gigs/{id}/earnings'), request };
  for (const caller of CALLERS) {
    const answer = await ask(row, { caller, gigId: await seed('rival', {}) });
    expect(answer).toMatchObject({ status: 200, cached: null, varies: 'x-api-key' });
  }
});

test('security: no cache keeps what is refused for too many requests, or for a malformed request with a key', async () => {
  const limited = await forThisTest(openService({ config: { rateLimitPerMinute: 1 } }));
  for (const status of [401, 429]) {
    const answer = await limited.app.request('/api/gigs/1/owners');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
  }
  const key = { 'x-api-key': keys.get('operator') ?? '' };
  for (const url of [
    '/api/gigs/0/owners',
    '/api/gigs/1/payouts?limit=0',
    '/api/gigs/1/earnings?cursor=x',
    '/api/gigs/1/report?limit=x',
  ]) {
    const answer = await service.app.request(url, { headers: key });
    expect([url, answer.status, answer.headers.get('cache-control')]).toEqual([url, 400, 'no-store']);
  }
});

test('security: a key of the operator and one of a client answer a gig that nobody made known with the same 404', async () => {
  for (const caller of ['gigs:write', 'operator'] as const) {
    const answer = await ask(rowOf('post /api/gigs/start'), { caller, gigId: 987_654 });
    expect(answer).toMatchObject({ status: 404 });
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'Gig with id 987654 not found', code: 'gig_not_found' });
  }
});

test('security: the start says what is wrong in its published order: key, scope, body, gig', async () => {
  const send = async (caller: Caller, body: string) => {
    const key = keys.get(caller);
    const headers = key === undefined ? {} : { 'x-api-key': key };
    return (await service.app.request('/api/gigs/start', { method: 'POST', headers, body })).status;
  };
  const rival = JSON.stringify({ gig_id: await seed('rival', {}) });
  expect(await send('no key', 'not json')).toBe(401);
  expect(await send('tips:write', 'not json')).toBe(403);
  expect(await send('gigs:write', 'not json')).toBe(400);
  expect(await send('gigs:write', rival)).toBe(404);
});

test('security: a gig without a client is reached by a key with the scope operator only', async () => {
  const gig = await seedLocalGig(service.store, token);
  const row = rowOf('get /api/gigs/{id}/owners');
  expect((await ask(row, { caller: 'gigs:read', gigId: gig.id })).status).toBe(404);
  expect((await ask(row, { caller: 'operator', gigId: gig.id })).status).toBe(200);
});
