import { and } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql } from './engine.ts';
import { equals } from './statements.ts';

export function createIdempotencyReads({ build, prepare, tables }: Sql): Pick<StoreReads, 'findIdempotentResponse'> {
  const { idempotencyKeys } = tables;
  const { scope, key, fingerprint, body } = idempotencyKeys;
  const isKey = and(equals(scope, 'scope'), equals(key, 'key'));
  const byKey = prepare(build.select({ fingerprint, body }).from(idempotencyKeys).where(isKey));
  return { findIdempotentResponse: async (scope, key) => (await byKey.get({ scope, key })) ?? null };
}

export function createIdempotencyWrites({ build, prepare, tables }: Sql): Pick<StoreTx, 'saveIdempotentResponse'> {
  return {
    async saveIdempotentResponse(scope, key, { fingerprint, body, now }) {
      const response = { scope, key, fingerprint, body, createdAt: now };
      await prepare(build.insert(tables.idempotencyKeys).values(response)).run();
    },
  };
}
