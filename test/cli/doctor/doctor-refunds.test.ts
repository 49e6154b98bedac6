import { expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { SEEDED_AT, seedAddress, seedGig, seedTips } from '../../support/store.ts';
import { desk, useDesk } from '../admin.ts';
import { checkOf } from './setup.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const DAY = 86_400_000;
const AGAIN = 'it says why it failed, and with --yes plans it again, to --to if that is given.';

useDesk();

const check = () => checkOf('refunds');

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
    mark: 'passed',
    detail: 'No refund of a settled gig is held up, and none has failed',
    remedy: '',
  });
});

test('error: gigs without an address and refunds that are late are counted and named, with the remedy', async () => {
  for (let count = 0; count < 6; count += 1) await seedSettled(1);
  await seedSettled(5, seedAddress(0xb1));
  expect(await check()).toEqual({
    name: 'refunds',
    ok: false,
    mark: 'failed',
    detail:
      'Unawarded funds without a refund address: 6 settled gigs (1, 2, 3, 4, 5, +1 more). ' +
      'The refund of gig 7 has been due for more than a day and is not planned',
    remedy:
      'Run npm run admin -- gig refund 1 --to 0x… --yes. ' +
      'Run npm run admin -- gig refund 7: it says what the refund waits for.',
  });
});

test('error: refunds, and returns of what cancelled gigs hold, that failed are told until they are planned again', async () => {
  const { store } = desk;
  const to = seedAddress(0xb1);
  const settled = await seedSettled(5, to);
  const cancelled = await seedGig(store, { refundAddress: to });
  const started = await seedGig(store, { live: true });
  await store.transaction(async (tx) => {
    await tx.lockGig(cancelled.id, { holder: 'seed', now: SEEDED_AT, until: SEEDED_AT + 60_000 });
    await tx.cancelGig(cancelled.id, { holder: 'seed', now: SEEDED_AT });
    await tx.markRefunded(settled.id, SEEDED_AT);
  });
  const plan = (gig: Gig, of: { kind: 'refund' } | { kind: 'return'; place: number }) => {
    const shared = { chainId: gig.token.chainId, gigId: gig.id, claimId: null, tokenId: gig.token.id, recipient: to };
    return store.transaction((tx) => tx.planPayment({ ...shared, ...of, amount: 7n }, { now: SEEDED_AT, tipIds: [] }));
  };
  const failed = [
    await plan(settled, { kind: 'refund' }),
    await plan(cancelled, { kind: 'return', place: 0 }),
    // A surplus, which an operator returns.
    await plan(started, { kind: 'return', place: 0 }),
  ];
  for (const { id } of failed) {
    await store.transaction((tx) => tx.failPayment(id, { reason: 'blocked', now: SEEDED_AT }));
  }
  expect(await check()).toEqual({
    name: 'refunds',
    ok: false,
    mark: 'failed',
    detail:
      'The refund or return of gig 1 failed and was not planned again. ' +
      'The refund or return of gig 2 failed and was not planned again',
    remedy: [1, 2].map((id) => `Run npm run admin -- gig refund ${id}: ${AGAIN}`).join(' '),
  });
  await plan(settled, { kind: 'refund' });
  expect((await check())?.detail).toBe('The refund or return of gig 2 failed and was not planned again');
  // Under another number.
  await plan(cancelled, { kind: 'return', place: 1 });
  expect(await check()).toMatchObject({ ok: true });
});
