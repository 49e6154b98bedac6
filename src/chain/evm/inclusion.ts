import { type Hex, numberToHex } from 'viem';
import type { Inclusion, TransferCall } from '../../domain/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { Address } from '../../domain/token.ts';
import type { RpcSession } from '../rpc/endpoint.ts';
import { gasSpent, moved, type Receipt, toBlock, toReceipt } from './receipt.ts';

/** Transactions of one sender. */
export interface ReceiptSearch {
  readonly hashes: readonly Hex[];
  readonly from: Address;
  readonly chainKey: string;
}

interface Search extends Omit<ReceiptSearch, 'from'> {
  readonly call: TransferCall;
  /** How many blocks must hold a transaction, its own included. */
  readonly confirmations: number;
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

/** The one receipt whose block is in the endpoint's current chain. */
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

function movedBy(receipt: Receipt, { call, chainKey }: Search): bigint {
  try {
    return moved(receipt, call);
  } catch (cause) {
    const message = `chain ${chainKey}: what transaction ${receipt.transactionHash} moved cannot be decoded`;
    throw new AdapterError({ retry: 'never', reason: 'bad_response', message, cause });
  }
}

/** The receipt of the one of these transactions that is in the chain; null when the endpoint has none of any. */
export async function findReceipt(rpc: RpcSession, search: ReceiptSearch): Promise<Receipt | null> {
  const receipts = await receiptsOf(rpc, search);
  return receipts.length === 0 ? null : await canonical(rpc, { receipts, chainKey: search.chainKey });
}

/** Finds which of these transactions is included and its effect; null when the endpoint has no receipt of any. */
export async function findInclusion(rpc: RpcSession, search: Search): Promise<Inclusion | null> {
  const { hashes, chainKey, call } = search;
  const receipts = await receiptsOf(rpc, { hashes, chainKey, from: call.from });
  if (receipts.length === 0) return null;
  // Its own block is the first confirmation, and `canonical` checks that block in any case.
  const head = search.confirmations === 1 ? null : await rpc.quantity({ method: 'eth_blockNumber' });
  const receipt = await canonical(rpc, { receipts, chainKey });
  const { transactionHash: hash, blockNumber } = receipt;
  return {
    hash,
    blockNumber,
    final: head === null || head >= blockNumber + BigInt(search.confirmations) - 1n,
    succeeded: receipt.status === '0x1',
    moved: movedBy(receipt, search),
    gasSpent: gasSpent(receipt),
  };
}
