import { describe, expect, test } from 'vitest';
import type { Target } from '../../../src/domain/earning/act.ts';
import type { GigWatch } from '../../../src/domain/earning/watch.ts';
import type { StoreTx } from '../../../src/store/port/index.ts';
import { SAMPLE_TARGET, seedWatchedGig } from '../../support/earning.ts';
import { SEEDED_AT, seedGig } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const TARGETS: readonly Target[] = [
  SAMPLE_TARGET,
  { kind: 'account', accountId: '9' },
  { kind: 'keyword', keyword: '$degen' },
];
const RULES = { given: '{"rule":{}}', rules: '{"rule":{"type":"fixed"}}', target: SAMPLE_TARGET };
const FROZEN = 'the earning rules of a live gig cannot be changed';

export function describeEarningWatches({ store, openAgain, change, write }: Subject): void {
  const keep = (id: number, rules: Parameters<StoreTx['storeEarningRules']>[1]) => write.storeEarningRules(id, rules);
  const watched = (seed: { nextAt?: number; platform?: string } = {}) => seedWatchedGig(store, seed);
  /** One is leased if one is read to be due. */
  async function lease(name: string, now: number, platform = 'farcaster') {
    const isDue = await store.isWatchDue(platform, now);
    const watch = await write.leaseWatch(platform, { lease: name, now, until: now + 100 });
    expect(watch !== null).toBe(isDue);
    return watch;
  }
  async function leaseOne(name: string, now: number) {
    const watch = await lease(name, now);
    if (watch === null) throw new Error('no watch is due');
    return watch;
  }
  const leased = async (name: string, now: number) => (await lease(name, now))?.gigId ?? null;
  const endLong = (longestMs: number) => write.endLongWaits({ now: 100, longestMs });
  const save = (watch: GigWatch, name: string, release = true) => write.storeWatch(watch, { lease: name, release });

  describe('the earning rules of a gig', () => {
    test.each(TARGETS)('behavior: are kept with their target, replaced and removed: $kind', async (target) => {
      const { id } = await seedGig(store);
      expect(await store.earningRules(id)).toBeNull();
      await keep(id, { ...RULES, target });
      expect(await store.earningRules(id)).toEqual({ gigId: id, ...RULES, target });
      const others = { given: null, rules: '{}', target: SAMPLE_TARGET };
      await keep(id, others);
      expect(await store.earningRules(id)).toEqual({ gigId: id, ...others });
      await keep(id, null);
      await keep(id, null);
      expect(await store.earningRules(id)).toBeNull();
    });

    test('security: are frozen once the gig is live', async () => {
      const { id } = await seedGig(store);
      await keep(id, RULES);
      await change(async (tx) => {
        await tx.lockGig(id, { holder: 'a', now: SEEDED_AT, until: SEEDED_AT + 1 });
        return await tx.markLive(id, { holder: 'a', startTime: SEEDED_AT, endTime: SEEDED_AT + 86_400_000 });
      });
      await expect(keep(id, { ...RULES, rules: '{}' })).rejects.toThrow(FROZEN);
      await expect(keep(id, null)).rejects.toThrow(FROZEN);
      expect(await store.earningRules(id)).toEqual({ gigId: id, ...RULES });
      const { id: manual } = await seedGig(store, { live: true });
      await expect(keep(manual, RULES)).rejects.toThrow(FROZEN);
      expect(await store.earningRules(manual)).toBeNull();
    });
  });

  describe('the watch of a gig', () => {
    test.each(TARGETS)('behavior: begins once, when the gig is live: $kind', async (target) => {
      const open = (id: number) => write.openWatch(id, { target, nextAt: 7 });
      const { id } = await seedGig(store);
      expect([await open(id), await open(99)]).toEqual([false, false]);
      expect(await store.watch(id)).toBeNull();
      const live = await seedGig(store, { live: true });
      expect([await open(live.id), await open(live.id)]).toEqual([true, false]);
      const unseen = { lookedAt: null, sweep: null, sweptAt: null, sweptPages: 0, failures: 0 };
      const unended = { goneAt: null, overAt: null, stoppedAt: null };
      expect(await store.watch(live.id)).toEqual({ gigId: live.id, target, nextAt: 7, ...unseen, ...unended });
      expect(await store.earnedAmount(live.id)).toBe(0n);
    });

    test('behavior: keeps each state, a sweep among them, for who holds it', async () => {
      const { id } = await watched();
      const watch = await leaseOne('a', SEEDED_AT);
      expect(watch).toEqual(await store.watch(id));
      const sweep = { begunAt: 5, kind: 'like', cursor: null, pages: 0, isDoubtful: true } as const;
      const swept = { ...watch, nextAt: 9, lookedAt: 5, sweep };
      expect([await save(swept, 'b'), await save(swept, 'a', false)]).toEqual([false, true]);
      expect(await store.watch(id)).toEqual(swept);
      const later = { ...swept, sweep: { ...sweep, cursor: 'c', pages: 3 }, goneAt: 6 };
      expect(await save(later, 'a', false)).toBe(true);
      expect(await store.watch(id)).toEqual(later);
      const done = { ...later, sweep: null, sweptAt: 5, sweptPages: 4, overAt: 8 };
      expect(await save(done, 'a')).toBe(true);
      expect(await store.watch(id)).toEqual(done);
      expect(await save(watch, 'a')).toBe(false);
    });

    test('behavior: is leased when it is due, longest first, by one holder', async () => {
      const [first, second] = [await watched({ nextAt: 30 }), await watched({ nextAt: 20 })];
      await watched({ nextAt: 10, platform: 'twitter' });
      expect([await leased('a', 19), await leased('a', 30)]).toEqual([null, second.id]);
      expect([await leased('b', 30), await leased('c', 30)]).toEqual([first.id, null]);
      // The lease of a ends.
      expect(await leased('c', 130)).toBe(second.id);
      const watch = await store.watch(second.id);
      if (watch === null) throw new Error('not watched');
      expect(await save({ ...watch, nextAt: 500 }, 'a')).toBe(false);
      expect(await save({ ...watch, nextAt: 500 }, 'c')).toBe(true);
      expect([await leased('d', 130), await leased('e', 499)]).toEqual([first.id, first.id]);
      expect(await leased('f', 500)).toBe(second.id);
    });

    test('behavior: is leased by its gig, due or not, unless it is leased or over', async () => {
      const { id } = await watched({ nextAt: 1_000 });
      const leaseOf = (name: string, now: number, gigId = id) =>
        write.leaseWatchOf(gigId, { lease: name, now, until: now + 100 });
      expect([await leaseOf('a', 30, 99), await leaseOf('a', 30)]).toEqual([null, await store.watch(id)]);
      expect(await leaseOf('b', 129)).toBeNull();
      const watch = await leaseOf('b', 130);
      if (watch === null) throw new Error('not leased');
      expect(await leased('c', 1_000)).toBe(id);
      expect(await save({ ...watch, overAt: 5 }, 'b')).toBe(false);
      expect(await save({ ...watch, overAt: 5 }, 'c')).toBe(true);
      expect(await leaseOf('d', 9_000)).toBeNull();
    });

    test('behavior: of two stores that ask at once each gets another one', async () => {
      const ids = [(await watched()).id, (await watched()).id];
      const other = await openAgain();
      const request = (name: string) => ({ lease: name, now: SEEDED_AT, until: SEEDED_AT + 9 });
      const found = await Promise.all([
        write.leaseWatch('farcaster', request('a')),
        other.transaction((tx) => tx.leaseWatch('farcaster', request('b'))),
        other.transaction((tx) => tx.leaseWatch('farcaster', request('c'))),
      ]);
      expect(found.map((watch) => watch?.gigId ?? 0).sort((a, b) => a - b)).toEqual([0, ...ids]);
    });

    test('behavior: is not leased nor listed when it is over', async () => {
      const [first, second, third] = [await watched(), await watched(), await watched()];
      const open = async (limit: number) => (await store.openWatches('farcaster', { limit })).map(({ gigId }) => gigId);
      expect(await open(9)).toEqual([third.id, second.id, first.id]);
      expect(await open(2)).toEqual([third.id, second.id]);
      expect(await store.openWatches('twitter', { limit: 9 })).toEqual([]);
      const watch = await leaseOne('a', SEEDED_AT);
      await save({ ...watch, overAt: SEEDED_AT }, 'a');
      expect(await open(9)).toEqual([third.id, second.id]);
      expect([await leased('b', SEEDED_AT), await leased('c', SEEDED_AT)]).toEqual([second.id, third.id]);
      expect(await leased('d', SEEDED_AT + 50)).toBeNull();
    });

    test('behavior: waits no longer when the clock was set back, and its lease is no longer than a new one', async () => {
      const { id } = await watched({ nextAt: 1_000 });
      const far = await watched({ nextAt: 9_000 });
      await write.leaseWatch('farcaster', { lease: 'a', now: 1_000, until: 1_100 });
      expect(await leased('b', 500)).toBeNull();
      expect(await write.endWaits({ now: 500, leaseMs: 60 })).toBe(3);
      expect([await leased('b', 500), await leased('c', 559)]).toEqual([far.id, null]);
      expect(await leased('c', 560)).toBe(id);
    });

    test('behavior: that waits too long is looked at when the service starts', async () => {
      const { id } = await watched({ nextAt: 1_000 });
      expect([await endLong(900), await endLong(899)]).toEqual([0, 1]);
      expect(await leased('a', 100)).toBe(id);
    });

    test('behavior: a question to its verifier waits no longer than it does itself', async () => {
      const { id: gigId } = await watched({ nextAt: 100 });
      const batch = { id: 'question', gigId, candidates: [1], tries: 1, nextAt: 1_000 };
      await write.openBatchOf(batch, 0);
      expect([await endLong(900), await endLong(899)]).toEqual([0, 1]);
      expect(await store.openBatch(gigId)).toMatchObject({ nextAt: 100 });
      expect(await write.endWaits({ now: 50, leaseMs: 60 })).toBe(2);
      expect(await store.openBatch(gigId)).toMatchObject({ nextAt: 50 });
      await write.endBatch('question', { state: 'dropped', answer: null, now: 50 });
      expect(await write.endWaits({ now: 40, leaseMs: 60 })).toBe(1);
    });
  });
}
