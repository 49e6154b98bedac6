import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createApiKey, rotateApiKey } from '../../../src/services/operators/api-keys.ts';
import { countWaiting } from '../../support/postgres.ts';
import { SEEDED_AT } from '../../support/store.ts';
import { useStoreOnPostgres } from './database.ts';

const { current, store } = useStoreOnPostgres();

test('security: a key is replaced by one with its expiry, also when another replacement has just shortened that', async () => {
  const deps = { store, clock: () => SEEDED_AT, randomBytes, actor: COMMAND_LINE };
  const { record } = await createApiKey(deps, { name: 'a', expiresAt: null });
  const [sooner, later] = [SEEDED_AT + 1_000, SEEDED_AT + 2_000];
  const other = await current().connect();
  await other.query(`begin; select pg_advisory_xact_lock(hashtextextended('key:${record.id}', 0))`);
  await other.query('update api_keys set expires_at = $1 where id = $2', [sooner, record.id]);
  const rotated = rotateApiKey(deps, { id: record.id, oldUntil: later });
  await expect.poll(() => countWaiting(current())).toBe(1);
  await other.query('commit');
  expect((await rotated).record.expiresAt).toBe(sooner);
});
