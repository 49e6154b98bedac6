import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMAND_LINE, SCOPES, type Scope } from '../../src/domain/operators/actor.ts';
import { createEventSender } from '../../src/endpoints/sender.ts';
import { createApiKey } from '../../src/services/operators/api-keys.ts';
import { newSigningKey } from '../services/events/world.ts';
import { deployToken, fundToken, type TestToken } from '../support/anvil.ts';
import { type ReadDocument, readDocument } from './document.ts';
import { NOW, openService, type Service, seedLocalGig } from './service.ts';
import { knowDegen, TERMS } from './terms.ts';

/** Who asks: without a key, or with a key of the client `shop` that has one scope. The operator's key is of the client `desk`. */
const CALLERS = ['no key', ...SCOPES] as const;
type Caller = (typeof CALLERS)[number];

/** What is answered to each of {@link CALLERS}, in their order. */
type Statuses = readonly [number, number, number, number, number, number, number, number];

interface Row {
  /** What the document says is needed; null for a public operation. */
  readonly scope: Scope | null;
  /** Whether a part of it is public. */
  readonly isPartlyPublic?: boolean;
  /** What is said to one who sends no key; `Invalid API key` when absent. */
  readonly keyless?: string;
  /** What is sent for a gig, or for a webhook. */
  readonly request: (id: number) => { url: string; body?: unknown };
  /** Whether it is about a webhook of the client, not a gig. */
  readonly isOfWebhook?: boolean;
  /** Whether the gig must be live, and whether its wallet must be funded. */
  readonly gig?: { live?: boolean; funded?: boolean };
  /** Why the gig refuses it, if it does. */
  readonly refused?: (gigId: number) => string;
  /** For a gig of the client `shop`, and for one of the client `rival`. */
  readonly own: Statuses;
  readonly other: Statuses;
}

const ALL_200: Statuses = [200, 200, 200, 200, 200, 200, 200, 200];
/** Of gigs that are no raffles. */
const ALL_400: Statuses = [400, 400, 400, 400, 400, 400, 400, 400];
const open = (url: (gigId: number) => string): Row => ({
  scope: null,
  request: (gigId) => ({ url: url(gigId) }),
  own: ALL_200,
  other: ALL_200,
});

/** Nobody listens there. */
const WEBHOOK = 'http://127.0.0.1:1025/';

/** What `webhooks:write` allows with a webhook of the client. */
function ofWebhook(request: Row['request'], done = 200): Row {
  return {
    scope: 'webhooks:write',
    isOfWebhook: true,
    request,
    own: [401, 403, 403, 403, 403, 403, done, done],
    other: [401, 403, 403, 403, 403, 403, 404, done],
  };
}

const OWNER = { platform: 'farcaster', platform_user_id: 8004 };
const TIPS = { tips: [{ platform: 'farcaster', platform_user_id: 8004, value: 1 }] };

