import { expect, test } from 'vitest';
import type { PaymentCandidate } from '../../../../../src/domain/payments/payment.ts';
import type { BudgetFacts } from '../../../../../src/domain/payments/payment-limits.ts';
import { PAYMENT_POLICY } from '../../../../../src/services/payments/sender/context.ts';
import {
  type Prices,
  priceCalls,
  type TriedCall,
} from '../../../../../src/services/payments/sender/signing/pricing.ts';
import { candidate, WALLET } from './candidate.ts';

const USED_UP = { reason: 'the client’s daily gas budget is used up' };
/** A unit of gas costs a wei, and a plain transfer what it costs where publishing is free. */
const PRICES: Prices = { maxFeePerGas: 1n, transferCost: 51_500n, publishing: 0n };

/** A call of a wallet of its own with one payment for each id, which needs 60,000 gas. */
function call(ids: readonly number[], client: string | null = null, change: Partial<PaymentCandidate> = {}): TriedCall {
  const parts = ids.map((id) => ({ payment: candidate(id, { client, ...change }), words: 1, weight: 1n }));
  return { gigId: ids[0] ?? 0, wallet: WALLET, payments: [], gas: 60_000n * BigInt(ids.length), parts };
}

function price(
  calls: readonly TriedCall[],
  prices: Partial<Prices> = {},
  { gigGas = PAYMENT_POLICY.gigGas, ...used }: Partial<BudgetFacts> & { gigGas?: bigint } = {},
) {
  const facts: BudgetFacts = {
    gig: { gasUsed: 0n, tips: 1 },
    clientGas: { claims: 0n, fees: 0n },
    ownersGas: null,
    tokenFailures: 0,
    ownFailures: null,
    ...used,
  };
  const policy = { ...PAYMENT_POLICY, clientGasPerDay: 100_000n, ownersGasPerDay: 100_000n, gigGas };
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
  const waits = [{ payment: { id: 1 }, reason: expect.stringMatching(/^it would cost more than 6/), waitMs: 15_000 }];
  expect(price([call([1])], { publishing: 10_000_000n })).toMatchObject({ calls: [], charges: [], waits });
});

test.each([
  { what: 'a claim after a claim', second: call([2], 'shop'), waits: 'client' },
  { what: 'a claim of another client', second: call([2], 'other'), waits: null },
  { what: 'a fee after a claim', second: call([2], 'shop', { kind: 'fee' }), waits: 'client' },
  { what: 'a claim after a fee', first: { kind: 'fee' }, second: call([2], 'shop'), waits: null },
  { what: 'a fee after a fee', first: { kind: 'fee' }, second: call([2], 'shop', { kind: 'fee' }), waits: 'client' },
  { what: 'a claim of the same gig', second: call([2], 'other', { gigId: 1 }), gigGas: 100_000n, waits: 'gig' },
  { what: 'a claim of another gig', second: call([2], 'other'), gigGas: 100_000n, waits: null },
] as const)(
  'security: budgets count what a transaction holds already: $what',
  ({ first = {}, second, waits, ...terms }) => {
    const gigGas = 'gigGas' in terms ? terms.gigGas : undefined;
    const gig = { gasUsed: 0n, tips: 0 };
    const priced = price([call([1], 'shop', first), second], {}, { gig, ...(gigGas && { gigGas }) });
    expect(priced.waits.map(({ holds, payment: { id } }) => [id, holds])).toEqual(waits === null ? [] : [[2, waits]]);
  },
);

test('security: owners share one budget, and clients that are none use nothing of it', () => {
  const ownersGas = { claims: 0n, fees: 0n };
  const owners = [call([1], 'owner:a'), call([2], 'owner:b')];
  expect(price(owners, {}, { ownersGas }).waits).toMatchObject([{ payment: { id: 2 }, ...USED_UP }]);
  const used = { clientGas: { claims: 0n, fees: 0n }, ownersGas: { claims: 50_000n, fees: 0n } };
  expect(price([call([1], 'owner:a')], {}, used).waits).toMatchObject([{ payment: { id: 1 }, ...USED_UP }]);
});
