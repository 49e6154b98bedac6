import { expect, test } from 'vitest';
import { TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import { sampleClaim, seedClaim, seedGig, seedTips } from '../../support/store.ts';
import { NOW, service, useService } from '../service.ts';
import { ALICE, open, openPages } from './scene.ts';

const FROZEN = 'The operator has frozen the payments of gig 1 for now. Nothing is lost.';
const NO_POST = 'You do not need to post anything now.';

useService(openPages);

/** A live gig with a tip of alice's. */
async function earn() {
  const gig = await seedGig(service.store, { live: true, startTime: NOW - 1_000 });
  await seedTips(service.store, gig, [ALICE]);
  return gig;
}
const claim = (post: string) => seedClaim(service.store, sampleClaim(ALICE, post), NOW);
const stop = ({ id }: { id: number }) =>
  service.store.transaction((tx) => tx.freezeGig(id, { reason: 'a secret of the operator', now: NOW }));
const look = () => open(service, '/claim/farcaster/1001');

test('behavior: what was claimed of a frozen gig is frozen, and not being paid', async () => {
  const gig = await earn();
  await claim('p');
  await stop(gig);
  const { text, page } = await look();
  expect(text).toContain(`To claim ${FROZEN} 1 DEGEN `);
  expect(text).toContain('Tip 1 Mention on Farcaster gig 1 1 DEGEN 1 Jan 2026 Frozen');
  expect(text).toContain(NO_POST);
  expect(text).not.toContain('Being paid');
  expect(page).not.toContain('claim my rewards');
  expect(page).not.toContain('a secret of the operator');
});

test('behavior: nobody is asked to claim what only a frozen gig would pay, until it goes on', async () => {
  const gig = await earn();
  await stop(gig);
  const frozen = await look();
  expect(frozen.text).toContain(FROZEN);
  expect(frozen.text).toContain('Tip 1 Mention on Farcaster gig 1 1 DEGEN 1 Jan 2026 Frozen');
  expect(frozen.page).not.toContain('claim my rewards');
  await service.store.transaction((tx) => tx.freezeGig(gig.id, { reason: null, now: NOW }));
  const goesOn = await look();
  expect(goesOn.text).toContain('Tip 1 Mention on Farcaster gig 1 1 DEGEN 1 Jan 2026 To claim');
  expect(goesOn.text).not.toMatch(/frozen/i);
  expect(goesOn.page).toContain('<code id="claim-text">@gigclaim claim my rewards</code>');
});

test('behavior: what can be claimed beside it is still asked for', async () => {
  const gig = await earn();
  await earn();
  await stop(gig);
  const { text, page } = await look();
  expect(text).toContain(FROZEN);
  expect(text).toContain('Tip 1 Mention on Farcaster gig 1 1 DEGEN 1 Jan 2026 Frozen');
  expect(text).toContain('Tip 2 Mention on Farcaster gig 2 1 DEGEN 1 Jan 2026 To claim');
  expect(page).toContain('@gigclaim claim my rewards');
  expect(text).not.toContain(NO_POST);
});

test('behavior: a frozen claim is known however many claims found nothing after it', async () => {
  const gig = await earn();
  await claim('p');
  await stop(gig);
  for (let count = 1; count <= 5; count += 1) await claim(`nothing ${count}`);
  expect((await look()).text).toContain('Tip 1 Mention on Farcaster gig 1 1 DEGEN 1 Jan 2026 Frozen');
});

test('behavior: a claim that waits for gas says so, and asks for no post', async () => {
  await earn();
  await claim('p');
  const low = { reason: TANK_IS_LOW, dueAt: NOW, now: NOW };
  await service.store.transaction((tx) => tx.notePayment(1, low));
  const { text, page } = await look();
  expect(text).toContain('To claim Waiting until the operator refills the gas tank. Nothing is lost. 1 DEGEN ');
  expect(text).toContain('Tip 1 Mention on Farcaster gig 1 1 DEGEN 1 Jan 2026 Waiting');
  expect(text).toContain(NO_POST);
  expect(page).not.toContain('claim my rewards');
});

test('behavior: what is being paid asks for no post either', async () => {
  await earn();
  await claim('p');
  const { text, page } = await look();
  expect(text).toContain('Tip 1 Mention on Farcaster gig 1 1 DEGEN 1 Jan 2026 Being paid');
  expect(text).toContain(NO_POST);
  expect(page).not.toContain('claim my rewards');
});

test('behavior: of many frozen gigs the first ten are named', async () => {
  for (let count = 1; count <= 12; count += 1) await stop(await earn());
  expect((await look()).text).toContain(
    'The operator has frozen the payments of gigs 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, +2 more for now. Nothing is lost.',
  );
});
