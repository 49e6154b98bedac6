import type { Database } from 'better-sqlite3';
import { Param, Placeholder, type Query } from 'drizzle-orm';
import type { Db } from './connection.ts';

type Values = Readonly<Record<string, unknown>>;

export interface LeanStatement<Row extends readonly unknown[]> {
  /** The first row, its columns in the order of the statement and as SQLite holds them. */
  get(values: Values): Row | undefined;
  /** How many rows it changed, and the row id that it gave to the last one it inserted. */
  run(values: Values): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}

/** Where one parameter comes from. */
function sourceOf(param: unknown): (values: Values) => unknown {
  if (param instanceof Placeholder) return (values) => values[param.name];
  if (param instanceof Param && param.value instanceof Placeholder) {
    const { encoder, value } = param;
    return (values) => encoder.mapToDriverValue(values[value.name]);
  }
  return () => param;
}

/** Connections whose statements are prepared at creation. */
const prepareEarly = new WeakSet<Database>();

/** Makes statements of this connection prepare at creation from now on, so that tests can read all query plans. */
export function prepareAtOnce({ $client }: Db): void {
  prepareEarly.add($client);
}

/** Prepares a statement at first use: a process uses few of them, and preparing all takes 45 ms of its start. */
function whenUsed<Statement>({ $client }: Db, make: () => Statement): () => Statement {
  let made: Statement | undefined = prepareEarly.has($client) ? make() : undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A Drizzle statement. Do not change the query afterwards: it is read at first use. */
export function prepare<Prepared extends Record<'all' | 'get' | 'run', (values?: Values) => unknown>>(
  db: Db,
  query: { prepare(): Prepared },
): Pick<Prepared, 'all' | 'get' | 'run'> {
  const prepared = whenUsed(db, () => query.prepare());
  return {
    all: (values) => prepared().all(values),
    get: (values) => prepared().get(values),
    run: (values) => prepared().run(values),
  } as Pick<Prepared, 'all' | 'get' | 'run'>;
}

/**
 * A statement that runs often. It skips Drizzle's mapping of placeholders and rows, which takes 2 to 6 µs per run,
 * about as much as SQLite itself.
 */
export function prepareRaw<Row extends readonly unknown[] = never>(
  db: Db,
  query: { toSQL(): Query },
): LeanStatement<Row> {
  const prepared = whenUsed(db, () => {
    const { sql, params } = query.toSQL();
    const statement = db.$client.prepare<unknown[], Row>(sql);
    const sources = params.map(sourceOf);
    if (statement.reader) statement.raw();
    return { statement, bind: (values: Values) => sources.map((source) => source(values)) };
  });
  return {
    get: (values) => prepared().statement.get(prepared().bind(values)),
    run: (values) => prepared().statement.run(prepared().bind(values)),
  };
}
