import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import { voidTips } from '../../../../src/services/gigs/tips/void-tip.ts';
import { storePerCase } from '../../../support/per-case.ts';
import {
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  seedClaim,
  seedConfirmed,
  seedGig,
  seedHash,
  seedSent,
  seedTips,
} from '../../../support/store.ts';
import { ALICE, BOB, BOB_ON_X } from '../../cashier.ts';

const NOW = SEEDED_AT + 5;
const { store } = storePerCase();
const takeBack = (tipIds: readonly number[], reason = ' a mistake ') =>
  voidTips({ store, clock: () => NOW }, { tipIds, reason, actor: COMMAND_LINE });

test('behavior: each tip is void for its reason, and told and recorded as that', async () => {
  const [one, two] = [await seedGig(store, { live: true }), await seedGig(store, { live: true })];
  await seedTips(store, two, [{ ...BOB, amount: 15n * 10n ** 17n }, BOB_ON_X]);
  await seedTips(store, one, [ALICE]);
  const voided = await takeBack([3, 1]);
  expect(voided).toMatchObject([
    { tip: { id: 3, gigId: one.id, voidedAt: NOW, voidReason: 'a mistake' }, amount: '1', symbol: 'DEGEN' },
    { tip: { id: 1, gigId: two.id, voidedAt: NOW, voidReason: 'a mistake' }, amount: '1.5', symbol: 'DEGEN' },
  ]);
  const events = (await store.auditEvents({ limit: 9 })).map(({ action, subject, subjectId, gigId, detail }) => {
    return { action, subject, subjectId, gigId, detail: JSON.parse(detail) };
  });
  const about = { action: 'tip.void', subject: 'tip' };
  const why = { reason: 'a mistake', awarded_by: null };
  expect(events).toEqual([
    {
      ...about,
      subjectId: '1',
      gigId: two.id,
      detail: { ...why, amount: '1500000000000000000', account: 'farcaster:1002' },
    },
    {
      ...about,
      subjectId: '3',
      gigId: one.id,
      detail: { ...why, amount: '1000000000000000000', account: 'farcaster:1001' },
    },
  ]);
  expect((await store.gig(two.id))?.awardedAmount).toBe(10n ** 18n);
});

test('error: a tip that is paid, claimed, void or unknown stays what it is, and so do the others', async () => {
  const gig = await seedGig(store, { live: true });
  await seedTips(store, gig, [ALICE]);
  const { payouts } = await seedClaim(store, sampleClaim(ALICE, '0x1'));
  const id = payouts[0]?.id ?? 0;
  await seedSent(store, [id], { nonce: 1, attempt: sampleAttempt(1) });
  await seedConfirmed(store, id, { hash: seedHash(1) });
  await seedTips(store, gig, [BOB]);
  await seedClaim(store, sampleClaim(BOB, '0x2'));
  await seedTips(store, gig, [ALICE, ALICE]);
  await takeBack([3]);
  for (const [tipId, message] of [
    [1, 'Tip 1 was paid; that cannot be undone.'],
    [2, 'Tip 2 is held by a running claim; its payment is under way.'],
    [3, 'Tip 3 is void already.'],
    [99, 'There is no tip 99.'],
  ] as const)
    await expect(takeBack([4, tipId])).rejects.toMatchObject({ refusal: { code: 'invalid_request', message } });
  await expect(takeBack([4], ' ')).rejects.toMatchObject({ refusal: { code: 'invalid_request' } });
  expect(await store.tip(4)).toMatchObject({ status: 'pending', voidedAt: null });
});
