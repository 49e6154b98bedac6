import type { $Type, Column, IsIdentity, IsPrimaryKey, NotNull, SQL, SQLWrapper } from 'drizzle-orm';
import type {
  check,
  foreignKey,
  IndexBuilder,
  index,
  LockConfig,
  PgBigInt53BuilderInitial,
  PgBooleanBuilderInitial,
  PgCustomColumnBuilder,
  PgNumericBigIntBuilderInitial,
  PgTable,
  PgTableFn,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Address } from '../../domain/gigs/token.ts';
import type { Scope } from '../../domain/operators/actor.ts';

export interface Limitable {
  limit(rows: number): unknown;
}

interface Lockable extends Limitable {
  for(strength: 'update', config: LockConfig): unknown;
}

type Custom<Data, Driver = string> = PgCustomColumnBuilder<{
  name: string;
  dataType: 'custom';
  columnType: 'PgCustomColumn';
  data: Data;
  driverParam: Driver;
  enumValues: undefined;
}>;

type Integer = PgBigInt53BuilderInitial<string>;

/**
 * Conditions and values in the engine's own SQL. A condition takes the names of columns as text, because constraints and partial
 * indices have no parameters.
 */
export interface KitConditions {
  readonly isTrue: (column: string) => SQL;
  readonly isFalse: (column: string) => SQL;
  /** A column of {@link Kit.flag}. */
  readonly isBoolean: (column: string) => SQL;
  /** The second condition when the first one is true, else the third. */
  readonly ifElse: (condition: SQL, then: SQLWrapper, otherwise: SQLWrapper) => SQL;
  /** Equality for which null is a value like any other. */
  readonly isSame: (left: SQLWrapper, right: SQLWrapper) => SQL;
  /** An integer of at least a number. */
  readonly isAtLeast: (column: string, least: number) => SQL;
  /** An integer between a number and another one, or the value of a column; both are included. */
  readonly isBetween: (column: string, least: number, most: number | string) => SQL;
  readonly isWholeNumber: (column: string) => SQL;
  /** A whole number that JavaScript's numbers hold exactly. */
  readonly isCount: (column: string) => SQL;
  /** An amount of zero or more. */
  readonly isDecimal: (column: string) => SQL;
  readonly isAtMost: (column: string, limit: string) => SQL;
  /** Without upper-case letters from A to Z. */
  readonly isLowerCase: (column: string) => SQL;
  /** Decimal digits without leading zeros. */
  readonly isUserId: (column: string) => SQL;
  readonly isNumberList: (column: string) => SQL;
  readonly isJson: (column: string) => SQL;
  readonly isJsonList: (column: string) => SQL;
  readonly isAddress: (column: string) => SQL;
  readonly isHash: (column: string) => SQL;
  /** At least one whole byte. */
  readonly isHexBytes: (column: string) => SQL;
  readonly isSha256: (column: string) => SQL;

  /** The column, kept from being looked up in an index: SQLite takes another one then. PostgreSQL chooses by its statistics. */
  readonly noWayIn: (column: Column | SQL) => SQL;
  /** Whether a column has one of the values of a parameter, which is a list. */
  readonly isAmong: (column: Column, parameter: string) => SQL;
  /** The next id of a column of {@link Kit.rowId}, for an insert that names every column. */
  readonly newId: (column: Column) => SQL;
  /** The rows of a parameter that is a list of objects in JSON, as a table `given`; each column has the name and type of a value. */
  readonly rowsOf: (json: SQLWrapper, columns: Readonly<Record<string, Column>>) => SQL;
  /** Whether a column's text begins with a text without wildcards, in the way that takes an index of the column. */
  readonly beginsWith: (column: Column | SQL, text: string) => SQL;
  /** Whether a column's text begins with the text of a parameter. */
  readonly startsWith: (column: Column, parameter: string) => SQL;
  /** The lesser of two values, of which neither is null. */
  readonly least: (one: SQLWrapper, other: SQLWrapper) => SQL;
  /** The greater of two values, of which neither is null. */
  readonly greatest: (one: SQLWrapper, other: SQLWrapper) => SQL;
  /** A text in a column of {@link Kit.json}, by its key; null when there is none. */
  readonly textOf: (column: Column, key: string) => SQL<string | null>;
  /** The order of a column of {@link Kit.amount} from the largest to the smallest. */
  readonly largestFirst: (column: SQLWrapper) => SQL;
  /** The next id of a table, for an insert that selects its rows: such a one names all columns. */
  readonly nextId: (table: string, column: string) => SQL;
  /** A text that no other row has. */
  readonly randomId: SQL;
}

