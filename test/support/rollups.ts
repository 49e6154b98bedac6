import {
  concat,
  type Hex,
  numberToHex,
  parseEther,
  parseTransaction,
  recoverTransactionAddress,
  size,
  type TransactionSerialized,
  zeroAddress,
} from 'viem';
import type { AnvilProcess } from '../../sandbox/anvil.ts';
import { GAS_PRICE_ORACLE } from '../../src/chain/payer/read/publishing.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import { anvilClients, mined, startAnvil } from './anvil.ts';
import type { Answer } from './json-rpc.ts';
import { type PassingCall, serveRpcProxy } from './rpc-proxy.ts';

/** A node that takes for publishing what a rollup takes. */
export interface Rollup {
  readonly url: string;
  stop(): Promise<void>;
}

/** Predeployed contracts of the OP stack: what publishing costs now, and where it is collected. */
const L1_BLOCK: Address = '0x4200000000000000000000000000000000000015';
const L1_FEE_VAULT: Address = '0x420000000000000000000000000000000000001a';
/** What the rollup's operator takes: millionths of a wei for each unit of gas, and wei for each transaction. */
const OPERATOR_SCALAR = 100_000_000n;
const OPERATOR_CONSTANT = 1_000_000_000_000n;

/** Wei that the rollup's operator takes for so much gas, as nodes count since Isthmus. */
export function operatorFee(gas: bigint): bigint {
  return (gas * OPERATOR_SCALAR) / 1_000_000n + OPERATOR_CONSTANT;
}

function word(value: bigint): Hex {
  return numberToHex(value, { size: 32 });
}

/** Places in L1Block: the base fee of Ethereum, the scalars of base fee and blobs, the base fee of blobs, the operator's fee. */
const L1_FEES: readonly (readonly [slot: Hex, value: Hex])[] = [
  ['0x1', `0x${30_000_000_000n.toString(16).padStart(64, '0')}`],
  ['0x3', '0x0000000000000000000000000000000000000558000c5fc50000000000000000'],
  ['0x7', `0x${1_000_000_000n.toString(16).padStart(64, '0')}`],
  ['0x8', word((OPERATOR_SCALAR << 64n) | OPERATOR_CONSTANT)],
];
/** Wei that the oracle says for each byte of its calldata: a third more than the node takes for one that is not 0. */
export const ORACLE_WEI = 2_000_000_000n;
/** Calldata of a selector and one number asks for the operator's fee: the number, times scalar, by a million, plus constant. */
const ORACLE = concat([
  '0x36602414601457',
  '0x3663',
  numberToHex(ORACLE_WEI, { size: 4 }),
  '0x025f5260205ff3',
  '0x5b620f424060043563',
  numberToHex(OPERATOR_SCALAR, { size: 4 }),
  '0x020467',
  numberToHex(OPERATOR_CONSTANT, { size: 8 }),
  '0x015f5260205ff3',
]);

/** Gas for each byte of a transaction, where publishing is counted as gas. */
const GAS_OF_BYTE = 400n;
/** Bytes of a transaction besides its calldata and authorizations, and what an estimate adds, in percent. */
const ENVELOPE = 120n;
const PADDING = 110n;

async function altered(forward: PassingCall['forward'], alter: (result: unknown) => unknown): Promise<Answer> {
  const answer = await forward();
  if (typeof answer === 'function' || !('result' in answer) || answer.result === null) return answer;
  return { result: await alter(answer.result) };
}

async function serve(node: AnvilProcess, intercept: Parameters<typeof serveRpcProxy>[1]): Promise<Rollup> {
  const proxy = await serveRpcProxy(node.url, intercept);
  const stop = async () => {
    await proxy.close();
    await node.stop();
  };
  return { url: proxy.url, stop };
}

