import { and, isNull, sql } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, prepareChange, theRow } from './statements.ts';

function isKey({ apiKeys }: Tables) {
  return equals(apiKeys.id, 'id');
}

export function createApiKeyReads({
  build,
  prepare,
  tables,
}: Sql): Pick<StoreReads, 'apiKey' | 'apiKeyByHash' | 'apiKeys'> {
  const { apiKeys } = tables;
  const byId = prepare(build.select().from(apiKeys).where(isKey(tables)));
  const byHash = prepare(build.select().from(apiKeys).where(equals(apiKeys.hash, 'hash')));
  const all = prepare(build.select().from(apiKeys).orderBy(apiKeys.id));
  return {
    apiKey: async (id) => (await byId.get({ id })) ?? null,
    apiKeyByHash: async (hash) => (await byHash.get({ hash })) ?? null,
    apiKeys: () => all.all(),
  };
}

export function createApiKeyWrites(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { apiKeys } = tables;
  const now = bound('now');
  const at = bound('at');
  const notRevoked = and(isKey(tables), isNull(apiKeys.revokedAt));
  const revoke = prepareChange(db, apiKeys, { revokedAt: now }, notRevoked);
  const end = prepareChange(
    db,
    apiKeys,
    { expiresAt: kit.least(sql`coalesce(${apiKeys.expiresAt}, ${at})`, at) },
    notRevoked,
  );
  const touch = prepareChange(db, apiKeys, { lastUsedAt: now }, isKey(tables));
  return {
    insertApiKey: (key) => theRow(prepare(build.insert(apiKeys).values(key).returning()).get()),
    revokeApiKey: (id, now) => revoke({ id, now }),
    endApiKey: (id, at) => end({ id, at }),
    async touchApiKey(id, now) {
      await touch({ id, now });
    },
  } satisfies Partial<StoreTx>;
}
