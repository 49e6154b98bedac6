import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Rule } from '../../../src/domain/earning/rules.ts';
import { createEngine } from './engine.ts';
import { DAY, E18, END, HOUR, MINUTE, START } from './gigs.ts';
import { type EarningWorld, openEarningWorld } from './world.ts';

let world: EarningWorld;
beforeEach(async () => {
  world = await openEarningWorld();
});
afterEach(() => world.close());

const SPLIT: Rule = { type: 'split', roundMs: 6 * HOUR, maxAmount: 100n * E18 };
const TEXT = 'These are certainly enough letters';

function like(who: string): void {
  world.person(who);
  world.act({ who, kind: 'like', post: world.cast.id });
}

test('error: a clock that was ahead for one sweep does not make later acts stand or wait until then', async () => {
  const gig = await world.gig({ holdMs: 2 * HOUR });
  const { clock, engine, store } = world;
  like('amy');
  await engine.until(START + MINUTE);
  clock.now = START + 14 * HOUR;
  await engine.work();
  clock.now = START + 12 * MINUTE;
  await store.transaction((tx) => tx.endWaits({ now: clock.now, leaseMs: MINUTE }));
  const watch = await store.watch(gig.id);
  expect([watch?.sweptAt, watch?.lookedAt]).toEqual([clock.now, clock.now]);
  like('ben');
  like('cat');
  await engine.until(START + 30 * MINUTE);
  world.act({ who: 'ben', kind: 'unlike', post: world.cast.id });
  await engine.until(START + 4 * HOUR);
  expect(await world.outcome(gig)).toMatchObject({ ben: 'withdrawn', cat: 'awarded' });
});

test('security: an account that acts whenever it is asked about keeps nobody waiting', async () => {
  const { store, clock, reader } = world;
  const gig = await world.gig({ gigType: 'reply', rule: SPLIT, holdMs: HOUR });
  for (const name of ['amy', 'bad']) world.person(name);
  world.reply('amy', TEXT);
  world.reply('bad', 'short');
  let asked = 0;
  const engine = createEngine({
    store,
    clock,
    reader: {
      ...reader,
      async readAccounts(ids, query) {
        asked += 1;
        if (clock.now >= END) return await reader.readAccounts(ids, query);
        const objectId = `0x${String(asked).padStart(40, '0')}`;
        const act = { kind: 'reply', accountId: '7003', username: 'bad', objectId, actedAt: clock.now } as const;
        const stored = { ...act, text: null, rankedAt: clock.now, textHash: null, letters: 2 };
        const sight = { platform: 'farcaster', source: 'webhook', now: clock.now, dueAt: clock.now + HOUR } as const;
        await store.transaction((tx) => tx.keepActs(gig.id, [stored], sight));
        return await reader.readAccounts(ids, query);
      },
    },
  });
  await engine.until(START + 8 * HOUR);
  expect(asked).toBe(1);
  expect(await store.lastRound(gig.id)).toMatchObject({ number: 1 });
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', bad: 'held' });
  await engine.until(END + 2 * DAY);
  expect(asked).toBeLessThan(20);
  expect((await store.watch(gig.id))?.overAt).not.toBeNull();
});
