import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Db, SyncReads, SyncWrites } from '../sqlite/kit.ts';
import { apiKeys } from './tables.ts';

const isKey = eq(apiKeys.id, sql.placeholder('id'));

export function createApiKeyReads(db: Db): Pick<SyncReads, 'apiKey' | 'apiKeyByHash' | 'apiKeys'> {
  const byId = db.select().from(apiKeys).where(isKey).prepare();
  const byHash = db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.hash, sql.placeholder('hash')))
    .prepare();
  const all = db.select().from(apiKeys).orderBy(apiKeys.id).prepare();
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
  const revoke = db.update(apiKeys).set({ revokedAt: now }).where(notRevoked).prepare();
  const end = db
    .update(apiKeys)
    .set({ expiresAt: sql`min(coalesce(${apiKeys.expiresAt}, ${at}), ${at})` })
    .where(notRevoked)
    .prepare();
  const touch = db.update(apiKeys).set({ lastUsedAt: now }).where(isKey).prepare();
  return {
    insertApiKey: (key) => db.insert(apiKeys).values(key).returning().get(),
    revokeApiKey: (id, now) => revoke.run({ id, now }).changes === 1,
    endApiKey: (id, at) => end.run({ id, at }).changes === 1,
    touchApiKey(id, now) {
      touch.run({ id, now });
    },
  };
}
