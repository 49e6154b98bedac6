import { beforeEach, expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { isOnPostgres } from '../../../support/database.ts';
import { SEEDED_AT, seedGig, seedTips } from '../../../support/store.ts';
import { service, useServed } from '../../serve.ts';
import { label } from '../../service.ts';

let gig: Gig;
let looks = 0;
let broken = false;

useServed({
  wrap: (store) => ({
    ...store,
    pendingTipsSince: async (identifiers, since) => {
      if (broken) throw new Error('disk I/O error');
      const answer = await store.pendingTipsSince(identifiers, since);
      if (answer.found !== null) looks += 1;
      return answer;
    },
  }),
});
beforeEach(async () => {
  looks = 0;
  broken = false;
  gig = await seedGig(service.store);
});

const ALICE = { platform: 'farcaster', platformUserId: '8004' } as const;
const tip = () => seedTips(service.store, gig, [{ ...ALICE, amount: 1n }]);
const ask = async (init?: RequestInit, query = '?identifiers=8004') =>
  await fetch(`${service.origin}/api/claim${query}`, init);
async function listed(query?: string): Promise<number> {
  const { data } = (await (await ask(undefined, query)).json()) as { data: Record<string, { tips: unknown[] }> };
  return Object.values(data).flatMap(({ tips }) => tips).length;
}
/** On PostgreSQL each transaction on the server, another test's as well, may cost one more look at what is kept. */
function expectLooks(wanted: number): void {
  if (isOnPostgres()) expect(looks).toBeGreaterThanOrEqual(wanted);
  else expect(looks).toBe(wanted);
}
const OWN: ReadonlySet<string> = new Set(['date', 'ratelimit-remaining']);
const shared = ({ headers }: Response) => [...headers].filter(([name]) => !OWN.has(name));

test('behavior: asked again, the answer is the same to the last header without another look', async () => {
  await tip();
  const init = { headers: { 'x-request-id': 'named' } };
  const first = await ask(init);
  const second = await ask(init);
  expectLooks(1);
  expect(second.status).toBe(200);
  expect(await second.text()).toBe(await first.text());
  const remaining = (response: Response) => Number(response.headers.get('ratelimit-remaining'));
  expect(remaining(second)).toBe(remaining(first) - 1);
  expect(shared(second)).toEqual(shared(first));
  expect(shared(first).length).toBeGreaterThan(10);
});

test('behavior: a commit of ours that was told is in the next answer', async () => {
  await ask();
  for (let tips = 1; tips <= 20; tips += 1) {
    await tip();
    expect(await listed()).toBe(tips);
    expect(await listed()).toBe(tips);
  }
  expectLooks(21);
});

test('behavior: a commit that changes other accounts costs no look', async () => {
  await tip();
  expect(await listed()).toBe(1);
  await seedTips(service.store, gig, [{ platform: 'farcaster', platformUserId: '8005', amount: 1n }]);
  await label(service.store, 'farcaster', '8006', 'carol');
  expect(await listed()).toBe(1);
  expectLooks(1);
});

test('behavior: a look-up of several accounts is always made anew', async () => {
  await tip();
  for (let times = 0; times < 2; times += 1) expect(await listed('?identifiers=8004,8005')).toBe(1);
  expect(looks).toBe(2);
});

test('behavior: a name that changes is in the next answer', async () => {
  await tip();
  await listed();
  await label(service.store, 'farcaster', '8004', 'zoe');
  expect(await (await ask()).text()).toContain('"username":"zoe"');
});

test('behavior: a commit by somebody else is in the next answer', async () => {
  await tip();
  for (let times = 0; times < 3; times += 1) expect(await listed()).toBe(1);
  expectLooks(1);
  await service.sql('update gigs set next_tip_number = next_tip_number + 1 where id = ?', gig.id);
  await service.sql(
    `insert into tips (created_at, gig_id, number, token_id, amount, status, platform, platform_user_id)
     select ${SEEDED_AT}, id, next_tip_number - 1, token_id, 1, 'pending', 'farcaster', '8004' from gigs where id = ?`,
    gig.id,
  );
  expect(await listed()).toBe(2);
});

test('behavior: a handle that moves takes its tips along at once', async () => {
  const twitter = { platform: 'twitter', amount: 1n } as const;
  await label(service.store, 'twitter', '1', 'alice');
  await seedTips(service.store, gig, [{ ...twitter, platformUserId: '1' }]);
  for (let times = 0; times < 3; times += 1) expect(await listed('?identifiers=alice')).toBe(1);
  await label(service.store, 'twitter', '2', 'alice');
  expect(await listed('?identifiers=alice')).toBe(0);
});

test('behavior: a commit while the look-up is under way is in the next answer', async () => {
  await tip();
  const [, during] = await Promise.all([tip(), ask()]);
  expect(during.status).toBe(200);
  expect(await listed()).toBe(2);
});

test('error: a refused query is refused again', async () => {
  for (const query of ['', '?identifiers=', '?identifiers=a-b', '?other=8004']) {
    expect((await ask(undefined, query)).status).toBe(400);
    expect((await ask(undefined, query)).status).toBe(400);
  }
});

test('error: while the store does not answer, nothing that was kept is answered', async () => {
  for (let times = 0; times < 3; times += 1) await ask();
  expectLooks(1);
  broken = true;
  expect((await ask()).status).toBe(500);
  await tip();
  broken = false;
  expect(await listed()).toBe(1);
});
