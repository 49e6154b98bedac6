import { getTableName, is, type SQL, sql, type Table } from 'drizzle-orm';
import { PgDialect, PgTable, getTableConfig as postgresConfig } from 'drizzle-orm/pg-core';
import { SQLiteSyncDialect, SQLiteTable, getTableConfig as sqliteConfig } from 'drizzle-orm/sqlite-core';
import { describe, expect, test } from 'vitest';
import { POSTGRES_KIT } from '../../src/store/postgres/kit.ts';
import type { Kit } from '../../src/store/sql/kit.ts';
import { createTables, type Tables } from '../../src/store/sql/schema.ts';
import { SQLITE_KIT } from '../../src/store/sqlite/kit.ts';

const POSTGRES = createTables(POSTGRES_KIT);
const SQLITE = createTables(SQLITE_KIT);

/** The tables of SQLite, as the core that made them names their type. */
function sqliteTables(): SQLiteTable[] {
  return Object.values<unknown>(SQLITE).filter((table) => is(table, SQLiteTable));
}

function postgresTables(): PgTable[] {
  return Object.values<unknown>(POSTGRES).filter((table) => is(table, PgTable));
}

type Config = ReturnType<typeof postgresConfig> | ReturnType<typeof sqliteConfig>;

function columnName(column: unknown): unknown {
  return typeof column === 'object' && column !== null && 'name' in column ? column.name : column;
}

function describeIndices({ indexes }: Config) {
  return indexes.map(({ config }) => ({
    name: config.name,
    unique: config.unique,
    columns: config.columns.map(columnName),
  }));
}

function describeReferences({ foreignKeys }: Config) {
  return foreignKeys.map((key) => {
    const { columns, foreignColumns, foreignTable } = key.reference();
    return [columns.map(columnName), getTableName<Table>(foreignTable), foreignColumns.map(columnName)];
  });
}

/** What the tables of both engines have in common. */
function shapeOf(config: Config) {
  return {
    name: config.name,
    columns: config.columns.map(({ name, notNull, primary, hasDefault }) => {
      // Ids come from an identity on PostgreSQL, from the rowid on SQLite: only one of them is a default.
      return { name, notNull, primary, hasDefault: hasDefault || primary };
    }),
    indices: describeIndices(config),
    primaryKeys: config.primaryKeys.map(({ columns }) => columns.map(({ name }) => name)),
    references: describeReferences(config),
    checks: config.checks.map(({ name }) => name),
  };
}

function textOf(condition: SQL, kit: Kit): string {
  const dialect = kit === POSTGRES_KIT ? new PgDialect() : new SQLiteSyncDialect();
  const { sql, params } = dialect.sqlToQuery(condition);
  expect(params).toEqual([]);
  return sql;
}

function types(table: PgTable): Record<string, string> {
  return Object.fromEntries(postgresConfig(table).columns.map((column) => [column.name, column.getSQLType()]));
}

describe('the tables of both kits', () => {
  test('behavior: each table is made by the core of its engine, under the same key', () => {
    expect(Object.keys(POSTGRES)).toContain('verifierBatches');
    expect(Object.keys(POSTGRES)).toEqual(Object.keys(SQLITE));
    expect(postgresTables()).toHaveLength(Object.keys(POSTGRES).length);
    expect(sqliteTables()).toHaveLength(Object.keys(SQLITE).length);
  });

  test('behavior: names, columns, nullability, keys, references, indices and checks are the same', () => {
    const [sqlite, postgres] = [sqliteTables().map(sqliteConfig), postgresTables().map(postgresConfig)];
    expect(postgres.map(shapeOf)).toEqual(sqlite.map(shapeOf));
  });

  test('behavior: both have the same partial indices, but that PostgreSQL finds a handle only where there is one', () => {
    const partial = (config: Config) =>
      config.indexes.filter((index) => index.config.where !== undefined).map((index) => index.config.name);
    const [sqlite, postgres] = [
      sqliteTables().map(sqliteConfig).flatMap(partial),
      postgresTables().map(postgresConfig).flatMap(partial),
    ];
    expect(postgres.filter((name) => !sqlite.includes(name))).toEqual(['accounts_by_handle']);
    expect(sqlite.filter((name) => !postgres.includes(name))).toEqual([]);
  });

  test('behavior: PostgreSQL has a type for each meaning', () => {
    expect(types(POSTGRES.tips)).toMatchObject({
      id: 'bigint',
      created_at: 'bigint',
      amount: 'numeric(78, 0)',
      status: 'text collate "C"',
      user_address: 'text collate "C"',
      is_void: 'boolean',
    });
    expect(types(POSTGRES.payments)).toMatchObject({
      numbers: 'text collate "C"',
      hash: 'text collate "C"',
      gas_used: 'bigint',
    });
    expect(types(POSTGRES.earnings)).toMatchObject({ facts: 'text collate "C"', weight: 'numeric(78, 0)' });
  });

  test('behavior: PostgreSQL gives ids, but for those of gigs and of tables with one row', () => {
    const identities = postgresTables()
      .map(postgresConfig)
      .filter(({ columns }) => columns.some(({ generatedIdentity }) => generatedIdentity?.type === 'byDefault'))
      .map(({ name }) => name);
    expect(identities).toContain('tips');
    expect(identities).toContain('mentions');
    expect(identities).not.toContain('gigs');
    expect(identities).not.toContain('gas_tanks');
    expect(identities).not.toContain('write_checks');
  });
});

