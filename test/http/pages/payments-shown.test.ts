import { expect, test } from 'vitest';
import { sampleClaim, seedClaim, seedConfirmed, seedGig, seedHash, seedTips, seedToken } from '../../support/store.ts';
import { NOW, service, useService } from '../service.ts';
import { ALICE, open, openPages } from './scene.ts';

useService(openPages);

/** A tip of alice's and the claim that takes it; answers the id of its payment. */
async function claimOne(post: string, chainId = 8453): Promise<number> {
  const { store } = service;
  const { id: tokenId } = await seedToken(store, { chainId, symbol: `ON${chainId}` });
  const gig = await seedGig(store, { live: true, tokenId, startTime: NOW - 1_000 });
  await seedTips(store, gig, [ALICE]);
  const { payouts } = await seedClaim(store, sampleClaim(ALICE, post));
  return payouts[0]?.id ?? 0;
}

async function confirm(id: number): Promise<void> {
  await seedConfirmed(service.store, id, { hash: seedHash(id), now: NOW });
}

const look = (query = '') => open(service, `/claim/farcaster/1001${query}`);

test('behavior: a tip whose payment is under way says so, and one that was paid goes', async () => {
  const id = await claimOne('p');
  expect((await look()).text).toContain('Tip 1 Mention on Farcaster gig 1 1 ON8453 1 Jan 2026 Being paid');
  expect((await look()).text).toContain('Payments Nothing yet.');
  await confirm(id);
  const { text } = await look();
  expect(text).toContain('Nothing to claim for FID 1001 on Farcaster right now.');
  expect(text).toContain('just now 1 ON8453 Mention on Farcaster gig 1');
});

test('behavior: a payment that failed is none, and its tip can be claimed again', async () => {
  const id = await claimOne('p');
  await service.store.transaction((tx) => tx.failPayment(id, { reason: 'paused', now: NOW }));
  const { text } = await look();
  expect(text).toContain('Tip 1 Mention on Farcaster gig 1 1 ON8453 1 Jan 2026 To claim');
  expect(text).toContain('Payments Nothing yet.');
});

test.each([
  [8453, 'https://basescan.org'],
  [84532, 'https://sepolia.basescan.org'],
  [10, 'https://optimistic.etherscan.io'],
  [42161, 'https://arbiscan.io'],
  [137, 'https://polygonscan.com'],
  [1, 'https://etherscan.io'],
])('behavior: on chain %i a transaction leads to %s', async (chainId, explorer) => {
  await confirm(await claimOne('p', chainId));
  expect((await look()).page).toContain(`<a href="${explorer}/tx/0x${'0'.repeat(63)}1" rel="noopener">`);
});

test('behavior: on a chain without an explorer the hash stands alone', async () => {
  await confirm(await claimOne('p', 31337));
  const { page, text } = await look();
  expect(text).toContain('0x0000…0001');
  expect(page).not.toContain(`/tx/`);
});

test('behavior: older payments are on further pages', async () => {
  for (let number = 1; number <= 21; number += 1) await confirm(await claimOne(`p${number}`));
  const first = await look();
  expect(first.text).toContain('1 ON8453 Mention on Farcaster gig 21');
  expect(first.text).toContain('1 ON8453 Mention on Farcaster gig 2 ');
  expect(first.text).not.toContain('1 ON8453 Mention on Farcaster gig 1 ');
  expect(first.page).toContain('<a href="/claim/farcaster/1001?before=2">Older payments</a>');
  const second = await look('?before=2');
  expect(second.text).toContain('1 ON8453 Mention on Farcaster gig 1 ');
  expect(second.text).not.toContain('1 ON8453 Mention on Farcaster gig 2 ');
  expect(second.page).not.toContain('Older payments');
});
