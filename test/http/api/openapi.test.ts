import { beforeAll, expect, test } from 'vitest';
import { deployToken, fundToken, type TestToken } from '../../support/anvil.ts';
import { seedGig, seedTips } from '../../support/store.ts';
import { read, shareDocument } from '../document.ts';
import { TANK } from '../gas-tank.ts';
import {
  forThisTest,
  NOW,
  openService,
  type Service,
  type ServiceOptions,
  seedLocalGig,
  service,
  shareService,
} from '../service.ts';

let token: TestToken;

shareService();
shareDocument();
beforeAll(async () => {
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
});

async function withService(options: ServiceOptions, run: (other: Service) => Promise<void>): Promise<void> {
  const other = await forThisTest(openService(options));
  await run(other);
}

const start = (response: Response, status: number) => read.hold('/api/gigs/start', 'post', response, status);
const claim = (response: Response, status: number) => read.hold('/api/claim', 'get', response, status);

test('behavior: the document is OpenAPI 3.1 of this server with its key', () => {
  const { openapi, servers, components } = read.document;
  expect(openapi).toBe('3.1.0');
  expect(servers).toEqual([{ url: 'http://gigclaim.test' }]);
  expect(components.securitySchemes).toMatchObject({ apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } });
});

/** Each operation, and the statuses that it answers with: 401 where it takes a key. */
const PUBLISHED: readonly [operation: string, statuses: readonly number[]][] = [
  ['get /api/claim', [200, 400, 429, 500]],
  ['post /api/claim', [200, 400, 404, 413, 415, 429, 500, 503]],
  ['post /api/gigs/start', [200, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503]],
  ['post /api/gigs/create', [201, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503]],
  ['post /api/gigs/create/x402', [201, 400, 402, 404, 409, 413, 415, 429, 500, 503]],
  ['get /api/gigs/types', [200, 429, 500]],
  ['get /api/gigs', [200, 400, 429, 500]],
  ['get /api/gigs/{id}', [200, 400, 404, 429, 500]],
  ['get /api/gigs/{id}/draw', [200, 400, 404, 429, 500]],
  ['get /api/gigs/{id}/draw/entrants', [200, 400, 404, 429, 500]],
  ['get /api/gigs/{id}/report', [200, 400, 401, 403, 404, 429, 500]],
  ['get /api/gigs/{id}/report.csv', [200, 400, 401, 403, 404, 429, 500]],
  ['get /api/gigs/{id}/earnings', [200, 400, 401, 403, 404, 429, 500]],
  ['get /api/gigs/{id}/owners', [200, 400, 401, 403, 404, 429, 500]],
  ['get /api/gigs/{id}/payouts', [200, 400, 401, 403, 404, 429, 500]],
  ['get /api/gigs/{id}/tips', [200, 400, 401, 403, 404, 429, 500]],
  ['get /api/accounts', [200, 400, 401, 403, 404, 429, 500, 503]],
  ['patch /api/gigs/{id}', [200, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503]],
  ['post /api/gigs/{id}/owners', [201, 400, 401, 403, 404, 409, 413, 415, 429, 500]],
  ['post /api/gigs/{id}/stop', [200, 400, 401, 403, 404, 429, 500]],
  ['post /api/gigs/{id}/settle', [200, 400, 401, 403, 404, 429, 500]],
  ['post /api/gigs/{id}/cancel', [200, 400, 401, 403, 404, 409, 429, 500]],
  ['post /api/gigs/{id}/tips', [201, 400, 401, 403, 404, 409, 413, 415, 429, 500]],
  ['post /api/gigs/{id}/decisions', [201, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503]],
  ['get /api/events', [200, 400, 401, 403, 404, 429, 500]],
  ['get /api/webhooks', [200, 401, 403, 429, 500]],
  ['post /api/webhooks', [201, 400, 401, 403, 409, 413, 415, 429, 500, 503]],
  ['get /api/webhooks/{id}', [200, 400, 401, 403, 404, 429, 500]],
  ['patch /api/webhooks/{id}', [200, 400, 401, 403, 404, 413, 415, 429, 500, 503]],
  ['delete /api/webhooks/{id}', [204, 400, 401, 403, 404, 429, 500]],
  ['get /api/webhooks/{id}/secret', [200, 400, 401, 403, 404, 429, 500, 503]],
  ['post /api/webhooks/{id}/secret', [200, 400, 401, 403, 404, 429, 500, 503]],
  ['post /api/webhooks/{id}/test', [200, 400, 401, 403, 404, 429, 500, 503]],
  ['post /api/webhooks/{id}/replay', [202, 400, 401, 403, 404, 413, 415, 429, 500]],
  ['get /api/webhooks/{id}/deliveries', [200, 400, 401, 403, 404, 429, 500]],
  ['post /api/tasks/check-completed', [200, 400, 404, 413, 415, 429, 500]],
  ['get /health', [200]],
  ['get /ready', [200, 404, 503]],
  ['get /metrics', [200, 404]],
  ['get /.well-known/gigclaim.json', [200]],
];
/** Without a key they answer a part. */
const PARTLY_PUBLIC = ['get /api/gigs/{id}/report', 'get /api/gigs/{id}/earnings'];

