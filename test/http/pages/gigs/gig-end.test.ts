import { expect, test } from 'vitest';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import { deployToken, freshAddress, fundToken } from '../../../support/anvil.ts';
import { type GigSeed, seedConfirmed, seedHash, seedTips } from '../../../support/store.ts';
import { NOW, seedLocalGig, service, useService } from '../../service.ts';
import { open, openPages } from '../scene.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const UNIT = 1_000_000n;
const DAY = 86_400_000;
const TOKEN = {
  address: '0x0000000000000000000000000000000000000007',
  decimals: 6,
  symbol: 'USDC',
  name: 'USDC',
} as const;

useService(openPages);

const seed = (terms: GigSeed) => seedLocalGig(service.store, TOKEN, terms);
const seedEnded = (terms: GigSeed = {}) => seed({ live: true, startTime: NOW - 2 * DAY, ...terms });
const text = async (id = 1) => (await open(service, `/gigs/${id}`)).text;
/** An address as it is shown: its beginning and end, and all of it for screen readers. */
const shown = (address: `0x${string}`) => {
  const whole = checksummed(address);
  return `${whole.slice(0, 6)}…${whole.slice(-4)} ${whole}`;
};

test('behavior: those who fund a gig see before the amount to send where what is left goes, and when', async () => {
  const token = await deployToken({ symbol: 'USDC', decimals: 6 });
  const back = freshAddress();
  await seedLocalGig(service.store, token, { refundAddress: back, awardDays: 14 });
  const page = await text();
  expect(page).toContain(
    `Unawarded funds Returns to ${shown(back)} Tips are awarded until 14 days after the gig ends Refund no sooner than 72 hours after ` +
      'the gig is settled If it never starts An owner can cancel it: then its reward and fee return.',
  );
  expect(page.indexOf('Returns to')).toBeLessThan(page.indexOf('Send 105 USDC'));
  await seed({});
  expect(await text(2)).toContain(
    'Returns to No address is set: the money stays in the wallet until the operator sets one. Tips are awarded until the ' +
      'gig ends If it never starts An owner can cancel it: then its reward and fee stay in the wallet until the operator sets an address.',
  );
});

test('behavior: a cancelled gig asks for no payment, and says what it returned', async () => {
  const token = await deployToken({ symbol: 'USDC', decimals: 6 });
  const back = freshAddress();
  const gig = await seedLocalGig(service.store, token, { refundAddress: back });
  await fundToken(token, gig.walletAddress, UNIT);
  expect((await service.send('POST', '/api/gigs/1/cancel', {})).status).toBe(200);
  const { page, text: said } = await open(service, '/gigs/1');
  expect(said).toContain('gig 1 Cancelled');
  expect(said).toContain(
    `Money in its wallet Cancelled at 21 Nov 2026, 09:30 UTC : do not send money to its wallet Returns to ${shown(back)} Returns all its money`,
  );
  for (const asked of ['ethereum:', 'QR code', 'id="missing"', '<dt>Send</dt>']) expect(page).not.toContain(asked);
  const returned = {
    kind: 'return',
    place: 0,
    chainId: 31337,
    gigId: 1,
    claimId: null,
    tokenId: gig.token.id,
  } as const;
  const { id } = await service.store.transaction((tx) =>
    tx.planPayment({ ...returned, recipient: back, amount: UNIT }, { now: NOW, tipIds: [] }),
  );
  expect(await text()).toContain(`Returned 1 USDC to ${shown(back)} : on its way`);
  const statement = (await open(service, '/gigs/1/report')).text;
  expect(statement).toContain(
    'Refund It was cancelled at 21 Nov 2026, 09:30 UTC and never started, so it has no refund.',
  );
  expect(statement).not.toContain('not settled');
  await seedConfirmed(service.store, id, { hash: seedHash(7), now: NOW });
  const paid = (await open(service, '/gigs/1/report')).text;
  for (const said of ['Returned 1 USDC', 'In 1 USDC', 'Returned from its wallet 1 USDC']) expect(paid).toContain(said);
  expect(paid).toContain(`Return 1 USDC ${shown(back)} Paid ${seedHash(7).slice(0, 6)}…`);
});

