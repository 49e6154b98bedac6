import { createHash } from 'node:crypto';
import type { BlockRef } from '../../../src/domain/chains/block.ts';
import { type ChainReader, chainByKey } from '../../../src/domain/chains/chain.ts';
import type { AdapterError } from '../../../src/domain/errors.ts';
import { START } from './gigs.ts';

const BLOCK_MS = 2_000;
/** How long a block takes to have its confirmations. */
const DEEP_MS = 10_000;

/** A chain that makes a block every two seconds, as a draw reads it. */
export function createBlocks(clock: { readonly now: number }) {
  const chain = chainByKey('base');
  if (chain === undefined) throw new Error('no chain base');
  const failures: AdapterError[] = [];
  let stoodStillAt: number | null = null;
  let asked = 0;
  /** The first block with this time or a later one, whether it was made or not. */
  function at(time: number): BlockRef {
    const number = Math.ceil((time - START) / BLOCK_MS);
    const hash = createHash('sha256').update(`block ${number}`).digest('hex');
    return { number: BigInt(number), hash: `0x${hash}`, at: START + number * BLOCK_MS };
  }
  const firstBlockSince: ChainReader['firstBlockSince'] = async (time) => {
    asked += 1;
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    const block = at(time);
    return block.at + DEEP_MS <= Math.min(clock.now, stoodStillAt ?? clock.now) + aheadMs ? block : null;
  };
  let aheadMs = 0;
  /** The newest one by the chain's own time. */
  const newestBlock: ChainReader['newestBlock'] = async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return at(Math.floor((clock.now + aheadMs - START) / BLOCK_MS) * BLOCK_MS + START);
  };
  return {
    chain,
    firstBlockSince,
    newestBlock,
    at,
    /** The chain's time is so much ahead of the clock from now on. */
    runAhead: (ms: number) => {
      aheadMs = ms;
    },
    asked: () => asked,
    fail: (error: AdapterError, times: number) => failures.push(...Array.from({ length: times }, () => error)),
    recover: () => failures.splice(0),
    /** No block is made from now on, until it goes on. */
    stop: () => {
      stoodStillAt = clock.now;
    },
    goOn: () => {
      stoodStillAt = null;
    },
  };
}
