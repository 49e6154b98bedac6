import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayNumber, owedOf } from '../../../src/domain/operators/day-sums.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import type { Store } from '../../../src/store/port/index.ts';
import {
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedConfirmed,
  seedGig,
  seedHash,
  seedMention,
  seedSent,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const BOB = { platform: 'farcaster', platformUserId: '1002' } as const;
/** More than a number or an integer of a database holds. */
const HUGE = 10n ** 40n + 999_999_999_999_999_999n;
const TODAY = dayNumber(SEEDED_AT);

/** At the borders of places of nine digits, and beyond what integers of a database hold. */
const amounts = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 45n }),
  fc
    .tuple(fc.constantFrom(9n, 18n, 27n, 36n), fc.integer({ min: -1, max: 1 }))
    .map(([n, near]) => 10n ** n + BigInt(near)),
);
const steps = fc.array(
  fc.record({ gig: fc.nat(2), act: fc.constantFrom('start', 'award', 'award', 'void', 'settle'), amount: amounts }),
  { minLength: 5, maxLength: 25 },
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

async function take(store: Store, gigId: number, { act, amount }: Step): Promise<void> {
  const gig = await store.gig(gigId);
  if (gig === null) throw new TypeError(`there is no gig ${gigId}`);
  const reason = 'a mistake';
  const now = SEEDED_AT + 2 * DAY_MS;
  await store.transaction(async (tx) => {
    if (act === 'start') {
      await tx.lockGig(gigId, { holder: 'a', now, until: now + 1 });
      await tx.markLive(gigId, { holder: 'a', startTime: gig.startTime, endTime: gig.endTime });
    } else if (act === 'void') {
      for (const { id } of (await tx.pendingTips([BOB])).tips.slice(0, 1)) await tx.voidTip(id, { reason, now });
    } else if (act === 'settle') await tx.settleGig(gigId, now);
    else if (gig.status === 'live' && gig.settledAt === null)
      await tx.insertTips([{ ...BOB, gigId, tokenId: gig.token.id, amount, userAddress: null }], now);
  });
}

export function describeDaySums({ store, write }: Subject): void {
  describe('the sums by day', () => {
    const sums = () => store.tokenSums({ since: TODAY - 1 });

    test('behavior: follow what is funded, awarded, paid and taken back, exactly, for each token', async () => {
      await seedGig(store);
      expect(await sums()).toEqual([]);
      const gig = await seedGig(store, { live: true, rewardAmount: 2n * HUGE, feeAmount: 5n });
      const other = await seedToken(store, { address: '0x00000000000000000000000000000000000000bb', symbol: 'OTHER' });
      await seedGig(store, { live: true, tokenId: other.id, rewardAmount: 7n, feeAmount: 0n });
      await seedTips(store, gig, [{ ...BOB, amount: HUGE }]);
      const { payouts } = await seedClaim(store, sampleClaim(BOB, '0x1'));
      const id = payouts[0]?.id ?? 0;
      await seedSent(store, [id], { nonce: 0, attempt: sampleAttempt(1) });
      expect(await store.oldestWaitingPayment()).toBe(SEEDED_AT);
      await seedConfirmed(store, id, { hash: seedHash(1), now: SEEDED_AT + DAY_MS });
      const [first, second] = await sums();
      expect(first).toMatchObject({ gigs: 1, funded: 2n * HUGE + 5n, awarded: HUGE, paid: HUGE, settled: 0n });
      expect(first?.paidOn).toEqual(new Map([[TODAY + 1, HUGE]]));
      expect(second).toMatchObject({ gigs: 1, funded: 7n, awarded: 0n, paid: 0n });
      expect(await store.oldestWaitingPayment()).toBeNull();
      expect(await store.gasUsed(null)).toEqual(new Map([[8453, 60_000n]]));
      expect(await store.gasUsed(TODAY + 9)).toEqual(new Map());
      await write.unconfirmPayment(id, { reason: 'a reorganisation', now: SEEDED_AT + DAY_MS });
      const [back] = await sums();
      expect(back).toMatchObject({ paid: 0n, awarded: HUGE });
      expect(back === undefined ? null : owedOf(back)).toBe(HUGE);
      await write.failPayment(id, { reason: 'no', now: SEEDED_AT + DAY_MS });
    });

    test('behavior: after any changes the sums of a token are those of its gigs', async () => {
      let last = 0xcc;
      const run = async (made: readonly Step[], rewards: readonly bigint[]) => {
        last += 1;
        const token = await seedToken(store, { address: seedAddress(last), symbol: `T${last}` });
        const ids: number[] = [];
        for (const rewardAmount of rewards)
          ids.push((await seedGig(store, { tokenId: token.id, rewardAmount, feeAmount: rewardAmount / 20n })).id);
        await take(store, ids[0] ?? 0, { gig: 0, act: 'start', amount: 0n });
        for (const step of made) await take(store, ids[step.gig] ?? 0, step);
        const gigs = (await Promise.all(ids.map((id) => store.gig(id)))).flatMap((gig) => gig ?? []);
        const live = gigs.filter((gig) => gig.status === 'live');
        const settled = gigs.filter((gig) => gig.settledAt !== null);
        const sumOf = (list: typeof gigs, of: (gig: (typeof gigs)[0]) => bigint) =>
          list.reduce((sum, gig) => sum + of(gig), 0n);
        expect((await sums()).find((each) => each.token.id === token.id)).toMatchObject({
          gigs: live.length,
          funded: sumOf(live, (gig) => gig.rewardAmount + gig.feeAmount),
          awarded: sumOf(gigs, (gig) => gig.awardedAmount),
          settled: sumOf(settled, (gig) => gig.rewardAmount - gig.awardedAmount),
        });
      };
      const rewards = fc.tuple(amounts, amounts, amounts);
      // As many tokens as the overview has.
      await fc.assert(fc.asyncProperty(steps, rewards, run), { numRuns: 8 });
    });

    test('behavior: replies and payments are timed, follow-ups and notices are not', async () => {
      await seedMention(store, { postId: '0xa1', postedAt: SEEDED_AT });
      const held = { lease: 'w', now: SEEDED_AT + 1, until: SEEDED_AT + 60_000 };
      await store.transaction(async (tx) => {
        await tx.leaseMention({ ...held, platforms: ['farcaster'] });
        await tx.markAnswered(1, 'w');
        const id = await tx.queueReply({ mentionId: 1, kind: 'answer', text: 'x' }, SEEDED_AT);
        await tx.leaseReply('farcaster', held);
        await tx.markSending(id, 'w');
        await tx.markSent(id, { lease: 'w', postId: '0xr1', now: SEEDED_AT + 4_200 });
      });
      const gig = await seedGig(store, { live: true });
      await seedTips(store, gig, [{ ...BOB }]);
      const { payouts } = await seedClaim(store, sampleClaim(BOB, '0x1', { createdAt: SEEDED_AT }));
      await seedSent(store, [payouts[0]?.id ?? 0], { nonce: 0, attempt: sampleAttempt(1) });
      await seedConfirmed(store, payouts[0]?.id ?? 0, { hash: seedHash(1), now: SEEDED_AT + 65_000 });
      const found = await store.durations(TODAY);
      expect(found.toSorted((a, b) => a.bucket - b.bucket)).toEqual([
        { day: TODAY, kind: 'reply', bucket: 5_000, n: 1, longest: 4_200 },
        { day: TODAY, kind: 'payment', bucket: 90_000, n: 1, longest: 65_000 },
      ]);
      expect(await store.durations(TODAY + 1)).toEqual([]);
    });
  });
}
