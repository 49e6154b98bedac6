import { type Hex, numberToHex, parseEther, size } from 'viem';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { GAS_PRICE_ORACLE } from '../../../../src/chain/payer/read/publishing.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/token.ts';
import { anvilClients, freshAddress, startAnvil } from '../../../support/anvil.ts';
import type { Answer } from '../../../support/json-rpc.ts';
import { openPayments, type Payments } from '../../../support/payer-chain.ts';
import { deployHostileToken, type HostileToken } from '../../../support/payer-contracts.ts';
import { serveRpcProxy } from '../../../support/rpc-proxy.ts';

/** Predeployed contracts of the OP stack: what publishing costs now, and where it is collected. */
const L1_BLOCK: Address = '0x4200000000000000000000000000000000000015';
const L1_FEE_VAULT: Address = '0x420000000000000000000000000000000000001a';
/** Places in L1Block: the base fee of Ethereum, the scalars of base fee and blobs, and the base fee of blobs. */
const L1_FEES: readonly (readonly [slot: Hex, value: Hex])[] = [
  ['0x1', `0x${30_000_000_000n.toString(16).padStart(64, '0')}`],
  ['0x3', '0x00000000000000000000000000000000000c5fc5000005580000000000000000'],
  ['0x7', `0x${1_000_000_000n.toString(16).padStart(64, '0')}`],
];
/** Answers a thousand wei for each byte of its calldata. */
const ORACLE: Hex = '0x366103e8025f5260205ff3';

let payments: Payments;
let token: HostileToken;
let url: string;

beforeAll(async () => {
  const anvil = await startAnvil({ network: 'optimism' });
  const node = anvilClients(anvil.url).test;
  for (const [index, value] of L1_FEES) await node.setStorageAt({ address: L1_BLOCK, index, value });
  await node.setCode({ address: GAS_PRICE_ORACLE, bytecode: ORACLE });
  // The node takes the fee and, unlike a rollup's, does not name it in the receipt: the vault tells.
  const proxy = await serveRpcProxy(anvil.url, async ({ method, forward }) => {
    if (method !== 'eth_getTransactionReceipt') return undefined;
    const answer = await forward();
    if (typeof answer === 'function' || !('result' in answer) || answer.result === null) return answer;
    return await withL1Fee(anvil.url, answer.result as { blockNumber: Hex });
  });
  url = proxy.url;
  payments = await openPayments({ url, chain: { isOpStack: true } });
  token = await deployHostileToken(payments.stage);
  return async () => {
    await proxy.close();
    await anvil.stop();
  };
});

async function withL1Fee(node: string, receipt: { blockNumber: Hex }): Promise<Answer> {
  const blockNumber = BigInt(receipt.blockNumber);
  const collected = (number: bigint) =>
    anvilClients(node).public.getBalance({ address: L1_FEE_VAULT, blockNumber: number });
  const l1Fee = (await collected(blockNumber)) - (await collected(blockNumber - 1n));
  return { result: { ...receipt, l1Fee: numberToHex(l1Fee) } };
}

describe('on a rollup of the OP stack', () => {
  test('behavior: wallets pay to the unit, and the cost of a transaction holds its publishing', async () => {
    const { stage, tank, wallets, call, pay } = payments;
    const to = freshAddress();
    await stage.test.setBalance({ address: tank, value: parseEther('5') });
    await token.mint(wallets.gigAddress(1), 30n);
    await stage.test.setBalance({ address: wallets.gigAddress(2), value: 7n });
    const calls = [
      call(1, { token: token.address, to, amount: 30n, numbers: [0n] }),
      call(2, { token: NATIVE_TOKEN_ADDRESS, to, amount: 7n, numbers: [0n] }),
    ];
    const { paid, failed, cost, gasUsed, hash } = await pay(...calls);
    expect([paid.length, failed]).toEqual([2, []]);
    expect([await token.balance(to), await stage.public.getBalance({ address: to })]).toEqual([30n, 7n]);
    expect(await stage.public.getBalance({ address: wallets.gigAddress(2) })).toBe(0n);
    expect(await stage.public.getBalance({ address: tank })).toBe(parseEther('5') - cost);
    const { effectiveGasPrice } = await stage.public.getTransactionReceipt({ hash });
    expect(cost).toBeGreaterThan(gasUsed * effectiveGasPrice);
  });

  test('behavior: the oracle is asked what publishing some bytes costs', async () => {
    // 4 bytes of a selector, two words of the encoding, and 100 bytes in 4 words.
    expect(await payments.payer.publishingCost(`0x${'02'.repeat(100)}`)).toBe(196_000n);
  });

  test('behavior: the measure of what a payment may cost holds what publishing a transfer costs', async () => {
    const payer = payments.behind(url);
    const [{ maxFeePerGas }, cost] = await Promise.all([payer.fees(), payer.transferCost()]);
    // 4 bytes of a selector, two words of the encoding, and 180 bytes in 6 words.
    expect(cost).toBe(51_500n * maxFeePerGas + 260_000n);
  });

  test('error: an oracle that says nothing is an AdapterError, never a cost of 0', async () => {
    const proxy = await serveRpcProxy(url, ({ method }) =>
      method === 'eth_call' ? Promise.resolve({ result: '0x' }) : undefined,
    );
    onTestFinished(proxy.close);
    await expect(payments.behind(proxy.url).publishingCost('0x02')).rejects.toMatchObject({
      name: 'AdapterError',
      reason: 'bad_response',
      message: 'chain anvil: what the gas price oracle says of publishing cannot be decoded',
    });
  });
});

