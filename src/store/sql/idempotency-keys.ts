import { and, eq, sql } from 'drizzle-orm';
import type { SyncReads, SyncWrites } from '../sqlite/async-adapter.ts';
import type { Db } from '../sqlite/connection.ts';
import { idempotencyKeys } from './tables.ts';

export function createAnswerReads(db: Db): Pick<SyncReads, 'firstAnswer'> {
  const { scope, key, fingerprint, body } = idempotencyKeys;
  const byKey = db
    .select({ fingerprint, body })
    .from(idempotencyKeys)
    .where(and(eq(scope, sql.placeholder('scope')), eq(key, sql.placeholder('key'))))
    .prepare();
  return { firstAnswer: (scope, key) => byKey.get({ scope, key }) ?? null };
}

export function createAnswerWrites(db: Db): Pick<SyncWrites, 'keepAnswer'> {
  return {
    keepAnswer(scope, key, { fingerprint, body, now }) {
      db.insert(idempotencyKeys).values({ scope, key, fingerprint, body, createdAt: now }).run();
    },
  };
}
