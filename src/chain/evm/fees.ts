import { z } from 'zod';
import type { Chain, Fees } from '../../domain/chains/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { RpcSession } from '../rpc/endpoint.ts';
import { toBlock } from './receipt.ts';

/** The priority fee when the endpoint suggests none: 1 gwei. */
const USUAL_PRIORITY = 10n ** 9n;
/** How long all wallets use the same fees: far less than the headroom of the base fee allows. */
export const FEES_MS = 500;
/** How many blocks are looked at for the usual priority fee, and where in each block, in per cent of its gas. */
const BLOCKS = '0x5';
const MIDDLE = 50;
/** Of a failed connection nothing is known but that another question would fail as well. */
const NO_CONNECTION: readonly string[] = ['unreachable', 'timeout', 'rate_limited', 'unauthorized', 'forbidden'];

const FEE = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt);
const HISTORY = z.object({ reward: z.array(z.array(FEE)) });

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Undefined when recent blocks paid no priority fee. */
function middleReward(answer: unknown): bigint | undefined {
  const rewards = HISTORY.safeParse(answer).data?.reward.flatMap(([reward]) => (reward ? [reward] : []));
  return rewards?.sort((a, b) => Number(a - b))[Math.floor(rewards.length / 2)];
}

/** The price that `eth_gasPrice` suggests includes the base fee. */
async function aboveBaseFee(rpc: RpcSession, baseFee: bigint): Promise<bigint> {
  const price = await rpc.quantity({ method: 'eth_gasPrice' });
  return price > baseFee ? price - baseFee : 0n;
}

/** Endpoints lack some of these methods, and each refuses what it lacks in words of its own. */
async function usualPriority(rpc: RpcSession, baseFee: bigint): Promise<bigint> {
  const ways = [
    () => rpc.quantity({ method: 'eth_maxPriorityFeePerGas' }),
    () => rpc.record({ method: 'eth_feeHistory', params: [BLOCKS, 'latest', [MIDDLE]] }, middleReward),
    () => aboveBaseFee(rpc, baseFee),
  ];
  for (const ask of ways) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof AdapterError) || NO_CONNECTION.includes(error.reason)) throw error;
    }
  }
  return USUAL_PRIORITY;
}

/** Twice the base fee plus the usual priority fee, up to the cap. */
export async function feesOfNow(rpc: RpcSession, { maxFeePerGas: cap }: Chain): Promise<Fees> {
  const block = await rpc.record({ method: 'eth_getBlockByNumber', params: ['latest', false] }, toBlock);
  const priority = await usualPriority(rpc, block.baseFeePerGas);
  const maxFeePerGas = smaller(block.baseFeePerGas * 2n + priority, cap);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(priority, maxFeePerGas) };
}
