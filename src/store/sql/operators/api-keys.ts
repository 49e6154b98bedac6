import { and, isNull, sql } from 'drizzle-orm';
import type { ApiKey, NewApiKey } from '../../../domain/operators/api-key.ts';
import type { Sql, Tables } from '../engine.ts';
import { alone, locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange, theRow } from '../statements.ts';
import { byApiKey, nothing } from '../subjects.ts';

function isKey({ apiKeys }: Tables) {
  return equals(apiKeys.id, 'id');
}

export const apiKeys = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { apiKeys } = tables;
  const byId = prepare(build.select().from(apiKeys).where(isKey(tables)));
  const byHash = prepare(build.select().from(apiKeys).where(equals(apiKeys.hash, 'hash')));
  const all = prepare(build.select().from(apiKeys).orderBy(apiKeys.id));
  const key = boundTo(apiKeys, 'name', 'hash', 'scopes', 'client', 'createdAt', 'expiresAt');
  const insert = prepare(build.insert(apiKeys).values(key).returning());
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
    reads: {
      apiKey: locked(byApiKey, async (id: number): Promise<ApiKey | null> => (await byId.get({ id })) ?? null),
      apiKeyByHash: alone(
        locked(nothing, async (hash: string): Promise<ApiKey | null> => (await byHash.get({ hash })) ?? null),
      ),
      apiKeys: locked(nothing, (): Promise<ApiKey[]> => all.all()),
    },
    writes: {
      insertApiKey: locked(nothing, (key: NewApiKey): Promise<ApiKey> => theRow(insert.get({ ...key }))),
      revokeApiKey: locked(byApiKey, (id: number, now: number) => revoke({ id, now })),
      /** Lets a key expire at `at`, unless it expires earlier; false when there is none, or it was revoked. */
      endApiKey: locked(byApiKey, (id: number, at: number) => end({ id, at })),
      touchApiKey: locked(nothing, async (id: number, now: number): Promise<void> => {
        await touch({ id, now });
      }),
    },
  };
});
