import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS, SEEDED_AT, sampleMention, temporaryFolder } from '../../support/store.ts';

const ROUNDS = 60;
const CROWD = 100;

test('behavior: stays short however long the load lasts, loses nothing, and is gone after the end', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path, 'busy.db');
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  const insert = (postId: string) =>
    store.transaction((tx) => {
      const mention = { ...sampleMention(), postId, text: 'x'.repeat(900) };
      return tx.insertMention(mention, { now: SEEDED_AT, source: 'webhook' });
    });
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: CROWD }, (_, i) => insert(`${round}-${i}`)));
    await store.pendingTips([{ platform: 'farcaster', platformUserId: String(round) }]);
  }
  // As many pages as make four megabytes, and at most one commit more.
  expect(statSync(`${path}-wal`).size).toBeLessThan(8 * 2 ** 20);
  expect(statSync(path).size).toBeGreaterThan(5 * 2 ** 20);
  await store.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  const file = new SqliteDatabase(path, { readonly: true });
  expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
  file.close();
  const again = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  expect(await again.mentions({ limit: 10_000 })).toHaveLength(ROUNDS * CROWD);
  await again.close();
});
