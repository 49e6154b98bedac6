import { expect, test } from 'vitest';
import { sampleClaim, seedClaim, seedFee, seedGig, seedMention, seedTips } from '../../support/store.ts';
import { operator, useOperator } from '../operator.ts';
import { NOW, service } from '../service.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const UNIT = 10n ** 18n;

useOperator();

test('behavior: lists go both ways, 50 a page, and have the days that are asked for', async () => {
  const DAY = 86_400_000;
  for (let post = 1; post <= 52; post += 1)
    await seedMention(service.store, { postId: `0x${post}` }, NOW - (post < 3 ? 2 : 0) * DAY);
  const shown = async (query: string) =>
    [...(await operator.read(`/admin/mentions${query}`)).matchAll(/id="mention-(\d+)"/g)].map(([, id]) => Number(id));
  expect((await shown('')).at(-1)).toBe(3);
  expect(await operator.read('/admin/mentions?sort=oldest')).toContain('?sort=oldest&amp;after=50"');
  expect(await shown('?sort=oldest&after=50')).toEqual([51, 52]);
  const early = '?state=received&from=2026-11-19&to=2026-11-20';
  expect([await shown(early), await shown(`${early}&sort=oldest`)]).toEqual([
    [2, 1],
    [1, 2],
  ]);
  const page = await operator.read(`/admin/mentions${early}`);
  // Each filter keeps the others.
  expect(page).toContain('href="/admin/mentions?state=failed&amp;from=2026-11-19&amp;to=2026-11-20"');
  expect(page).toContain('<input type="hidden" name="state" value="received">');
  expect(await operator.said('/admin/mentions?from=2026-11-20&to=2026-11-20')).toContain('No mentions in these days.');
  for (const list of ['replies', 'payments', 'claims', 'gigs', 'audit'])
    expect((await operator.get(`/admin/${list}?from=2026-11-20&to=2026-11-21&sort=oldest`)).status).toBe(200);
  for (const query of ['from=tomorrow', 'to=2026-13-01', 'sort=id'])
    expect((await operator.get(`/admin/mentions?${query}`)).status).toBe(400);
});

test('behavior: lists of money say what they come to, and of what', async () => {
  const gig = await seedGig(service.store, { live: true });
  await seedTips(service.store, gig, [{ ...ALICE, amount: 3n * UNIT }]);
  const { payouts } = await seedClaim(service.store, sampleClaim(ALICE, '0x1'), NOW);
  await service.store.transaction((tx) => tx.failPayment(payouts[0]?.id ?? 0, { reason: 'refused', now: NOW }));
  await seedFee(service.store, gig, {}, NOW);
  expect(await operator.said('/admin/payments')).toContain(
    'Sum of 2 payments Token Number Amount DEGEN on Base 2 8 DEGEN',
  );
  expect(await operator.said('/admin/payments?state=planned')).toContain(
    'Sum of 1 payment Token Number Amount DEGEN on Base 1 5 DEGEN',
  );
  expect(await operator.said('/admin/claims')).toContain(
    'Sum of 1 claim Token Number Paid To be paid DEGEN on Base 1 0 DEGEN 0 DEGEN',
  );
  expect(await operator.said('/admin/gigs')).toContain(
    'Sum of 1 gig Token Number Reward Awarded DEGEN on Base 1 100 DEGEN 3 DEGEN',
  );
  for (let fees = 0; fees < 51; fees += 1)
    await seedFee(service.store, await seedGig(service.store, { live: true }), {}, NOW);
  expect(await operator.said('/admin/gigs')).toContain('Sum of this page: 50 gigs');
  expect(await operator.said('/admin/payments')).toContain('Sum of 53 payments');
});