/** Every operation of the document, by hand. */
const TABLE: Readonly<Record<string, Row>> = {
  'get /api/claim': open(() => '/api/claim?identifiers=8004'),
  'post /api/claim': {
    scope: null,
    request: () => ({ url: '/api/claim', body: { url: 'https://example.org/' } }),
    own: ALL_400,
    other: ALL_400,
  },
  'post /api/gigs/start': {
    scope: 'gigs:write',
    request: (gig_id) => ({ url: '/api/gigs/start', body: { gig_id } }),
    gig: { funded: true },
    own: [401, 403, 200, 403, 403, 403, 403, 200],
    other: [401, 403, 404, 403, 403, 403, 403, 200],
  },
  'post /api/gigs/create': {
    scope: 'gigs:write',
    request: () => ({ url: '/api/gigs/create', body: TERMS }),
    own: [401, 403, 201, 403, 403, 403, 403, 201],
    other: [401, 403, 201, 403, 403, 403, 403, 201],
  },
  'get /api/gigs/types': open(() => '/api/gigs/types'),
  'get /api/gigs': open(() => '/api/gigs?status=all'),
  'get /api/gigs/{id}': open((id) => `/api/gigs/${id}`),
  'get /api/gigs/{id}/owners': {
    scope: 'gigs:read',
    request: (id) => ({ url: `/api/gigs/${id}/owners` }),
    own: [401, 200, 403, 403, 403, 403, 403, 200],
    other: [401, 404, 403, 403, 403, 403, 403, 200],
  },
  'get /api/gigs/{id}/payouts': {
    scope: 'claims:read',
    request: (id) => ({ url: `/api/gigs/${id}/payouts` }),
    own: [401, 403, 403, 403, 200, 403, 403, 200],
    other: [401, 403, 403, 403, 404, 403, 403, 200],
  },
  'get /api/gigs/{id}/draw': { ...open((id) => `/api/gigs/${id}/draw`), own: ALL_400, other: ALL_400 },
  'get /api/gigs/{id}/draw/entrants': {
    ...open((id) => `/api/gigs/${id}/draw/entrants`),
    own: ALL_400,
    other: ALL_400,
  },
  // The sums are public, the accounts and the file are not.
  'get /api/gigs/{id}/report': {
    scope: 'gigs:read',
    isPartlyPublic: true,
    request: (id) => ({ url: `/api/gigs/${id}/report` }),
    own: [200, 200, 403, 403, 403, 403, 403, 200],
    other: [200, 404, 403, 403, 403, 403, 403, 200],
  },
  'get /api/gigs/{id}/report.csv': {
    scope: 'gigs:read',
    request: (id) => ({ url: `/api/gigs/${id}/report.csv` }),
    own: [401, 200, 403, 403, 403, 403, 403, 200],
    other: [401, 404, 403, 403, 403, 403, 403, 200],
  },
  'get /api/gigs/{id}/earnings': {
    scope: 'gigs:read',
    isPartlyPublic: true,
    keyless: 'Name accounts in identifiers, or send an API key, which lists all accounts',
    request: (id) => ({ url: `/api/gigs/${id}/earnings` }),
    own: [401, 200, 403, 403, 403, 403, 403, 200],
    other: [401, 404, 403, 403, 403, 403, 403, 200],
  },
  'get /api/gigs/{id}/tips': {
    scope: 'gigs:read',
    request: (id) => ({ url: `/api/gigs/${id}/tips` }),
    own: [401, 200, 403, 403, 403, 403, 403, 200],
    other: [401, 404, 403, 403, 403, 403, 403, 200],
  },
  // No platform is on here.
  'get /api/accounts': {
    scope: 'gigs:read',
    request: () => ({ url: '/api/accounts?platform=farcaster&username=alice' }),
    own: [401, 503, 403, 403, 403, 403, 403, 503],
    other: [401, 503, 403, 403, 403, 403, 403, 503],
  },
  'patch /api/gigs/{id}': {
    scope: 'gigs:write',
    request: (id) => ({ url: `/api/gigs/${id}`, body: { amount: 20 } }),
    own: [401, 403, 200, 403, 403, 403, 403, 200],
    other: [401, 403, 404, 403, 403, 403, 403, 200],
  },
  'post /api/gigs/{id}/owners': {
    scope: 'gigs:write',
    request: (id) => ({ url: `/api/gigs/${id}/owners`, body: OWNER }),
    own: [401, 403, 201, 403, 403, 403, 403, 201],
    other: [401, 403, 404, 403, 403, 403, 403, 201],
  },
  'post /api/gigs/{id}/stop': {
    scope: 'gigs:write',
    request: (id) => ({ url: `/api/gigs/${id}/stop` }),
    gig: { live: true },
    own: [401, 403, 200, 403, 403, 403, 403, 200],
    other: [401, 403, 404, 403, 403, 403, 403, 200],
  },
  // Of a gig that runs: only one that is over can be settled.
  'post /api/gigs/{id}/settle': {
    scope: 'gigs:write',
    request: (id) => ({ url: `/api/gigs/${id}/settle` }),
    refused: (id) => `Gig with id ${id} has not ended: stop it first`,
    gig: { live: true },
    own: [401, 403, 400, 403, 403, 403, 403, 400],
    other: [401, 403, 404, 403, 403, 403, 403, 400],
  },
  'post /api/gigs/{id}/cancel': {
    scope: 'gigs:write',
    request: (id) => ({ url: `/api/gigs/${id}/cancel` }),
    own: [401, 403, 200, 403, 403, 403, 403, 200],
    other: [401, 403, 404, 403, 403, 403, 403, 200],
  },
  'post /api/gigs/{id}/tips': {
    scope: 'tips:write',
    request: (id) => ({ url: `/api/gigs/${id}/tips`, body: TIPS }),
    gig: { live: true },
    own: [401, 403, 403, 201, 403, 403, 403, 201],
    other: [401, 403, 403, 404, 403, 403, 403, 201],
  },
  'post /api/gigs/{id}/decisions': {
    scope: 'tips:write',
    request: (id) => ({ url: `/api/gigs/${id}/decisions`, body: { decisions: [{ id: 7, award: '1' }] } }),
    gig: { live: true },
    // A gig without a verifier has nothing to decide about.
    refused: (id) => `Gig ${id} has no submissions to decide on: its rule is not verifier.`,
    own: [401, 403, 403, 400, 403, 403, 403, 400],
    other: [401, 403, 403, 404, 403, 403, 403, 400],
  },
  'get /api/events': {
    scope: 'events:read',
    request: (id) => ({ url: `/api/events?gig_id=${id}` }),
    own: [401, 403, 403, 403, 403, 200, 403, 200],
    other: [401, 403, 403, 403, 403, 404, 403, 200],
  },
  'get /api/webhooks': {
    scope: 'webhooks:write',
    request: () => ({ url: '/api/webhooks' }),
    own: [401, 403, 403, 403, 403, 403, 200, 200],
    other: [401, 403, 403, 403, 403, 403, 200, 200],
  },
  'post /api/webhooks': {
    scope: 'webhooks:write',
    request: () => ({ url: '/api/webhooks', body: { url: WEBHOOK } }),
    own: [401, 403, 403, 403, 403, 403, 201, 201],
    other: [401, 403, 403, 403, 403, 403, 201, 201],
  },
  'get /api/webhooks/{id}': ofWebhook((id) => ({ url: `/api/webhooks/${id}` })),
  'patch /api/webhooks/{id}': ofWebhook((id) => ({ url: `/api/webhooks/${id}`, body: { paused: true } })),
  'delete /api/webhooks/{id}': ofWebhook((id) => ({ url: `/api/webhooks/${id}` }), 204),
  'get /api/webhooks/{id}/secret': ofWebhook((id) => ({ url: `/api/webhooks/${id}/secret` })),
  'post /api/webhooks/{id}/secret': ofWebhook((id) => ({ url: `/api/webhooks/${id}/secret` })),
  'post /api/webhooks/{id}/test': ofWebhook((id) => ({ url: `/api/webhooks/${id}/test` })),
  'post /api/webhooks/{id}/replay': ofWebhook((id) => ({ url: `/api/webhooks/${id}/replay`, body: { seq: 1 } }), 202),
  'get /api/webhooks/{id}/deliveries': {
    scope: 'events:read',
    isOfWebhook: true,
    request: (id) => ({ url: `/api/webhooks/${id}/deliveries` }),
    own: [401, 403, 403, 403, 403, 200, 403, 200],
    other: [401, 403, 403, 403, 403, 404, 403, 200],
  },
  'post /api/tasks/check-completed': {
    scope: null,
    request: (gigId) => ({ url: '/api/tasks/check-completed', body: { gigId, platformUserId: '8004' } }),
    own: ALL_200,
    other: ALL_200,
  },
  'get /health': open(() => '/health'),
  'get /ready': open(() => '/ready'),
  'get /metrics': open(() => '/metrics'),
  'get /.well-known/gigclaim.json': open(() => '/.well-known/gigclaim.json'),
};

