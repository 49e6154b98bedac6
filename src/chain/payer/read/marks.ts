import { numberToHex } from 'viem';
import type { MarkQuery } from '../../../domain/payments/payer-chain.ts';
import { type ReadQuestion, toQuantity } from '../../rpc/endpoint.ts';
import { RpcFault } from '../../rpc/fault.ts';
import type { ReadMany } from '../../rpc/many-reads.ts';
import { storageKey } from '../contract/contracts.ts';

/** Of so many at a time the storage keys are hashed: all of a large gig's would hold up everything else. */
const AT_ONCE = 100;

/** Words of marks after a block, in the order of the queries; of wallets that never paid they are 0. */
export async function readMarks(
  readMany: ReadMany,
  queries: readonly MarkQuery[],
  blockNumber: bigint,
): Promise<bigint[]> {
  const block = numberToHex(blockNumber);
  const found: bigint[] = [];
  for (let from = 0; from < queries.length; from += AT_ONCE) {
    const questions = queries.slice(from, from + AT_ONCE).map(({ wallet, word }): ReadQuestion<bigint> => {
      return { read: { method: 'eth_getStorageAt', params: [wallet, storageKey(word), block] }, accept: toQuantity };
    });
    for (const answer of await readMany(questions)) {
      if (answer instanceof RpcFault) throw answer;
      found.push(answer);
    }
  }
  return found;
}
