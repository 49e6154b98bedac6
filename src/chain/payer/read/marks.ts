import { numberToHex } from 'viem';
import type { MarkQuery } from '../../../domain/payments/payer-chain.ts';
import { type ReadQuestion, toQuantity } from '../../rpc/endpoint.ts';
import { RpcFault } from '../../rpc/fault.ts';
import type { ReadMany } from '../../rpc/many-reads.ts';
import { storageKey } from '../contract/contracts.ts';

/** Words of marks after a block, in the order of the queries; of wallets that never paid they are 0. */
export async function readMarks(
  readMany: ReadMany,
  queries: readonly MarkQuery[],
  blockNumber: bigint,
): Promise<bigint[]> {
  const block = numberToHex(blockNumber);
  const questions = queries.map(({ wallet, word }): ReadQuestion<bigint> => {
    return { read: { method: 'eth_getStorageAt', params: [wallet, storageKey(word), block] }, accept: toQuantity };
  });
  return (await readMany(questions)).map((answer) => {
    if (answer instanceof RpcFault) throw answer;
    return answer;
  });
}
