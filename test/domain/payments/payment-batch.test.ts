import { describe, expect, test } from 'vitest';
import { CHAINS, type Chain } from '../../../src/domain/chains/chain.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { FEE_NUMBER } from '../../../src/domain/payments/payment.ts';
import {
  chooseFewer,
  chooseFitting,
  fitsChain,
  groupPayments,
  needsTips,
  splitTips,
  walletPayments,
} from '../../../src/domain/payments/payment-batch.ts';
import { shareOf } from '../../../src/domain/payments/payment-limits.ts';
import { planned, TO, TOKEN, WALLET } from './planned.ts';

function limited(txGas: bigint, txBytes: number): Chain {
  const [chain] = CHAINS;
  if (chain === undefined) throw new TypeError('there are no chains');
  return { ...chain, txGas, txBytes };
}

describe('a transaction', () => {
  test('behavior: gathers the payments of each wallet, the oldest first, up to its most', () => {
    const payments = [1, 2, 1, 3, 1].map((gigId, index) => planned({ id: index, gigId }));
    const ids = (most: number) =>
      groupPayments(payments, { most, isDoubtful: () => false }).map((group) => group.payments.map(({ id }) => id));
    expect(ids(100)).toEqual([[0, 2, 4], [1], [3]]);
    expect(ids(4)).toEqual([[0, 2, 4], [1]]);
    expect(ids(2)).toEqual([[0, 2]]);
  });

  test('security: a payment that failed takes no other of its wallet with it', () => {
    const of = (...failures: number[]) =>
      groupPayments(
        failures.map((count, id) => planned({ id, failures: count })),
        { most: 100, isDoubtful: ({ failures: count }) => count > 0 },
      ).map((group) => group.payments.map(({ id }) => id));
    expect(of(1, 0, 0)).toEqual([[0]]);
    expect(of(0, 1, 0)).toEqual([[0, 2]]);
  });

  test('behavior: takes what fits, and what is too big lets smaller ones pass', () => {
    const calls = [40n, 70n, 50n, 10n].map((gas) => ({ gas }));
    expect(chooseFitting(calls, 100n)).toEqual([{ gas: 40n }, { gas: 50n }, { gas: 10n }]);
    expect(chooseFitting(calls, 5n)).toEqual([]);
  });

  test('behavior: fits a chain up to its limits of gas and bytes', () => {
    const chain = limited(100n, 3);
    const signed = (gas: bigint, raw: `0x${string}`) => ({ gas, raw, hash: '0xaa' }) as const;
    expect(fitsChain(chain, signed(100n, '0xaabbcc'))).toBe(true);
    expect(fitsChain(chain, signed(101n, '0xaabbcc'))).toBe(false);
    expect(fitsChain(chain, signed(100n, '0xaabbccdd'))).toBe(false);
  });

  test('behavior: gets fewer calls when it does not fit, by the limit that it exceeds most', () => {
    const calls = [10n, 10n, 10n, 10n].map((gas) => ({ gas }));
    const count = (chain: Chain, gas: bigint, bytes: number) =>
      chooseFewer(calls, chain, { gas, raw: `0x${'aa'.repeat(bytes)}`, hash: '0xaa' }).length;
    expect(count(limited(50n, 1_000), 100n, 10)).toBe(2);
    expect(count(limited(1_000n, 30), 100n, 40)).toBe(3);
    expect(count(limited(50n, 10), 100n, 40)).toBe(1);
    expect(count(limited(50n, 10), 51n, 10)).toBe(3);
    expect(count(limited(100n, 10), 100n, 10)).toBe(3);
    // It was refused all the same.
    expect(count(limited(1_000n, 1_000), 100n, 10)).toBe(3);
    expect(chooseFewer([{ gas: 10n }], limited(50n, 10), { gas: 51n, raw: '0xaa', hash: '0xaa' })).toEqual([]);
  });

  test('behavior: shares lose nothing', () => {
    expect([1n, 2n, 4n].map((part) => shareOf(100n, { part, all: 7n }))).toEqual([15n, 29n, 58n]);
    expect([1n, 7n].map((part) => shareOf(98n, { part, all: 7n }))).toEqual([14n, 98n]);
  });
});

test('behavior: tips of more than forty words are several payments', () => {
  const tips = Array.from({ length: 200 }, (_, index) => ({ number: index * 128 }));
  const parts = splitTips(tips);
  expect(parts.map((part) => part.length)).toEqual([80, 80, 40]);
  expect(parts.flat()).toEqual(tips);
  expect(splitTips([])).toEqual([]);
});

describe('what a wallet is asked for', () => {
  const token = TOKEN.address;

  test('behavior: its tips are needed unless all its numbers are of one word', () => {
    const needs = [[], [3n], [3n, 255n], [255n, 256n]].map((numbers) => needsTips(planned({ numbers })));
    expect(needs).toEqual([true, false, false, true]);
  });

  test('behavior: one transfer when all numbers are of one word', () => {
    expect(walletPayments(planned({ numbers: [3n, 255n] }), [])).toEqual([
      { token, to: TO, amount: 10n, numbers: [3n, 255n] },
    ]);
    const fee = planned({ kind: 'fee', numbers: [FEE_NUMBER] });
    expect(walletPayments(fee, [])).toEqual([{ token, to: TO, amount: 10n, numbers: [FEE_NUMBER] }]);
    expect(walletPayments({ ...fee, numbers: [FEE_NUMBER + 1n] }, [])).toBeNull();
  });

  test('behavior: one transfer for each word, each with the amount of its tips', () => {
    const tips = [
      { number: 255, amount: 3n },
      { number: 256, amount: 4n },
      { number: 700, amount: 3n },
    ];
    const payment = planned({ numbers: [255n, 256n, 700n] });
    expect(walletPayments(payment, tips)?.map(({ amount, numbers }) => [amount, numbers])).toEqual([
      [3n, [255n]],
      [4n, [256n]],
      [3n, [700n]],
    ]);
    expect(walletPayments(payment, tips.slice(1))).toBeNull();
    expect(walletPayments({ ...payment, amount: 7n }, tips.slice(1))).toBeNull();
    expect(walletPayments({ ...payment, amount: 11n }, tips)).toBeNull();
    expect(walletPayments({ ...payment, numbers: [] }, tips)).toBeNull();
  });

  test('security: a mark moves nothing, of the native asset', () => {
    const mark = planned({ kind: 'mark', amount: 0n, recipient: WALLET, numbers: [0n, 256n] });
    expect(walletPayments(mark, [])).toEqual([
      { token: NATIVE_TOKEN_ADDRESS, to: WALLET, amount: 0n, numbers: [0n] },
      { token: NATIVE_TOKEN_ADDRESS, to: WALLET, amount: 0n, numbers: [256n] },
    ]);
  });
});
