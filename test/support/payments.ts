import type { NewClaim } from '../../src/domain/claims/claim.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import type { Payment, TankAttempt, TankTransaction } from '../../src/domain/payments/payment.ts';
import type { Store } from '../../src/store/port/index.ts';
import { confirmOne, SEEDED_AT, sampleAttempt, seedClaim, seedFee, seedHash } from './store.ts';

/** {@link seedClaim}, whose payouts are called payments. */
export async function seedPayments(store: Store, claim: NewClaim, now = SEEDED_AT) {
  const { payouts: payments, ...seeded } = await seedClaim(store, claim, now);
  return { ...seeded, payments };
}

/** Plans a mark for the tips of a gig that were paid before. */
export async function seedMark(store: Store, gig: Gig, now = SEEDED_AT): Promise<Payment> {
  return await seedFee(store, gig, { kind: 'mark', amount: 0n, recipient: gig.walletAddress }, now);
}

/** Sends planned payments of a chain in one transaction of the gas tank, with 100 units of gas for each. */
export async function sendPayments(
  store: Store,
  ids: readonly number[],
  {
    nonce: given,
    attempt = sampleAttempt(1),
    now = SEEDED_AT,
  }: { nonce?: number; attempt?: TankAttempt; now?: number } = {},
): Promise<TankTransaction> {
  return await store.transaction(async (tx) => {
    const { chainId = 0 } = (await tx.payment(ids[0] ?? 0)) ?? {};
    const candidates = await tx.paymentCandidates(chainId, { now: Number.MAX_SAFE_INTEGER, limit: 1_000 });
    const payments = candidates.filter(({ id }) => ids.includes(id));
    const last = (await tx.openTankTransactions(chainId)).at(-1);
    const nonce = given ?? (last === undefined ? 0 : last.nonce + 1);
    const signed = payments.map(({ id, numbers }) => ({ id, numbers, gas: 100n }));
    const sent = await tx.insertTankTransaction({ chainId, nonce, attempt }, { payments: signed, now });
    if (sent === null || signed.length !== ids.length) throw new Error(`payments ${ids.join()} cannot be sent`);
    return sent;
  });
}

/** Confirms a payment as it was planned, in block 9, with 70 units of gas, by transaction `seedHash(number)`. */
export async function confirmPayment(
  store: Store,
  id: number,
  { number = 1, blockNumber = 9n, now = SEEDED_AT }: { number?: number; blockNumber?: bigint; now?: number } = {},
): Promise<boolean> {
  return await store.transaction(async (tx) => {
    const payment = await tx.payment(id);
    const numbers =
      payment?.kind === 'fee' ? [2n ** 255n] : (await tx.tipsOfPayment(id)).map((tip) => BigInt(tip.number));
    const marked = { hash: seedHash(number), blockNumber, gasUsed: 70n };
    return await confirmOne(tx, id, { ...marked, recipient: payment?.recipient ?? '0x', numbers, now });
  });
}
