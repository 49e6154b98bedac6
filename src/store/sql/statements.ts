import { type Column, eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import { type Db, prepare } from '../sqlite/kit.ts';

/** The condition that a column has the value of a parameter. */
export function equals(column: Column, parameter: string): SQL {
  return eq(column, sql.placeholder(parameter));
}

/** The value of a parameter, for an update or an expression. */
export function bound(parameter: string): SQL {
  return sql`${sql.placeholder(parameter)}`;
}

/** Prepares an update of one row; it returns whether there was a row that meets the condition. */
export function prepareChange<Table extends SQLiteTable>(
  db: Db,
  table: Table,
  set: SQLiteUpdateSetSource<Table>,
  condition: SQL | undefined,
) {
  const update = prepare(db, db.update(table).set(set).where(condition));
  return (values: Readonly<Record<string, unknown>>): boolean => update.run(values).changes === 1;
}
