import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql } from './engine.ts';
import { equals } from './statements.ts';

export function createAnchorReads({ build, prepare, tables }: Sql): Pick<StoreReads, 'chainAnchor'> {
  const { chainAnchors } = tables;
  const { number, hash, at, chainId } = chainAnchors;
  const ofChain = prepare(build.select({ number, hash, at }).from(chainAnchors).where(equals(chainId, 'chainId')));
  return { chainAnchor: async (chainId) => (await ofChain.get({ chainId })) ?? null };
}

export function createAnchorWrites({ build, prepare, tables }: Sql): Pick<StoreTx, 'setChainAnchor'> {
  const { chainAnchors } = tables;
  return {
    async setChainAnchor(chainId, { number, hash, at }) {
      await prepare(
        build
          .insert(chainAnchors)
          .values({ chainId, number, hash, at })
          .onConflictDoUpdate({ target: chainAnchors.chainId, set: { number, hash, at } }),
      ).run();
    },
  };
}
