import { expect, test } from 'vitest';
import { TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import { findAccountClaims } from '../../../src/services/claims/find-account-claims.ts';
import { storePerCase } from '../../support/per-case.ts';
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
} from '../../support/store.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' };

const { store } = storePerCase();

const find = (limit: number, before?: number) =>
  findAccountClaims({ store, clock: () => SEEDED_AT }, { name: ALICE, limit, before });

/** A tip that was claimed and paid; the id of its payment. */
async function pay(n: number): Promise<number> {
  const gig = await seedGig(store);
  await seedTips(store, gig, [ALICE]);
  const { payouts } = await seedClaim(store, sampleClaim(ALICE, `0x${n}`));
  const id = payouts[0]?.id ?? 0;
  await seedSent(store, [id], { nonce: n, attempt: sampleAttempt(n) });
  await seedConfirmed(store, id, { hash: seedHash(n) });
  return id;
}

test('behavior: payments of an account come newest first, and the list goes on below one only when there are more', async () => {
  const [first, second, third] = [await pay(1), await pay(2), await pay(3)];
  const list = async (limit: number, before?: number) => {
    const { paid, next, known, account } = await find(limit, before);
    expect([known, account]).toEqual([true, expect.objectContaining(ALICE)]);
    return [paid.map(({ id }) => id), next];
  };
  expect(await list(2)).toEqual([[third, second], second]);
  expect(await list(3)).toEqual([[third, second, first], null]);
  expect(await list(2, second)).toEqual([[first], null]);
  expect(await list(2, third)).toEqual([[second, first], null]);
});

test('behavior: what can be claimed is shown with its gig, and what a frozen gig holds up', async () => {
  const [free, frozen] = [await seedGig(store), await seedGig(store)];
  const [, held] = [...(await seedTips(store, free, [ALICE])), ...(await seedTips(store, frozen, [ALICE]))];
  await store.transaction((tx) => tx.freezeByOperator(frozen.id, 'look first'));
  const { claimable, held: obstacles, names, paid, next, claims } = await find(5);
  expect(claimable.flatMap(({ tips }) => tips.map(({ gigId }) => gigId)).toSorted()).toEqual([free.id, frozen.id]);
  expect([...obstacles]).toEqual([[held?.id, 'gig_frozen']]);
  expect([...names.keys()].toSorted()).toEqual([free.id, frozen.id]);
  expect([paid, next, claims]).toEqual([[], null, []]);
});

test('behavior: a running claim is shown with what holds up its payments and tips, and one that found nothing is not', async () => {
  const [free, frozen] = [await seedGig(store), await seedGig(store)];
  const tips = [...(await seedTips(store, free, [ALICE])), ...(await seedTips(store, frozen, [ALICE]))];
  const { claim, payouts } = await seedClaim(store, sampleClaim(ALICE, '0x1'));
  await store.transaction((tx) => tx.insertClaim(sampleClaim(ALICE, '0x2')));
  const low = { reason: TANK_IS_LOW, dueAt: SEEDED_AT, now: SEEDED_AT };
  await store.transaction((tx) => tx.notePayment(payouts[0]?.id ?? 0, low));
  await store.transaction((tx) => tx.freezeByOperator(frozen.id, 'look first'));
  const found = await find(5);
  expect(found.claims).toMatchObject([{ claim, payments: payouts.map(({ id }) => ({ id })) }]);
  const waits = ['gas_tank_empty', 'gig_frozen'];
  expect([...(found.claims[0]?.obstacles ?? [])]).toEqual(waits.map((wait, place) => [payouts[place]?.id, wait]));
  expect([...found.held]).toEqual(waits.map((wait, place) => [tips[place]?.id, wait]));
  expect([...found.names].toSorted()).toEqual([
    [free.id, expect.any(String)],
    [frozen.id, expect.any(String)],
  ]);
  for (const n of [3, 4, 5, 6, 7]) await pay(n);
  expect((await find(5)).claims.map(({ claim: { postId } }) => postId)).toEqual(['0x7', '0x6', '0x5', '0x4', '0x3']);
});

test('behavior: an account that is not known has nothing, and a handle that nobody has is no account', async () => {
  expect(await find(5)).toMatchObject({ known: false, account: { ...ALICE, username: null }, claimable: [], paid: [] });
  const asked = { name: { platform: 'farcaster', handle: 'nobody' }, limit: 5 };
  const nothing = { claimable: [], paid: [], next: null, claims: [], unawarded: [], unposted: [] };
  const unknown = { account: null, known: false, held: new Map(), names: new Map(), ...nothing };
  expect(await findAccountClaims({ store, clock: () => SEEDED_AT }, asked)).toEqual(unknown);
});