let service: Service;
let read: ReadDocument;
let token: TestToken;
const keys = new Map<Caller, string>();

beforeAll(async () => {
  const signing = { signingKey: newSigningKey(), allowPrivate: true, clock: () => NOW };
  service = await openService({ sender: createEventSender(signing) });
  await knowDegen(service);
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  read = await readDocument(service);
  for (const scope of SCOPES) {
    const client = scope === 'operator' ? 'desk' : 'shop';
    const request = { name: `${client} ${scope}`, client, scopes: [scope], expiresAt: null };
    keys.set(
      scope,
      (await createApiKey({ store: service.store, clock: () => NOW, randomBytes, actor: COMMAND_LINE }, request)).key,
    );
  }
});
afterAll(() => service.close());

function rowOf(operation: string): Row {
  const row = TABLE[operation];
  if (row === undefined) throw new Error(`the table has no ${operation}`);
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

async function ask(operation: string, row: Row, { caller, gigId }: { caller: Caller; gigId: number }) {
  const { url, body } = row.request(gigId);
  const key = keys.get(caller);
  const method = operation.split(' ')[0]?.toUpperCase() ?? '';
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) };
  const response = await service.app.request(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const [cached, varies] = ['cache-control', 'vary'].map((name) => response.headers.get(name));
  return { status: response.status, text: await response.text(), cached, varies };
}

