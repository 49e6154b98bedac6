import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { chainAnchors } from './tables.ts';

export function createAnchorReads(db: Db): Pick<SyncReads, 'chainAnchor'> {
  const { number, hash, at, chainId } = chainAnchors;
  const ofChain = prepare(db, db.select({ number, hash, at }).from(chainAnchors).where(equals(chainId, 'chainId')));
  return { chainAnchor: (chainId) => ofChain.get({ chainId }) ?? null };
}

export function createAnchorWrites(db: Db): Pick<SyncWrites, 'setChainAnchor'> {
  return {
    setChainAnchor(chainId, { number, hash, at }) {
      db.insert(chainAnchors)
        .values({ chainId, number, hash, at })
        .onConflictDoUpdate({ target: chainAnchors.chainId, set: { number, hash, at } })
        .run();
    },
  };
}
