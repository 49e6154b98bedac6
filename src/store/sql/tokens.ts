import { and, eq, getTableColumns } from 'drizzle-orm';
import type { Token } from '../../domain/token.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql, Tables } from './engine.ts';
import { equals, prepareChange, theId } from './statements.ts';

/** The columns of a token. What the operator allows may change, and a token is cached for good. */
export function tokenColumns({ tokens }: Tables) {
  const { allowed: _allowed, ...columns } = getTableColumns(tokens);
  return columns;
}

/** Finds a token by its id; undefined when there is none. */
export function createTokenLookup({ build, prepare, tables }: Sql): (id: number) => Promise<Token | undefined> {
  const { tokens } = tables;
  const byId = prepare(build.select(tokenColumns(tables)).from(tokens).where(equals(tokens.id, 'id')));
  return (id) => byId.get({ id });
}

/** Finds tokens by their ids. */
export function createTokenLookups({
  build,
  kit,
  prepare,
  tables,
}: Sql): (ids: readonly number[]) => Promise<ReadonlyMap<number, Token>> {
  const { tokens } = tables;
  const byIds = prepare(build.select(tokenColumns(tables)).from(tokens).where(kit.isAmong(tokens.id, 'ids')));
  return async (ids) => new Map((await byIds.all({ ids })).map((token) => [token.id, token]));
}

export function createTokenReads({ build, prepare, tables }: Sql): Pick<StoreReads, 'token'> {
  const { tokens } = tables;
  const isToken = and(equals(tokens.chainId, 'chainId'), equals(tokens.address, 'address'));
  const byAddress = prepare(build.select(tokenColumns(tables)).from(tokens).where(isToken));
  return { token: async (chainId, address) => (await byAddress.get({ chainId, address })) ?? null };
}

export function createTokenWrites(db: Sql): Pick<StoreTx, 'ensureToken' | 'allowToken'> {
  const { build, prepareInsert, tables } = db;
  const { tokens } = tables;
  const { token: find } = createTokenReads(db);
  const isToken = equals(tokens.id, 'id');
  const allow = prepareChange(db, tokens, { allowed: true }, and(isToken, eq(tokens.allowed, false)));
  const forbid = prepareChange(db, tokens, { allowed: false }, and(isToken, eq(tokens.allowed, true)));
  return {
    allowToken: (id, isAllowed) => (isAllowed ? allow : forbid)({ id }),
    async ensureToken(token) {
      const known = await find(token.chainId, token.address);
      if (known !== null) return { token: known, isNew: false };
      const id = await theId(prepareInsert(build.insert(tokens).values(token))());
      return { token: { ...token, id }, isNew: true };
    },
  };
}
