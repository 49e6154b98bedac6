import { and, eq, getTableColumns, isNotNull } from 'drizzle-orm';
import type { Address, Token } from '../../../domain/gigs/token.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { boundTo, equals, prepareChange, theId } from '../statements.ts';
import { nothing } from '../subjects.ts';

/** The columns of a token. The operator may change what it allows and offers, and a token is cached permanently. */
export function tokenColumns({ tokens }: Tables) {
  const { allowed: _allowed, offered: _offered, ...columns } = getTableColumns(tokens);
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

/** What CoinGecko takes in one request. */
const MOST_IDS = 250;

export const tokens = noun((db: Sql) => {
  const { build, kit, prepare, prepareInsert, tables } = db;
  const { tokens } = tables;
  const isAddress = and(equals(tokens.chainId, 'chainId'), equals(tokens.address, 'address'));
  const byAddress = prepare(build.select(tokenColumns(tables)).from(tokens).where(isAddress));
  const token = {
    ...boundTo(tokens, 'createdAt', 'address', 'chainId', 'decimals', 'name', 'symbol'),
    ...boundTo(tokens, 'imageUrl', 'isNative', 'coingeckoId'),
  };
  const insert = prepareInsert(build.insert(tokens).values(token));
  const isToken = equals(tokens.id, 'id');
  const allow = prepareChange(db, tokens, { allowed: true }, and(isToken, eq(tokens.allowed, false)));
  const offer = prepareChange(db, tokens, { offered: true }, and(isToken, eq(tokens.offered, false)));
  const withdraw = prepareChange(db, tokens, { offered: false }, and(isToken, eq(tokens.offered, true)));
  const isOffered = kit.isTrue('tokens.offered');
  const offered = prepare(
    build.select(tokenColumns(tables)).from(tokens).where(isOffered).orderBy(tokens.chainId, tokens.symbol, tokens.id),
  );
  const priced = prepare(
    build
      .selectDistinct({ coingeckoId: tokens.coingeckoId })
      .from(tokens)
      .where(isNotNull(tokens.coingeckoId))
      .orderBy(tokens.coingeckoId)
      .limit(MOST_IDS),
  );
  const forbid = prepareChange(db, tokens, { allowed: false }, and(isToken, eq(tokens.allowed, true)));
  return {
    reads: {
      token: locked(
        nothing,
        async (chainId: number, address: Address): Promise<Token | null> =>
          (await byAddress.get({ chainId, address })) ?? null,
      ),
      /** The tokens that owners may choose in the console, by chain and symbol. */
      offeredTokens: locked(nothing, (): Promise<Token[]> => offered.all()),
      /** What tokens are called at CoinGecko, each once, at most 250. */
      coingeckoIds: locked(
        nothing,
        async (): Promise<string[]> => (await priced.all()).flatMap(({ coingeckoId }) => coingeckoId ?? []),
      ),
    },
    writes: {
      /** Allows a token to take more gas than others, or ends that. False when that changes nothing, or there is no such token. */
      allowToken: locked(nothing, (id: number, isAllowed: boolean) => (isAllowed ? allow : forbid)({ id })),
      /** Lets owners choose a token in the console, or ends that. False when that changes nothing, or there is no such token. */
      offerToken: locked(nothing, (id: number, isOffered: boolean) => (isOffered ? offer : withdraw)({ id })),
      /** The token with this chain and address, inserted if it is new; an existing row is returned unchanged. */
      ensureToken: locked(
        // Two that add one token: the second one runs again, and finds it.
        nothing,
        async (token: Omit<Token, 'id'>): Promise<{ token: Token; isNew: boolean }> => {
          const known = await byAddress.get({ chainId: token.chainId, address: token.address });
          if (known !== undefined) return { token: known, isNew: false };
          const id = await theId(insert({ ...token }));
          return { token: { ...token, id }, isNew: true };
        },
      ),
    },
  };
});
