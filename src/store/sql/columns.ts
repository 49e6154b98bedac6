import { type SQL, sql } from 'drizzle-orm';
import { customType, text } from 'drizzle-orm/sqlite-core';
import type { Scope } from '../../domain/actor.ts';
import type { Address } from '../../domain/token.ts';

/** A non-negative integer of any size, stored as decimal text. */
export const amount = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'text',
  toDriver: String,
  fromDriver: BigInt,
});

/** A block's number or units of gas: unlike amounts, they fit into an integer, which SQLite can compare and add. */
export const count = customType<{ data: bigint; driverData: bigint | number }>({
  dataType: () => 'integer',
  toDriver: (value) => value,
  fromDriver: BigInt,
});

/** Numbers of a wallet's marks, comma-separated. */
export const numberList = customType<{ data: readonly bigint[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: (numbers) => numbers.join(','),
  fromDriver: (text) => text.split(',').map(BigInt),
});

/** The scopes of an API key, comma-separated. */
export const scopeList = customType<{ data: readonly Scope[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: (scopes) => scopes.join(','),
  // Only scopes are ever written to this column.
  fromDriver: (text) => text.split(',') as Scope[],
});

export const address = (name: string) => text(name).$type<Address>();
export const hex = (name: string) => text(name).$type<`0x${string}`>();

// Constraints need literal values: a migration has no parameters.
export function isOneOf(column: string, values: readonly string[]): SQL {
  return sql.raw(`${column} in (${values.map((value) => `'${value}'`).join(', ')})`);
}

/** As `isOneOf`, for tables with many writes: SQLite builds a table for each evaluation of a long `in (…)`. */
export function isEither(column: string, values: readonly string[]): SQL {
  return sql.raw(values.map((value) => `${column} = '${value}'`).join(' or '));
}

export function isDecimal(column: string): SQL {
  return sql.raw(`${column} <> '' and ${column} not glob '*[^0-9]*'`);
}

/** An integer of zero or more. The type counts, because SQLite keeps fractions and holds text for greater than any number. */
export function isWholeNumber(column: string): SQL {
  return sql.raw(`typeof(${column}) = 'integer' and ${column} >= 0`);
}

/** As {@link isWholeNumber}, and not more than JavaScript's numbers hold exactly. */
export function isCount(column: string): SQL {
  return sql.raw(`typeof(${column}) = 'integer' and ${column} between 0 and ${Number.MAX_SAFE_INTEGER}`);
}

export function isAddress(column: string): SQL {
  return sql.raw(`length(${column}) = 42 and ${column} glob '0x*' and substr(${column}, 3) not glob '*[^0-9a-f]*'`);
}

export function isHash(column: string): SQL {
  return sql.raw(`length(${column}) = 66 and ${column} glob '0x*' and substr(${column}, 3) not glob '*[^0-9a-f]*'`);
}

/** At least one whole byte. */
export function isHexBytes(column: string): SQL {
  return sql.raw(
    `length(${column}) > 2 and length(${column}) % 2 = 0 and ${column} glob '0x*' and substr(${column}, 3) not glob '*[^0-9a-f]*'`,
  );
}

export function isSha256(column: string): SQL {
  return sql.raw(`length(${column}) = 64 and ${column} not glob '*[^0-9a-f]*'`);
}

export function isBoolean(column: string): SQL {
  return sql.raw(`${column} in (0, 1)`);
}