test('behavior: every operation is there, and those that need a key say so', () => {
  const operations = Object.entries(read.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => [`${method} ${path}`, security]),
  );
  const keyed = [{ apiKey: [] }];
  const securityOf = ([name, statuses]: (typeof PUBLISHED)[number]) =>
    PARTLY_PUBLIC.includes(name) ? [{}, ...keyed] : statuses.includes(401) ? keyed : [];
  expect(Object.fromEntries(operations)).toEqual(
    Object.fromEntries(PUBLISHED.map((each) => [each[0], securityOf(each)])),
  );
});

test('behavior: every operation has an id of its own, and says in words what it, its parameters and its fields are', () => {
  const { paths, components } = read.document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(40);
  for (const { operationId, description, parameters = [] } of operations) {
    expect([operationId, description]).toEqual([operationId, expect.stringMatching(/^[A-Z].*[.?]$/)]);
    for (const { name, description: words } of parameters) expect([name, words]).toEqual([name, expect.any(String)]);
  }
  const nameless: string[] = [];
  const look = (where: string, schema: unknown) => {
    if (typeof schema !== 'object' || schema === null || '$ref' in schema) return;
    if (!('description' in schema) && /^[A-Z]\w*$|\.\w+$/.test(where)) nameless.push(where);
    const { properties = {}, items = null } = schema as { properties?: object; items?: unknown };
    for (const [name, field] of Object.entries(properties)) look(`${where}.${name}`, field);
    look(`${where}[]`, items);
  };
  for (const [name, schema] of Object.entries(components.schemas)) look(name, schema);
  expect(nameless).toEqual([]);
  expect(Object.keys(components.schemas).length).toBeGreaterThan(20);
});

test('behavior: it says under which licence it is, and whom to ask', () => {
  expect(read.document).toMatchObject({
    info: {
      title: 'gigclaim',
      version: '1.2.3',
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
      contact: { name: 'The operator of this service', url: 'http://gigclaim.test' },
    },
  });
});

test.each(PUBLISHED)('behavior: every status of %s is documented', (operation, statuses) => {
  const [method = '', path = ''] = operation.split(' ');
  expect(Object.keys(read.operation(path, method).responses).map(Number)).toEqual(statuses);
});

test('behavior: every example fits its own schema', () => {
  let held = 0;
  for (const [path, methods] of Object.entries(read.document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const [status, { content }] of Object.entries(responses)) {
        for (const { value } of Object.values(content?.['application/json']?.examples ?? {})) {
          expect(read.answerSchema(path, method, Number(status)).safeParse(value).success).toBe(true);
          held += 1;
        }
      }
    }
  }
  expect(held).toBeGreaterThan(40);
});

test('behavior: the check refuses what does not fit', () => {
  const error = read.answerSchema('/api/claim', 'get', 400);
  const told = { error: 'text', code: 'invalid_request', request_id: 'id-1' };
  expect(error.safeParse(told).success).toBe(true);
  expect(error.safeParse({ ...told, code: 'unheard_of' }).success).toBe(false);
  expect(error.safeParse({ ...told, error: { message: 'text' } }).success).toBe(false);
  expect(error.safeParse({ ...told, more: 1 }).success).toBe(false);
  const found = read.answerSchema('/api/claim', 'get', 200);
  expect(found.safeParse({ data: {} }).success).toBe(false);
  const group = { token: {}, totalValue: 1, tips: [], gigCount: 1 };
  expect(found.safeParse({ data: { x: group }, summary: { total_tokens: 1, total_gigs: 1 } }).success).toBe(false);
  const invalid = read.answerSchema('/api/gigs/create', 'post', 400);
  expect(invalid.safeParse({ ...told, error: 'Validation failed', details: ['text'] }).success).toBe(true);
  expect(invalid.safeParse({ ...told, error: 'Something else', details: ['text'] }).success).toBe(false);
});

