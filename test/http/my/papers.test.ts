import { expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { confirmPayment, seedPayments } from '../../support/payments.ts';
import { sampleClaim, seedHash, seedTips } from '../../support/store.ts';
import { logIn } from '../operator.ts';
import { NOW, service } from '../service.ts';
import { ALICE, alice, listed, MINUTE, textOf, useAlice } from './alice.ts';

useAlice();

/** A live gig that has paid Alice 2.5 DEGEN, and no fee yet. */
async function paidGig(): Promise<Gig> {
  const { store } = service;
  const gig = await listed({ live: true, startTime: NOW - MINUTE });
  await seedTips(store, gig, [{ ...ALICE, amount: 25n * 10n ** 17n }]);
  const { payments } = await seedPayments(store, sampleClaim(ALICE, '0x1'), NOW);
  for (const { id } of payments) await confirmPayment(store, id, { now: NOW });
  return gig;
}

async function linesOf(answer: { readonly text: string }): Promise<string[]> {
  return answer.text.split('\r\n').slice(1, -1);
}

test('behavior: an owner downloads what the wallet of a gig has moved, for Koinly and for a ledger', async () => {
  const { id } = await paidGig();
  const page = await alice.get(`/my/gigs/${id}/report`);
  for (const name of ['koinly', 'ledger']) expect(page.text).toContain(`href="/my/gigs/${id}/report/${name}.csv"`);
  const koinly = await alice.get(`/my/gigs/${id}/report/koinly.csv`);
  expect(await linesOf(koinly)).toEqual([
    `2026-11-21 09:30 UTC,2.5,DEGEN,,,,,,,cost,Tips of gig ${id},${seedHash(1)}`,
    expect.stringContaining(`,,,105,DEGEN,,,,,,Paid into gig ${id},`),
  ]);
  expect(koinly.headers.get('content-disposition')).toBe(`attachment; filename="gig-${id}-koinly.csv"`);
  expect(koinly.headers.get('cache-control')).toBe('no-store');
  expect(await linesOf(await alice.get(`/my/gigs/${id}/report/ledger.csv`))).toHaveLength(4);
});

test('behavior: an earner downloads what was paid', async () => {
  const { id } = await paidGig();
  expect((await alice.get('/my/rewards')).text).toContain('href="/my/rewards/farcaster/1003/koinly.csv"');
  expect(await linesOf(await alice.get('/my/rewards/farcaster/1003/koinly.csv'))).toEqual([
    `2026-11-21 09:30 UTC,,,2.5,DEGEN,,,,,reward,Tips of gig ${id},${seedHash(1)}`,
  ]);
  expect((await alice.get('/my/rewards/farcaster/1002/koinly.csv')).status).toBe(404);
});

test('behavior: an operator downloads what all gigs have moved', async () => {
  const { id } = await paidGig();
  const operator = await logIn(service);
  expect(await (await operator.get('/admin')).text()).toContain('href="/admin/papers/koinly.csv"');
  const answer = await operator.get('/admin/papers/ledger.csv');
  const lines = (await answer.text()).split('\r\n');
  expect(lines.filter((line) => line.includes(`gig ${id},`))).toHaveLength(4);
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="gigs-ledger.csv"');
});

test('behavior: who was paid nothing is offered no papers', async () => {
  expect(await textOf(alice, '/my/rewards')).not.toContain('Koinly');
});
