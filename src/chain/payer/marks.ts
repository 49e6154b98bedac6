import { numberToHex } from 'viem';
import type { MarkQuery } from '../../domain/payer-chain.ts';
import { inParallel } from '../in-parallel.ts';
import type { Endpoint } from '../rpc/endpoint.ts';
import { storageKey } from './contracts.ts';

/** How many words are read at a time; public endpoints refuse many more. */
const AT_ONCE = 16;

/** Words of marks after a block, in the order of the queries; of wallets that never paid they are 0. */
export async function readMarks(
  endpoint: Endpoint,
  queries: readonly MarkQuery[],
  blockNumber: bigint,
): Promise<bigint[]> {
  const block = numberToHex(blockNumber);
  // Each has a deadline of its own, because their number is unbounded.
  return await inParallel(queries, AT_ONCE, ({ wallet, word }) =>
    endpoint.run((rpc) => rpc.quantity({ method: 'eth_getStorageAt', params: [wallet, storageKey(word), block] })),
  );
}
