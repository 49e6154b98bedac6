import { type Hex, numberToHex } from 'viem';
import type { Address } from '../../../domain/gigs/token.ts';
import { type ReadQuestion, toData } from '../../rpc/endpoint.ts';
import type { ReadMany } from '../../rpc/many-reads.ts';
import { DELEGATION_CODE } from '../contract/contracts.ts';

/** Whether wallets delegate to TipPayer after a block, in their order. */
export async function readDelegated(
  readMany: ReadMany,
  wallets: readonly Address[],
  blockNumber: bigint,
): Promise<boolean[]> {
  const block = numberToHex(blockNumber);
  const questions = wallets.map((wallet): ReadQuestion<Hex> => {
    return { read: { method: 'eth_getCode', params: [wallet, block] }, accept: toData };
  });
  return (await readMany(questions)).map((code) => code === DELEGATION_CODE);
}
