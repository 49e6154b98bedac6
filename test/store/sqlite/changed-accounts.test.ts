import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createChangedAccounts } from '../../../src/store/sqlite/changed-accounts.ts';
import { createWriter } from '../../../src/store/sqlite/writer.ts';
import { temporaryFolder, writeEmptyDatabase } from '../../support/store.ts';

test('error: what a transaction changed that was rolled back is dropped, and does not come with the next commit', async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(path);
  const connection = new SqliteDatabase(path, { timeout: 0 });
  const changed = createChangedAccounts(connection, path);
  const { committed, rolledBack } = changed;
  const insert = connection.prepare(
    "insert into accounts (platform, platform_user_id, created_at) values ('farcaster', ?, 0)",
  );
  const openTx = () => ({
    add: async (id: string) => void insert.run(id),
    // As SQLite does by itself when the disk is full.
    lose: async () => void connection.exec('rollback'),
  });
  const writer = createWriter({ connection, path, committed, rolledBack, openTx });
  changed.take();
  const lost = writer.transaction(async (tx) => {
    await tx.add('1');
    await tx.lose();
  });
  await expect(lost).rejects.toThrow('the transaction was rolled back');
  const failed = writer.transaction(async (tx) => {
    await tx.add('2');
    throw new Error('a precondition has changed');
  });
  await expect(failed).rejects.toThrow('a precondition has changed');
  await writer.transaction((tx) => tx.add('3'));
  expect(changed.take()).toEqual([{ platform: 'farcaster', platformUserId: '3' }]);
  await writer.close();
  connection.close();
  folder.remove();
});
