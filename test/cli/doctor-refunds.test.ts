import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Gig } from '../../src/domain/gig.ts';
import { SEEDED_AT, seedAddress, seedGig, seedTips } from '../support/store.ts';
import { type Desk, openDesk } from './admin.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const DAY = 86_400_000;

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

async function check() {
  const { out } = await desk.admin(['doctor', '--json']);
  const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string; remedy: string }[] };
  return checks.find(({ name }) => name === 'refunds');
}

/** A gig that was settled so many days ago. */
async function seedSettled(days: number, refundAddress: `0x${string}` | null = null) {
  const gig = await seedGig(desk.store, { live: true, startTime: SEEDED_AT - 30 * DAY, refundAddress });
  await desk.store.transaction((tx) => tx.settleGig(gig.id, SEEDED_AT - days * DAY));
  return gig;
}

test('behavior: refunds that wait as they should are no problem, and gigs that awarded everything are none', async () => {
  await seedSettled(3, seedAddress(0xb1));
  const gig = await seedGig(desk.store, { live: true, startTime: SEEDED_AT - 30 * DAY });
  await seedTips(desk.store, gig, [{ ...ALICE, amount: 100n * 10n ** 18n }]);
  await desk.store.transaction((tx) => tx.settleGig(gig.id, SEEDED_AT - 9 * DAY));
  expect(await check()).toEqual({
    name: 'refunds',
    ok: true,
    detail: 'No refund of a settled gig is held up',
    remedy: '',
  });
});

test('error: gigs without an address and refunds that are late are counted and named, with the remedy', async () => {
  for (let count = 0; count < 6; count += 1) await seedSettled(1);
  await seedSettled(5, seedAddress(0xb1));
  expect(await check()).toEqual({
    name: 'refunds',
    ok: false,
    detail:
      'of 6 settled gigs (1, 2, 3, 4, 5, +1 more) something is left, and where it goes is not set; ' +
      'the refund of 1 settled gig (7) is due for more than a day',
    remedy:
      'Run npm run admin -- gig refund 1 --to 0x… --yes. Run npm run admin -- gig refund 7, which says why it waits.',
  });
});

test('error: a refund that failed is told with its reason, until it is planned again', async () => {
  const gig = await seedSettled(4, seedAddress(0xb1));
  const plan = async ({ id: gigId, token, rewardAmount }: Gig) => {
    const refund = { kind: 'refund', chainId: token.chainId, gigId, claimId: null, tokenId: token.id } as const;
    return await desk.store.transaction(async (tx) => {
      await tx.markRefunded(gigId, SEEDED_AT);
      const to = { recipient: seedAddress(0xb1), amount: rewardAmount };
      return await tx.planPayment({ ...refund, ...to }, { now: SEEDED_AT, tipIds: [] });
    });
  };
  const fail = (id: number) =>
    desk.store.transaction((tx) => tx.failPayment(id, { reason: 'refused', now: SEEDED_AT }));
  await fail((await plan(gig)).id);
  await fail((await plan(gig)).id);
  expect(await check()).toEqual({
    name: 'refunds',
    ok: false,
    detail: 'the refund of gig 1 failed: refused',
    remedy:
      'When that is fixed, run npm run admin -- payment retry 2; gig refund 1 --to 0x… --yes pays what failed last to another address.',
  });
  await plan(gig);
  expect(await check()).toMatchObject({ ok: true });
});
