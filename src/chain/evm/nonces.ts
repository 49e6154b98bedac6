import { numberToHex } from 'viem';
import type { Address } from '../../domain/token.ts';
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

/** How many nonces of an address are used now, and how many of them are final. */
export async function spentNonces(rpc: RpcSession, query: { address: Address; confirmations: number }) {
  const { address, confirmations } = query;
  if (confirmations === 1) {
    const count = await nonceCount(rpc, { address, block: 'latest' });
    return { latest: count, final: count };
  }
  const head = await rpc.quantity({ method: 'eth_blockNumber' });
  const [latest, final] = await Promise.all([
    nonceCount(rpc, { address, block: numberToHex(head) }),
    nonceCount(rpc, { address, block: numberToHex(deepBlock(head, confirmations)) }),
  ]);
  return { latest, final };
}
