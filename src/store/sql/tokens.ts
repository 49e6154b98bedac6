import { and, eq, getTableColumns } from 'drizzle-orm';
import type { Token } from '../../domain/token.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { equals, prepareChange } from './statements.ts';
import { tokens } from './tables.ts';

// What the operator allows may change, and a token is cached for good.
const { allowed: _allowed, ...columns } = getTableColumns(tokens);

/** A bound on memory: more tokens than a real service has. */
const MAX_KEPT = 1_000;

/**
 * Finds a token by its id; undefined when there is none. Tokens are cached and returned as the same object: no
 * statement changes these columns or deletes one, so an entry cannot be out of date.
 * @param options.committed whether the connection sees only committed rows; others may be rolled back
 */
export function createTokenLookup(db: Db, { committed = false } = {}): (id: number) => Token | undefined {
  const byId = prepare(db, db.select(columns).from(tokens).where(equals(tokens.id, 'id')));
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
  const isToken = and(equals(tokens.chainId, 'chainId'), equals(tokens.address, 'address'));
  const byAddress = prepare(db, db.select(columns).from(tokens).where(isToken));
  return { token: (chainId, address) => byAddress.get({ chainId, address }) ?? null };
}

export function createTokenWrites(db: Db): Pick<SyncWrites, 'ensureToken' | 'allowToken'> {
  const { token: find } = createTokenReads(db);
  const isToken = equals(tokens.id, 'id');
  const allow = prepareChange(db, tokens, { allowed: true }, and(isToken, eq(tokens.allowed, false)));
  const forbid = prepareChange(db, tokens, { allowed: false }, and(isToken, eq(tokens.allowed, true)));
  return {
    allowToken: (id, isAllowed) => (isAllowed ? allow : forbid)({ id }),
    ensureToken: (token) =>
      find(token.chainId, token.address) ?? db.insert(tokens).values(token).returning(columns).get(),
  };
}
