import { type Hex, numberToHex } from 'viem';
import { z } from 'zod';
import type { BlockRef } from '../domain/chains/block.ts';
import type { Chain } from '../domain/chains/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import { findBlock, readHead } from './payer/read/blocks.ts';
import type { RpcSession } from './rpc/endpoint.ts';

interface Search {
  readonly rpc: RpcSession;
  readonly chainKey: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

const PARENT = z.object({ hash: z.string(), parentHash: z.string().regex(/^0x[0-9a-f]{64}$/i) });

function inconsistent({ chainKey }: Search, what: string): AdapterError {
  return new AdapterError({ retry: 'safe', reason: 'bad_response', message: `chain ${chainKey}: ${what}` });
}

async function blockAt(search: Search, number: bigint): Promise<BlockRef> {
  const found = await findBlock(search.rpc, numberToHex(number));
  if (found !== null) return found;
  throw inconsistent(search, `the endpoint does not have block ${number}, which is below its newest`);
}

/** Searches in steps that double; `before` is null when even the first block is not before the time. */
async function blockBefore(search: Search, known: BlockRef): Promise<{ before: BlockRef | null; after: BlockRef }> {
  let after = known;
  for (let step = 1n; after.number > 0n; step *= 2n) {
    const number = after.number > step ? after.number - step : 0n;
    const block = await blockAt(search, number);
    if (block.at < search.since) return { before: block, after };
    after = block;
  }
  return { before: null, after };
}

async function parentOf(search: Search, block: BlockRef): Promise<Hex> {
  const params: [Hex, boolean] = [numberToHex(block.number), false];
  const found = await search.rpc.record({ method: 'eth_getBlockByNumber', params }, (answer) => {
    return PARENT.safeParse(answer).data;
  });
  // A reorganisation, or nodes that differ, while the chain was searched.
  if (found.hash.toLowerCase() !== block.hash) throw inconsistent(search, `block ${block.number} has changed`);
  return found.parentHash.toLowerCase() as Hex;
}

/**
 * The first block with this timestamp or a later one; null while it lacks the chain's confirmations. The blocks are halved
 * until two neighbours have the time between them, and the later one must name the earlier one.
 */
export async function findFirstBlock(rpc: RpcSession, chain: Chain, since: number): Promise<BlockRef | null> {
  const search: Search = { rpc, chainKey: chain.key, since };
  const { settled } = await readHead(rpc, chain);
  if (settled.at < since) return null;
  let { before, after } = await blockBefore(search, settled);
  if (before === null) return after;
  while (after.number - before.number > 1n) {
    const middle = await blockAt(search, (before.number + after.number) / 2n);
    if (middle.at < since) before = middle;
    else after = middle;
  }
  if ((await parentOf(search, after)) !== before.hash) {
    throw inconsistent(search, `block ${after.number} does not follow block ${before.number}`);
  }
  return after;
}
