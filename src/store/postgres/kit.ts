import { getTableName, type SQL, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  foreignKey,
  index,
  numeric,
  pgTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Address } from '../../domain/gigs/token.ts';
import type { Scope } from '../../domain/operators/actor.ts';
import { type Kit, type Limitable, type ListColumn, listOf } from '../sql/kit.ts';

/** Texts compare by their bytes, as on SQLite, whatever the database's collation: who wins a draw rests on it. */
const TEXT = 'text collate "C"';

const textColumn = customType<{ data: string; driverData: string }>({ dataType: () => TEXT });

/** Drizzle's `text` takes no collation. */
function text<const Values extends readonly string[] = readonly string[]>(name: string, _type?: { enum: Values }) {
  return textColumn(name).$type<Values[number]>();
}

function first<Query extends Limitable>(query: Query): Query {
  query.limit(1);
  return query;
}

/** The pattern must match the whole text: `$` is the end of the text, not of a line. */
function matches(column: string, pattern: string): SQL {
  return sql.raw(`${column} ~ '^${pattern}$'`);
}

// A check takes what is null for true; on SQLite null is no integer, which these conditions ask for.
function isBetween(column: string, least: number, most: number | string): SQL {
  return sql.raw(`${column} is not null and ${column} between ${least} and ${most}`);
}

function isAtLeast(column: string, least: number): SQL {
  return sql.raw(`${column} is not null and ${column} >= ${least}`);
}

export const POSTGRES_KIT: Kit = {
  table: pgTable,
  index,
  uniqueIndex,
  primaryKey,
  foreignKey,
  check,
  // With them PostgreSQL would have a change of the column wait for inserts that refer to the row by another key.
  withoutNulls: (built, column) => built.where(sql.raw(`${column} is not null`)),

  text,
  rowId: (name) => bigint(name, { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  // PostgreSQL takes it from the caller.
  lastingId: (name) => bigint(name, { mode: 'number' }).primaryKey(),
  integer: (name) => bigint(name, { mode: 'number' }),
  flag: (name) => boolean(name),
  json: customType<{ data: unknown; driverData: string }>({
    dataType: () => TEXT,
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (json) => JSON.parse(json),
  }),
  amount: (name) => numeric(name, { precision: 78, scale: 0, mode: 'bigint' }),
  count: customType<{ data: bigint; driverData: bigint | number | string }>({
    dataType: () => 'bigint',
    toDriver: String,
    fromDriver: BigInt,
  }),
  numberList: customType<ListColumn<bigint>>({ ...listOf(BigInt), dataType: () => TEXT }),
  scopeList: customType<ListColumn<Scope>>({ ...listOf((scope) => scope as Scope), dataType: () => TEXT }),
  address: (name) => text(name).$type<Address>(),
  hex: (name) => text(name).$type<`0x${string}`>(),

  isTrue: (column) => sql.raw(column),
  isFalse: (column) => sql.raw(`not ${column}`),
  // The type of the column guarantees it.
  isBoolean: (_column) => sql.raw('true'),
  ifElse: (condition, then, otherwise) => sql`case when ${condition} then ${then} else ${otherwise} end`,
  isSame: (left, right) => sql`${left} is not distinct from ${right}`,
  isAtLeast,
  isBetween,
  isWholeNumber: (column) => isAtLeast(column, 0),
  isCount: (column) => isBetween(column, 0, Number.MAX_SAFE_INTEGER),
  // PostgreSQL holds NaN for greater than any number.
  isDecimal: (column) => sql.raw(`${column} >= 0 and ${column} <> 'NaN'`),
  isAtMost: (column, limit) => sql.raw(`${column} <= ${limit}`),
  // A database of ICU's would lower É, too.
  isLowerCase: (column) => sql.raw(`${column} = lower(${column} collate "C")`),
  isUserId: (column) => matches(column, '(0|[1-9][0-9]*)'),
  isNumberList: (column) => matches(column, '[0-9]+(,[0-9]+)*'),
  // What is no JSON fails to be cast, which refuses the row as well.
  isJson: (column) => sql.raw(`${column}::json is not null`),
  isJsonList: (column) => sql.raw(`json_typeof(${column}::json) = 'array'`),
  isAddress: (column) => matches(column, '0x[0-9a-f]{40}'),
  isHash: (column) => matches(column, '0x[0-9a-f]{64}'),
  isHexBytes: (column) => matches(column, '0x([0-9a-f]{2})+'),
  isSha256: (column) => matches(column, '[0-9a-f]{64}'),

  beginsWith: (column, text) => sql`starts_with(${column}, ${sql.raw(`'${text}'`)})`,
  noWayIn: (column) => sql`${column}`,
  isAmong: (column, parameter) => sql`${column} = any(${sql.placeholder(parameter)})`,
  newId: (column) => sql.raw(`nextval(pg_get_serial_sequence('${getTableName(column.table)}', '${column.name}'))`),
  rowsOf: (json, columns) => {
    const types = Object.entries(columns).map(([name, column]) => `"${name}" ${column.getSQLType()}`);
    return sql`json_to_recordset(${json}) as given (${sql.raw(types.join(', '))})`;
  },
  startsWith: (column, parameter) => sql`starts_with(${column}, ${sql.placeholder(parameter)})`,
  least: (one, other) => sql`least(${one}, ${other})`,
  greatest: (one, other) => sql`greatest(${one}, ${other})`,
  textOf: (column, key) => sql<string | null>`${column}::json ->> ${sql.raw(`'${key}'`)}`,
  largestFirst: (column) => sql`${column} desc`,
  nextId: (table, column) => sql.raw(`nextval(pg_get_serial_sequence('${table}', '${column}'))`),
  randomId: sql`replace(gen_random_uuid()::text, '-', '')`,
  isServer: true,
  first,
  claiming(query, table) {
    first(query).for('update', { of: table, skipLocked: true });
    return query;
  },
};
