import { parseEther } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import type { WalletCall } from '../../../src/domain/payments/payer-chain.ts';
import { deployToken, freshAddress, fundToken } from '../../support/anvil.ts';
import { openPayments, type Payments } from '../../support/payer-chain.ts';
import { startArbitrum, startOptimism } from '../../support/rollups.ts';

const TANK = parseEther('5');

describe.each([
  ['the OP stack', startOptimism, true],
  ['Arbitrum', startArbitrum, false],
] as const)('on a rollup as of %s', (_name, start, isOpStack) => {
  let payments: Payments;
  let token: Address;
  let held: (owner: Address) => Promise<[token: bigint, wei: bigint]>;
  let fund: (call: WalletCall) => Promise<void>;
  let lastGig = 0;

  beforeAll(async () => {
    const rollup = await start();
    payments = await openPayments({ url: rollup.url, chain: { isOpStack } });
    const { stage } = payments;
    const erc20 = await deployToken({ decimals: 6 }, rollup.url);
    token = erc20.address;
    held = async (owner) => {
      const { latest } = await payments.payer.head();
      const queries = [token, NATIVE_TOKEN_ADDRESS].map((each) => ({ wallet: owner, token: each }));
      const [units, wei] = await payments.payer.balances(queries, latest.number);
      return [units ?? -1n, wei ?? -1n];
    };
    fund = async ({ wallet, payments: all }) => {
      for (const { token: each, amount } of all) {
        if (each === NATIVE_TOKEN_ADDRESS) await stage.test.setBalance({ address: wallet, value: amount });
        else await fundToken(erc20, wallet, amount, rollup.url);
      }
      await stage.test.mine({ blocks: 1 });
    };
    return rollup.stop;
  });

  async function funded(asset: Address, to: Address, amount: bigint): Promise<WalletCall> {
    lastGig += 1;
    const call = payments.call(lastGig, { token: asset, to, amount, numbers: [0n] });
    await fund(call);
    return call;
  }

  /** Pays, and holds what the gas tank lost against the cost that the chain's adapter says. */
  async function pay(...calls: WalletCall[]) {
    const { stage, tank } = payments;
    await stage.test.setBalance({ address: tank, value: TANK });
    const inclusion = await payments.pay(...calls);
    expect([inclusion.paid.length, inclusion.failed]).toEqual([calls.length, []]);
    expect(await stage.public.getBalance({ address: tank })).toBe(TANK - inclusion.cost);
    return inclusion;
  }

  test.each([
    ['an ERC-20', () => token],
    ['the native asset', () => NATIVE_TOKEN_ADDRESS],
  ])('behavior: a gig in %s pays to the unit, first and later, and nothing is left', async (_what, asset) => {
    const to = freshAddress();
    const first = await funded(asset(), to, 1_234_567n);
    await pay(first);
    const later = payments.call(first.gigId, { token: asset(), to, amount: 1n, numbers: [1n] });
    await fund(later);
    await pay(later);
    const [units, wei] = await held(to);
    expect(asset() === token ? [units, wei] : [wei, units]).toEqual([1_234_568n, 0n]);
    expect(await held(first.wallet)).toEqual([0n, 0n]);
  });

  test('behavior: gigs of both kinds share a transaction, and its cost holds its publishing', async () => {
    const to = freshAddress();
    const calls: WalletCall[] = [];
    for (const asset of [token, NATIVE_TOKEN_ADDRESS, token, NATIVE_TOKEN_ADDRESS]) {
      calls.push(await funded(asset, to, 1_000n + BigInt(calls.length)));
    }
    const { cost, gasUsed, hash } = await pay(...calls);
    expect(await held(to)).toEqual([2_002n, 2_004n]);
    for (const { wallet } of calls) expect(await held(wallet)).toEqual([0n, 0n]);
    const { effectiveGasPrice, gasUsed: named } = await payments.stage.public.getTransactionReceipt({ hash });
    expect(gasUsed).toBe(named);
    const published = cost - gasUsed * effectiveGasPrice;
    expect(published > 0n).toBe(isOpStack);
  });

  test('behavior: what the gas tank must hold for a transaction is at least what it loses', async () => {
    const { payer, stage, tank } = payments;
    const call = await funded(token, freshAddress(), 5n);
    const { gas } = await payer.simulate(call);
    const [fees, { spentNonces: nonce }] = await Promise.all([payer.fees(), payer.tank()]);
    const signed = await payer.sign({ calls: [{ ...call, gas }], nonce, fees });
    const most = signed.gas * fees.maxFeePerGas + (await payer.publishingCost(signed));
    await stage.test.setBalance({ address: tank, value: most });
    await payer.broadcast(signed.raw);
    await stage.outcome(signed.hash);
    const inclusion = await payer.inclusion([signed.hash]);
    expect(inclusion?.paid).toHaveLength(1);
    expect(inclusion?.cost).toBeLessThanOrEqual(most);
    expect(await stage.public.getBalance({ address: tank })).toBe(most - (inclusion?.cost ?? 0n));
  });

  test('behavior: six plain transfers are worth more than a first payment costs', async () => {
    const { payer } = payments;
    const call = await funded(token, freshAddress(), 5n);
    const most = 6n * (await payer.transferCost());
    expect((await pay(call)).cost).toBeLessThan(most);
  });
});
