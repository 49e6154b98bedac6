import type { BlockRef } from '../../../domain/chains/block.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { boundTo, equals } from '../statements.ts';
import { byChain } from '../subjects.ts';

export const chainAnchors = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { chainAnchors } = tables;
  const { number, hash, at, chainId } = chainAnchors;
  const ofChain = prepare(build.select({ number, hash, at }).from(chainAnchors).where(equals(chainId, 'chainId')));
  const block = boundTo(chainAnchors, 'number', 'hash', 'at');
  const set = prepare(
    build
      .insert(chainAnchors)
      .values({ ...boundTo(chainAnchors, 'chainId'), ...block })
      .onConflictDoUpdate({ target: chainId, set: block }),
  );
  return {
    reads: {
      /** The settled block of a chain that the ledger counts on; null before the first payment there. */
      chainAnchor: locked(
        byChain,
        async (chainId: number): Promise<BlockRef | null> => (await ofChain.get({ chainId })) ?? null,
      ),
    },
    writes: {
      /** Stores the settled block that the ledger counts on. */
      setChainAnchor: locked(byChain, async (chainId: number, { number, hash, at }: BlockRef): Promise<void> => {
        await set.run({ chainId, number, hash, at });
      }),
    },
  };
});
