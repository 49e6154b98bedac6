import { numberToHex } from 'viem';
import type { BlockTag, RpcSession } from '../rpc/endpoint.ts';
import type { RpcFault } from '../rpc/fault.ts';

/** A simulation's refusal, before it is known whether the node is up to date. */
export class SimulationRefusal extends Error {
  override readonly name = 'SimulationRefusal';
  /** Whether the contract gave no answer. */
  readonly isBare: boolean;
  /** Whether the payer contract says that it has paid this before. */
  readonly isPaid: boolean;

  constructor(message: string, isBare: boolean, { isPaid = false }: { isPaid?: boolean } = {}) {
    super(message);
    this.isBare = isBare;
    this.isPaid = isPaid;
  }
}

/** Whether a revert comes without a reason. */
export function isBare({ data }: RpcFault): boolean {
  return data === undefined || data === null || data === '' || data === '0x';
}

/** Gas plus a quarter, because the state may change before inclusion. */
export function withMargin(gas: bigint): bigint {
  return (gas * 5n + 3n) / 4n;
}

/**
 * Simulates in the newest block, and a refused simulation again in a named block: the nodes behind one endpoint differ,
 * and a lagging one may not have the wallet's funding yet.
 * @throws what `refused` makes of the second refusal
 */
export async function simulateTwice<T>(
  rpc: RpcSession,
  attempt: {
    once: (block: BlockTag) => Promise<T>;
    refused: (refusal: SimulationRefusal, blockNumber: bigint) => Promise<Error>;
  },
): Promise<T> {
  try {
    return await attempt.once('latest');
  } catch (error) {
    if (!(error instanceof SimulationRefusal)) throw error;
  }
  const blockNumber = await rpc.quantity({ method: 'eth_blockNumber' });
  try {
    return await attempt.once(numberToHex(blockNumber));
  } catch (error) {
    throw error instanceof SimulationRefusal ? await attempt.refused(error, blockNumber) : error;
  }
}
