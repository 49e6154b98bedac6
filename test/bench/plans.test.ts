import { afterAll, beforeAll, expect, test } from 'vitest';
import { assertByHandIndexed, assertSqliteIndexed, wholeTables } from '../../bench/checks/plans.ts';
import { prepareSqlite } from '../../bench/data/sqlite.ts';
import { SQLITE_BY_FID, SQLITE_BY_HANDLE } from '../../bench/rivals/lookup-queries.ts';
import { temporaryFolder } from '../support/store.ts';

const folder = temporaryFolder();
let path = '';

beforeAll(async () => {
  path = await prepareSqlite(folder.path, 10_000);
});
afterAll(() => folder.remove());

test('behavior: the look-ups written by hand answer from an index', () => {
  expect(() => assertByHandIndexed('by hand', path)).not.toThrow();
});

test.each([
  ['FID', SQLITE_BY_FID],
  ['handle', SQLITE_BY_HANDLE],
])('error: a look-up by %s that can use no index is refused with its plan', (_by, query) => {
  const without = query.replace('t.platform = ', '+t.platform = ');
  expect(without).not.toBe(query);
  expect(() => assertSqliteIndexed('by hand', path, without)).toThrow(
    /^by hand does not answer from an index \(SCAN t.*\); its plan:\n(?:.*\n)*SEARCH k USING INTEGER PRIMARY KEY/,
  );
});

test('error: a query whose plan SQLite makes anew at each run is refused', () => {
  const query = SQLITE_BY_FID.replace(' in (?)', ' = ?');
  expect(() => assertSqliteIndexed('by hand', path, query)).toThrow(/^by hand has its plan made at each run/);
});

test('error: a scan over an index is a scan', () => {
  const query = "select count(*) from tips t where number <> ? and t.amount <> ''";
  expect(() => assertSqliteIndexed('x', path, query)).toThrow(/^x does not answer from an index \(SCAN t/);
});

test('behavior: a table with few rows may be read whole', () => {
  expect(() => assertSqliteIndexed('x', path, 'select * from tokens k where k.name = ?')).not.toThrow();
});

test('error: PostgreSQL’s plans are read to their innermost step', () => {
  const rows = new Map(Object.entries({ tips: 1_000_000, tokens: 2 }));
  const plan = {
    'Node Type': 'Sort',
    Plans: [
      { 'Node Type': 'Seq Scan', 'Relation Name': 'tokens' },
      {
        'Node Type': 'Nested Loop',
        Plans: [
          { 'Node Type': 'Parallel Seq Scan', 'Relation Name': 'tips' },
          { 'Node Type': 'Index Scan', 'Relation Name': 'tips' },
          { 'Node Type': 'Index Only Scan', 'Relation Name': 'tips', 'Index Cond': "(platform_user_id = '1')" },
          { 'Node Type': 'Seq Scan', 'Relation Name': 'unheard_of' },
        ],
      },
    ],
  };
  const whole = ['Parallel Seq Scan of tips', 'Index Scan of tips', 'Seq Scan of unheard_of'];
  expect(wholeTables(plan, rows)).toEqual(whole);
});
