import { formatEther, parseEther } from 'viem';
import { expect, test } from 'vitest';
import { PAYER_CONTRACTS } from '../../../../src/chain/payer/contract/contracts.ts';
import { TIPS_PAID_TOPIC } from '../../../../src/chain/payer/contract/events.ts';
import { createPayerContracts } from '../../../../src/chain/payer/deploy/deployment.ts';
import type { Chain } from '../../../../src/domain/chains/chain.ts';
import { anvilClients, freshAccount, freshAddress } from '../../../support/anvil.ts';
import { ANVIL } from '../../../support/payer.ts';
import { changes, type Interception, openAnvil, openProxy } from '../../../support/proxies.ts';

const { tipPayer, payBatch } = PAYER_CONTRACTS;
const LIMITS = { clock: Date.now, timeoutMs: 10_000, retries: 0, deadlineMs: 20_000 };

/**
 * A new node without the contracts, behind an endpoint that intercepts what passes, and an account with ether. A
 * transaction that is not in a block at the second look is waited for no longer.
 */
async function open(intercept?: Interception, facts: Partial<Chain> = {}) {
  const node = await openAnvil();
  const { url, asked } = await openProxy(node.url, intercept);
  const contracts = createPayerContracts({ ...LIMITS, patienceMs: 500, chain: { ...ANVIL, ...facts }, rpcUrl: url });
  const account = await freshAccount(node.url);
  return { ...anvilClients(node.url), contracts, account, asked };
}

function states(state: string) {
  return [tipPayer, payBatch].map(({ name, address }) => ({ name, address, state }));
}

test('behavior: what is missing is deployed, also when its block is late, for the cost that is told', async () => {
  const late: Interception = ({ method, times }) =>
    method === 'eth_getTransactionReceipt' && times === 0 ? { result: null } : undefined;
  const { contracts, account, public: reader, asked } = await open(late);
  expect(await contracts.state()).toEqual(states('absent'));
  const { deployed, cost } = await contracts.deploy(account);
  expect(deployed).toEqual(['TipPayer', 'PayBatch']);
  expect(cost).toBe(parseEther('1000') - (await reader.getBalance(account)));
  expect(await contracts.state()).toEqual(states('deployed'));
  const { transactions } = await reader.getBlock({ includeTransactions: true });
  const [last] = transactions;
  const { gasUsed } = await reader.getTransactionReceipt({ hash: last?.hash ?? '0x' });
  expect(last).toMatchObject({
    type: 'eip1559',
    nonce: 1,
    to: payBatch.deployment.to,
    input: payBatch.deployment.data,
  });
  // The estimate is a little more than it takes, and a quarter is added.
  expect(last?.gas).toBeGreaterThan((gasUsed * 5n) / 4n);
  expect(await contracts.deploy(account)).toEqual({ deployed: [], cost: 0n });
  expect(asked.filter((method) => method === 'eth_sendRawTransaction')).toHaveLength(2);
  expect(asked.filter((method) => method === 'eth_getBalance')).toHaveLength(1);
});

test.each([
  [false, ''],
  [true, ', and publishing comes on top'],
])('error: an account that holds too little is told how much is missing (OP stack: %s)', async (isOpStack, more) => {
  const { contracts, account, test: node, public: reader, asked } = await open(undefined, { isOpStack });
  await node.setBalance({ address: account.address, value: 5n });
  const error: unknown = await contracts.deploy(account).catch((thrown: unknown) => thrown);
  const gas = await Promise.all(
    [tipPayer, payBatch].map((each) => reader.estimateGas({ account: account.address, ...each.deployment })),
  );
  const { baseFeePerGas } = await reader.getBlock();
  const fee = 2n * (baseFeePerGas ?? 0n) + (await reader.estimateMaxPriorityFeePerGas());
  const cost = gas.reduce((sum, each) => sum + (each * 5n + 3n) / 4n, 0n) * fee;
  expect(error).toMatchObject({
    name: 'PayerDeploymentFailed',
    message:
      `the gas tank holds ${formatEther(5n)} ETH, and deploying may cost ${formatEther(cost)} ETH now${more}: ` +
      `send at least ${formatEther(cost - 5n)} ETH on Anvil (chain id 31337) to ${account.address}`,
  });
  expect(asked).not.toContain('eth_sendRawTransaction');
});

test('error: nothing is sent while transactions of the account wait', async () => {
  const { contracts, account, test: node, wallet } = await open();
  await node.setAutomine(false);
  await wallet.sendTransaction({ account, to: freshAddress(), value: 1n });
  await expect(contracts.deploy(account)).rejects.toMatchObject({
    name: 'AdapterError',
    retry: 'safe',
    reason: 'rejected',
    message: `chain anvil: ${account.address} has transactions that are not mined yet; try again when they are`,
  });
});

test('error: a transaction that gets no block is waited for, and may still get one', async () => {
  const { contracts, account, test: node, asked } = await open();
  await node.setAutomine(false);
  await expect(contracts.deploy(account)).rejects.toMatchObject({
    name: 'AdapterError',
    retry: 'unknown',
    reason: 'timeout',
    message: expect.stringMatching(/^chain anvil: transaction 0x[0-9a-f]{64} was not mined in time; run/),
  });
  expect(asked.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(2);
});

test('security: another chain that is behind the endpoint meanwhile gets no signature', async () => {
  const { contracts, account, asked } = await open(({ method, times }) =>
    method === 'eth_chainId' && times > 0 ? { result: '0x1' } : undefined,
  );
  const message = 'chain anvil: the endpoint serves chain id 1, expected 31337';
  await expect(contracts.deploy(account)).rejects.toMatchObject({ name: 'AdapterError', message });
  expect(asked).not.toContain('eth_sendRawTransaction');
});

test('error: a transaction that is reverted deploys nothing, and is not repeated', async () => {
  const revert = changes('eth_getTransactionReceipt', (receipt) => ({ ...receipt, status: '0x0' }));
  const { contracts, account } = await open((call) => {
    const hidesCode = call.method === 'eth_getCode' && (call.params as unknown[])[0] === tipPayer.address;
    return hidesCode ? { result: '0x' } : revert(call);
  });
  await expect(contracts.deploy(account)).rejects.toMatchObject({
    name: 'AdapterError',
    retry: 'never',
    reason: 'rejected',
    message: expect.stringMatching(/^chain anvil: transaction 0x[0-9a-f]{64} was reverted$/),
  });
});

test('behavior: the span of events is asked by the events of the contracts, up to the newest block', async () => {
  const filters: unknown[] = [];
  const { contracts, test: node } = await open(({ method, params }) => {
    if (method === 'eth_getLogs') filters.push(...(params as unknown[]));
    return undefined;
  });
  await node.mine({ blocks: 3 });
  expect(await contracts.eventSpan()).toBe(10_000n);
  const { address } = payBatch;
  expect(filters).toEqual([{ address: [address], topics: [TIPS_PAID_TOPIC], fromBlock: '0x0', toBlock: '0x3' }]);
});
