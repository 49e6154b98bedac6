import { Param, type SQL, sql } from 'drizzle-orm';
import {
  check,
  customType,
  foreignKey,
  type IndexBuilder,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { type Kit, type KitConditions, type ListColumn, listOf } from '../sql/kit.ts';

function isAtLeast(column: string, least: number): SQL {
  return sql.raw(`typeof(${column}) = 'integer' and ${column} >= ${least}`);
}

function isBetween(column: string, least: number, most: number | string): SQL {
  return sql.raw(`typeof(${column}) = 'integer' and ${column} between ${least} and ${most}`);
}

function listOfJson(parameter: string): Param {
  return new Param(sql.placeholder(parameter), { mapToDriverValue: (list: unknown) => JSON.stringify(list) });
}

const CONDITIONS: KitConditions = {
  isTrue: (column) => sql.raw(`${column} = 1`),
  isFalse: (column) => sql.raw(`${column} = 0`),
  isBoolean: (column) => sql.raw(`${column} in (0, 1)`),
  ifElse: (condition, then, otherwise) => sql`iif(${condition}, ${then}, ${otherwise})`,
  isSame: (left, right) => sql`${left} is ${right}`,
  // The type counts, because SQLite keeps fractions and holds text for greater than any number.
  isAtLeast,
  isBetween,
  isWholeNumber: (column) => isAtLeast(column, 0),
  isCount: (column) => isBetween(column, 0, Number.MAX_SAFE_INTEGER),
  isDecimal: (column) => sql.raw(`${column} <> '' and ${column} not glob '*[^0-9]*'`),
  // Of decimal text without leading zeros.
  isAtMost: (column, limit) =>
    sql.raw(`length(${column}) < length(${limit}) or length(${column}) = length(${limit}) and ${column} <= ${limit}`),
  isLowerCase: (column) => sql.raw(`${column} = lower(${column})`),
  isUserId: (column) => sql.raw(`${column} not glob '*[^0-9]*' and ${column} not glob '0?*' and ${column} <> ''`),
  isNumberList: (column) => sql.raw(`${column} glob '[0-9]*' and ${column} not glob '*[^0-9,]*'`),
  isJson: (column) => sql.raw(`json_valid(${column})`),
  isJsonList: (column) => sql.raw(`json_valid(${column}) and ${column} glob '[[]*]'`),
  isAddress: (column) =>
    sql.raw(`length(${column}) = 42 and ${column} glob '0x*' and substr(${column}, 3) not glob '*[^0-9a-f]*'`),
  isHash: (column) =>
    sql.raw(`length(${column}) = 66 and ${column} glob '0x*' and substr(${column}, 3) not glob '*[^0-9a-f]*'`),
  isHexBytes: (column) =>
    sql.raw(
      `length(${column}) > 2 and length(${column}) % 2 = 0 and ${column} glob '0x*' and substr(${column}, 3) not glob '*[^0-9a-f]*'`,
    ),
  isSha256: (column) => sql.raw(`length(${column}) = 64 and ${column} not glob '*[^0-9a-f]*'`),

  beginsWith: (column, text) => sql`${column} glob ${sql.raw(`'${text}*'`)}`,
  noWayIn: (column) => sql`+${column}`,
  isAmong: (column, parameter) => sql`${column} in (select value from json_each(${listOfJson(parameter)}))`,
  newId: () => sql`null`,
  rowsOf(json, columns) {
    const values = Object.entries(columns).map(
      ([name, column]) => `cast(value ->> '${name}' as ${column.getSQLType()}) "${name}"`,
    );
    return sql`(select ${sql.raw(values.join(', '))} from json_each(${json})) as given`;
  },
  startsWith: (column, parameter) => sql`instr(${column}, ${sql.placeholder(parameter)}) = 1`,
  least: (one, other) => sql`min(${one}, ${other})`,
  greatest: (one, other) => sql`max(${one}, ${other})`,
  textOf: (column, key) => sql`json_extract(${column}, ${sql.raw(`'$.${key}'`)})`,
  // Amounts are decimal text: the longer one is larger.
  largestFirst: (column) => sql`length(${column}) desc, ${column} desc`,
  nextId: () => sql`null`,
  randomId: sql`lower(hex(randomblob(16)))`,
};

const MADE = {
  table: sqliteTable,
  index,
  uniqueIndex,
  primaryKey,
  foreignKey,
  check,
  // Only one transaction writes at a time, so there is nothing to wait for.
  withoutNulls: (built: IndexBuilder) => built,

  text,
  rowId: (name: string) => integer(name).primaryKey(),
  lastingId: (name: string) => integer(name).primaryKey({ autoIncrement: true }),
  integer: (name: string) => integer(name),
  flag: (name: string) => integer(name, { mode: 'boolean' }),
  json: (name: string) => text(name, { mode: 'json' }),
  amount: customType<{ data: bigint; driverData: string }>({
    dataType: () => 'text',
    toDriver: String,
    fromDriver: BigInt,
  }),
  /** An integer, which SQLite can compare and add. */
  count: customType<{ data: bigint; driverData: bigint | number }>({
    dataType: () => 'integer',
    toDriver: (value) => value,
    fromDriver: BigInt,
  }),
  numberList: customType<ListColumn<bigint>>(listOf(BigInt)),
  scopeList: customType<ListColumn<string>>(listOf(String)),
  address: (name: string) => text(name),
  hex: (name: string) => text(name),
  ...CONDITIONS,
  isServer: false,
  first: <Query>(query: Query) => query,
  // Only one transaction writes at a time, so that nothing is taken meanwhile.
  claiming: <Query>(query: Query) => query,
} satisfies Record<keyof Kit, unknown>;

/**
 * SQLite's kit. `store/sql` sees PostgreSQL's types of Drizzle: what it calls of them, the core for SQLite has under the same
 * names, with the same parameters, at run time; and its columns give the same types of values, which their tests compare.
 */
export const SQLITE_KIT = MADE as unknown as Kit;