test('security: every operation of the document has a row, every scope a column, and the document says the same scope', () => {
  const operations = Object.entries(read.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${method} ${path}`,
      Reflect.get(operation, 'x-required-scope') ?? null,
    ]),
  );
  const rows = Object.entries(TABLE).map(([operation, { scope }]) => [operation, scope]);
  expect(Object.fromEntries(operations)).toEqual(Object.fromEntries(rows));
  expect(CALLERS).toEqual(['no key', ...SCOPES]);
  for (const [path, methods] of Object.entries(read.document.paths)) {
    for (const [method, { security = [] }] of Object.entries(methods)) {
      const { scope, isPartlyPublic = false } = rowOf(`${method} ${path}`);
      const keyed = isPartlyPublic ? [{}, { apiKey: [] }] : [{ apiKey: [] }];
      expect(security).toEqual(scope === null ? [] : keyed);
    }
  }
});

describe.each(Object.entries(TABLE))('%s', (operation, row) => {
  test.each(['own', 'other'] as const)(
    'security: answers every scope as the table says, for a gig of its %s client',
    async (whose) => {
      const client = whose === 'own' ? 'shop' : 'rival';
      for (const [index, caller] of CALLERS.entries()) {
        const gigId = await seed(client, row.gig ?? {});
        const before = await service.store.gig(gigId);
        const id = row.isOfWebhook ? await seedWebhook(client) : gigId;
        const { status, text, cached, varies } = await ask(operation, row, { caller, gigId: id });
        // A client may have ten.
        if (row.isOfWebhook) await service.store.transaction((tx) => tx.deleteWebhookEndpoint(id, NOW));
        // A cache may keep what is public alone; 401 says that a key is needed.
        const needsKey = row.scope !== null && (!row.isPartlyPublic || caller !== 'no key' || status === 401);
        expect([caller, cached, varies]).toEqual([
          caller,
          needsKey ? 'no-store' : null,
          row.isPartlyPublic ? 'x-api-key' : null,
        ]);
        expect([caller, status, status === row[whose][index] ? '' : text]).toEqual([caller, row[whose][index], '']);
        if (row.scope === null || status < 400) continue;
        const refusal = {
          400: row.refused?.(gigId),
          401: row.keyless ?? 'Invalid API key',
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
  const row: Row = { ...open((id) => `/api/gigs/${id}/earnings?identifiers=8004`) };
  for (const caller of CALLERS) {
    const answer = await ask('get /api/gigs/{id}/earnings', row, { caller, gigId: await seed('rival', {}) });
    expect(answer).toMatchObject({ status: 200, cached: null, varies: 'x-api-key' });
  }
});

test('security: no cache keeps what is refused for too many requests, or for a malformed request with a key', async () => {
  const limited = await openService({ config: { rateLimitPerMinute: 1 } });
  for (const status of [401, 429]) {
    const answer = await limited.app.request('/api/gigs/1/owners');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
  }
  await limited.close();
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
    const answer = await ask('post /api/gigs/start', rowOf('post /api/gigs/start'), { caller, gigId: 987_654 });
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
  expect((await ask('get /api/gigs/{id}/owners', row, { caller: 'gigs:read', gigId: gig.id })).status).toBe(404);
  expect((await ask('get /api/gigs/{id}/owners', row, { caller: 'operator', gigId: gig.id })).status).toBe(200);
});
