import { expect, test } from 'vitest';
import { signAffordable } from '../../../../../src/services/payments/sender/signing/sign.ts';
import { createChainModel, noFaults } from '../chain-model.ts';
import { WALLET } from './candidate.ts';

const FEES = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
const CALL = { wallet: WALLET, payments: [], gas: 100n, parts: [] };

interface Limits {
  readonly count?: number;
  readonly balance?: bigint;
  readonly batchGas?: bigint;
  readonly txGas?: bigint;
  readonly publishing?: bigint;
}

/** Signs wallets' calls of 100 gas each; a transaction needs 20 more. Answers how many each signature held, and the result. */
async function sign({ count = 4, balance = 10_000n, batchGas = 1_000n, txGas = 2_000n, publishing = 0n }: Limits) {
  const signed: number[] = [];
  const view = createChainModel({ clock: () => 0 }).view(noFaults());
  const payer: typeof view = {
    ...view,
    chain: { ...view.chain, batchGas, txGas },
    sign: async ({ calls, nonce, fees }) => {
      expect([nonce, fees]).toEqual([7, FEES]);
      signed.push(calls.length);
      return { hash: `0x${calls.length}`, raw: '0x02', gas: 20n + 100n * BigInt(calls.length) };
    },
    publishingCost: async ({ raw }) => (raw === '0x02' ? publishing : 0n),
  };
  const all = Array.from({ length: count }, (_, index) => ({ ...CALL, gigId: index + 1 }));
  const result = await signAffordable(payer, all, { balance, nonce: 7, fees: FEES });
  return { signed, all, result };
}

test.each<Limits & { what: string; signed: number[] }>([
  { what: 'all of them', signed: [4] },
  { what: 'as many as the chain’s gas for payments allows', batchGas: 250n, signed: [2] },
  { what: 'fewer, when the transaction has too much gas', txGas: 300n, signed: [4, 2] },
  { what: 'one less, when it has a little too much', txGas: 419n, signed: [4, 3] },
  { what: 'as many as the tank can just pay for', balance: 847n, publishing: 7n, signed: [4] },
  { what: 'half, when the tank lacks a wei', balance: 846n, publishing: 7n, signed: [4, 2] },
  { what: 'half of that, when it lacks more', balance: 246n, publishing: 6n, signed: [4, 2, 1] },
])('behavior: signs $what', async ({ what: _what, signed, ...limits }) => {
  const { all, result, ...done } = await sign(limits);
  expect(done.signed).toEqual(signed);
  const last = signed.at(-1) ?? 0;
  const batch = { hash: `0x${last}`, raw: '0x02', gas: 20n + 100n * BigInt(last) };
  const publishing = limits.publishing ?? 0n;
  expect(result).toEqual({ nonce: 7, fees: FEES, batch, calls: all.slice(0, last), publishing });
});

test('behavior: says why nothing can be signed', async () => {
  expect(await sign({ count: 1, balance: 239n })).toMatchObject({ signed: [1], result: { why: 'tank_is_low' } });
  const large = await sign({ count: 2, txGas: 119n });
  expect(large).toMatchObject({ signed: [2, 1], result: { why: 'too_large', call: large.all[0] } });
  expect((await sign({ count: 0 })).result).toEqual({ why: 'tank_is_low' });
});