test('behavior: until when tips are awarded, and of a stopped and settled gig what is left, and when it returns', async () => {
  const back = freshAddress();
  await seed({ live: true, startTime: NOW - 1_000, refundAddress: back, awardDays: 1 });
  expect(await text()).toContain('Unawarded funds Tips are awarded until 23 Nov 2026, 09:29 UTC');
  expect((await service.send('POST', '/api/gigs/1/stop', {})).status).toBe(200);
  expect(await text()).toContain(
    'Tips are awarded until 22 Nov 2026, 09:30 UTC Stopped at 21 Nov 2026, 09:30 UTC , before its time Returns to',
  );
  expect((await service.send('POST', '/api/gigs/1/settle', {})).status).toBe(200);
  const said = await text();
  expect(said).toContain('Settled at 21 Nov 2026, 09:30 UTC : no more tips are awarded Left 100 USDC');
  expect(said).toContain('Refund after 24 Nov 2026, 09:30 UTC');
  await service.store.transaction((tx) => tx.freezeByOperator(1, 'a secret reason'));
  service.time.now += 4 * DAY;
  expect(await text()).toContain('Refund when the operator has checked it');
  expect(await text()).not.toContain('a secret reason');
});

test('behavior: a refund is shown with its amount, recipient, state and transaction', async () => {
  const back = freshAddress();
  const gig = await seedEnded({ refundAddress: back });
  await seedTips(service.store, gig, [{ ...ALICE, amount: 40n * UNIT }]);
  const refund = { kind: 'refund', chainId: 31337, gigId: 1, claimId: null, tokenId: gig.token.id } as const;
  const { id } = await service.store.transaction(async (tx) => {
    await tx.settleGig(1, NOW);
    await tx.markRefunded(1, NOW);
    return await tx.planPayment({ ...refund, recipient: back, amount: 60n * UNIT }, { now: NOW, tipIds: [] });
  });
  expect(await text()).toContain(`Returned 60 USDC to ${shown(back)} : on its way`);
  expect(await text()).toContain('Returned 60 USDC Left: not awarded 0 USDC');
  await seedConfirmed(service.store, id, { hash: seedHash(7), now: NOW });
  expect(await text()).toContain(`Returned 60 USDC to ${shown(back)} : paid, ${seedHash(7).slice(0, 6)}…`);
});

test('behavior: a refund that failed is not said to be returned, and not shown any more once it is planned again', async () => {
  const [lost, back] = [freshAddress(), freshAddress()];
  const gig = await seedEnded({ refundAddress: lost });
  const refund = { kind: 'refund', chainId: 31337, gigId: 1, claimId: null, tokenId: gig.token.id } as const;
  const plan = (recipient: `0x${string}`) =>
    service.store.transaction((tx) =>
      tx.planPayment({ ...refund, recipient, amount: 100n * UNIT }, { now: NOW, tipIds: [] }),
    );
  await service.store.transaction(async (tx) => {
    await tx.settleGig(1, NOW);
    await tx.markRefunded(1, NOW);
  });
  const { id } = await plan(lost);
  await service.store.transaction((tx) => tx.failPayment(id, { reason: 'refused', now: NOW }));
  expect(await text()).toContain(`Not returned 100 USDC to ${shown(lost)} : failed: the operator must check it`);
  await plan(back);
  const said = await text();
  expect(said).toContain(`Returned 100 USDC to ${shown(back)} : on its way`);
  expect(said).not.toContain('failed');
});

test('behavior: of a gig that awarded everything nothing returns', async () => {
  const gig = await seedEnded();
  await seedTips(service.store, gig, [{ ...ALICE, amount: 100n * UNIT }]);
  await service.store.transaction(async (tx) => {
    await tx.settleGig(1, NOW);
    await tx.markRefunded(1, NOW);
  });
  expect(await text()).toContain('Returned nothing: the whole reward was awarded');
});
