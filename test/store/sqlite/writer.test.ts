import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWriter, type Writer } from '../../../src/store/sqlite/writer.ts';
import { temporaryFolder } from '../../support/store.ts';

interface Tx {
  add(text: string): Promise<void>;
}

let folder: ReturnType<typeof temporaryFolder>;
let connection: Database;
let writer: Writer<Tx>;
let statements: string[];

beforeEach(() => {
  folder = temporaryFolder();
  statements = [];
  connection = new SqliteDatabase(join(folder.path, 'w.db'), {
    timeout: 0,
    verbose: (statement) => statements.push(String(statement)),
  });
  connection.pragma('journal_mode = WAL');
  connection.exec(`create table parents (id integer primary key);
    create table lines (text text unique, parent integer references parents (id) deferrable initially deferred)`);
  const insert = connection.prepare('insert into lines (text, parent) values (?, ?)');
  writer = createWriter<Tx>({
    connection,
    path: 'w.db',
    openTx: (span) => ({
      async add(text) {
        await span.run(async () => void insert.run(text, text === 'orphan' ? 1 : null));
      },
    }),
  });
});

afterEach(() => {
  connection.close();
  folder.remove();
});

const add = (text: string) => writer.transaction((tx) => tx.add(text));
/** Writes a line and fails. */
const addAndFail = (text: string) =>
  writer.transaction(async (tx) => {
    await tx.add(text);
    throw new RangeError('no');
  });
const DUPLICATE = 'SqliteError: UNIQUE constraint failed: lines.text';
const FOREIGN_AWAIT = 'TypeError: a transaction must await nothing but its tx';
const lines = () => connection.prepare('select text from lines').pluck().all();
const countOf = (statement: string) => statements.filter((run) => run === statement).length;
const outcomes = async (all: Promise<unknown>[]) =>
  (await Promise.allSettled(all)).map((result) => (result.status === 'fulfilled' ? 'ok' : String(result.reason)));

