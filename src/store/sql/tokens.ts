import { and, eq, sql } from 'drizzle-orm';
import type { Token } from '../../domain/token.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { tokens } from './tables.ts';

/** A bound on memory: more tokens than a real service has. */
const MAX_KEPT = 1_000;

/**
 * Finds a token by its id; undefined when there is none. Tokens are cached and returned as the same object: no
 * statement changes or deletes one, so an entry cannot be out of date.
 * @param options.committed whether the connection sees only committed rows; others may be rolled back
 */
export function createTokenLookup(db: Db, { committed = false } = {}): (id: number) => Token | undefined {
  const byId = prepare(
    db,
    db
      .select()
      .from(tokens)
      .where(eq(tokens.id, sql.placeholder('id'))),
  );
  const find = (id: number) => byId.get({ id });
  return committed ? keepFound(find) : find;
}

function keepFound(find: (id: number) => Token | undefined): (id: number) => Token | undefined {
  const kept = new Map<number, Token>();
  return (id) => {
    const known = kept.get(id);
    if (known !== undefined) return known;
    const found = find(id);
    if (kept.size >= MAX_KEPT) kept.clear();
    if (found !== undefined) kept.set(id, found);
    return found;
  };
}

export function createTokenReads(db: Db): Pick<SyncReads, 'token'> {
  const byAddress = prepare(
    db,
    db
      .select()
      .from(tokens)
      .where(and(eq(tokens.chainId, sql.placeholder('chainId')), eq(tokens.address, sql.placeholder('address')))),
  );
  return { token: (chainId, address) => byAddress.get({ chainId, address }) ?? null };
}

export function createTokenWrites(db: Db): Pick<SyncWrites, 'ensureToken'> {
  const { token: find } = createTokenReads(db);
  return {
    ensureToken: (token) => find(token.chainId, token.address) ?? db.insert(tokens).values(token).returning().get(),
  };
}
