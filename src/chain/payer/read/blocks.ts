import { type Hex, numberToHex } from 'viem';
import { z } from 'zod';
import type { BlockId, BlockRef } from '../../../domain/chains/block.ts';
import type { Chain } from '../../../domain/chains/chain.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { deepBlock } from '../../evm/nonces.ts';
import type { BlockTag, RpcSession } from '../../rpc/endpoint.ts';

const MS_PER_SECOND = 1000;
const QUANTITY = z
  .string()
  .regex(/^0x[0-9a-f]{1,16}$/i)
  .transform(BigInt);

/** The last second of the year 9999: a later time is no date that can be shown. */
const MAX_SECONDS = 253_402_300_799n;

const BLOCK = z
  .object({
    number: QUANTITY,
    hash: z.string().regex(/^0x[0-9a-f]{64}$/i),
    timestamp: QUANTITY.refine((seconds) => seconds <= MAX_SECONDS),
  })
  // The pattern demands the prefix that the type promises.
  .transform(({ number, hash, timestamp }): BlockRef => {
    return { number, hash: hash.toLowerCase() as Hex, at: Number(timestamp) * MS_PER_SECOND };
  });

/** A block by its number or tag; null when the endpoint does not have it. */
export async function findBlock(rpc: RpcSession, block: BlockTag): Promise<BlockRef | null> {
  return await rpc.record({ method: 'eth_getBlockByNumber', params: [block, false] }, (answer) => {
    if (answer === null) return null;
    const found = BLOCK.safeParse(answer).data;
    const isOther = block.startsWith('0x') && found?.number !== BigInt(block);
    return isOther ? undefined : found;
  });
}

/** {@link findBlock}, where the block must exist. */
export async function requireBlock(rpc: RpcSession, block: BlockTag, chainKey: string): Promise<BlockRef> {
  const found = await findBlock(rpc, block);
  if (found !== null) return found;
  // The chain has it, so the endpoint's nodes differ.
  const message = `chain ${chainKey}: the endpoint does not have block ${block}`;
  throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
}

/** @throws AdapterError when the endpoint's chain has another block there by now */
export function requireSame(found: BlockId, { hash, number }: BlockId, { key }: Chain): void {
  if (found.hash === hash) return;
  const message = `chain ${key}: block ${number} has changed while a contract was asked`;
  throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
}

/** The block from which on a payment counts, by the chain's own tag or as a number of blocks below the newest one. */
export function finalTag({ confirmations, settledBy }: Chain, latest: bigint): BlockTag {
  return settledBy ?? numberToHex(deepBlock(latest, confirmations));
}

/** The newest block, and the newest one that is deep enough to count. */
export async function readHead(rpc: RpcSession, chain: Chain): Promise<{ latest: BlockRef; settled: BlockRef }> {
  const latest = await requireBlock(rpc, 'latest', chain.key);
  if (chain.settledBy === undefined && chain.confirmations === 1) return { latest, settled: latest };
  const settled = await requireBlock(rpc, finalTag(chain, latest.number), chain.key);
  if (settled.number <= latest.number) return { latest, settled };
  const message = `chain ${chain.key}: the endpoint's settled block ${settled.number} is above its newest, ${latest.number}`;
  throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
}

/** Whether a block is part of the endpoint's chain; false as well when that is shorter. */
export async function isCanonical(rpc: RpcSession, block: BlockId): Promise<boolean> {
  const found = await findBlock(rpc, numberToHex(block.number));
  return found?.hash === block.hash;
}
