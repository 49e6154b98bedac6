import { type Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  foreignKey,
  type IndexBuilder,
  index,
  type LockConfig,
  numeric,
  type PgTable,
  pgTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Scope } from '../../domain/actor.ts';
import type { Address } from '../../domain/token.ts';
import { type ListColumn, listOf } from '../sql/lists.ts';

/** Texts compare by their bytes, as on SQLite, whatever the database's collation: who wins a draw rests on it. */
const TEXT = 'text collate "C"';

const textColumn = customType<{ data: string; driverData: string }>({ dataType: () => TEXT });

/** Drizzle's `text` takes no collation. `enum` is for the types alone: each table checks its values. */
function text<const Values extends readonly string[] = readonly string[]>(name: string, _type?: { enum: Values }) {
  return textColumn(name).$type<Values[number]>();
}

/** A query that returns so many rows at most. */
interface Limitable {
  limit(rows: number): unknown;
}

/** A query that can lock the rows that it finds. */
interface Lockable extends Limitable {
  for(strength: 'update', config: LockConfig): unknown;
}

/** Has a query return its first row alone. */
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

/**
 * What the tables and queries of `store/sql` are made of on PostgreSQL. Each engine has such a kit: the same names, and
 * columns and conditions of the same meaning. A condition takes the names of columns as text, because constraints and
 * partial indices have no parameters.
 */
