import type { Claim, NewClaim } from '../../src/domain/claim.ts';
import type { Gig } from '../../src/domain/gig.ts';
import type { NewPayment, Payment, TankAttempt, TankTransaction } from '../../src/domain/payment.ts';
import type { Tip } from '../../src/domain/tip.ts';
import type { Store, StoreTx } from '../../src/store/port/index.ts';
import { SEEDED_AT, sampleAttempt, seedAddress, seedHash } from './store.ts';

/** Plans one payment for each gig and token of tips that a claim holds. */
export async function planPayments(
  tx: StoreTx,
  claim: Claim,
  tips: readonly Tip[],
  now = SEEDED_AT,
): Promise<Payment[]> {
  const planned: Payment[] = [];
  for (const group of Map.groupBy(tips, (tip) => `${tip.gigId} ${tip.tokenId}`).values()) {
    const gig = await tx.gig(group[0]?.gigId ?? 0);
    if (gig === null) throw new Error('a tip of no gig');
    const payout: NewPayment = {
      kind: 'payout',
      chainId: gig.token.chainId,
      gigId: gig.id,
      claimId: claim.id,
      tokenId: gig.token.id,
      recipient: claim.recipient,
      amount: group.reduce((sum, { amount }) => sum + amount, 0n),
    };
    planned.push(await tx.planPayment(payout, { now, tipIds: group.map(({ id }) => id) }));
  }
  return planned;
}

/** A claim by the account for all its pending tips, with its payments planned. */
export async function seedPayments(
  store: Store,
  claim: NewClaim,
  now = SEEDED_AT,
): Promise<{ claim: Claim; tips: Tip[]; payments: Payment[] }> {
  return await store.transaction(async (tx) => {
    const inserted = await tx.insertClaim(claim);
    const tips = await tx.takeTips(inserted, { now, lockTimeout: now + 60_000 });
    return { claim: inserted, tips, payments: await planPayments(tx, inserted, tips, now) };
  });
}

/** The gig's fee of 5 whole tokens to `seedAddress(0xfee)`, unless said otherwise; not stored yet. */
export function samplePayment(gig: Gig, overrides: Partial<NewPayment> = {}): NewPayment {
  return {
    kind: 'fee',
    chainId: gig.token.chainId,
    gigId: gig.id,
    claimId: null,
    tokenId: gig.token.id,
    recipient: seedAddress(0xfee),
    amount: 5n * 10n ** 18n,
    ...overrides,
  };
}

/** Plans the gig's fee, or with `kind: 'mark'` and an amount of 0 a mark. */
export async function seedFeePayment(
  store: Store,
  gig: Gig,
  overrides: Partial<NewPayment> = {},
  now = SEEDED_AT,
): Promise<Payment> {
  return await store.transaction((tx) => tx.planPayment(samplePayment(gig, overrides), { now, tipIds: [] }));
}

/** Plans a mark for the tips of a gig that were paid before. */
export async function seedMark(store: Store, gig: Gig, now = SEEDED_AT): Promise<Payment> {
  return await seedFeePayment(store, gig, { kind: 'mark', amount: 0n, recipient: gig.walletAddress }, now);
}

/** Sends planned payments of a chain in one transaction of the gas tank, with 100 units of gas for each. */
export async function sendPayments(
  store: Store,
  ids: readonly number[],
  {
    nonce = 0,
    attempt = sampleAttempt(1),
    now = SEEDED_AT,
  }: { nonce?: number; attempt?: TankAttempt; now?: number } = {},
): Promise<TankTransaction> {
  return await store.transaction(async (tx) => {
    const { chainId = 0 } = (await tx.payment(ids[0] ?? 0)) ?? {};
    const candidates = await tx.paymentCandidates(chainId, { now: Number.MAX_SAFE_INTEGER, limit: 1_000 });
    const payments = candidates.filter(({ id }) => ids.includes(id));
    const signed = payments.map(({ id, numbers }) => ({ id, numbers, gas: 100n }));
    const sent = await tx.keepTankTransaction({ chainId, nonce, attempt }, { payments: signed, now });
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
    return await tx.confirmPayment(id, { ...marked, recipient: payment?.recipient ?? '0x', numbers, now });
  });
}
