import { and } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { idempotencyKeys } from './tables.ts';

export function createIdempotencyReads(db: Db): Pick<SyncReads, 'findIdempotentResponse'> {
  const { scope, key, fingerprint, body } = idempotencyKeys;
  const isKey = and(equals(scope, 'scope'), equals(key, 'key'));
  const byKey = prepare(db, db.select({ fingerprint, body }).from(idempotencyKeys).where(isKey));
  return { findIdempotentResponse: (scope, key) => byKey.get({ scope, key }) ?? null };
}

export function createIdempotencyWrites(db: Db): Pick<SyncWrites, 'saveIdempotentResponse'> {
  return {
    saveIdempotentResponse(scope, key, { fingerprint, body, now }) {
      db.insert(idempotencyKeys).values({ scope, key, fingerprint, body, createdAt: now }).run();
    },
  };
}