export const POSTGRES_KIT = {
  table: pgTable,
  index,
  uniqueIndex,
  primaryKey,
  foreignKey,
  check,
  /**
   * The index without the rows that have no value in the column, where an engine needs that. With them PostgreSQL would have
   * a change of the column wait for inserts that refer to the row by another key.
   */
  withoutNulls: (built: IndexBuilder, column: string) => built.where(sql.raw(`${column} is not null`)),

  text,
  /** An id that the store gives; ids rise in the order of the inserts. */
  rowId: (name: string) => bigint(name, { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  /** An id that is never given again, not even after its row was deleted. PostgreSQL takes it from the caller. */
  lastingId: (name: string) => bigint(name, { mode: 'number' }).primaryKey(),
  /** An integer that JavaScript's numbers hold exactly. */
  integer: (name: string) => bigint(name, { mode: 'number' }),
  flag: (name: string) => boolean(name),
  /** A value as JSON, kept as the text that was written: what it is copied to gets the same text. */
  json: customType<{ data: unknown; driverData: string }>({
    dataType: () => TEXT,
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (json) => JSON.parse(json),
  }),
  /** A non-negative integer of any size, in base units. */
  amount: (name: string) => numeric(name, { precision: 78, scale: 0, mode: 'bigint' }),
  /** A block's number or units of gas: unlike amounts, they fit into 64 bits. */
  count: customType<{ data: bigint; driverData: bigint | number | string }>({
    dataType: () => 'bigint',
    toDriver: String,
    fromDriver: BigInt,
  }),
  /** Numbers of a wallet's marks, comma-separated. */
  numberList: customType<ListColumn<bigint>>({ ...listOf(BigInt), dataType: () => TEXT }),
  /** The scopes of an API key, comma-separated. Only scopes are ever written to this column. */
  scopeList: customType<ListColumn<Scope>>({ ...listOf((scope) => scope as Scope), dataType: () => TEXT }),
  address: (name: string) => text(name).$type<Address>(),
  hex: (name: string) => text(name).$type<`0x${string}`>(),

  isTrue: (column: string) => sql.raw(column),
  isFalse: (column: string) => sql.raw(`not ${column}`),
  /** A column of {@link POSTGRES_KIT.flag}; its type guarantees it. */
  isBoolean: (_column: string) => sql.raw('true'),
  /** The second condition when the first one is true, else the third. */
  ifElse: (condition: SQL, then: SQLWrapper, otherwise: SQLWrapper) =>
    sql`case when ${condition} then ${then} else ${otherwise} end`,
  /** Equality for which null is a value like any other. */
  isSame: (left: SQLWrapper, right: SQLWrapper) => sql`${left} is not distinct from ${right}`,
  /** An integer of at least a number. */
  isAtLeast,
  /** An integer between a number and another one, or the value of a column; both are included. */
  isBetween,
  isWholeNumber: (column: string) => isAtLeast(column, 0),
  /** A whole number that JavaScript's numbers hold exactly. */
  isCount: (column: string) => isBetween(column, 0, Number.MAX_SAFE_INTEGER),
  /** An amount of zero or more. PostgreSQL holds NaN for greater than any number. */
  isDecimal: (column: string) => sql.raw(`${column} >= 0 and ${column} <> 'NaN'`),
  /** Whether an amount is at most another one. */
  isAtMost: (column: string, limit: string) => sql.raw(`${column} <= ${limit}`),
  /** Without upper-case letters from A to Z. A database of ICU's would lower É, too. */
  isLowerCase: (column: string) => sql.raw(`${column} = lower(${column} collate "C")`),
  /** Decimal digits without leading zeros. */
  isUserId: (column: string) => matches(column, '(0|[1-9][0-9]*)'),
  isNumberList: (column: string) => matches(column, '[0-9]+(,[0-9]+)*'),
  /** What is no JSON fails to be cast, which refuses the row as well. */
  isJson: (column: string) => sql.raw(`${column}::json is not null`),
  isJsonList: (column: string) => sql.raw(`json_typeof(${column}::json) = 'array'`),
  isAddress: (column: string) => matches(column, '0x[0-9a-f]{40}'),
  isHash: (column: string) => matches(column, '0x[0-9a-f]{64}'),
  /** At least one whole byte. */
  isHexBytes: (column: string) => matches(column, '0x([0-9a-f]{2})+'),
  isSha256: (column: string) => matches(column, '[0-9a-f]{64}'),

  /** The column, kept from being looked up in an index: SQLite takes another one then. PostgreSQL chooses by its statistics. */
  noWayIn: (column: Column | SQL) => sql`${column}`,
  /** Whether a column has one of the values of a parameter, which is a list. */
  isAmong: (column: Column, parameter: string) => sql`${column} = any(${sql.placeholder(parameter)})`,
  /** The rows of a parameter that is a list of objects in JSON, as a table `given`; each column has the name and type of a value. */
  rowsOf: (json: SQLWrapper, columns: Readonly<Record<string, Column>>): SQL => {
    const types = Object.entries(columns).map(([name, column]) => `"${name}" ${column.getSQLType()}`);
    return sql`json_to_recordset(${json}) as given (${sql.raw(types.join(', '))})`;
  },
  /** Whether a column's text begins with the text of a parameter. */
  startsWith: (column: Column, parameter: string) => sql`starts_with(${column}, ${sql.placeholder(parameter)})`,
  /** The lesser of two values, of which neither is null. */
  least: (one: SQLWrapper, other: SQLWrapper) => sql`least(${one}, ${other})`,
  /** The greater of two values, of which neither is null. */
  greatest: (one: SQLWrapper, other: SQLWrapper) => sql`greatest(${one}, ${other})`,
  /** A text in a column of {@link POSTGRES_KIT.json}, by its key; null when there is none. */
  textOf: (column: Column, key: string) => sql<string | null>`${column}::json ->> ${sql.raw(`'${key}'`)}`,
  /** The order of a column of {@link POSTGRES_KIT.amount} from the largest to the smallest. */
  largestFirst: (column: SQLWrapper) => sql`${column} desc`,
  /** Whether statements travel to a server, which runs none in a transaction in which one has failed. */
  isServer: true as boolean,
  /** Has a query return its first row alone. SQLite reads no further in any case, and prepares a limit for every run. */
  first,
  /**
   * Has a query of a transaction find the first row that no other one has found so, and keeps it from all others: no two
   * lease the same row.
   */
  claiming<Query extends Lockable>(query: Query, table: PgTable): Query {
    first(query).for('update', { of: table, skipLocked: true });
    return query;
  },
};

/** What the tables and queries are made of; Drizzle's types are those of PostgreSQL, on every engine. */
export type Kit = typeof POSTGRES_KIT;