/** A rollup of the OP stack, with what Ethereum charged on a quiet day. */
export async function startOptimism(): Promise<Rollup> {
  const node = await startAnvil({ network: 'optimism' });
  const clients = anvilClients(node.url);
  for (const [index, value] of L1_FEES) await clients.test.setStorageAt({ address: L1_BLOCK, index, value });
  await clients.test.setCode({ address: GAS_PRICE_ORACLE, bytecode: ORACLE });
  // Unlike a rollup's, the node takes the fee for calls as well, and their sender is this one when none is named.
  await clients.test.setBalance({ address: zeroAddress, value: parseEther('1') });

  // The node takes the fee and, unlike a rollup's, does not name it in the receipt: the vault tells.
  async function withL1Fee(result: unknown): Promise<object> {
    const receipt = result as { readonly blockNumber: Hex };
    const blockNumber = BigInt(receipt.blockNumber);
    const collected = (number: bigint) => clients.public.getBalance({ address: L1_FEE_VAULT, blockNumber: number });
    const l1Fee = (await collected(blockNumber)) - (await collected(blockNumber - 1n));
    const [operatorFeeScalar, operatorFeeConstant] = [OPERATOR_SCALAR, OPERATOR_CONSTANT].map((each) =>
      numberToHex(each),
    );
    return { ...receipt, l1Fee: numberToHex(l1Fee), operatorFeeScalar, operatorFeeConstant };
  }
  return await serve(node, ({ method, forward }) =>
    method === 'eth_getTransactionReceipt' ? altered(forward, withL1Fee) : undefined,
  );
}

/**
 * A rollup that counts publishing as gas, as Arbitrum does: estimates hold it without the authorizations, a transaction
 * with too little gas for it is refused, its sender pays for it, and its receipt names it as gas.
 */
export async function startArbitrum(): Promise<Rollup> {
  const node = await startAnvil();
  const clients = anvilClients(node.url);
  const published = new Map<string, bigint>();

  async function offer(params: unknown, forward: PassingCall['forward']): Promise<Answer> {
    const [serializedTransaction] = params as [TransactionSerialized];
    const publishing = BigInt(size(serializedTransaction)) * GAS_OF_BYTE;
    const transaction = parseTransaction(serializedTransaction);
    const { to, data = '0x', gas = 0n } = transaction;
    const delegating = transaction.type === 'eip7702' ? { authorizationList: transaction.authorizationList } : {};
    const account = await recoverTransactionAddress({ serializedTransaction });
    const needed = await clients.public.estimateGas({ account, to: to ?? null, data, gas, ...delegating });
    if (needed + publishing > gas) return { error: { code: -32000, message: 'intrinsic gas too low' } };
    return await altered(forward, async (result) => {
      const hash = result as Hex;
      const { effectiveGasPrice } = await mined(hash, node.url);
      const balance = await clients.public.getBalance({ address: account });
      await clients.test.setBalance({ address: account, value: balance - publishing * effectiveGasPrice });
      published.set(hash, publishing);
      return hash;
    });
  }

  return await serve(node, ({ method, params, forward }) => {
    // Only some nodes know this one, which estimates as well.
    if (method === 'eth_fillTransaction')
      return Promise.resolve({ error: { code: -32601, message: 'unknown method' } });
    if (method === 'eth_sendRawTransaction') return offer(params, forward);
    if (method === 'eth_estimateGas') {
      const [{ data = '0x' }] = params as [{ data?: Hex }];
      const publishing = ((ENVELOPE + BigInt(size(data))) * GAS_OF_BYTE * PADDING) / 100n;
      return altered(forward, (gas) => numberToHex(BigInt(String(gas)) + publishing));
    }
    if (method !== 'eth_getTransactionReceipt') return undefined;
    return altered(forward, (result) => {
      const receipt = result as { readonly transactionHash: Hex; readonly gasUsed: Hex };
      const publishing = published.get(receipt.transactionHash) ?? 0n;
      return { ...receipt, gasUsed: numberToHex(BigInt(receipt.gasUsed) + publishing) };
    });
  });
}
