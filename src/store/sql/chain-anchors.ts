import type { BlockRef } from '../../domain/block.ts';
import type { Sql } from './engine.ts';
import { locked, noun } from './noun.ts';
import { equals } from './statements.ts';
import { byChain } from './subjects.ts';

export function createAnchorReads({ build, prepare, tables }: Sql) {
  const { chainAnchors } = tables;
  const { number, hash, at, chainId } = chainAnchors;
  const ofChain = prepare(build.select({ number, hash, at }).from(chainAnchors).where(equals(chainId, 'chainId')));
  return {
    /** The settled block of a chain that the ledger counts on; null before the first payment there. */
    chainAnchor: locked(
      byChain,
      async (chainId: number): Promise<BlockRef | null> => (await ofChain.get({ chainId })) ?? null,
    ),
  };
}

export function createAnchorWrites({ build, prepare, tables }: Sql) {
  const { chainAnchors } = tables;
  return {
    /** Stores the settled block that the ledger counts on. */
    setChainAnchor: locked(byChain, async (chainId: number, { number, hash, at }: BlockRef): Promise<void> => {
      await prepare(
        build
          .insert(chainAnchors)
          .values({ chainId, number, hash, at })
          .onConflictDoUpdate({ target: chainAnchors.chainId, set: { number, hash, at } }),
      ).run();
    }),
  };
}

export const chainAnchors = noun((db) => ({ reads: createAnchorReads(db), writes: createAnchorWrites(db) }));