describe('the writer', () => {
  test('behavior: what waits together shares one commit', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, i) => add(`line ${i}`)));
    expect(countOf('begin immediate')).toBe(1);
    expect(countOf('commit')).toBe(1);
    expect(lines()).toHaveLength(100);
  });

  test('behavior: a commit takes at most 512 callers', async () => {
    await Promise.all(Array.from({ length: 1_025 }, (_, i) => add(`line ${i}`)));
    expect(countOf('commit')).toBe(3);
    expect(lines()).toHaveLength(1_025);
  });

  test('behavior: callers that come while a batch runs join it', async () => {
    let joined: Promise<void> | undefined;
    await writer.transaction(async (tx) => {
      await tx.add('first');
      joined = add('second');
    });
    await joined;
    expect(countOf('commit')).toBe(1);
    expect(lines()).toEqual(['first', 'second']);
  });

  test('behavior: a long transaction lets the event loop turn, is one commit, and takes no callers after it', async () => {
    const seen: number[] = [];
    const reader = new SqliteDatabase(join(folder.path, 'w.db'), { readonly: true });
    const look = () => seen.push(Number(reader.prepare('select count(*) from lines').pluck().get()));
    const before = add('before');
    const long = writer.transaction(async (tx) => {
      for (const text of ['a', 'b', 'c']) {
        await tx.add(text);
        setImmediate(look);
        await writer.rest();
      }
    });
    await Promise.all([before, long, add('after')]);
    reader.close();
    expect(seen).toEqual([0, 0, 0]);
    expect(countOf('commit')).toBe(2);
    expect(lines()).toEqual(['a', 'after', 'b', 'before', 'c']);
  });

  test('error: a long transaction that fails is undone as a whole, and alone', async () => {
    const long = writer.transaction(async (tx) => {
      await tx.add('a');
      await writer.rest();
      await tx.add('a');
    });
    expect(await outcomes([add('before'), long, add('after')])).toEqual(['ok', DUPLICATE, 'ok']);
    expect(lines()).toEqual(['after', 'before']);
  });

  test('error: a transaction that has rested still awaits nothing but its tx', async () => {
    const wrong = writer.transaction(async (tx) => {
      await tx.add('a');
      await writer.rest();
      await setTimeout(5);
    });
    expect(await outcomes([wrong])).toEqual([FOREIGN_AWAIT]);
    expect(lines()).toEqual([]);
    await expect(writer.rest()).rejects.toThrow('no transaction is under way');
  });

  test('behavior: nobody is told before the commit', async () => {
    const told: number[] = [];
    const all = ['a', 'b', 'c'].map((text) => add(text).then(() => told.push(countOf('commit'))));
    const failing = writer.transaction(() => Promise.reject(new Error('no'))).catch(() => told.push(countOf('commit')));
    await Promise.all([...all, failing]);
    expect(told).toEqual([1, 1, 1, 1]);
  });

  test('behavior: a broken constraint undoes its caller alone', async () => {
    expect(await outcomes([add('a'), add('a'), add('b')])).toEqual(['ok', DUPLICATE, 'ok']);
    expect(lines()).toEqual(['a', 'b']);
  });

  test('error: a commit that fails fails everybody in it, also those that had failed before, and the next one works', async () => {
    // Decided on what the others wrote.
    const refused = addAndFail('b');
    const failure = 'SqliteError: FOREIGN KEY constraint failed';
    expect(await outcomes([add('a'), refused, add('orphan')])).toEqual([failure, failure, failure]);
    expect(lines()).toEqual([]);
    expect(await outcomes([add('c')])).toEqual(['ok']);
    expect(lines()).toEqual(['c']);
  });

  test('error: a full disk fails those it hits, keeps what was told, and heals when there is room', async () => {
    await add('kept');
    const pages = connection.pragma('page_count', { simple: true });
    connection.pragma(`max_page_count = ${pages}`);
    const big = 'x'.repeat(100_000);
    const full = 'Error: database w.db: the disk is full (SQLITE_FULL)';
    expect((await outcomes([add('small'), add(big)]))[1]).toBe(full);
    expect(lines()).not.toContain(big);
    connection.pragma('max_page_count = 100000');
    expect(await outcomes([add(big)])).toEqual(['ok']);
    expect(lines()).toContain('kept');
  });

  test('error: when SQLite rolls everything back by itself, nobody in the batch is told it worked', async () => {
    let after: Promise<void> | undefined;
    const results = await outcomes([
      add('a'),
      writer.transaction(async (tx) => {
        connection.exec('rollback');
        after = tx.add('would stand on its own');
        await after.catch(() => undefined);
      }),
      add('b'),
    ]);
    const rolledBack = 'Error: database w.db: the transaction was rolled back';
    expect(results).toEqual([rolledBack, rolledBack, rolledBack]);
    await expect(after).rejects.toThrow('database w.db: the transaction was rolled back');
    expect(lines()).toEqual([]);
    expect(await outcomes([add('next')])).toEqual(['ok']);
  });

  test('behavior: the thread goes on while another process writes', async () => {
    const other = new SqliteDatabase(join(folder.path, 'w.db'));
    other.exec('begin immediate');
    const all = outcomes([add('a'), add('b')]);
    await setTimeout(50);
    expect(countOf('begin immediate')).toBeGreaterThan(1);
    other.exec("insert into lines (text) values ('of the other'); commit");
    other.close();
    expect(await all).toEqual(['ok', 'ok']);
    expect(lines()).toEqual(['a', 'b', 'of the other']);
    expect(countOf('commit')).toBe(1);
  });

  test('error: a lock held for too long fails those that wait, and the next ones work', async () => {
    const other = new SqliteDatabase(join(folder.path, 'w.db'));
    other.exec('begin immediate');
    const busy = 'Error: database w.db: another process held it locked for too long (SQLITE_BUSY)';
    expect(await outcomes([add('a'), add('b')])).toEqual([busy, busy]);
    other.exec('rollback');
    other.close();
    expect(await outcomes([add('c')])).toEqual(['ok']);
    expect(lines()).toEqual(['c']);
  });

  test('behavior: close waits for everybody that had come, and takes nobody else', async () => {
    const all = Array.from({ length: 600 }, (_, i) => add(`line ${i}`));
    const closed = writer.close();
    await expect(add('late')).rejects.toThrow('database w.db: it is closed');
    await closed;
    expect(lines()).toHaveLength(600);
    await Promise.all(all);
    await writer.close();
  });

  describe('a patient transaction', () => {
    const NEVER = 2 ** 31 - 1;
    const addLater = (text: string, patienceMs: number) => writer.transaction((tx) => tx.add(text), { patienceMs });

    test('behavior: it waits for the next one, runs before it and shares its commit', async () => {
      const told: string[] = [];
      const patient = addLater('a', NEVER).then(() => told.push('patient'));
      await setTimeout(50);
      expect([countOf('begin immediate'), lines(), told]).toEqual([0, [], []]);
      await writer.transaction(async (tx) => {
        expect(lines()).toEqual(['a']);
        await tx.add('b');
      });
      await patient;
      expect(told).toEqual(['patient']);
      expect([countOf('commit'), lines()]).toEqual([1, ['a', 'b']]);
    });

    test('behavior: two that have patience wait for no third one', async () => {
      const first = addLater('a', NEVER);
      await setTimeout(50);
      await Promise.all([first, addLater('b', NEVER)]);
      expect([countOf('commit'), lines()]).toEqual([1, ['a', 'b']]);
    });

    test('behavior: its patience ends, and the next one has a patience of its own', async () => {
      await addLater('a', 10);
      expect([countOf('commit'), lines()]).toEqual([1, ['a']]);
      await addLater('b', 10);
      expect([countOf('commit'), lines()]).toEqual([2, ['a', 'b']]);
    });

    test('behavior: one that comes while others run joins them', async () => {
      let joined: Promise<void> | undefined;
      await writer.transaction(async (tx) => {
        await tx.add('first');
        joined = addLater('second', NEVER);
      });
      await joined;
      expect([countOf('commit'), lines()]).toEqual([1, ['first', 'second']]);
    });

    test('error: it fails alone, and so does the one whose commit it shares', async () => {
      expect(await outcomes([addLater('a', NEVER), addAndFail('b')])).toEqual(['ok', 'RangeError: no']);
      expect(await outcomes([addLater('a', NEVER), add('b')])).toEqual([DUPLICATE, 'ok']);
      expect(lines()).toEqual(['a', 'b']);
    });

    test('behavior: close waits for it no longer', async () => {
      const patient = addLater('a', NEVER);
      await writer.close();
      await patient;
      expect(lines()).toEqual(['a']);
    });
  });

  test('behavior: those that wait together need no savepoint, and those that come later share one', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, i) => add(`line ${i}`)));
    expect(countOf('savepoint caller')).toBe(0);
    let later: Promise<unknown> | undefined;
    await writer.transaction(async (tx) => {
      await tx.add('before');
      later ??= Promise.all(Array.from({ length: 100 }, (_, i) => add(`later ${i}`)));
    });
    await later;
    expect([countOf('savepoint caller'), countOf('release caller'), countOf('commit')]).toEqual([1, 1, 2]);
    expect(lines()).toHaveLength(201);
  });

  test('behavior: the one that fails is undone alone, and everybody is told once', async () => {
    const told: string[] = [];
    const failing = addAndFail('written before it failed');
    const all = [add('a'), add('b'), failing, add('c'), add('b'), add('d')];
    for (const [place, one] of all.entries()) {
      one.then(
        () => told.push(`${place} ok`),
        () => told.push(`${place} failed`),
      );
    }
    expect(await outcomes(all)).toEqual(['ok', 'ok', 'RangeError: no', 'ok', DUPLICATE, 'ok']);
    expect(lines()).toEqual(['a', 'b', 'c', 'd']);
    expect(countOf('commit')).toBe(1);
    expect(told.sort()).toEqual(['0 ok', '1 ok', '2 failed', '3 ok', '4 failed', '5 ok']);
  });

  test('behavior: each runs twice at most, however many fail', async () => {
    const runs: number[] = [];
    const all = Array.from({ length: 512 }, (_, place) =>
      writer.transaction(async (tx) => {
        runs[place] = (runs[place] ?? 0) + 1;
        await tx.add(`line ${place}`);
        if (place % 2 === 1) throw new RangeError('no');
      }),
    );
    expect((await outcomes(all)).filter((outcome) => outcome === 'ok')).toHaveLength(256);
    expect(runs.slice(0, 4)).toEqual([2, 2, 1, 1]);
    expect(Math.max(...runs)).toBe(2);
    expect(lines()).toHaveLength(256);
  });

  test('error: one that waits for something else fails alone', async () => {
    const waits = writer.transaction(async (tx) => {
      await tx.add('half');
      await setTimeout(20);
    });
    expect(await outcomes([add('a'), waits, add('b')])).toEqual(['ok', FOREIGN_AWAIT, 'ok']);
    expect(lines()).toEqual(['a', 'b']);
  });

  test('behavior: the first that fails leaves nothing to those behind it', async () => {
    expect(await outcomes([addAndFail('a'), add('a'), add('b')])).toEqual(['RangeError: no', 'ok', 'ok']);
    expect(lines()).toEqual(['a', 'b']);
    expect(countOf('commit')).toBe(1);
  });
});
