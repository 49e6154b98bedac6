import type { Database } from 'better-sqlite3';

/** SQL: a table of the numbers below `count`, as `i`. */
export function numbers(count: number): string {
  return `(with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1}) select i from n)`;
}

/** Inserts `count` rows by one statement; `i` counts them from 0. A text in `columns` is SQL. */
export function insert(
  database: Database,
  table: string,
  columns: Readonly<Record<string, string | number>>,
  count: number,
): void {
  const names = Object.keys(columns).join(', ');
  database.exec(`insert into ${table} (${names}) select ${Object.values(columns).join(', ')} from ${numbers(count)}`);
}

/** Each index is built at once instead of with every row, and what triggers keep is written by the caller. */
export function withoutIndices(database: Database, fill: () => void): void {
  const made = database
    .prepare<[], { type: string; name: string; sql: string }>(
      `select type, name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null
        and tbl_name in ('accounts', 'claims', 'earnings', 'mentions', 'observations', 'payments', 'replies', 'tips')`,
    )
    .all();
  for (const { type, name } of made) database.exec(`drop ${type} ${name}`);
  fill();
  for (const { sql } of made) database.exec(sql);
}

/** SQL: a value as lower-case hexadecimal digits after 0x. */
export const padded = (value: string, digits: number) => `'0x' || printf('%0${digits}x', ${value})`;
