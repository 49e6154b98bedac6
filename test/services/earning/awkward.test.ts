import { expect, test } from 'vitest';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import { createActInbox } from '../../../src/services/earning/acts/receive-acts.ts';
import { sampleReply, seedActs } from '../../support/earning.ts';
import { DAY, E18, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

const SPLIT: Rule = { type: 'split', roundMs: 6 * HOUR, maxAmount: 100n * E18 };
const TEXT = 'These are certainly enough letters';

test('error: a clock that was ahead for one sweep does not make later acts stand or wait until then', async () => {
  const gig = await world.gig({ holdMs: 2 * HOUR });
  const { clock, engine, store } = world;
  world.like('amy');
  await engine.until(START + MINUTE);
  clock.now = START + 14 * HOUR;
  await engine.work();
  clock.now = START + 12 * MINUTE;
  await store.transaction((tx) => tx.endWaits({ now: clock.now, leaseMs: MINUTE }));
  const watch = await store.watch(gig.id);
  expect([watch?.sweptAt, watch?.lookedAt]).toEqual([clock.now, clock.now]);
  world.like('ben');
  world.like('cat');
  await engine.until(START + 30 * MINUTE);
  world.unlike('ben');
  await engine.until(START + 4 * HOUR);
  expect(await world.outcome(gig)).toMatchObject({ ben: 'withdrawn', cat: 'awarded' });
});

test('security: an account that acts whenever it is asked about keeps nobody waiting', async () => {
  const { store, clock, reader } = world;
  const gig = await world.gig({ gigType: 'reply', rule: SPLIT, holdMs: HOUR });
  world.reply('amy', TEXT);
  world.reply('bad', 'short');
  let asked = 0;
  const engine = world.engineWith({
    async readAccounts(ids, query) {
      asked += 1;
      if (clock.now >= END) return await reader.readAccounts(ids, query);
      const objectId = `0x${String(asked).padStart(40, '0')}`;
      const { now } = clock;
      const reply = sampleReply('7003', objectId, { actedAt: now, rankedAt: now, textHash: null, letters: 2 });
      await seedActs(store, gig, [reply], { source: 'webhook', now, dueAt: now + HOUR });
      return await reader.readAccounts(ids, query);
    },
  });
  await engine.until(START + 8 * HOUR);
  expect(asked).toBe(1);
  expect(await store.lastRound(gig.id)).toMatchObject({ number: 1 });
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', bad: 'held' });
  await engine.until(END + 2 * DAY);
  expect(asked).toBeLessThan(20);
  expect(await world.isOver(gig)).toBe(true);
});

test.each([
  ['lead in a circle', { A: 'B', B: 'C', C: 'A' }],
  ['do not end', {}],
])('error: a gig whose pages %s is overdue after a day', async (_, circle: Record<string, string>) => {
  const gig = await world.gig();
  let calls = 0;
  const engine = world.engineWith({
    readActs: async ({ cursor }) => {
      calls += 1;
      return { acts: [], next: circle[cursor ?? 'C'] ?? String(calls) };
    },
  });
  await engine.until(START + HOUR);
  const before = calls;
  await engine.until(START + 2 * HOUR);
  expect(calls - before).toBeLessThan(700);
  expect((await world.store.watch(gig.id))?.failures).toBeGreaterThan(5);
});

test('security: a follow that a webhook tells before the followers of the start are known is not news', async () => {
  const star = world.person('star');
  world.people('old', 'new');
  world.act({ kind: 'follow', who: 'old', account: 'star', at: START - DAY });
  const gig = await world.gig({ gigType: 'follow', target: { kind: 'account', accountId: star } });
  const { storeActs: inbox } = createActInbox(world.engine.deps);
  const told = (accountId: string) => {
    const act = { kind: 'follow', accountId, username: null, objectId: '', text: null } as const;
    const towards = [{ kind: 'account', id: star }] as const;
    return inbox([
      { kind: 'act', platform: 'farcaster', isUndone: false, towards, act: { ...act, actedAt: world.clock.now } },
    ]);
  };
  world.clock.now = START + 1_000;
  for (const kind of ['unfollow', 'follow'] as const) world.act({ kind, who: 'old', account: 'star' });
  expect(await told('7003')).toBe(0);
  await world.engine.work();
  world.clock.now = START + MINUTE;
  world.follow('new');
  expect(await told('7004')).toBe(1);
  await world.engine.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({ old: 'before_start', new: 'awarded' });
});