describe('the columns of both kits', () => {
  type Pick = (tables: Tables) => { mapFromDriverValue(value: unknown): unknown };
  const cases: [name: string, column: Pick, sqlite: unknown, postgres: unknown, value: unknown][] = [
    ['a time', ({ tips }) => tips.createdAt, 1_700_000_000_000, '1700000000000', 1_700_000_000_000],
    ['a flag', ({ tips }) => tips.isVoid, 1, true, true],
    ['a flag that is not set', ({ tips }) => tips.isVoid, 0, false, false],
    ['an amount', ({ tips }) => tips.amount, '123456789012345678901', '123456789012345678901', 123456789012345678901n],
    ['gas', ({ payments }) => payments.gasUsed, 21_000, '21000', 21_000n],
    ['numbers', ({ payments }) => payments.numbers, '3,4,10', '3,4,10', [3n, 4n, 10n]],
    ['scopes', ({ apiKeys }) => apiKeys.scopes, 'read,award', 'read,award', ['read', 'award']],
    ['JSON', ({ verifierBatches }) => verifierBatches.candidates, '[1,2]', '[1,2]', [1, 2]],
  ];

  test.each(cases)('behavior: %s is read as the same value', (_name, column, sqlite, postgres, value) => {
    expect(column(SQLITE).mapFromDriverValue(sqlite)).toEqual(value);
    expect(column(POSTGRES).mapFromDriverValue(postgres)).toEqual(value);
  });

  test('behavior: values are written as what each engine stores', () => {
    expect(SQLITE.tips.isVoid.mapToDriverValue(true)).toBe(1);
    expect(POSTGRES.tips.isVoid.mapToDriverValue(true)).toBe(true);
    for (const { apiKeys, payments, tips, verifierBatches } of [SQLITE, POSTGRES]) {
      expect(tips.amount.mapToDriverValue(5n)).toBe('5');
      expect(payments.numbers.mapToDriverValue([3n, 4n])).toBe('3,4');
      expect(apiKeys.scopes.mapToDriverValue([])).toBe('');
      expect(verifierBatches.candidates.mapToDriverValue([1, 2])).toBe('[1,2]');
    }
  });
});

describe('the conditions of both kits', () => {
  const cases: [condition: (kit: Kit) => SQL, sqlite: string, postgres: string][] = [
    [(kit) => kit.isFalse('tips.is_void'), 'tips.is_void = 0', 'not tips.is_void'],
    [(kit) => kit.isTrue('tips.is_void'), 'tips.is_void = 1', 'tips.is_void'],
    [
      (kit) => kit.ifElse(kit.isTrue('a'), kit.isFalse('b'), kit.isTrue('c')),
      'iif(a = 1, b = 0, c = 1)',
      'case when a then not b else c end',
    ],
    [(kit) => kit.isSame(sql`a`, sql`'b'`), "a is 'b'", "a is not distinct from 'b'"],
    [(kit) => kit.isAtLeast('a', 1), "typeof(a) = 'integer' and a >= 1", 'a is not null and a >= 1'],
    [
      (kit) => kit.isBetween('a', 0, 'b'),
      "typeof(a) = 'integer' and a between 0 and b",
      'a is not null and a between 0 and b',
    ],
    [(kit) => kit.isDecimal('a'), "a <> '' and a not glob '*[^0-9]*'", "a >= 0 and a <> 'NaN'"],
    [(kit) => kit.isLowerCase('a'), 'a = lower(a)', 'a = lower(a collate "C")'],
    [(kit) => kit.isUserId('a'), "a not glob '*[^0-9]*' and a not glob '0?*' and a <> ''", "a ~ '^(0|[1-9][0-9]*)$'"],
    [(kit) => kit.isSha256('a'), "length(a) = 64 and a not glob '*[^0-9a-f]*'", "a ~ '^[0-9a-f]{64}$'"],
    [(kit) => kit.isJson('a'), 'json_valid(a)', 'a::json is not null'],
    [(kit) => kit.noWayIn(sql`a`), '+a', 'a'],
    [(kit) => kit.least(sql`a`, sql`b`), 'min(a, b)', 'least(a, b)'],
    [(kit) => kit.greatest(sql`a`, sql`b`), 'max(a, b)', 'greatest(a, b)'],
    [(kit) => kit.largestFirst(sql`a`), 'length(a) desc, a desc', 'a desc'],
  ];

  test.each(cases)('behavior: %s is said in the words of each engine', (condition, sqlite, postgres) => {
    expect(textOf(condition(SQLITE_KIT), SQLITE_KIT)).toBe(sqlite);
    expect(textOf(condition(POSTGRES_KIT), POSTGRES_KIT)).toBe(postgres);
  });
});
