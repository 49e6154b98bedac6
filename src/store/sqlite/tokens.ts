import { and, eq, sql } from 'drizzle-orm';
import type { Token } from '../../domain/token.ts';
import type { Db } from './connection.ts';
import type { SyncReads, SyncWrites } from './methods.ts';
import { tokens } from './schema.ts';

/** Finds a token by its id; undefined when there is none. */
export function createTokenLookup(db: Db): (id: number) => Token | undefined {
  const byId = db
    .select()
    .from(tokens)
    .where(eq(tokens.id, sql.placeholder('id')))
    .prepare();
  return (id) => byId.get({ id });
}

export function createTokenReads(db: Db): Pick<SyncReads, 'token'> {
  const byAddress = db
    .select()
    .from(tokens)
    .where(and(eq(tokens.chainId, sql.placeholder('chainId')), eq(tokens.address, sql.placeholder('address'))))
    .prepare();
  return { token: (chainId, address) => byAddress.get({ chainId, address }) ?? null };
}

export function createTokenWrites(db: Db): Pick<SyncWrites, 'ensureToken'> {
  const { token: find } = createTokenReads(db);
  return {
    ensureToken: (token) => find(token.chainId, token.address) ?? db.insert(tokens).values(token).returning().get(),
  };
}
