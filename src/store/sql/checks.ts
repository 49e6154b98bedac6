import { type SQL, sql } from 'drizzle-orm';

// Constraints need literal values: a migration has no parameters.
export function isOneOf(column: string, values: readonly string[]): SQL {
  return sql.raw(`${column} in (${values.map((value) => `'${value}'`).join(', ')})`);
}

/** As `isOneOf`, for tables with many writes: SQLite builds a table for each evaluation of a long `in (…)`. */
export function isEither(column: string, values: readonly string[]): SQL {
  return sql.raw(values.map((value) => `${column} = '${value}'`).join(' or '));
}
