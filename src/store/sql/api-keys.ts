import { and, isNull, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { apiKeys } from './tables.ts';

const isKey = equals(apiKeys.id, 'id');

export function createApiKeyReads(db: Db): Pick<SyncReads, 'apiKey' | 'apiKeyByHash' | 'apiKeys'> {
  const byId = prepare(db, db.select().from(apiKeys).where(isKey));
  const byHash = prepare(db, db.select().from(apiKeys).where(equals(apiKeys.hash, 'hash')));
  const all = prepare(db, db.select().from(apiKeys).orderBy(apiKeys.id));
  return {
    apiKey: (id) => byId.get({ id }) ?? null,
    apiKeyByHash: (hash) => byHash.get({ hash }) ?? null,
    apiKeys: () => all.all(),
  };
}

export function createApiKeyWrites(db: Db) {
  const now = bound('now');
  const at = bound('at');
  const notRevoked = and(isKey, isNull(apiKeys.revokedAt));
  const revoke = prepareChange(db, apiKeys, { revokedAt: now }, notRevoked);
  const end = prepareChange(
    db,
    apiKeys,
    { expiresAt: sql`min(coalesce(${apiKeys.expiresAt}, ${at}), ${at})` },
    notRevoked,
  );
  const touch = prepareChange(db, apiKeys, { lastUsedAt: now }, isKey);
  return {
    insertApiKey: (key) => db.insert(apiKeys).values(key).returning().get(),
    revokeApiKey: (id, now) => revoke({ id, now }),
    endApiKey: (id, at) => end({ id, at }),
    touchApiKey(id, now) {
      touch({ id, now });
    },
  } satisfies Partial<SyncWrites>;
}
