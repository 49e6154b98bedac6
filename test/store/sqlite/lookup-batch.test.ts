import { setImmediate } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLookupBatch } from '../../../src/store/sqlite/lookup-batch.ts';

let statements: string[];
let connection: Database;
let find: (query: number) => Promise<unknown>;

beforeEach(() => {
  statements = [];
  connection = new SqliteDatabase(':memory:', { verbose: (statement) => statements.push(String(statement)) });
  const double = connection.prepare<[number], number>('select ? * 2').pluck();
  find = createLookupBatch(connection, {
    path: 'm.db',
    find(query: number) {
      if (query < 0) throw new RangeError(`no ${query}`);
      return double.get(query);
    },
  });
});

afterEach(() => connection.close());

describe('look-ups', () => {
  test('behavior: those asked for at once share one read transaction, each with its own answer', async () => {
    expect(await Promise.all([1, 2, 3].map(find))).toEqual([2, 4, 6]);
    expect(statements.map((statement) => statement.split(' ')[0]?.toLowerCase())).toEqual([
      'begin',
      'select',
      'select',
      'select',
      'commit',
    ]);
  });

  test('behavior: a later turn reads anew', async () => {
    await find(1);
    await setImmediate();
    await find(2);
    expect(statements.filter((statement) => /^begin/i.test(statement))).toHaveLength(2);
  });

  test('error: one that fails fails alone', async () => {
    const results = await Promise.allSettled([find(1), find(-1), find(3)]);
    expect(results).toEqual([
      { status: 'fulfilled', value: 2 },
      { status: 'rejected', reason: new RangeError('no -1') },
      { status: 'fulfilled', value: 6 },
    ]);
  });

  test('error: when no read transaction can begin, every one is told', async () => {
    connection.close();
    const results = await Promise.allSettled([find(1), find(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
