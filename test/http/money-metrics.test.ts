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
} from '../support/store.ts';
import { service, useServed } from './serve.ts';
import { NOW } from './service.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const DEGEN = '0x4ed4e862860bed51a9570b96d89af5e1b0efefed';

useServed();

async function metrics(): Promise<string[]> {
  const response = await fetch(`${service.origin}/metrics`);
  expect(response.status).toBe(200);
  return (await response.text()).split('\n');
}

test('behavior: histograms are there before anything was counted', async () => {
  const lines = await metrics();
  for (const name of ['reply', 'payment']) {
    expect(lines).toContain(`# TYPE gigclaim_${name}_duration_seconds histogram`);
    expect(lines).toContain(`gigclaim_${name}_duration_seconds_bucket{le="1"} 0`);
    expect(lines).toContain(`gigclaim_${name}_duration_seconds_bucket{le="+Inf"} 0`);
    expect(lines).toContain(`gigclaim_${name}_duration_seconds_count 0`);
  }
  expect(lines).toContain('gigclaim_oldest_waiting_payment_seconds 0');
  expect(lines.filter((line) => /^gigclaim_(tokens_paid|gas_used)\b/.test(line))).toEqual([]);
});

test('behavior: metrics tell what was paid, what gas it used, and how long people waited', async () => {
  const { store } = service;
  const gig = await seedGig(store, { live: true });
  await seedTips(store, gig, [
    { ...ALICE, amount: 3n * 10n ** 18n },
    { ...ALICE, amount: 5n * 10n ** 17n },
  ]);
  const { payouts } = await seedClaim(store, sampleClaim(ALICE, '0x1', { createdAt: NOW - 70_000 }), NOW - 70_000);
  const id = payouts[0]?.id ?? 0;
  await seedSent(store, [id], { nonce: 0, attempt: sampleAttempt(1), now: NOW - 60_000 });
  expect(await metrics()).toContain('gigclaim_oldest_waiting_payment_seconds 70');
  await seedConfirmed(store, id, { hash: seedHash(1), now: NOW - 5_000 });
  await seedFee(store, gig, {}, NOW - 2_500);
  await seedMention(store, { postedAt: NOW - 4_200 }, NOW - 4_000);
  await store.transaction(async (tx) => {
    const lease = { lease: 'w', now: NOW, until: NOW + 60_000 };
    await tx.leaseMention({ ...lease, platforms: ['farcaster'] });
    await tx.markAnswered(1, 'w');
    const reply = await tx.queueReply({ mentionId: 1, kind: 'answer', text: 'Paid.' }, NOW);
    await tx.leaseReply('farcaster', lease);
    await tx.markSending(reply, 'w');
    await tx.markSent(reply, { lease: 'w', postId: '0xr1', now: NOW });
  });
  const lines = await metrics();
  expect(lines).toContain(`gigclaim_tokens_paid{chain="base",token="${DEGEN}",symbol="DEGEN"} 3.5`);
  expect(lines).toContain('gigclaim_gas_used{chain="base"} 60000');
  expect(lines).toContain('gigclaim_oldest_waiting_payment_seconds 2.5');
  for (const [name, below, above, seconds] of [
    ['reply', 3, 5, 4.2],
    ['payment', 60, 90, 65],
  ] as const) {
    const metric = `gigclaim_${name}_duration_seconds`;
    expect(lines).toContain(`${metric}_bucket{le="${below}"} 0`);
    expect(lines).toContain(`${metric}_bucket{le="${above}"} 1`);
    expect(lines).toContain(`${metric}_bucket{le="86400"} 1`);
    expect(lines).toContain(`${metric}_bucket{le="+Inf"} 1`);
    expect(lines).toContain(`${metric}_sum ${seconds}`);
    expect(lines).toContain(`${metric}_count 1`);
  }
  // A payment that is undone by a reorganisation was not paid.
  await store.transaction((tx) => tx.unconfirmPayment(id, { reason: 'a reorganisation', now: NOW }));
  expect(await metrics()).toContain(`gigclaim_tokens_paid{chain="base",token="${DEGEN}",symbol="DEGEN"} 0`);
});