test('behavior: elsewhere publishing costs nothing beyond the gas, and nothing is asked', async () => {
  const proxy = await serveRpcProxy(url, () => undefined);
  onTestFinished(proxy.close);
  const payer = payments.behind(proxy.url, { isOpStack: false });
  expect(await payer.publishingCost('0x02')).toBe(0n);
  expect(proxy.asked.filter((method) => method !== 'eth_chainId')).toEqual([]);
});

test('behavior: elsewhere a transfer costs its gas alone, and all who ask within seconds share one question', async () => {
  const anvil = await startAnvil();
  onTestFinished(anvil.stop);
  const proxy = await serveRpcProxy(anvil.url, () => undefined);
  onTestFinished(proxy.close);
  const { payer } = await openPayments({ url: proxy.url });
  const { maxFeePerGas } = await payer.fees();
  const asked = proxy.asked.length;
  const costs = await Promise.all([payer.transferCost(), payer.transferCost(), payer.transferCost()]);
  expect(costs).toEqual(Array.from({ length: 3 }, () => 51_500n * maxFeePerGas));
  const methods = proxy.asked.slice(asked).toSorted();
  expect(methods).toEqual(['eth_estimateGas', 'eth_getBlockByNumber', 'eth_maxPriorityFeePerGas']);
});

test('behavior: where publishing is counted as gas, the gas of a transaction holds that of all its bytes', async () => {
  const anvil = await startAnvil();
  onTestFinished(anvil.stop);
  const perByte = 400n;
  const publishedTransfer = 120n * perByte;
  const proxy = await serveRpcProxy(anvil.url, async ({ method, params, forward }) => {
    if (method !== 'eth_estimateGas') return undefined;
    const answer = await forward();
    if (typeof answer === 'function' || !('result' in answer)) return answer;
    const [{ data }] = params as [{ data?: Hex }];
    const publishing = data === undefined ? publishedTransfer : BigInt(size(data)) * perByte;
    return { result: numberToHex(BigInt(String(answer.result)) + publishing) };
  });
  onTestFinished(proxy.close);
  const { stage, payer, call } = await openPayments({ url: proxy.url });
  const [{ maxFeePerGas }, cost] = await Promise.all([payer.fees(), payer.transferCost()]);
  expect(cost).toBe((51_500n + publishedTransfer) * maxFeePerGas);
  const to = freshAddress();
  const calls = [1, 2, 3].map((gigId) => call(gigId, { token: NATIVE_TOKEN_ADDRESS, to, amount: 1n, numbers: [0n] }));
  for (const { wallet } of calls) await stage.test.setBalance({ address: wallet, value: 1n });
  const simulated = await Promise.all(calls.map(async (each) => ({ ...each, ...(await payer.simulate(each)) })));
  const { raw, gas, hash } = await payer.sign({ calls: simulated, nonce: 0, fees: await payer.fees() });
  await payer.broadcast(raw);
  const { paid, receipt } = await stage.outcome(hash);
  expect(paid).toHaveLength(3);
  const { input } = await stage.public.getTransaction({ hash });
  // What a rollup would take for the bytes is left besides all that the wallets may use.
  const limits = simulated.reduce((sum, each) => sum + each.gas, 0n);
  expect(gas).toBeGreaterThan(limits + BigInt(size(input)) * perByte);
  expect(receipt.gasUsed).toBeLessThan(limits);
  expect(await stage.public.getBalance({ address: to })).toBe(3n);
});
