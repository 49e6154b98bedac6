import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EARNING_STATES, type EarningState } from '../../../src/domain/earning/earning.ts';
import {
  awardAs,
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  sampleReply,
  seedActs,
  seedGigWithRules,
  seedWatchedGig,
} from '../../support/earning.ts';
import { SEEDED_AT, seedAddress, seedGig, seedTips } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = sampleAccount(7);
const BOB = sampleAccount(8);
const HASH = 'a'.repeat(64);
const REFUSED = { to: 'refused', reason: 'score_too_low' } as const;

/** What becomes of accounts: decisions, awards, refusals, lists, counts. */
export function describeEarnings({ store, change, write }: Subject): void {
  const state = async (gigId: number, account = ALICE) => (await store.earning(gigId, account))?.state;
  /** A watched gig with a like of each account, ranked in this order, a millisecond apart. */
  const seedLikes = async (...ids: number[]) => {
    const gig = await seedWatchedGig(store);
    for (const [i, id] of ids.entries()) await seedActs(store, gig, [sampleAct(id, { rankedAt: i })]);
    return gig;
  };

  describe('overviews', () => {
    test('behavior: of a page of gigs with their rules, counts and sums; gigs without rules are absent', async () => {
      const [gig, manual] = [await seedGigWithRules(store), await seedGig(store)];
      const quiet = await seedGigWithRules(store, { rules: { holdMs: 0 } });
      await seedActs(store, gig, [sampleAct(7), sampleAct(8)]);
      await decideAs(write, gig, ALICE);
      await change((tx) => awardAs(tx, gig, ALICE, { amount: 5n }));
      const found = await store.earningOverviews([quiet.id, manual.id, gig.id, 987_654]);
      const overviews = found
        .toSorted((a, b) => a.stored.gigId - b.stored.gigId)
        .map(({ counts, ...rest }) => {
          return { ...rest, counts: counts.map(({ state, count }) => `${state} ${count}`).toSorted() };
        });
      const [rules, others] = [await store.earningRules(gig.id), await store.earningRules(quiet.id)];
      expect(overviews).toEqual([
        { stored: rules, counts: ['awarded 1', 'held 1'], earned: 5n, divided: 0, overAt: null },
        { stored: others, counts: [], earned: 0n, divided: 0, overAt: null },
      ]);
      expect(await store.earningOverviews([])).toEqual([]);
      expect(await store.earningOverviews([manual.id])).toEqual([]);
    });

    test('behavior: what an account has not earned, in every gig, newest first', async () => {
      const [refused, awarded, held] = [await seedLikes(7, 8), await seedLikes(7), await seedLikes(7)];
      const [first, second, third] = [refused.id, awarded.id, held.id];
      await decideAs(write, refused, ALICE, REFUSED);
      await decideAs(write, awarded, ALICE);
      const of = async (limit: number) =>
        (await store.earningsOf(ALICE, { limit })).map(({ gigId, state }) => `${gigId} ${state}`);
      expect(await of(9)).toEqual([`${third} held`, `${second} eligible`, `${first} refused`]);
      await change((tx) => awardAs(tx, awarded, ALICE));
      expect(await of(9)).toEqual([`${third} held`, `${first} refused`]);
      expect(await of(1)).toEqual([`${third} held`]);
    });
  });

  describe('a decision about an account', () => {
    test('behavior: moves it from the state that it was made in, and is recorded with its facts', async () => {
      const gig = await seedLikes(7);
      const moved = { observationId: 1, rankedAt: 3, dueAt: 4, now: 10 };
      expect(await decideAs(write, gig, ALICE, { to: 'held', facts: null, ...moved })).toBe(true);
      expect(await store.earning(gig.id, ALICE)).toMatchObject({ state: 'held', rankedAt: 3, dueAt: 4 });
      expect(await decideAs(write, gig, ALICE, { from: 'eligible', ...REFUSED })).toBe(false);
      expect(await decideAs(write, gig, ALICE, { now: 11 })).toBe(true);
      expect(await store.earning(gig.id, ALICE)).toMatchObject({ state: 'eligible', facts: SAMPLE_FACTS });
      expect(await decideAs(write, gig, ALICE, { from: 'held' })).toBe(false);
      const facts = { ...SAMPLE_FACTS, score: null, username: null };
      expect(await decideAs(write, gig, ALICE, { ...REFUSED, facts, now: 12 })).toBe(true);
      const refused = { state: 'refused', reason: 'score_too_low', facts, updatedAt: 12 };
      expect(await store.earning(gig.id, ALICE)).toMatchObject(refused);
      expect(await store.evaluations(gig.id, ALICE)).toEqual([
        { id: 1, at: 10, state: 'held', reason: null, facts: null, amount: null },
        { id: 2, at: 11, state: 'eligible', reason: null, facts: SAMPLE_FACTS, amount: null },
        { id: 3, at: 12, state: 'refused', reason: 'score_too_low', facts, amount: null },
      ]);
      expect(await store.evaluations(gig.id, BOB)).toEqual([]);
    });

    test('error: a refusal has a reason, and nothing else has one', async () => {
      const gig = await seedLikes(7);
      await expect(decideAs(write, gig, ALICE, { to: 'refused' })).rejects.toThrow('earnings_refused');
      await expect(decideAs(write, gig, ALICE, { reason: 'withdrawn' })).rejects.toThrow('earnings_refused');
      await expect(decideAs(write, gig, ALICE, { observationId: 99 })).rejects.toThrow(/foreign key/i);
      expect(await state(gig.id)).toBe('held');
    });

    test('security: no two accepted accounts of a gig have an address or a text in common', async () => {
      const gig = await seedLikes(7, 8);
      const other = await seedLikes(7, 8);
      const addresses = [seedAddress(1), seedAddress(2)];
      const holder = async (gigId = gig.id) => [
        await store.earningAddressHolder(gigId, seedAddress(2)),
        await store.earningTextHolder(gigId, HASH),
      ];
      expect(await holder()).toEqual([null, null]);
      await decideAs(write, gig, ALICE, { addresses, textHash: HASH });
      expect(await holder()).toEqual([ALICE, ALICE]);
      expect(await holder(other.id)).toEqual([null, null]);
      await expect(decideAs(write, gig, BOB, { addresses: [seedAddress(2)] })).rejects.toThrow(
        'an address is another account',
      );
      await expect(decideAs(write, gig, BOB, { textHash: HASH })).rejects.toThrow('a text is another account');
      expect(await state(gig.id, BOB)).toBe('held');
      // Its own are no other's.
      expect(await decideAs(write, gig, ALICE, { addresses, textHash: HASH })).toBe(true);
      await change((tx) => awardAs(tx, gig, ALICE));
      expect(await holder()).toEqual([ALICE, ALICE]);
      expect(await decideAs(write, other, BOB, { addresses, textHash: HASH })).toBe(true);
    });

    test('behavior: that ends the acceptance frees the addresses and the text', async () => {
      const gig = await seedLikes(7, 8);
      const accepted = { addresses: [seedAddress(1)], textHash: HASH };
      for (const end of [REFUSED, { to: 'held' }] as const) {
        await decideAs(write, gig, ALICE, accepted);
        await decideAs(write, gig, ALICE, end);
        expect(await store.earningAddressHolder(gig.id, seedAddress(1))).toBeNull();
        expect(await store.earningTextHolder(gig.id, HASH)).toBeNull();
      }
      expect(await decideAs(write, gig, BOB, accepted)).toBe(true);
      await write.refuseOpenEarnings(gig.id, { reason: 'reward_used_up', now: 1, limit: 9 });
      expect(await store.earningAddressHolder(gig.id, seedAddress(1))).toBeNull();
    });
  });

  describe('an award', () => {
    test('error: of more than the reward is refused, with its tip', async () => {
      const gig = await seedLikes(7);
      await decideAs(write, gig, ALICE);
      const award = change((tx) => awardAs(tx, gig, ALICE, { amount: gig.rewardAmount + 1n }));
      await expect(award).rejects.toThrow('its reward does not hold the award');
      expect(await store.earning(gig.id, ALICE)).toMatchObject({ state: 'eligible' });
      expect((await store.gig(gig.id))?.awardedAmount).toBe(0n);
    });

    test('behavior: has its tip and adds to what was earned; it is recorded with the facts', async () => {
      const gig = await seedLikes(7, 8);
      await decideAs(write, gig, ALICE);
      const whole = 10n ** 19n;
      await change((tx) => awardAs(tx, gig, ALICE, { amount: whole, now: 30 }));
      const awarded = { state: 'awarded', amount: whole } as const;
      expect(await store.earning(gig.id, ALICE)).toMatchObject({ ...awarded, tipId: 1, updatedAt: 30 });
      const recorded = { ...awarded, id: 2, at: 30, reason: null, facts: SAMPLE_FACTS };
      expect((await store.evaluations(gig.id, ALICE)).at(-1)).toEqual(recorded);
      await decideAs(write, gig, BOB);
      await change((tx) => awardAs(tx, gig, BOB));
      expect(await store.earnedAmount(gig.id)).toBe(whole + 5n);
      // A tip by request is none.
      await seedTips(store, gig, [ALICE]);
      expect([await store.earnedAmount(gig.id), await store.earnedAmount(99)]).toEqual([whole + 5n, 0n]);
    });

    test('security: comes once, and stays', async () => {
      const gig = await seedLikes(7);
      await seedTips(store, gig, [{ ...ALICE, amount: 5n }]);
      const award = (tipId: number) => write.awardEarning(gig.id, ALICE, { tipId, amount: 5n, now: SEEDED_AT });
      expect(await award(1)).toBe(false);
      await decideAs(write, gig, ALICE);
      expect([await award(1), await award(1)]).toEqual([true, false]);
      const awarded = await store.earning(gig.id, ALICE);
      for (const from of EARNING_STATES) {
        expect(await decideAs(write, gig, ALICE, { from, ...REFUSED }), from).toBe(false);
      }
      const refusal = { reason: 'reward_used_up', now: 1, limit: 9 } as const;
      expect(await write.refuseOpenEarnings(gig.id, refusal)).toEqual([]);
      expect(await store.earning(gig.id, ALICE)).toEqual(awarded);
      expect(await store.earnedAmount(gig.id)).toBe(5n);
      expect(await store.evaluations(gig.id, ALICE)).toHaveLength(2);
    });

    test('security: is a tip of its own, of its gig, to its account and of its amount', async () => {
      const [gig, other] = [await seedLikes(7, 8), await seedGig(store, { live: true })];
      await seedTips(store, gig, [
        { ...ALICE, amount: 5n },
        { ...BOB, amount: 5n },
      ]);
      await seedTips(store, other, [{ ...ALICE, amount: 5n }]);
      for (const account of [ALICE, BOB]) await decideAs(write, gig, account);
      const award = (tipId: number, amount: bigint) => write.awardEarning(gig.id, ALICE, { tipId, amount, now: 1 });
      const wrong = 'an award is a tip of its gig to its account';
      for (const tipId of [2, 3, 99]) await expect(award(tipId, 5n)).rejects.toThrow(wrong);
      await expect(award(1, 4n)).rejects.toThrow(wrong);
      expect(await state(gig.id)).toBe('eligible');
      expect(await store.earnedAmount(gig.id)).toBe(0n);
    });
  });

  describe('the refusal of all that is open', () => {
    test('behavior: takes held ones first, by rank, as many as are asked for', async () => {
      const gig = await seedLikes(1, 2, 3, 4, 5);
      const other = await seedLikes(1);
      for (const id of [1, 4]) await decideAs(write, gig, sampleAccount(id));
      await decideAs(write, gig, sampleAccount(5), REFUSED);
      const refuse = async (limit: number) => {
        const refused = await write.refuseOpenEarnings(gig.id, { reason: 'reward_used_up', now: 40, limit });
        return refused.map(({ platformUserId }) => Number(platformUserId));
      };
      const states = () => Promise.all([1, 2, 3, 4, 5].map((id) => state(gig.id, sampleAccount(id))));
      expect(await refuse(1)).toEqual([2]);
      expect(await states()).toEqual(['eligible', 'refused', 'held', 'eligible', 'refused']);
      expect(await refuse(2)).toEqual([3, 1]);
      expect(await states()).toEqual(['refused', 'refused', 'refused', 'eligible', 'refused']);
      expect([await refuse(9), await refuse(9)]).toEqual([[4], []]);
      const refused = { reason: 'reward_used_up', state: 'refused', updatedAt: 40 };
      expect(await store.earning(gig.id, sampleAccount(4))).toMatchObject({ ...refused, facts: SAMPLE_FACTS });
      expect(await store.earning(gig.id, sampleAccount(5))).toMatchObject({ reason: 'score_too_low' });
      const recorded = await store.evaluations(gig.id, sampleAccount(4));
      expect(recorded.map(({ reason }) => reason)).toEqual([null, 'reward_used_up']);
      for (const { facts } of recorded) expect(facts).toEqual(SAMPLE_FACTS);
      expect(await state(other.id, sampleAccount(1))).toBe('held');
    });
  });

  describe('the earnings of a gig', () => {
    test('behavior: are listed newest first, of any or of one state', async () => {
      const gig = await seedLikes(1, 2, 3, 4);
      await seedLikes(1);
      for (const id of [2, 4]) await decideAs(write, gig, sampleAccount(id));
      const list = async (query: { limit: number; before?: number; state?: EarningState }) =>
        (await store.earnings({ gigId: gig.id, ...query })).map(({ platformUserId }) => platformUserId);
      expect(await list({ limit: 9 })).toEqual(['4', '3', '2', '1']);
      expect(await list({ limit: 2, before: 4 })).toEqual(['3', '2']);
      expect(await list({ limit: 9, state: 'eligible' })).toEqual(['4', '2']);
      expect(await list({ limit: 9, state: 'eligible', before: 4 })).toEqual(['2']);
      expect(await list({ limit: 9, state: 'awarded' })).toEqual([]);
      const [first] = await store.earnings({ gigId: gig.id, limit: 1 });
      expect(first).toEqual(await store.earning(gig.id, sampleAccount(4)));
    });

    test('behavior: are counted by state, equal to the rows after any run of changes', async () => {
      const step = fc.record({ id: fc.integer({ min: 1, max: 6 }), what: fc.nat(5) });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          const gig = await seedWatchedGig(store);
          let number = 0;
          for (const { id, what } of steps) {
            number += 1;
            const account = sampleAccount(id);
            const now = await state(gig.id, account);
            if (now === undefined || what === 0) {
              await seedActs(store, gig, [sampleReply(id, `0x${number}`)]);
            } else if (what === 1) await decideAs(write, gig, account);
            else if (what === 2) await decideAs(write, gig, account, REFUSED);
            else if (what === 3) {
              await decideAs(write, gig, account, { to: 'refused', reason: 'withdrawn' });
            } else if (what === 4 && now === 'eligible') await change((tx) => awardAs(tx, gig, account));
            else await write.refuseOpenEarnings(gig.id, { reason: 'not_drawn', now: 1, limit: 1 });
          }
          const rows = await store.earnings({ gigId: gig.id, limit: 99 });
          const counted = Map.groupBy(rows, (row) => row.state);
          const counts = await store.earningCounts(gig.id);
          expect(new Map(counts.map(({ state, count }) => [state, count]))).toEqual(
            new Map([...counted].map(([state, found]) => [state, found.length])),
          );
          const sum = rows.reduce((total, { amount }) => total + (amount ?? 0n), 0n);
          expect(await store.earnedAmount(gig.id)).toBe(sum);
        }),
        { numRuns: 20 },
      );
    });
  });
}
