import { and, eq, isNull, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { apiKeys } from './tables.ts';

const isKey = eq(apiKeys.id, sql.placeholder('id'));

export function createApiKeyReads(db: Db): Pick<SyncReads, 'apiKey' | 'apiKeyByHash' | 'apiKeys'> {
  const byId = prepare(db, db.select().from(apiKeys).where(isKey));
  const byHash = prepare(
    db,
    db
      .select()
      .from(apiKeys)
      .where(eq(apiKeys.hash, sql.placeholder('hash'))),
  );
  const all = prepare(db, db.select().from(apiKeys).orderBy(apiKeys.id));
  return {
    apiKey: (id) => byId.get({ id }) ?? null,
    apiKeyByHash: (hash) => byHash.get({ hash }) ?? null,
    apiKeys: () => all.all(),
  };
}

export function createApiKeyWrites(
  db: Db,
): Pick<SyncWrites, 'insertApiKey' | 'revokeApiKey' | 'endApiKey' | 'touchApiKey'> {
  const now = sql`${sql.placeholder('now')}`;
  const at = sql`${sql.placeholder('at')}`;
  const notRevoked = and(isKey, isNull(apiKeys.revokedAt));
  const revoke = prepare(db, db.update(apiKeys).set({ revokedAt: now }).where(notRevoked));
  const end = prepare(
    db,
    db
      .update(apiKeys)
      .set({ expiresAt: sql`min(coalesce(${apiKeys.expiresAt}, ${at}), ${at})` })
      .where(notRevoked),
  );
  const touch = prepare(db, db.update(apiKeys).set({ lastUsedAt: now }).where(isKey));
  return {
    insertApiKey: (key) => db.insert(apiKeys).values(key).returning().get(),
    revokeApiKey: (id, now) => revoke.run({ id, now }).changes === 1,
    endApiKey: (id, at) => end.run({ id, at }).changes === 1,
    touchApiKey(id, now) {
      touch.run({ id, now });
    },
  };
}
