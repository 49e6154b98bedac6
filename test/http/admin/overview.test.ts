import { expect, test } from 'vitest';
import {
  sampleAttempt,
  sampleClaim,
  seedClaim,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedMention,
  seedSent,
  seedTips,
} from '../../support/store.ts';
import { operator, useOperator } from '../operator.ts';
import { NOW, service } from '../service.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const UNIT = 10n ** 18n;

useOperator();

test('behavior: what a settled gig has not awarded is refundable, until its refund is settled', async () => {
  const { store } = service;
  expect(await operator.said('/admin')).toContain('Money No gig has started yet.');
  const gig = await seedGig(store, { live: true });
  await seedTips(store, gig, [{ ...ALICE, amount: 30n * UNIT }]);
  const money = (paid: string, owed: string, refundable: string) =>
    `DEGEN Base 105 DEGEN 30 DEGEN ${paid} DEGEN ${owed} DEGEN ${refundable} DEGEN `;
  expect(await operator.said('/admin')).toContain(money('0', '30', '0'));
  await store.transaction((tx) => tx.settleGig(gig.id, NOW));
  expect(await operator.said('/admin')).toContain(money('0', '30', '70'));
  await store.transaction((tx) => tx.markRefunded(gig.id, NOW));
  const { id } = await seedFee(store, gig, { kind: 'refund', amount: 70n * UNIT }, NOW);
  const { payouts } = await seedClaim(store, sampleClaim(ALICE, '0x1', { createdAt: NOW - 90_000 }), NOW);
  const paid = payouts[0]?.id ?? 0;
  await seedSent(store, [id, paid], { nonce: 0, attempt: sampleAttempt(1), now: NOW });
  expect(await operator.said('/admin')).toContain(money('0', '30', '70'));
  await seedConfirmed(store, id, { hash: seedHash(1), now: NOW });
  expect(await operator.said('/admin')).toContain(money('0', '30', '0'));
  await seedConfirmed(store, paid, { hash: seedHash(1), now: NOW });
  const page = await operator.said('/admin');
  expect(page).toContain(money('30', '0', '0'));
  expect(page).toContain('Claim to paid 90 s 90 s');
  expect(page).toContain('Oldest waiting payment : none');
  await store.transaction((tx) => tx.unconfirmPayment(id, { reason: 'a reorganisation', now: NOW }));
  expect(await operator.said('/admin')).toContain(money('30', '0', '70'));
});

test('behavior: a queued reply is due, or held, and counts once', async () => {
  const { store } = service;
  await seedMention(store, { postedAt: NOW - 4_200 }, NOW);
  const lease = { lease: 'w', now: NOW, until: NOW + 60_000 };
  const id = await store.transaction(async (tx) => {
    await tx.leaseMention({ ...lease, platforms: ['farcaster'] });
    await tx.markAnswered(1, 'w');
    return await tx.queueReply({ mentionId: 1, kind: 'answer', text: 'You have no tips.' }, NOW);
  });
  expect(await operator.said('/admin')).toContain('Replies due 1 held 0 sending 0 unknown 0 sent 0 failed 0');
  const hold = { lease: 'w', heldFor: 'thread', until: NOW + 1_000, reason: 'held' } as const;
  const leaseAt = (now: number) => ({ ...lease, now, until: now + 60_000 });
  for (const time of [0, 1_000]) {
    await store.transaction(async (tx) => {
      await tx.leaseReply('farcaster', leaseAt(NOW + time));
      await tx.holdReply(id, { ...hold, until: NOW + time + 1_000 });
    });
    expect(await operator.said('/admin')).toContain('Replies due 0 held 1 sending 0 unknown 0 sent 0 failed 0');
  }
  await store.transaction(async (tx) => {
    await tx.leaseReply('farcaster', leaseAt(NOW + 5_000));
    await tx.markSending(id, 'w');
  });
  expect(await operator.said('/admin')).toContain('Replies due 0 held 0 sending 1 unknown 0 sent 0 failed 0');
  await store.transaction((tx) => tx.markSent(id, { lease: 'w', postId: '0xr1', now: NOW }));
  const page = await operator.said('/admin');
  expect(page).toContain('Replies due 0 held 0 sending 0 unknown 0 sent 1 failed 0');
  expect(page).toContain('Mention to reply 4 s 4 s');
});
