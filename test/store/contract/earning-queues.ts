import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideAs, sampleAccount, sampleAct, sampleReply, seedActs, seedWatchedGig } from '../../support/earning.ts';
import type { Subject } from './subject.ts';

/** Who is settled and awarded next, and who is blocked. */
export function describeEarningQueues({ store, write }: Subject): void {
  const settleable = async (gigId: number, dueBy: number, limit = 9) =>
    (await store.settleable(gigId, { dueBy, limit })).map(({ earning }) => Number(earning.platformUserId));
  /** Whom may be awarded, each with the number of held ones before it. */
  const awardable = async (gigId: number, limit = 9) =>
    (await store.awardable(gigId, { limit })).map(
      ({ earning, heldBefore }) => `${earning.platformUserId}: ${heldBefore}`,
    );

  describe('accounts that are to be settled', () => {
    test('behavior: are the held ones that are due, by rank, ties by arrival', async () => {
      const gig = await seedWatchedGig(store);
      const other = await seedWatchedGig(store);
      const see = (id: number, rankedAt: number, dueAt: number) =>
        seedActs(store, gig, [sampleAct(id, { rankedAt })], { dueAt });
      expect(await settleable(gig.id, 1_000)).toEqual([]);
      expect(await store.nextHeldDue(gig.id)).toBeNull();
      await see(1, 30, 100);
      await see(2, 10, 200);
      await see(3, 10, 150);
      await see(4, 20, 150);
      expect(await store.nextHeldDue(gig.id)).toBe(100);
      expect(await settleable(gig.id, 99)).toEqual([]);
      expect(await settleable(gig.id, 100)).toEqual([1]);
      expect(await settleable(gig.id, 150)).toEqual([3, 4, 1]);
      expect(await settleable(gig.id, 200)).toEqual([2, 3, 4, 1]);
      expect(await settleable(gig.id, 200, 2)).toEqual([2, 3]);
      await decideAs(write, gig, sampleAccount(1));
      await decideAs(write, gig, sampleAccount(3), { to: 'held', dueAt: 300 });
      expect(await store.nextHeldDue(gig.id)).toBe(150);
      expect(await settleable(gig.id, 200)).toEqual([2, 4]);
      expect(await settleable(other.id, 200)).toEqual([]);
    });

    test('behavior: come with their acts by rank, and with whether they are blocked', async () => {
      const gig = await seedWatchedGig(store);
      const replies = [sampleReply(1, '0x2', { rankedAt: 2 }), sampleReply(1, '0x1', { rankedAt: 1 })];
      await seedActs(store, gig, [...replies, sampleReply(2, '0x3', { rankedAt: 3 })], { dueAt: 5 });
      await write.blockAccount(sampleAccount(2), { reason: 'a ring', now: 1 });
      const found = await store.settleable(gig.id, { dueBy: 5, limit: 9 });
      expect(found.map(({ isBlocked }) => isBlocked)).toEqual([false, true]);
      for (const [i, { earning, observations }] of found.entries()) {
        const account = sampleAccount(i + 1);
        expect(earning).toEqual(await store.earning(gig.id, account));
        expect(observations).toEqual(await store.observations(gig.id, account));
      }
      expect(found[0]?.observations.map(({ objectId }) => objectId)).toEqual(['0x1', '0x2']);
    });
  });

  describe('texts of held accounts', () => {
    test('behavior: are those seen before an act, by accounts that are held for one seen before it', async () => {
      const gig = await seedWatchedGig(store);
      const other = await seedWatchedGig(store);
      const textHash = 'ab'.repeat(32);
      const reply = (of: typeof gig, id: number, rankedAt: number) =>
        seedActs(store, of, [sampleReply(id, `0x${rankedAt}`, { rankedAt, textHash })], { dueAt: 5 });
      for (const [id, rankedAt] of [40, 20, 10, 30].entries()) await reply(gig, id + 1, rankedAt);
      await reply(other, 5, 50);
      await seedActs(store, gig, [sampleReply(1, '0x99', { textHash: 'cd'.repeat(32) })]);
      const held = async (before: number, hashes = [textHash]) =>
        (await store.heldTexts(gig.id, { hashes, before })).map((each) => Number(each.platformUserId)).toSorted();
      expect([await held(5), await held(3), await held(1)]).toEqual([[1, 2, 3, 4], [1, 2], []]);
      expect([await held(5, []), await held(5, ['ef'.repeat(32)])]).toEqual([[], []]);
      await decideAs(write, gig, sampleAccount(2));
      // Held for its act that was seen last.
      await decideAs(write, gig, sampleAccount(1), { to: 'held', observationId: 6, rankedAt: 70, dueAt: 9 });
      expect(await held(5)).toEqual([3, 4]);
      expect(await held(7)).toEqual([1, 3, 4]);
      const found = await store.heldTexts(gig.id, { hashes: [textHash], before: 7 });
      const place = { observationId: 1, heldFor: 6, rankedAt: 70, dueAt: 9 };
      expect(found).toContainEqual({ platformUserId: '1', textHash, ...place });
    });
  });

  describe('accounts that may be awarded', () => {
    test('behavior: are the eligible ones by rank, each with the number of held ones before it', async () => {
      const gig = await seedWatchedGig(store);
      const other = await seedWatchedGig(store);
      for (const [id, rankedAt] of [40, 10, 10, 20, 30, 50].entries()) {
        await seedActs(store, gig, [sampleAct(id + 1, { rankedAt })]);
      }
      await seedActs(store, other, [sampleAct(1, { rankedAt: 0 })]);
      expect(await awardable(gig.id)).toEqual([]);
      for (const id of [3, 5, 6]) await decideAs(write, gig, sampleAccount(id));
      expect(await awardable(gig.id)).toEqual(['3: 1', '5: 2', '6: 3']);
      expect(await awardable(gig.id, 2)).toEqual(['3: 1', '5: 2']);
      await decideAs(write, gig, sampleAccount(2), { to: 'refused', reason: 'withdrawn' });
      await decideAs(write, gig, sampleAccount(4));
      expect(await awardable(gig.id)).toEqual(['3: 0', '4: 0', '5: 0', '6: 1']);
      const [first] = await store.awardable(gig.id, { limit: 1 });
      expect(first?.earning).toEqual(await store.earning(gig.id, sampleAccount(3)));
    });

    test('behavior: have as many held ones before them as a count one by one finds, in any order', async () => {
      const ranks = fc.array(fc.record({ rankedAt: fc.nat(4), isEligible: fc.boolean() }), { maxLength: 14 });
      await fc.assert(
        fc.asyncProperty(ranks, async (accounts) => {
          const gig = await seedWatchedGig(store);
          const expected: string[] = [];
          for (const [i, { rankedAt, isEligible }] of accounts.entries()) {
            await seedActs(store, gig, [sampleAct(i + 1, { rankedAt })]);
            if (isEligible) await decideAs(write, gig, sampleAccount(i + 1));
          }
          const order = accounts.map((each, i) => ({ ...each, id: i + 1 })).sort((a, b) => a.rankedAt - b.rankedAt);
          for (const [i, { id, isEligible }] of order.entries()) {
            if (isEligible) expected.push(`${id}: ${order.slice(0, i).filter((each) => !each.isEligible).length}`);
          }
          expect(await awardable(gig.id, 99)).toEqual(expected);
        }),
        { numRuns: 20 },
      );
    });
  });

  describe('blocked accounts', () => {
    test('behavior: are blocked once, listed newest first with their handles, and unblocked', async () => {
      const [alice, bob] = [sampleAccount(7), sampleAccount(8)];
      const block = (account: typeof alice, now: number) =>
        write.blockAccount(account, { reason: `reason ${now}`, now });
      await write.setUsername({ ...alice, username: 'Alice' }, 1);
      expect(await store.isBlocked(alice)).toBe(false);
      expect([await block(alice, 5), await block(alice, 6), await block(bob, 4)]).toEqual([true, false, true]);
      expect(await store.isBlocked(alice)).toBe(true);
      expect(await store.isBlocked({ ...alice, platform: 'twitter' })).toBe(false);
      const first = { id: expect.any(Number), ...alice, username: 'Alice', blockedAt: 5, reason: 'reason 5' };
      const second = { id: expect.any(Number), ...bob, username: null, blockedAt: 4, reason: 'reason 4' };
      const [newest, ...older] = await store.blockedAccounts({ limit: 9 });
      expect([newest, ...older]).toEqual([second, first]);
      expect(await store.blockedAccounts({ limit: 1, before: newest?.id })).toEqual(older);
      // No account row was made for it.
      expect(await store.account(bob)).toBeNull();
      const unblock = () => write.unblockAccount(alice);
      expect([await unblock(), await unblock()]).toEqual([true, false]);
      expect(await store.isBlocked(alice)).toBe(false);
      expect(await block(alice, 9)).toBe(true);
    });
  });
}
