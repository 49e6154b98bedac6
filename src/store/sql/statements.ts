import { asc, type Column, desc, getTableColumns, Param, type SQL, sql } from 'drizzle-orm';
import type { PgTable, PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { TwoWayPage } from '../port/page.ts';
import type { NounSql, PreparedStatement, Sql, Values } from './engine.ts';

/** Each of these once. */
export function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}

/**
 * The condition that a column has the value of a parameter. It is written as a list of one, because SQLite prepares many
 * statements with `column = ?` again at each run.
 */
export function equals(column: Column, parameter: string): SQL {
  return sql`${column} in (${sql.placeholder(parameter)})`;
}

/** The value of a parameter, for an update or an expression. */
export function bound(parameter: string): SQL {
  return sql`${sql.placeholder(parameter)}`;
}

/** The value of a parameter, as a column stores it. */
export function typed(column: Column, parameter: string): Param {
  return new Param(sql.placeholder(parameter), column);
}

/** The values of parameters under the names of their columns, as these store them, for an insert or an update. */
export function boundTo<Table extends PgTable, const Name extends keyof Table['_']['columns'] & string>(
  table: Table,
  ...names: readonly Name[]
): Record<Name, SQL> {
  const columns: Readonly<Record<string, Column>> = getTableColumns(table);
  const entries = names.map((name) => {
    const column = columns[name];
    if (column === undefined) throw new TypeError(`there is no column ${name}`);
    return [name, sql`${typed(column, name)}`];
  });
  // TypeScript does not track entries.
  return Object.fromEntries(entries) as Record<Name, SQL>;
}

/** JSON has no integers of any size, so they are text in it; the statement makes integers of them again. */
function toJson(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Rows that a statement gets as one parameter, a list of objects, so that it does for all what it would do for one.
 * @param columns whose values the objects have under these names
 * @returns the rows, to select or update from, and their values by name
 */
export function givenRows<const Name extends string>(
  { kit }: Sql,
  parameter: string,
  columns: Readonly<Record<Name, Column>>,
): { readonly rows: SQL; readonly given: Readonly<Record<Name, SQL>> } {
  const entries = Object.entries<Column>(columns);
  const encode = (row: Values) =>
    Object.fromEntries(
      entries.map(([name, column]) => [name, row[name] === null ? null : column.mapToDriverValue(row[name])]),
    );
  const encoder = {
    mapToDriverValue: (rows: unknown) => JSON.stringify((rows as readonly Values[]).map(encode), toJson),
  };
  const given = Object.fromEntries(entries.map(([name]) => [name, sql.raw(`given."${name}"`)]));
  return {
    rows: kit.rowsOf(new Param(sql.placeholder(parameter), encoder), columns),
    // TypeScript does not track entries; the names are those of `columns`.
    given: given as Record<Name, SQL>,
  };
}

/** What an insert of given rows selects: each column of the table, by `set` or from the rows, else null. */
export function selectGiven<Table extends PgTable>(
  table: Table,
  { rows, given }: { readonly rows: SQL; readonly given: Readonly<Record<string, SQL>> },
  set: Readonly<Partial<Record<keyof Table['_']['columns'] & string, SQL>>>,
): SQL {
  const values: Readonly<Record<string, SQL>> = { ...given, ...set };
  const selected = Object.keys(getTableColumns(table)).map((name) => values[name] ?? sql`null`);
  // With a condition SQLite does not take what may follow for a part of the selection.
  return sql`select ${sql.join(selected, sql`, `)} from ${rows} where true`;
}

/** Prepares an update of one row; it returns whether there was a row that meets the condition. */
export function prepareChange<Table extends PgTable>(
  { build, prepare }: Sql,
  table: Table,
  set: PgUpdateSetSource<Table>,
  condition: SQL | undefined,
): (values: Values) => Promise<boolean> {
  const update = prepare(build.update(table).set(set).where(condition));
  return async (values) => (await update.run(values)) === 1;
}

/**
 * Prepares a list by its ids in both directions: each is a walk along the same index.
 * @param prepareSide prepares the list of what is on one side of a position, in this order
 */
export function prepareTwoWays<Row>(
  id: Column | SQL,
  prepareSide: (isOnSide: SQL, order: SQL) => PreparedStatement<Row>,
): (values: TwoWayPage & Values) => Promise<Row[]> {
  const newest = prepareSide(sql`${id} < ${sql.placeholder('before')}`, desc(id));
  const oldest = prepareSide(sql`${id} > ${sql.placeholder('after')}`, asc(id));
  return ({ before = Number.MAX_SAFE_INTEGER, after, ...values }) =>
    after === undefined ? newest.all({ ...values, before }) : oldest.all({ ...values, after });
}

/** Runs an async read for each item, in any order, and gives the results in the order of the items. */
export async function readEach<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return await Promise.all(items.map(run));
}

/** Runs an async change for each item, one after another, and gives the results in the order of the items. */
export async function changeEach<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

/**
 * Waits for changes that have begun, of which none needs the answer of another: a server is sent what each begins with at once. All
 * have ended when one has failed, so that nothing is sent after the end of the transaction.
 */
export async function changeAtOnce<const Changes extends readonly Promise<unknown>[]>(
  changes: Changes,
): Promise<{ readonly [Place in keyof Changes]: Awaited<Changes[Place]> }> {
  await Promise.allSettled(changes);
  // TypeScript takes the type of the list for one that it does not know.
  return (await Promise.all(changes)) as { readonly [Place in keyof Changes]: Awaited<Changes[Place]> };
}

/** How many rows one statement inserts: it takes about a millisecond. */
const ROWS_AT_ONCE = 50;

/**
 * Runs a change of many rows part by part, one after another, and lets the event loop turn between the parts.
 * @param atOnce how many rows a part has
 * @returns the results of all in their order
 */
export async function changeParts<Item, Result>(
  { rest }: NounSql,
  items: readonly Item[],
  run: (part: readonly Item[]) => Promise<readonly Result[]>,
  atOnce = ROWS_AT_ONCE,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += atOnce) {
    if (from > 0) await rest();
    results.push(...(await run(items.slice(from, from + atOnce))));
  }
  return results;
}

/** The first of the ids that no row has, or that was named before. */
export function firstMissing(ids: readonly number[], rows: readonly { readonly id: number }[]): number | undefined {
  const left = new Set(rows.map(({ id }) => id));
  return ids.find((id) => !left.delete(id));
}

/** What an insert that always inserts a row gave. @throws TypeError when it inserted none */
export async function theId(given: Promise<number | null>): Promise<number> {
  const id = await given;
  if (id === null) throw new TypeError('the statement inserted no row');
  return id;
}

/** The row of a statement that always returns one. @throws TypeError when it returned none */
export async function theRow<Row>(found: Promise<Row | undefined>): Promise<Row> {
  const row = await found;
  if (row === undefined) throw new TypeError('the statement returned no row');
  return row;
}
