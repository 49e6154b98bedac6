import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Gig } from '../../src/domain/gig.ts';
import { SEEDED_AT, seedGig, seedTips } from '../support/store.ts';
import { label, openService, type Service } from './service.ts';

let service: Service;
let gig: Gig;
let looks: number;
let broken: boolean;

async function open(config: { rateLimitPerMinute?: number } = {}): Promise<void> {
  looks = 0;
  broken = false;
  service = await openService({
    config,
    wrap: (store) => ({
      ...store,
      version: () => {
        if (broken) throw new Error('disk I/O error');
        return store.version();
      },
      pendingTips: async (identifiers) => {
        looks += 1;
        return await store.pendingTips(identifiers);
      },
    }),
  });
  gig = await seedGig(service.store);
}

beforeEach(() => open());
afterEach(() => service.close());

const ALICE = { platform: 'farcaster', platformUserId: '8004' } as const;
const tip = () => seedTips(service.store, gig, [{ ...ALICE, amount: 1n }]);
const ask = async (init?: RequestInit, query = '?identifiers=8004') =>
  await service.app.request(`/api/claim${query}`, init);
async function listed(query?: string): Promise<number> {
  const { data } = (await (await ask(undefined, query)).json()) as { data: Record<string, { tips: unknown[] }> };
  return Object.values(data).flatMap(({ tips }) => tips).length;
}
const sorted = ({ headers }: Response) => [...headers].sort(([a], [b]) => (a < b ? -1 : 1));

test('behavior: asked again, the answer is the same to the last header without another look', async () => {
  await tip();
  const init = { headers: { 'x-request-id': 'named' } };
  const first = await ask(init);
  const second = await ask(init);
  expect(looks).toBe(1);
  expect(second.status).toBe(200);
  expect(await second.text()).toBe(await first.text());
  const remaining = (response: Response) => Number(response.headers.get('ratelimit-remaining'));
  expect(remaining(second)).toBe(remaining(first) - 1);
  first.headers.delete('ratelimit-remaining');
  second.headers.delete('ratelimit-remaining');
  expect(sorted(second)).toEqual(sorted(first));
});

test('behavior: a commit of ours that was told is in the next answer', async () => {
  for (let tips = 1; tips <= 20; tips += 1) {
    await tip();
    expect(await listed()).toBe(tips);
    expect(await listed()).toBe(tips);
  }
  expect(looks).toBe(20);
});

test('behavior: a commit by somebody else is in the next answer', async () => {
  await tip();
  expect(await listed()).toBe(1);
  expect(await listed()).toBe(1);
  service.sql(
    `insert into tips (created_at, gig_id, token_id, amount, status, platform, platform_user_id)
     values (?, ?, ?, '1', 'pending', 'farcaster', '8004')`,
    ...[SEEDED_AT, gig.id, gig.token.id],
  );
  expect(await listed()).toBe(2);
});

test('behavior: a handle that moves takes its tips along at once', async () => {
  const twitter = { platform: 'twitter', amount: 1n } as const;
  await label(service.store, 'twitter', '1', 'alice');
  await seedTips(service.store, gig, [{ ...twitter, platformUserId: '1' }]);
  expect(await listed('?identifiers=alice')).toBe(1);
  await label(service.store, 'twitter', '2', 'alice');
  expect(await listed('?identifiers=alice')).toBe(0);
});

test('behavior: a commit while the look-up is under way is in the next answer', async () => {
  await tip();
  const [, during] = await Promise.all([tip(), ask()]);
  expect(during.status).toBe(200);
  expect(await listed()).toBe(2);
});

test('behavior: an answer given again is named, logged and measured as any other', async () => {
  for (let times = 0; times < 3; times += 1) await ask();
  const lines = service.lines.filter(({ msg }) => msg === 'request');
  expect(lines.map(({ requestId }) => requestId)).toEqual(['id-1', 'id-2', 'id-3']);
  const [first = {}, second = {}] = lines;
  expect(Object.keys(second)).toEqual(Object.keys(first));
  expect(second).toMatchObject({ level: 'info', method: 'GET', path: '/api/claim', status: 200 });
  const metrics = await (await service.app.request('/metrics')).text();
  expect(metrics).toContain(
    'gigclaim_http_request_duration_seconds_count{method="GET",route="/api/claim",status="200"} 3',
  );
});

test('security: an answer given again counts against the limit', async () => {
  await service.close();
  await open({ rateLimitPerMinute: 3 });
  const statuses: number[] = [];
  for (let times = 0; times < 5; times += 1) statuses.push((await ask()).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});

test('behavior: HEAD is answered without a body after GET was kept', async () => {
  await ask();
  const head = await ask({ method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(await head.text()).toBe('');
  expect(service.lines.at(-1)).toMatchObject({ method: 'HEAD' });
});

test('error: a refused query is refused again', async () => {
  for (const query of ['', '?identifiers=', '?identifiers=a-b', '?other=8004']) {
    expect((await ask(undefined, query)).status).toBe(400);
    expect((await ask(undefined, query)).status).toBe(400);
  }
});

test('error: when the store cannot tell its version, nothing that was kept is answered', async () => {
  await ask();
  broken = true;
  const response = await ask();
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ error: 'Internal server error' });
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(service.logText()).toContain('disk I/O error');
});
