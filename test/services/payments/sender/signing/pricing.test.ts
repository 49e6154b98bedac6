import { expect, test } from 'vitest';
import type { PaymentCandidate } from '../../../../../src/domain/payments/payment.ts';
import type { BudgetFacts } from '../../../../../src/domain/payments/payment-limits.ts';
import { PAYMENT_POLICY } from '../../../../../src/services/payments/sender/context.ts';
import {
  type Prices,
  priceCalls,
  type TriedCall,
} from '../../../../../src/services/payments/sender/signing/pricing.ts';
import { seedAddress } from '../../../../support/store.ts';

const WALLET = seedAddress(1);
const USED_UP = { reason: 'the client’s daily gas budget is used up' };
/** A unit of gas costs a wei, and a plain transfer what it costs where publishing is free. */
const PRICES: Prices = { maxFeePerGas: 1n, transferCost: 51_500n, publishing: 0n };

function candidate(id: number, client: string | null): PaymentCandidate {
  const token = { id: 1, address: seedAddress(2), chainId: 8453, decimals: 18, name: 'Degen', symbol: 'DEGEN' };
  return {
    id,
    kind: 'payout',
    chainId: 8453,
    gigId: id,
    wallet: WALLET,
    claimId: 1,
    token: { ...token, createdAt: 0, imageUrl: '', isNative: false, coingeckoId: null },
    recipient: seedAddress(3),
    amount: 10n,
    state: 'planned',
    reason: null,
    transactionId: null,
    hash: null,
    blockNumber: null,
    gasUsed: 0n,
    gasReserved: 0n,
    place: null,
    failures: 0,
    dueAt: 0,
    createdAt: 0,
    updatedAt: 0,
    numbers: [BigInt(id)],
    client,
    freeze: null,
    awaitsFunding: false,
    isAllowed: false,
  };
}

/** A call of a wallet of its own with one payment for each id, which needs 60,000 gas. */
function call(ids: readonly number[], client: string | null = null): TriedCall {
  const parts = ids.map((id) => ({ payment: candidate(id, client), words: 1, weight: 1n }));
  return { gigId: ids[0] ?? 0, wallet: WALLET, payments: [], gas: 60_000n * BigInt(ids.length), parts };
}

function price(calls: readonly TriedCall[], prices: Partial<Prices> = {}, used: Partial<BudgetFacts> = {}) {
  const facts: BudgetFacts = {
    gig: { gasUsed: 0n, tips: 1 },
    clientGas: { claims: 0n, fees: 0n },
    ownersGas: null,
    tokenFailures: 0,
    ownFailures: null,
    ...used,
  };
  const policy = { ...PAYMENT_POLICY, clientGasPerDay: 100_000n };
  return priceCalls(calls, { prices: { ...PRICES, ...prices }, budgets: () => facts, policy });
}

test('behavior: gas and publishing are shared by the payments of a transaction', () => {
  const calls = [call([1, 2]), call([3])];
  expect(price(calls)).toMatchObject({ calls, waits: [], refused: [] });
  const charges = [1, 2, 3].map((id) => ({ id, numbers: [BigInt(id)], gas: 61_000n }));
  expect(price(calls, { publishing: 3_000n }).charges).toEqual(charges);
});

test('security: gas is shared in proportion to what each payment burns alone', () => {
  const { parts, ...rest } = call([1, 2]);
  const weighed = { ...rest, parts: parts.map((part, index) => ({ ...part, weight: index === 0 ? 100n : 20n })) };
  expect(price([weighed]).charges.map(({ gas }) => gas)).toEqual([100_000n, 20_000n]);
});

test('security: what a payment may use of a budget is less by those before it in the transaction', () => {
  const [first, second, other] = [call([1], 'shop'), call([2], 'shop'), call([3], 'other')];
  const priced = price([first, second, other]);
  expect(priced.calls).toEqual([first, other]);
  expect(priced.waits).toMatchObject([{ payment: { id: 2 }, ...USED_UP }]);
});

test('security: publishing counts in the budgets', () => {
  const used = { clientGas: { claims: 35_000n, fees: 0n } };
  expect(price([call([1], 'shop')], {}, used).waits).toEqual([]);
  expect(price([call([1], 'shop')], { publishing: 6_000n }, used).waits).toMatchObject([USED_UP]);
});

test('security: one that may not be sent keeps back its wallet’s call alone, and each of them is told why', () => {
  const heavy = { ...call([1, 2]), gas: 1_000_000n };
  const priced = price([heavy, call([3])]);
  expect(priced.calls).toMatchObject([{ gigId: 3 }]);
  expect(priced.refused).toMatchObject([{ payment: { id: 1 } }, { payment: { id: 2 } }]);
  expect(price([call([1])], { publishing: 10_000_000n })).toMatchObject({ calls: [], charges: [], waits: [{}] });
});
