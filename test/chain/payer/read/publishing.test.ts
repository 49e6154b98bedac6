import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPayments, type Payments } from '../../../support/payer-chain.ts';
import { answersTo, openAnvil, openProxy } from '../../../support/proxies.ts';
import { ORACLE_WEI, operatorFee, startArbitrum, startOptimism } from '../../../support/rollups.ts';

/** What an estimate on the second rollup has above the gas of a plain transfer. */
const PUBLISHED_TRANSFER = 52_800n;

let payments: Payments;
let url: string;

beforeAll(async () => {
  const rollup = await startOptimism();
  url = rollup.url;
  payments = await openPayments({ url, chain: { isOpStack: true } });
  return rollup.stop;
});

describe('on a rollup of the OP stack', () => {
  test('behavior: the oracle is asked what publishing some bytes costs, and what the operator takes for their gas', async () => {
    // 4 bytes of a selector, two words of the encoding, and 100 bytes in 4 words.
    const cost = await payments.payer.publishingCost({ raw: `0x${'02'.repeat(100)}`, gas: 30_000n });
    expect(cost).toBe(196n * ORACLE_WEI + operatorFee(30_000n));
  });

  test('behavior: an oracle of before the operator’s fee says what publishing costs alone', async () => {
    const proxy = await openProxy(url, ({ method, params }) => {
      // Its selector and one number.
      const isNew = method === 'eth_call' && (params as [{ data: string }])[0].data.length === 2 + 2 * 36;
      return isNew ? { error: { code: 3, message: 'execution reverted', data: '0x' } } : undefined;
    });
    const { publishingCost } = payments.behind(proxy.url);
    expect(await publishingCost({ raw: `0x${'02'.repeat(100)}`, gas: 30_000n })).toBe(196n * ORACLE_WEI);
  });

  test('behavior: the measure of what a payment may cost holds what publishing a transfer costs', async () => {
    const payer = payments.behind(url);
    const [{ maxFeePerGas }, cost] = await Promise.all([payer.fees(), payer.transferCost()]);
    // 4 bytes of a selector, two words of the encoding, and 180 bytes in 6 words.
    expect(cost).toBe(51_500n * maxFeePerGas + 260n * ORACLE_WEI + operatorFee(51_500n));
  });

  test('error: an oracle that says nothing is an AdapterError, never a cost of 0', async () => {
    const proxy = await openProxy(url, answersTo('eth_call', { result: '0x' }));
    await expect(payments.behind(proxy.url).publishingCost({ raw: '0x02', gas: 1n })).rejects.toMatchObject({
      name: 'AdapterError',
      reason: 'bad_response',
      message: 'chain anvil: the gas price oracle’s answer about publishing cannot be decoded',
    });
  });
});

test('behavior: elsewhere publishing costs nothing beyond the gas, and nothing is asked', async () => {
  const proxy = await openProxy(url);
  const payer = payments.behind(proxy.url, { isOpStack: false });
  expect(await payer.publishingCost({ raw: '0x02', gas: 1n })).toBe(0n);
  expect(proxy.asked.filter((method) => method !== 'eth_chainId')).toEqual([]);
});

test('behavior: elsewhere a transfer costs its gas alone, and all who ask within seconds share one question', async () => {
  const proxy = await openProxy((await openAnvil()).url);
  const { payer } = await openPayments({ url: proxy.url });
  await payer.tank();
  const asked = proxy.asked.length;
  const { fees, transferCost } = payer;
  const [{ maxFeePerGas }, ...costs] = await Promise.all([fees(), transferCost(), transferCost(), transferCost()]);
  expect(costs).toEqual(Array.from({ length: 3 }, () => 51_500n * maxFeePerGas));
  const methods = proxy.asked.slice(asked).toSorted();
  expect(methods).toEqual(['eth_estimateGas', 'eth_getBlockByNumber', 'eth_maxPriorityFeePerGas']);
});

test('behavior: where publishing is counted as gas, the measure holds that of a transfer', async () => {
  const rollup = await startArbitrum();
  onTestFinished(rollup.stop);
  const { payer } = await openPayments({ url: rollup.url });
  const [{ maxFeePerGas }, cost] = await Promise.all([payer.fees(), payer.transferCost()]);
  expect(cost).toBe((51_500n + PUBLISHED_TRANSFER) * maxFeePerGas);
});
