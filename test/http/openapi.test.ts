import { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployToken, fundToken, type TestToken } from '../support/anvil.ts';
import { seedGig, seedTips } from '../support/store.ts';
import { NOW, openService, type Service, type ServiceOptions, seedLocalGig } from './service.ts';

type Json = Record<string, unknown>;

interface Operation {
  readonly operationId: string;
  readonly security?: unknown;
  readonly responses: Record<
    string,
    { content?: Record<string, { schema: Json; examples?: Record<string, { value: unknown }> }> }
  >;
}

interface Document {
  readonly openapi: string;
  readonly servers: { url: string }[];
  readonly components: { schemas: Record<string, Json>; securitySchemes: Json };
  readonly paths: Record<string, Record<string, Operation>>;
}

let service: Service;
let token: TestToken;
let document: Document;

beforeAll(async () => {
  service = await openService();
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  const response = await service.app.request('/api/openapi.json');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  document = (await response.json()) as Document;
});
afterAll(() => service.close());

/** The schema with its references put in place, refusing every field it does not name. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== 'object' || value === null) return value;
  const reference: unknown = Reflect.get(value, '$ref');
  if (typeof reference === 'string') {
    return strict(document.components.schemas[reference.replace('#/components/schemas/', '')]);
  }
  const closed = 'properties' in value ? { additionalProperties: false } : {};
  const entries = Object.entries(value).filter(([name]) => name !== 'example');
  return { ...Object.fromEntries(entries.map(([name, part]) => [name, strict(part)])), ...closed };
}

function schemaOf(path: string, method: string, status: number): z.ZodType {
  const content = document.paths[path]?.[method]?.responses[status]?.content?.['application/json'];
  if (content === undefined) throw new Error(`${method} ${path} documents no ${status}`);
  // What `strict` makes of an object is an object.
  return z.fromJSONSchema(strict(content.schema) as z.core.JSONSchema.JSONSchema);
}

async function hold(path: string, method: string, response: Response, status: number): Promise<void> {
  expect(response.status).toBe(status);
  const body: unknown = await response.json();
  const result = schemaOf(path, method, status).safeParse(body);
  expect(result.error?.issues ?? []).toEqual([]);
}

async function withService(options: ServiceOptions, run: (other: Service) => Promise<void>): Promise<void> {
  const other = await openService(options);
  await run(other);
  await other.close();
}

const start = (response: Response, status: number) => hold('/api/gigs/start', 'post', response, status);
const claim = (response: Response, status: number) => hold('/api/claim', 'get', response, status);

test('behavior: the document is OpenAPI 3.1 of this server with its key', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: 'http://gigclaim.test' }]);
  expect(document.components.securitySchemes).toMatchObject({
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  });
  expect(Object.keys(document.paths)).toEqual(['/api/claim', '/api/gigs/start', '/health', '/ready', '/metrics']);
  expect(document.paths['/api/gigs/start']?.['post']?.security).toEqual([{ apiKey: [] }]);
  expect(document.paths['/api/claim']?.['get']?.security).toBeUndefined();
});

test('behavior: every status of the start and of the look-up is documented', () => {
  expect(Object.keys(document.paths['/api/gigs/start']?.['post']?.responses ?? {})).toEqual([
    '200',
    '400',
    '401',
    '404',
    '409',
    '413',
    '429',
    '500',
    '503',
  ]);
  expect(Object.keys(document.paths['/api/claim']?.['get']?.responses ?? {})).toEqual(['200', '400', '429', '500']);
});

test('behavior: every example fits its own schema', () => {
  let held = 0;
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const [status, { content }] of Object.entries(responses)) {
        for (const { value } of Object.values(content?.['application/json']?.examples ?? {})) {
          expect(schemaOf(path, method, Number(status)).safeParse(value).success).toBe(true);
          held += 1;
        }
      }
    }
  }
  expect(held).toBeGreaterThan(10);
});

test('behavior: the check refuses what does not fit', () => {
  const error = schemaOf('/api/claim', 'get', 400);
  expect(error.safeParse({ error: 'text' }).success).toBe(true);
  expect(error.safeParse({ error: { message: 'text' } }).success).toBe(false);
  expect(error.safeParse({ error: 'text', more: 1 }).success).toBe(false);
  expect(schemaOf('/api/claim', 'get', 200).safeParse({ data: {} }).success).toBe(false);
  const group = { token: {}, totalValue: 1, tips: [], gigCount: 1 };
  const answer = { data: { x: group }, summary: { total_tokens: 1, total_gigs: 1 } };
  expect(schemaOf('/api/claim', 'get', 200).safeParse(answer).success).toBe(false);
});

test('behavior: answers of the look-up fit the document', async () => {
  const gig = await seedGig(service.store);
  await seedTips(service.store, gig, [{ platform: 'farcaster', platformUserId: '8004' }]);
  service.sql("update tips set claim_nonce = 'c', claim_started_at = ?, lock_timeout = ?", NOW, NOW + 1);
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
  await withService({ wrap: (store) => ({ ...store, pendingTips: broken, apiKeyByHash: broken }) }, async (other) => {
    await claim(await other.app.request('/api/claim?identifiers=1'), 500);
    await start(await other.start(1), 500);
  });
});

test('behavior: answers of the operations fit the document', async () => {
  await hold('/health', 'get', await service.app.request('/health'), 200);
  await hold('/ready', 'get', await service.app.request('/ready'), 200);
});
