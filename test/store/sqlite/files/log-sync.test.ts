import { statSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openConnections } from '../../../../src/store/sqlite/connection.ts';
import { runStoreChild } from '../../../support/child.ts';
import { MIGRATIONS, seedMention } from '../../../support/store.ts';
import { type HeldStore, openHeldStore, turns } from '../held-sync.ts';

let subject: HeldStore;
beforeEach(async () => {
  subject = await openHeldStore();
});
afterEach(() => subject.close());

const write = (postId: string) => subject.note(postId, seedMention(subject.store, { postId }));
const look = (name: string) =>
  subject.note(
    name,
    subject.store.transaction((tx) => tx.mention(1)),
  );

async function expectNow(syncs: number, told: readonly string[]): Promise<void> {
  await turns();
  expect([subject.held.length, subject.told]).toEqual([syncs, told]);
}

test('security: a transaction is told after its sync, a read shows it before, and what commits meanwhile shares the next', async () => {
  subject.hold();
  const all = [];
  for (const postId of ['a', 'b', 'c', 'd']) {
    all.push(write(postId));
    await expectNow(1, []);
  }
  const shown = await subject.store.mentions({ limit: 10 });
  expect(shown.map(({ postId }) => postId)).toEqual(['d', 'c', 'b', 'a']);
  subject.held[0]?.resolve();
  await expectNow(2, ['a']);
  subject.held[1]?.resolve();
  await Promise.all(all);
  await expectNow(2, ['a', 'b', 'c', 'd']);
});

test('behavior: a transaction that writes nothing waits for no sync of its own, and for that of what it may have seen', async () => {
  subject.hold();
  await look('at once');
  await expectNow(0, ['at once']);
  const all = [write('a')];
  await turns();
  all.push(look('after a'));
  await expectNow(1, ['at once']);
  subject.held[0]?.resolve();
  await Promise.all(all);
  await expectNow(1, ['at once', 'a', 'after a']);
});

test('security: what another process has committed is synced before a transaction that may have seen it is told', async () => {
  subject.hold();
  const other = new SqliteDatabase(subject.path);
  other.exec('update ledger_state set tip_floor = tip_floor + 1');
  const looked = look('of the other');
  await expectNow(1, []);
  subject.held[0]?.resolve();
  await looked;
  await look('again');
  await expectNow(1, ['of the other', 'again']);
  other.close();
});

test('security: the file of the log stays the one that is synced, whatever another connection does', async () => {
  const log = `${subject.path}-wal`;
  await write('a');
  const { ino } = statSync(log);
  const other = new SqliteDatabase(subject.path, { timeout: 0 });
  other.pragma('wal_checkpoint(TRUNCATE)');
  expect(statSync(log).size).toBe(0);
  expect(() => other.pragma('journal_mode = DELETE')).toThrow('database is locked');
  other.close();
  await write('b');
  expect(statSync(log).ino).toBe(ino);
});

test('behavior: the store is closed once all are told', async () => {
  subject.hold();
  const written = write('a');
  await turns();
  const closed = subject.note('closed', subject.store.close());
  await expectNow(1, []);
  subject.held[0]?.resolve();
  await Promise.all([written, closed]);
  await expectNow(1, ['a', 'closed']);
});

test('security: SQLite itself syncs the log before a checkpoint, and the file after it', () => {
  const connections = openConnections({ path: subject.path, migrationsFolder: MIGRATIONS });
  // 1: NORMAL.
  expect(connections.writer.$client.pragma('synchronous', { simple: true })).toBe(1);
  connections.close();
});

test('security: a failed sync ends the process, and nobody is told', async () => {
  const { code, said, failure } = await runStoreChild('failSync', subject.path);
  expect([code, said]).toEqual([1, ['stored kept']]);
  expect(failure).toContain(
    `database ${subject.path}: what was committed cannot be brought to disk (EIO: i/o error, fdatasync); the process ends.`,
  );
});