test('behavior: answers of the look-up fit the document', async () => {
  const gig = await seedGig(service.store);
  await seedTips(service.store, gig, [{ platform: 'farcaster', platformUserId: '8004' }]);
  await service.sql("update tips set claim_nonce = 'c', claim_started_at = ?, lock_timeout = ?", NOW, NOW + 1);
  await seedTips(service.store, gig, [{ platform: 'farcaster', platformUserId: '8004' }]);
  await claim(await service.app.request('/api/claim?identifiers=8004'), 200);
  await claim(await service.app.request('/api/claim?identifiers=nobody'), 200);
  await claim(await service.app.request('/api/claim?identifiers=a,b,c!'), 400);
});

test('behavior: answers of the start fit the document', async () => {
  const gig = await seedLocalGig(service.store, token);
  await start(await service.start(gig.id), 400);
  await fundToken(token, gig.walletAddress, 105n * 10n ** 18n);
  await service.store.transaction((tx) => tx.lockGig(gig.id, { holder: 'other', now: NOW, until: NOW + 1 }));
  await start(await service.start(gig.id), 409);
  await service.store.transaction((tx) => tx.unlockGig(gig.id, 'other'));
  await start(await service.start(gig.id), 200);
  await start(await service.start(gig.id), 400);
  await start(await service.start('x'), 400);
  await start(await service.start(1, { 'x-api-key': 'wrong' }), 401);
  await start(await service.start(987654), 404);
  await start(await service.start('x'.repeat(70_000)), 413);
  await start(await service.start((await seedGig(service.store)).id), 503);
});

test('behavior: the refusals of the whole API fit the document', async () => {
  await withService({ config: { rateLimitPerMinute: 1 } }, async (other) => {
    await claim(await other.app.request('/api/claim?identifiers=1'), 200);
    await claim(await other.app.request('/api/claim?identifiers=1'), 429);
    await start(await other.start(1), 429);
  });
  const broken = async () => {
    throw new Error('broken');
  };
  await withService(
    { wrap: (store) => ({ ...store, pendingTipsSince: broken, apiKeyByHash: broken }) },
    async (other) => {
      await claim(await other.app.request('/api/claim?identifiers=1'), 500);
      await start(await other.start(1), 500);
    },
  );
});

test('behavior: answers of the operations fit the document', async () => {
  await read.hold('/health', 'get', service.app.request('/health'), 200);
  await read.hold('/ready', 'get', service.app.request('/ready'), 200);
  await withService({ gasTank: TANK }, (other) => read.hold('/ready', 'get', other.app.request('/ready'), 200));
});

test('behavior: every body of a success is named and has an example that fits it', () => {
  for (const [path, methods] of Object.entries(read.document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const status = Object.keys(responses).find((each) => each.startsWith('2')) ?? '';
      const body = responses[status]?.content?.['application/json'];
      if (body === undefined) continue;
      expect([path, method, body.schema]).toEqual([path, method, { $ref: expect.stringMatching(/^#\/components\//) }]);
      const checked = read.answerSchema(path, method, Number(status)).safeParse(Reflect.get(body, 'example'));
      expect([path, method, checked.error?.issues]).toEqual([path, method, undefined]);
    }
  }
});

test('behavior: the headers of a response are declared where they are sent', async () => {
  const declared = (path: string, method: string, status: string) =>
    Object.keys(Reflect.get(read.operation(path, method).responses[status] ?? {}, 'headers') ?? {}).sort();
  const limits = ['RateLimit-Limit', 'RateLimit-Policy', 'RateLimit-Remaining', 'RateLimit-Reset'];
  expect(declared('/api/gigs', 'get', '200')).toEqual([...limits, 'X-Request-Id']);
  expect(declared('/api/gigs/start', 'post', '200')).toEqual(['Idempotent-Replayed', ...limits, 'X-Request-Id']);
  expect(declared('/api/gigs/start', 'post', '409')).toEqual([...limits, 'Retry-After', 'X-Request-Id']);
  expect(declared('/api/gigs/start', 'post', '503')).toEqual([...limits, 'Retry-After', 'X-Request-Id']);
  expect(declared('/health', 'get', '200')).toEqual(['X-Request-Id']);
  const sent = await service.app.request('/api/gigs');
  for (const name of declared('/api/gigs', 'get', '200')) expect([name, sent.headers.has(name)]).toEqual([name, true]);
});

test('behavior: parameters of a query that are numbers are said to be', () => {
  const limits = Object.values(read.document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ parameters = [] }) => parameters.filter(({ name }) => name === 'limit'));
  expect(limits.length).toBeGreaterThan(3);
  for (const { schema } of limits) expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 });
});
