import { type Hex, numberToHex } from 'viem';
import type { TransactionStanding } from '../../domain/chains/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { RpcSession } from '../rpc/endpoint.ts';
import { type Receipt, toBlock, toReceipt } from './receipt.ts';

export interface ReceiptSearch {
  readonly hashes: readonly Hex[];
  /** Who has sent them; absent for anybody. */
  readonly from?: Address;
  readonly chainKey: string;
}

async function receiptsOf(rpc: RpcSession, { hashes, from }: ReceiptSearch): Promise<Receipt[]> {
  const answers = await Promise.all(
    hashes.map((hash) =>
      rpc.record({ method: 'eth_getTransactionReceipt', params: [hash] }, (answer) =>
        toReceipt(answer, { hash, from }),
      ),
    ),
  );
  return answers.filter((receipt) => receipt !== null);
}

async function canonical(rpc: RpcSession, query: { receipts: readonly Receipt[]; chainKey: string }): Promise<Receipt> {
  for (const receipt of query.receipts) {
    const number = numberToHex(receipt.blockNumber);
    const block = await rpc.record({ method: 'eth_getBlockByNumber', params: [number, false] }, toBlock);
    if (block.hash === receipt.blockHash) return receipt;
  }
  // Differs from a missing receipt: a caller that confuses the two may pay twice.
  const message = `chain ${query.chainKey}: the endpoint has a transaction in a block that is not in its chain`;
  throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
}

/** The receipt of the one of these transactions that is in the chain; null when the endpoint has none of any. */
export async function findReceipt(rpc: RpcSession, search: ReceiptSearch): Promise<Receipt | null> {
  const receipts = await receiptsOf(rpc, search);
  return receipts.length === 0 ? null : await canonical(rpc, { receipts, chainKey: search.chainKey });
}

/** How a transaction of anybody stands. */
export async function findStanding(rpc: RpcSession, hash: Hex, chainKey: string): Promise<TransactionStanding> {
  const receipt = await findReceipt(rpc, { hashes: [hash], chainKey });
  if (receipt === null) return { state: (await isKnown(rpc, hash)) ? 'pending' : 'unknown', blockNumber: null };
  const { status, blockNumber } = receipt;
  return { state: status === '0x1' ? 'confirmed' : 'reverted', blockNumber };
}

/** Whether the endpoint has a transaction, in a block or waiting for one. */
export async function isKnown(rpc: RpcSession, hash: Hex): Promise<boolean> {
  return await rpc.record({ method: 'eth_getTransactionByHash', params: [hash] }, (answer) => {
    if (answer === null) return false;
    return typeof answer === 'object' && 'hash' in answer && answer.hash === hash ? true : undefined;
  });
}
