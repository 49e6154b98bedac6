import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AccountName } from '../../../src/domain/account.ts';
import { createChangedAccounts } from '../../../src/store/sqlite/changed-accounts.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { createWriter } from '../../../src/store/sqlite/writer.ts';
import { MIGRATIONS, SEEDED_AT, seedGig, seedTips, temporaryFolder, writeEmptyDatabase } from '../../support/store.ts';
import { useStore } from '../contract/subject.ts';
import { openHeldStore, turns } from './held-sync.ts';
import { openOnSqlite } from './subject.ts';

const ALICE = { platform: 'twitter', platformUserId: '1' } as const;
const BOB = { platform: 'twitter', platformUserId: '2' } as const;

const named = (username: string) => ({ platform: 'twitter', handle: username }) as const;

describe('changed accounts on SQLite', () => {
  const { store, openAgain, write } = useStore(openOnSqlite);
  const asOf = async () => (await store.pendingTipsSince([], null)).asOf;
  /** Which of these names are read again. */
  async function changedSince(since: string, ...names: readonly AccountName[]): Promise<AccountName[]> {
    const looks = await Promise.all(names.map((name) => store.pendingTipsSince([name], since)));
    return names.filter((_, place) => looks[place]?.found !== null);
  }
  const name = (account: typeof ALICE | typeof BOB, username: string) =>
    write.setUsername({ ...account, username }, SEEDED_AT);

  test('behavior: are those whose tips changed, and no others', async () => {
    const gig = await seedGig(store, { live: true });
    await name(ALICE, 'Alice');
    const start = await asOf();
    await seedTips(store, gig, [ALICE]);
    const all = [ALICE, named('alice'), BOB, named('bob')];
    expect(await changedSince(start, ...all)).toEqual([ALICE, named('alice')]);
    const [tip] = await seedTips(store, gig, [BOB]);
    const later = await asOf();
    await write.voidTip(tip?.id ?? 0, { reason: 'wrong', now: SEEDED_AT });
    expect(await changedSince(later, ...all)).toEqual([BOB]);
    expect(await changedSince(start, ...all)).toEqual([ALICE, named('alice'), BOB]);
  });

  test('behavior: a gig, and an account that opts out, change no tips and no name', async () => {
    await name(ALICE, 'alice');
    const start = await asOf();
    await seedGig(store);
    await write.setOptedOut(ALICE, true, SEEDED_AT);
    expect(await changedSince(start, ALICE, named('alice'))).toEqual([]);
  });

  test('behavior: after a commit through another connection any account may have changed', async () => {
    const other = await openAgain();
    const start = await asOf();
    await other.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT));
    expect(await changedSince(start, ALICE, BOB)).toEqual([ALICE, BOB]);
    expect(await changedSince(await asOf(), ALICE, BOB)).toEqual([]);
  });
});

test('behavior: a change counts as soon as a read shows it, and not later, beside others that wait to be told', async () => {
  const { store, hold, held, close } = await openHeldStore();
  onTestFinished(close);
  const name = (account: typeof ALICE | typeof BOB) =>
    store.transaction((tx) => tx.setUsername({ ...account, username: 'new' }, SEEDED_AT));
  const { asOf } = await store.pendingTipsSince([], null);
  hold();
  const all = [name(ALICE)];
  await turns();
  expect((await store.pendingTipsSince([ALICE], asOf)).found).not.toBeNull();
  expect((await store.pendingTipsSince([BOB], asOf)).found).toBeNull();
  all.push(name(BOB));
  await turns();
  expect((await store.pendingTipsSince([BOB], asOf)).found).not.toBeNull();
  held[0]?.resolve();
  await turns();
  const after = await store.pendingTipsSince([], null);
  expect((await store.pendingTipsSince([ALICE], after.asOf)).found).toBeNull();
  held[1]?.resolve();
  await Promise.all(all);
});

test('error: a look-up that comes while an older snapshot is open does not read that', async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(path);
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  const gig = await seedGig(store, { live: true });
  await seedTips(store, gig, [ALICE]);
  const { asOf, found: before } = await store.pendingTipsSince([ALICE], null);
  expect(before?.tips).toMatchObject([{ username: null }]);
  const other = new SqliteDatabase(path);
  // A look-up begins to wait for the end of a turn, in which another read opens a snapshot that ends after it.
  await new Promise(nextTurn);
  const early = [store.pendingTipsSince([BOB], null), store.gig(gig.id)];
  other.exec("update accounts set username = 'Zoe', handle = 'zoe', label_source = 'platform', label_seen_at = 0");
  const { found } = await store.pendingTipsSince([ALICE], asOf);
  expect(found?.tips).toMatchObject([{ username: 'Zoe' }]);
  await Promise.all(early);
  other.close();
  await store.close();
  folder.remove();
});

async function openFile() {
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(path);
  const connection = new SqliteDatabase(path, { timeout: 0 });
  const changed = createChangedAccounts(connection, path);
  const insert = connection.prepare(
    "insert into accounts (platform, platform_user_id, created_at) values ('farcaster', ?, 0)",
  );
  return {
    connection,
    path,
    changed,
    insert: (id: number) => void insert.run(String(id)),
    close() {
      connection.close();
      folder.remove();
    },
  };
}

const farcaster = (id: number) => ({ platform: 'farcaster', platformUserId: String(id) });

test('behavior: a change is told of when it is committed, and is none for whoever looks after that', async () => {
  const { changed, insert, close } = await openFile();
  changed.look();
  const start = changed.asOf();
  insert(1);
  changed.look();
  expect([changed.asOf(), changed.isSame(farcaster(1), start)]).toEqual([start, true]);
  changed.committed();
  // The snapshot is still the one before.
  expect([changed.asOf(), changed.isSame(farcaster(1), start)]).toEqual([start, false]);
  changed.look();
  expect(changed.isSame(farcaster(1), changed.asOf())).toBe(true);
  close();
});

test('behavior: of more changes than are remembered the oldest count as changes of any account', async () => {
  const { changed, insert, close } = await openFile();
  const look = () => {
    changed.look();
    return changed.asOf();
  };
  const start = look();
  const states: string[] = [];
  for (let id = 1; id <= 10_001; id += 1) {
    insert(id);
    changed.committed();
    states.push(look());
  }
  const [first = '', second = ''] = states;
  const stranger = farcaster(20_000);
  expect([start, first, second].map((since) => changed.isSame(stranger, since))).toEqual([false, true, true]);
  expect([1, 2, 10_001].map((id) => changed.isSame(farcaster(id), first))).toEqual([true, false, false]);
  close();
});

test('error: what a transaction changed that was rolled back is dropped, and does not come with the next commit', async () => {
  const { connection, path, changed, insert, close } = await openFile();
  const { committed, rolledBack } = changed;
  const openTx = () => ({
    add: async (id: number) => insert(id),
    // As SQLite does by itself when the disk is full.
    lose: async () => void connection.exec('rollback'),
  });
  const writer = createWriter({ connection, path, committed, rolledBack, openTx });
  changed.look();
  const start = changed.asOf();
  const lost = writer.transaction(async (tx) => {
    await tx.add(1);
    await tx.lose();
  });
  await expect(lost).rejects.toThrow('the transaction was rolled back');
  const failed = writer.transaction(async (tx) => {
    await tx.add(2);
    throw new Error('a precondition has changed');
  });
  await expect(failed).rejects.toThrow('a precondition has changed');
  await writer.transaction((tx) => tx.add(3));
  changed.look();
  expect([1, 2, 3].map((id) => changed.isSame(farcaster(id), start))).toEqual([true, true, false]);
  await writer.close();
  close();
});