/**
 * What the tables and queries are made of. Each engine has such a kit: the same names, and columns and conditions of the same
 * meaning. Drizzle's types are those of PostgreSQL, on every engine.
 */
export interface Kit extends KitConditions {
  readonly table: PgTableFn;
  readonly index: typeof index;
  readonly uniqueIndex: typeof uniqueIndex;
  readonly primaryKey: typeof primaryKey;
  readonly foreignKey: typeof foreignKey;
  readonly check: typeof check;
  /** The index without the rows that have no value in the column, where an engine needs that. */
  readonly withoutNulls: (built: IndexBuilder, column: string) => IndexBuilder;

  /** `enum` is for the types alone: each table checks its values. */
  readonly text: <const Values extends readonly string[] = readonly string[]>(
    name: string,
    type?: { enum: Values },
  ) => $Type<Custom<string>, Values[number]>;
  /** An id that the store gives; ids rise in the order of the inserts. */
  readonly rowId: (name: string) => IsIdentity<IsPrimaryKey<NotNull<Integer>>, 'byDefault'>;
  /** An id that is never given again, not even after its row was deleted. */
  readonly lastingId: (name: string) => IsPrimaryKey<NotNull<Integer>>;
  /** An integer that JavaScript's numbers hold exactly. */
  readonly integer: (name: string) => Integer;
  readonly flag: (name: string) => PgBooleanBuilderInitial<string>;
  /** A value as JSON, kept as the text that was written: what it is copied to gets the same text. */
  readonly json: (name: string) => Custom<unknown>;
  /** A non-negative integer of any size, in base units. */
  readonly amount: (name: string) => PgNumericBigIntBuilderInitial<string>;
  /** A block's number or units of gas: unlike amounts, they fit into 64 bits. */
  readonly count: (name: string) => Custom<bigint, bigint | number | string>;
  /** Numbers of a wallet's marks, comma-separated. */
  readonly numberList: (name: string) => Custom<readonly bigint[]>;
  /** The scopes of an API key, comma-separated. Only scopes are ever written to this column. */
  readonly scopeList: (name: string) => Custom<readonly Scope[]>;
  readonly address: (name: string) => $Type<Custom<string>, Address>;
  readonly hex: (name: string) => $Type<Custom<string>, `0x${string}`>;

  /** Whether statements travel to a server, which runs none in a transaction in which one has failed. */
  readonly isServer: boolean;
  /** Has a query return its first row alone. */
  readonly first: <Query extends Limitable>(query: Query) => Query;
  /**
   * Has a query of a transaction find the first row that no other one has found so, and keeps it from all others: no two
   * lease the same row.
   */
  readonly claiming: <Query extends Lockable>(query: Query, table: PgTable) => Query;
}

/** How a column of text keeps a list, comma-separated; an engine's `customType` makes columns of it. */
export function listOf<Item>(toItem: (text: string) => Item) {
  return {
    dataType: () => 'text',
    toDriver: (items: readonly Item[]) => items.join(','),
    fromDriver: (list: string) => list.split(',').map(toItem),
  };
}

export interface ListColumn<Item> {
  data: readonly Item[];
  driverData: string;
}
