import type { Chain, Fees } from '../../domain/chain.ts';
import type { RpcSession } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';
import { toBlock } from './receipt.ts';

/** The priority fee when the endpoint suggests none: 1 gwei. */
const USUAL_PRIORITY = 10n ** 9n;
/** How long all wallets use the same fees: far less than the headroom of the base fee allows. */
export const FEES_MS = 500;
/** Codes of JSON-RPC 2.0, EIP-1474 and EIP-1193 for an unknown method. */
const NO_SUCH_METHOD: readonly number[] = [-32601, -32004, 4200];

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
export async function feesOfNow(rpc: RpcSession, { maxFeePerGas: cap }: Chain): Promise<Fees> {
  const [block, priority] = await Promise.all([
    rpc.record({ method: 'eth_getBlockByNumber', params: ['latest', false] }, toBlock),
    usualPriority(rpc),
  ]);
  const maxFeePerGas = smaller(block.baseFeePerGas * 2n + priority, cap);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(priority, maxFeePerGas) };
}
