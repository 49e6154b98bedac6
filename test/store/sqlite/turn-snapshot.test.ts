import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTurnSnapshot, type TurnSnapshot } from '../../../src/store/sqlite/turn-snapshot.ts';
import { seedGig, seedMention, temporaryFolder } from '../../support/store.ts';
import { useStore } from '../contract/subject.ts';
import { openOnSqlite } from './subject.ts';

let folder: ReturnType<typeof temporaryFolder>;
let other: Database;
let connection: Database;
let statements: string[];
let opened: number;
let snapshot: TurnSnapshot;

beforeEach(() => {
  folder = temporaryFolder();
  const path = join(folder.path, 's.db');
  other = new SqliteDatabase(path);
  other.pragma('journal_mode = WAL');
  other.exec('create table lines (text text)');
  statements = [];
  connection = new SqliteDatabase(path, { verbose: (statement) => statements.push(String(statement)) });
  opened = 0;
  const onOpen = () => {
    opened += 1;
  };
  snapshot = createTurnSnapshot(connection, { onOpen });
});

afterEach(() => {
  connection.close();
  other.close();
  folder.remove();
});

const add = () => other.exec("insert into lines values ('a')");

function countLines(): unknown {
  snapshot.join();
  return connection.prepare('select count(*) from lines').pluck().get();
}

describe('the snapshot of a turn', () => {
  test('behavior: all reads of a turn see one state, also those that wait for each other', async () => {
    expect(countLines()).toBe(0);
    add();
    await Promise.resolve();
    expect(countLines()).toBe(0);
    expect(opened).toBe(1);
    await setImmediate();
    expect(countLines()).toBe(1);
    expect(opened).toBe(2);
  });

  test('behavior: they share one read transaction', async () => {
    for (let count = 0; count < 3; count += 1) countLines();
    await snapshot.ended();
    const words = statements.map((statement) => statement.split(' ')[0]);
    expect(words).toEqual(['begin', 'select', 'select', 'select', 'commit']);
  });

  test('behavior: what waits for its end runs before another one is opened', async () => {
    countLines();
    const order: string[] = [];
    const waits = snapshot.ended().then(() => order.push(`ended, in a transaction: ${connection.inTransaction}`));
    const reads = setImmediate().then(() => {
      countLines();
      order.push('read');
    });
    await Promise.all([waits, reads]);
    expect(order).toEqual(['ended, in a transaction: false', 'read']);
  });
});

describe('the store', () => {
  const { store, change } = useStore(openOnSqlite);

  test('behavior: who was told of a commit reads it in the same turn, whoever reads beside it', async () => {
    let read = true;
    const beside = (async () => {
      while (read) {
        await store.mentions({ limit: 1 });
        await setImmediate();
      }
    })();
    for (let id = 1; id <= 50; id += 1) {
      const written = await seedMention(store, { postId: `0x${id}` }, id);
      expect(await store.mention(written)).toMatchObject({ id: written });
    }
    read = false;
    await beside;
  });

  test('behavior: methods of a transaction run one after another, in the order of their calls', async () => {
    const { id: gigId } = await seedGig(store);
    const [, first, , second] = await change((tx) =>
      Promise.all([
        tx.freezeGig(gigId, { reason: 'one', now: 1 }),
        tx.gigFreeze(gigId),
        tx.freezeGig(gigId, { reason: 'two', now: 2 }),
        tx.gigFreeze(gigId),
      ]),
    );
    expect([first, second]).toEqual(['one', 'two']);
  });

  test('error: a method that failed undoes its transaction, even if the transaction goes on', async () => {
    const { id: gigId } = await seedGig(store);
    const failing = change(async (tx) => {
      await tx.freezeGig(gigId, { reason: 'one', now: 1 });
      await tx.skipTipNumbers(gigId, -1).catch(() => false);
    });
    await expect(failing).rejects.toThrow('-1 cannot be the number of a tip');
    expect(await store.gigFreeze(gigId)).toBeNull();
  });
});
