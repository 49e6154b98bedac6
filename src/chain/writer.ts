import { keccak256, numberToHex } from 'viem';
import type { Chain, ChainWriter, Fees } from '../domain/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import type { Address } from '../domain/token.ts';
import { broadcastFault, isKnownAlready } from './evm/broadcast.ts';
import { transactionOf } from './evm/erc20.ts';
import { findInclusion } from './evm/inclusion.ts';
import { toBlock } from './evm/receipt.ts';
import { simulate } from './evm/simulate.ts';
import { findTransactionAtNonce } from './evm/transaction-at-nonce.ts';
import { type BlockTag, createEndpoint, type EndpointOptions, type RpcSession } from './rpc/endpoint.ts';
import { RpcFault } from './rpc/fault.ts';
import { shareFor } from './rpc/shared.ts';
import type { Wallets } from './wallets.ts';

/** The priority fee when the endpoint suggests none: 1 gwei. */
const USUAL_PRIORITY = 10n ** 9n;
/** How long all wallets use the same fees: far less than the headroom of the base fee allows. */
const FEES_MS = 500;
/** Codes of JSON-RPC 2.0, EIP-1474 and EIP-1193 for an unknown method. */
const NO_SUCH_METHOD: readonly number[] = [-32601, -32004, 4200];

export interface WriterOptions extends EndpointOptions {
  readonly wallets: Pick<Wallets, 'gigAccount' | 'gasTankAccount'>;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

async function usualPriority(rpc: RpcSession): Promise<bigint> {
  try {
    return await rpc.quantity({ method: 'eth_maxPriorityFeePerGas' });
  } catch (error) {
    if (error instanceof RpcFault && NO_SUCH_METHOD.includes(error.code)) return USUAL_PRIORITY;
    throw error;
  }
}

/** Twice the base fee plus the usual priority fee, up to the cap. */
async function feesOfNow(rpc: RpcSession, { maxFeePerGas: cap }: Chain): Promise<Fees> {
  const [block, priority] = await Promise.all([
    rpc.record({ method: 'eth_getBlockByNumber', params: ['latest', false] }, toBlock),
    usualPriority(rpc),
  ]);
  const maxFeePerGas = smaller(block.baseFeePerGas * 2n + priority, cap);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(priority, maxFeePerGas) };
}

async function nonceCount(rpc: RpcSession, query: { address: Address; block: BlockTag }): Promise<number> {
  const { address, block } = query;
  return Number(await rpc.quantity({ method: 'eth_getTransactionCount', params: [address, block] }));
}

/** How many nonces of an address are used now, and how many of them are final. */
async function spentNonces(rpc: RpcSession, query: { address: Address; confirmations: number }) {
  const { address, confirmations } = query;
  if (confirmations === 1) {
    const count = await nonceCount(rpc, { address, block: 'latest' });
    return { latest: count, final: count };
  }
  const head = await rpc.quantity({ method: 'eth_blockNumber' });
  const [latest, final] = await Promise.all([
    nonceCount(rpc, { address, block: numberToHex(head) }),
    nonceCount(rpc, { address, block: numberToHex(deepBlock(head, confirmations)) }),
  ]);
  return { latest, final };
}

/** The newest block with enough confirmations, its own included. */
function deepBlock(head: bigint, confirmations: number): bigint {
  const above = BigInt(confirmations) - 1n;
  return head > above ? head - above : 0n;
}

async function offer(rpc: RpcSession, { raw, chainKey }: { raw: `0x${string}`; chainKey: string }): Promise<void> {
  let answer: unknown;
  try {
    answer = await rpc.send(raw);
  } catch (error) {
    if (isKnownAlready(error)) return;
    throw error instanceof AdapterError ? broadcastFault(error, chainKey) : error;
  }
  if (typeof answer === 'string' && answer.toLowerCase() === keccak256(raw)) return;
  const message = `chain ${chainKey}: the endpoint did not answer a broadcast with the hash of its transaction`;
  throw new AdapterError({ retry: 'unknown', reason: 'bad_response', message });
}

/**
 * Pays on one chain through one endpoint. Nothing is sent before the first call.
 * @throws RangeError when the chain's number of confirmations is not a whole number from 1
 */
export function createChainWriter(options: WriterOptions): ChainWriter {
  const { chain, wallets } = options;
  const { confirmations } = chain;
  if (!Number.isInteger(confirmations) || confirmations < 1) throw new RangeError(`confirmations: ${confirmations}`);
  const endpoint = createEndpoint(options);
  const chainKey = chain.key;

  return {
    chain,
    confirmations,
    simulateTransfer: (transfer) => endpoint.run(async (rpc) => ({ gas: await simulate(rpc, { transfer, chainKey }) })),
    fees: shareFor(() => endpoint.run((rpc) => feesOfNow(rpc, chain)), { ms: FEES_MS, clock: options.clock }),
    sign: (wallet, call) =>
      // Opening the session proves that the endpoint serves the chain that the signature names.
      endpoint.run(
        async () => {
          const account = wallet === 0 ? wallets.gasTankAccount() : wallets.gigAccount(wallet);
          if (account.address.toLowerCase() !== call.from) {
            throw new Error(`wallet ${wallet} is ${account.address}, which cannot sign for ${call.from}`);
          }
          const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = call;
          const terms = { nonce, gas, maxFeePerGas, maxPriorityFeePerGas, ...transactionOf(call) };
          const raw = await account.signTransaction({ type: 'eip1559', chainId: chain.id, ...terms });
          return { hash: keccak256(raw), raw };
        },
        { recheck: true },
      ),
    broadcast: (raw) => endpoint.run((rpc) => offer(rpc, { raw, chainKey })),
    inclusion: (query) => endpoint.run((rpc) => findInclusion(rpc, { ...query, chainKey, confirmations })),
    pendingNonces: (address) => endpoint.run((rpc) => nonceCount(rpc, { address, block: 'pending' })),
    noncesAt: ({ address, blockNumber }) =>
      endpoint.run((rpc) => nonceCount(rpc, { address, block: numberToHex(blockNumber) })),
    spentNonces: (address) => endpoint.run((rpc) => spentNonces(rpc, { address, confirmations })),
    transactionAtNonce: ({ address, nonce }) =>
      endpoint.run(async (rpc) => {
        const head = await rpc.quantity({ method: 'eth_blockNumber' });
        return await findTransactionAtNonce(rpc, { address, nonce, until: deepBlock(head, confirmations) });
      }),
    nativeBalance: (address) =>
      endpoint.run((rpc) => rpc.quantity({ method: 'eth_getBalance', params: [address, 'latest'] })),
  };
}
