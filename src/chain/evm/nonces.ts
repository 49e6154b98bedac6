import type { Address } from '../../domain/gigs/token.ts';
import type { BlockTag, RpcSession } from '../rpc/endpoint.ts';

/** How many nonces of an address are spent after a block. */
export async function nonceCount(rpc: RpcSession, query: { address: Address; block: BlockTag }): Promise<number> {
  const { address, block } = query;
  return Number(await rpc.quantity({ method: 'eth_getTransactionCount', params: [address, block] }));
}

/** The newest block with enough confirmations, its own included. */
export function deepBlock(head: bigint, confirmations: number): bigint {
  const above = BigInt(confirmations) - 1n;
  return head > above ? head - above : 0n;
}
