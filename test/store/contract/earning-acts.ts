import { describe, expect, test } from 'vitest';
import type { RefusalReason } from '../../../src/domain/earning/earning.ts';
import type { Sight } from '../../../src/store/port/index.ts';
import {
  awardAs,
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  sampleReply,
  seedActs,
  seedWatchedGig,
} from '../../support/earning.ts';
import { SEEDED_AT } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = sampleAccount(7);
const BOB = sampleAccount(8);
const REOPENED: readonly RefusalReason[] = ['before_start', 'withdrawn', 'text_too_short', 'duplicate_text'];
const LASTING: readonly RefusalReason[] = ['after_end', 'score_too_low', 'same_address', 'reward_used_up'];

export function describeEarningActs({ store, change, write }: Subject): void {
  const refuse = (gig: { id: number }, reason: RefusalReason) => decideAs(write, gig, ALICE, { to: 'refused', reason });

  /** A watched gig with a reply by alice. */
  async function seedReplied() {
    const gig = await seedWatchedGig(store);
    await seedActs(store, gig, [sampleReply(7, '0x1')]);
    return gig;
  }
  const reply = (gig: { id: number }, object: string) => seedActs(store, gig, [sampleReply(7, object)]);

  describe('acts towards a target', () => {
    test('behavior: are kept whole, each with an earning of its account, and no account row', async () => {
      const gig = await seedWatchedGig(store);
      const act = sampleReply(7, '0xr', { actedAt: 4, rankedAt: 30, letters: 3 });
      const sight = { source: 'webhook', now: 50, dueAt: 90 } as const;
      expect(await seedActs(store, gig, [sampleAct(8, { rankedAt: 20 }), act], sight)).toBe(2);
      const [observation] = await store.observations(gig.id, ALICE);
      expect(observation).toEqual({
        ...ALICE,
        id: 2,
        gigId: gig.id,
        kind: 'reply',
        objectId: '0xr',
        actedAt: 4,
        firstSeenAt: 50,
        lastSeenAt: 49,
        rankedAt: 30,
        source: 'webhook',
        undoneAt: null,
        textHash: act.textHash,
        letters: 3,
      });
      const earning = {
        ...ALICE,
        gigId: gig.id,
        state: 'held',
        reason: null,
        observationId: 2,
        rankedAt: 30,
        dueAt: 90,
        facts: null,
        round: null,
        weight: null,
        amount: null,
        tipId: null,
        voidReason: null,
        note: null,
        updatedAt: 50,
      };
      expect(await store.earning(gig.id, ALICE)).toEqual(earning);
      expect(await store.observations(gig.id, BOB)).toMatchObject([{ id: 1, kind: 'like', textHash: null }]);
      expect(await store.account(ALICE)).toBeNull();
      expect(await store.earning(gig.id, sampleAccount(9))).toBeNull();
      expect(await store.observations(gig.id, sampleAccount(9))).toEqual([]);
    });

    test('behavior: that are known are only noted as seen, whatever the order in which they come', async () => {
      const gig = await seedWatchedGig(store);
      const seen = (now: number, source: Sight['source'] = 'sweep') =>
        seedActs(store, gig, [sampleAct(7, { rankedAt: now })], { now, dueAt: now + 9, source });
      expect(await seen(50, 'look')).toBe(1);
      const before = await store.earning(gig.id, ALICE);
      expect([await seen(80), await seen(60)]).toEqual([0, 0]);
      const [observation, ...more] = await store.observations(gig.id, ALICE);
      expect(more).toEqual([]);
      expect(observation).toMatchObject({ firstSeenAt: 50, lastSeenAt: 80, rankedAt: 50, source: 'look' });
      expect(await store.earning(gig.id, ALICE)).toEqual(before);
      // A webhook may tell of what was undone since.
      expect(await seen(90, 'webhook')).toBe(0);
      expect(await store.observations(gig.id, ALICE)).toEqual([observation]);
    });

    test('behavior: are one when they come twice in a page, and others in another gig or on another platform', async () => {
      const [gig, other] = [await seedWatchedGig(store), await seedWatchedGig(store)];
      const acts = [sampleAct(7), sampleAct(7), sampleReply(7, '0x1'), sampleReply(7, '0x2')];
      expect([await seedActs(store, gig, acts), await seedActs(store, other, acts)]).toEqual([3, 3]);
      expect(await seedActs(store, gig, acts, { platform: 'twitter' })).toBe(3);
      expect(await store.earningCounts(gig.id)).toEqual([{ state: 'held', count: 2 }]);
    });

    test('behavior: hold a new account by the first of them, and are listed by rank', async () => {
      const gig = await seedWatchedGig(store);
      const page = [sampleReply(7, '0x3', { rankedAt: 30 }), sampleReply(7, '0x1', { rankedAt: 10 })];
      await seedActs(store, gig, page, { dueAt: 40 });
      await seedActs(store, gig, [sampleReply(7, '0x2', { rankedAt: 5 })], { dueAt: 99 });
      expect(await store.earning(gig.id, ALICE)).toMatchObject({ observationId: 1, rankedAt: 10, dueAt: 40 });
      const listed = await store.observations(gig.id, ALICE);
      expect(listed.map(({ objectId }) => objectId)).toEqual(['0x2', '0x1', '0x3']);
      expect(listed.map(({ id }) => id)).toEqual([3, 1, 2]);
    });

    test('behavior: that are undone are noted once, and stay so when they are seen again', async () => {
      const gig = await seedWatchedGig(store);
      const follow = sampleAct(7, { kind: 'follow' });
      const undo = (now: number, platform = 'farcaster') => write.noteUndone(gig.id, follow, { platform, now });
      expect(await undo(40)).toBe(false);
      await seedActs(store, gig, [follow, sampleAct(8, { kind: 'follow' })]);
      expect([await undo(50, 'twitter'), await undo(50), await undo(60)]).toEqual([false, true, false]);
      expect(await seedActs(store, gig, [follow], { now: SEEDED_AT + 9 })).toBe(0);
      expect(await store.observations(gig.id, ALICE)).toMatchObject([{ undoneAt: 50, lastSeenAt: SEEDED_AT + 9 }]);
      expect(await store.observations(gig.id, BOB)).toMatchObject([{ undoneAt: null }]);
    });

    test('error: of a gig that does not exist, or of an odd account, leave nothing', async () => {
      const gig = await seedWatchedGig(store);
      await expect(seedActs(store, { id: 99 }, [sampleAct(7)])).rejects.toThrow(/foreign key/i);
      for (const odd of ['', '07', 'x', '-1']) {
        await expect(seedActs(store, gig, [sampleAct(8), sampleAct(odd)]), odd).rejects.toThrow(/check/i);
      }
      expect(await store.earningCounts(gig.id)).toEqual([]);
    });
  });

  describe('another act of an account that was refused', () => {
    test.each(REOPENED)('behavior: holds it again after %s, with a rank and a hold of its own', async (reason) => {
      const gig = await seedReplied();
      await refuse(gig, reason);
      // The same act again reopens nothing.
      await seedActs(store, gig, [sampleReply(7, '0x1')], { now: SEEDED_AT + 1 });
      expect(await store.earning(gig.id, ALICE)).toMatchObject({ state: 'refused', reason });
      const second = sampleReply(7, '0x2', { rankedAt: SEEDED_AT + 5 });
      expect(await seedActs(store, gig, [second], { now: SEEDED_AT + 6, dueAt: SEEDED_AT + 60 })).toBe(1);
      expect(await store.earning(gig.id, ALICE)).toMatchObject({
        state: 'held',
        reason: null,
        facts: null,
        observationId: 2,
        rankedAt: SEEDED_AT + 5,
        dueAt: SEEDED_AT + 60,
        updatedAt: SEEDED_AT + 6,
      });
      expect(await store.earningCounts(gig.id)).toEqual([{ state: 'held', count: 1 }]);
      expect(await store.evaluations(gig.id, ALICE)).toMatchObject([{ reason, facts: SAMPLE_FACTS }]);
    });

    test('behavior: reopens nothing when it has the same object, under another kind', async () => {
      const gig = await seedReplied();
      await refuse(gig, 'withdrawn');
      expect(await seedActs(store, gig, [sampleReply(7, '0x1', { kind: 'mention' })])).toBe(1);
      expect(await store.earning(gig.id, ALICE)).toMatchObject({ state: 'refused', reason: 'withdrawn' });
    });

    test.each(LASTING)('behavior: is kept, but changes nothing after %s', async (reason) => {
      const gig = await seedReplied();
      await refuse(gig, reason);
      expect(await reply(gig, '0x2')).toBe(1);
      expect(await store.earning(gig.id, ALICE)).toMatchObject({ state: 'refused', reason, observationId: 1 });
    });

    test('behavior: is kept, but changes nothing for one that is eligible or awarded', async () => {
      const gig = await seedReplied();
      await decideAs(write, gig, ALICE);
      expect(await reply(gig, '0x2')).toBe(1);
      expect(await store.earning(gig.id, ALICE)).toMatchObject({ state: 'eligible', observationId: 1 });
      await change((tx) => awardAs(tx, gig, ALICE));
      const awarded = await store.earning(gig.id, ALICE);
      expect(await reply(gig, '0x3')).toBe(1);
      expect(await store.earning(gig.id, ALICE)).toEqual(awarded);
      expect(await store.observations(gig.id, ALICE)).toHaveLength(3);
    });
  });
}
