import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { createChangedAccounts } from '../../../src/store/sqlite/changed-accounts.ts';
import { createWriter } from '../../../src/store/sqlite/writer.ts';
import { SEEDED_AT, seedGig, seedTips, temporaryFolder, writeEmptyDatabase } from '../../support/store.ts';
import { useStore } from '../contract/subject.ts';
import { openOnSqlite } from './subject.ts';

const ALICE = { platform: 'twitter', platformUserId: '1' } as const;
const BOB = { platform: 'twitter', platformUserId: '2' } as const;

describe('changed accounts on SQLite', () => {
  const subject = useStore(openOnSqlite);
  const take = () => subject.store.takeChangedAccounts();
  const name = (account: typeof ALICE | typeof BOB, username: string) =>
    subject.store.transaction((tx) => tx.setUsername({ ...account, username }, SEEDED_AT));

  test('behavior: are those whose tips changed, and no others', async () => {
    const gig = await seedGig(subject.store, { live: true });
    await name(ALICE, 'Alice');
    await take();
    await seedTips(subject.store, gig, [{ ...ALICE, amount: 1n }]);
    expect(await take()).toEqual([ALICE, { platform: 'twitter', handle: 'alice' }]);
    const [tip] = await seedTips(subject.store, gig, [{ ...BOB, amount: 1n }]);
    await take();
    await subject.store.transaction((tx) => tx.voidTip(tip?.id ?? 0, { reason: 'wrong', now: SEEDED_AT }));
    expect(await take()).toEqual([BOB]);
  });

  test('behavior: a gig, and an account that opts out, change no tips and no name', async () => {
    await name(ALICE, 'alice');
    await take();
    await seedGig(subject.store);
    await subject.store.transaction((tx) => tx.setOptedOut(ALICE, true, SEEDED_AT));
    expect(await take()).toEqual([]);
  });

  test('behavior: a transaction is told of when it is committed, not while it runs', async () => {
    await take();
    const during = await subject.store.transaction(async (tx) => {
      await tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT);
      return await take();
    });
    expect(during).toEqual([]);
    expect(await take()).toContainEqual(ALICE);
  });

  test('behavior: after a commit through another connection any account may have changed', async () => {
    const other = await subject.openAgain();
    await take();
    await other.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT));
    expect(await take()).toBeNull();
    expect(await take()).toEqual([]);
  });
});

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
