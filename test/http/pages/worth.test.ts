import { expect, inject, test } from 'vitest';
import type { Token } from '../../../src/domain/gigs/token.ts';
import { type Price, USD } from '../../../src/domain/prices/price.ts';
import { renderSums } from '../../../src/http/frame/sums.ts';
import { drawClaims } from '../../../src/http/pages/claims/claim-preview.ts';
import { drawGig } from '../../../src/http/pages/gigs/gig-preview.ts';
import { findAccountClaims } from '../../../src/services/claims/find-account-claims.ts';
import { seedAddress, seedGig, seedTips, seedToken } from '../../support/store.ts';
import { browserOf, walletOn } from '../my/browser.ts';
import { logIn } from '../operator.ts';
import { NOW, openService, service, useService } from '../service.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1003' };
/** What has a price, by symbol. */
const prices = new Map<string, Price>();
const priceOf = ({ symbol }: Token) => prices.get(symbol) ?? null;
const TITLE = 'title="At the price of 21 Nov 2026, 09:30 UTC"';

useService(async () => {
  prices.clear();
  prices.set('DEGEN', { usd: USD / 8n, at: NOW });
  return await openService({ prices: { priceOf }, signIn: walletOn(inject('anvilUrl')) });
});

const page = async (path: string) => await (await service.app.request(path)).text();

async function seedLive() {
  const gig = await seedGig(service.store, { live: true, startTime: NOW - 1_000 });
  await seedTips(service.store, gig, [{ ...ALICE, amount: 40n * 10n ** 18n }]);
  return gig;
}

test('behavior: pages and statements show what amounts are worth, with the time of the price', async () => {
  const { id } = await seedLive();
  for (const path of [`/gigs/${id}`, `/gigs/${id}/report`, '/gigs', '/'])
    expect([path, await page(path)]).toEqual([path, expect.stringContaining('≈ $12.50')]);
  for (const path of [`/gigs/${id}`, '/claim/farcaster/1003'])
    expect([path, await page(path)]).toEqual([path, expect.stringContaining(TITLE)]);
  expect(await page('/claim/farcaster/1003')).toContain('≈ $5.00');
});

test('behavior: nothing is shown without a price', async () => {
  const { id } = await seedLive();
  prices.clear();
  for (const path of [`/gigs/${id}`, `/gigs/${id}/report`, '/gigs', '/', '/claim/farcaster/1003'])
    expect([path, (await page(path)).includes('$')]).toEqual([path, false]);
});

test('behavior: a sum over tokens is shown where all have a price', async () => {
  await seedLive();
  const other = await seedToken(service.store, { symbol: 'OTHER', address: seedAddress(9) });
  const gig = await seedGig(service.store, { live: true, tokenId: other.id });
  await seedTips(service.store, gig, [{ ...ALICE, amount: 10n ** 18n }]);
  const sum = /class="amount">[^\n]*OTHER<\/[a-z]+><\/span> <span[^>]*>([^<]*)<\/span><\/p>/;
  const shown = async () => sum.exec(await page('/claim/farcaster/1003'))?.[1] ?? null;
  expect(await shown()).toBeNull();
  prices.set('OTHER', { usd: 2n * USD, at: NOW });
  expect(await shown()).toBe('≈ $7.00');
});

test('behavior: the overview of operators and the console show it', async () => {
  const gig = await seedLive();
  const { id: tokenId, chainId } = gig.token;
  const start = { gigId: gig.id, tokenId, chainId, amount: gig.rewardAmount, commissionAmount: 0n };
  await service.store.transaction((tx) =>
    tx.recordGigTransaction({ ...start, blockNumber: 1n, checkBlock: null }, NOW),
  );
  const operator = await logIn(service);
  const overview = async () => await (await operator.get('/admin')).text();
  expect(await overview()).toMatch(/Awarded[^≈]*DEGEN[^≈]*≈ \$5\.00/);
  prices.clear();
  expect(await overview()).not.toContain('≈');
});

test('behavior: the gigs of an owner show it', async () => {
  const browser = await browserOf(service, 'farcaster:1003', { at: NOW - 3_600_000 });
  await seedGig(service.store, { client: 'acme', owners: [ALICE], live: true, startTime: NOW - 1_000 });
  expect((await browser.get('/my')).text).toContain('≈ $12.50');
  prices.clear();
  expect((await browser.get('/my')).text).not.toContain('≈');
});

test('behavior: the footer of a list has a sum over its tokens where all have a price', async () => {
  const degen = await seedToken(service.store);
  const other = await seedToken(service.store, { symbol: 'OTHER', address: seedAddress(9) });
  const rows = [degen, other].map((token) => ({ token, count: 1, amounts: [8n * 10n ** 18n, 0n] }));
  const footer = async () => String(await renderSums({ of: 'All', columns: ['Paid', 'Owed'], rows }, { priceOf }));
  expect(await footer()).not.toContain('In all');
  prices.set('OTHER', { usd: USD, at: NOW });
  expect(await footer()).toMatch(/In all<\/th><td><\/td><td[^>]*> <span[^>]*>≈ \$9\.00<\/span><\/td><td[^>]*><\/td>/);
  expect(String(await renderSums({ of: 'All', columns: ['Paid'], rows }, {}))).not.toContain('$');
});

test('behavior: preview pictures show it', async () => {
  const gig = await seedLive();
  const brand = { name: 'gigclaim', color: '#000', logo: null } as unknown as Parameters<typeof drawClaims>[1]['brand'];
  expect(await drawGig(gig, null, { brand, priceOf })).toContain('≈ $12.50');
  expect(await drawGig(gig, null, { brand })).not.toContain('$');
  const found = await findAccountClaims({ store: service.store, clock: () => NOW, log: expect.anything() } as never, {
    name: ALICE,
    limit: 5,
  });
  const view = { ...found, name: ALICE, now: NOW, bot: null };
  expect(await drawClaims(view, { brand, priceOf })).toContain('≈ $5.00');
});

test('behavior: the API has it in a field of its own, and its exact fields are the same', async () => {
  const { id } = await seedLive();
  const report = async () => (await (await service.app.request(`/api/gigs/${id}/report`)).json()) as { data: object };
  const { data } = await report();
  expect(data).toMatchObject({
    usd: { reward: '12.50', awarded: '5.00', paid: '0.00', left: '7.50', at: '2026-11-21T09:30:00.000Z' },
  });
  prices.clear();
  expect(await report()).toMatchObject({ data: { ...data, usd: null } });
});
