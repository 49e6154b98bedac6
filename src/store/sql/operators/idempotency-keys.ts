import { and } from 'drizzle-orm';
import type { IdempotentResponse } from '../../port/access.ts';
import type { Sql } from '../engine.ts';
import { alone, locked, noun, unawaited } from '../noun.ts';
import { boundTo, equals } from '../statements.ts';
import { byKey } from '../subjects.ts';

export const idempotencyKeys = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { idempotencyKeys } = tables;
  const { scope, key, fingerprint, status, body } = idempotencyKeys;
  const isKey = and(equals(scope, 'scope'), equals(key, 'key'));
  const ofKey = prepare(build.select({ fingerprint, status, body }).from(idempotencyKeys).where(isKey));
  const values = boundTo(idempotencyKeys, 'scope', 'key', 'fingerprint', 'status', 'body', 'createdAt');
  const save = prepare(build.insert(idempotencyKeys).values(values));
  return {
    reads: {
      /** The response to the first request under this key. */
      findIdempotentResponse: alone(
        locked(
          byKey,
          async (scope: string, key: string): Promise<IdempotentResponse | null> =>
            (await ofKey.get({ scope, key })) ?? null,
        ),
      ),
    },
    writes: {
      /** Saves the first response under a key; a second one for the same key breaks the store's constraint and throws. */
      saveIdempotentResponse: unawaited(
        locked(
          byKey,
          async (
            scope: string,
            key: string,
            { now: createdAt, ...response }: IdempotentResponse & { now: number },
          ): Promise<void> => {
            await save.run({ scope, key, ...response, createdAt });
          },
        ),
      ),
    },
  };
});
