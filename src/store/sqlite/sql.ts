import type { Database, Statement as SqliteStatement } from 'better-sqlite3';
import { Param, Placeholder, type Query } from 'drizzle-orm';
import {
  BaseSQLiteDatabase,
  type SelectedFieldsOrdered,
  SQLiteAsyncDialect,
  SQLiteSession,
} from 'drizzle-orm/sqlite-core';
import type { Built, RowOf, Sql, Values } from '../sql/engine.ts';
import { createBinding, createMapping, type SelectedField } from '../sql/mapping.ts';
import { SQLITE_KIT } from './kit.ts';
import * as tables from './tables.ts';

/** The SQL literal of a constant. @throws TypeError for a type that no statement has as a constant */
function literalOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'boolean') return value ? '1' : '0';
  throw new TypeError(`a statement has a constant of type ${typeof value}`);
}

function isGiven(param: unknown): boolean {
  return param instanceof Placeholder || (param instanceof Param && param.value instanceof Placeholder);
}

/**
 * The same query in a form whose plan SQLite keeps. SQLite prepares a statement again at each run when its plan may depend on
 * a bound value, which takes up to ten times as long as the run. So constants become literals, and a bound limit becomes a
 * sum. A test compares each read with its twin of literals.
 */
function withLastingPlan({ sql, params, ...query }: Query): Query {
  const parts = sql.split('?');
  if (parts.length !== params.length + 1) throw new TypeError(`a statement has other question marks: ${sql}`);
  const given = params.filter(isGiven);
  const text = parts.map((part, index) => {
    if (index === params.length) return part;
    const param = params[index];
    if (!isGiven(param)) return part + literalOf(param);
    return part.endsWith(' limit ') ? `${part}0 + ?` : `${part}?`;
  });
  return { ...query, sql: text.join(''), params: given };
}

interface SyncStatement<Row> {
  all(values?: Values): Row[];
  get(values?: Values): Row | undefined;
  run(values?: Values): number;
  /** The id of the row that it inserted; null when it inserted none. */
  insert(values?: Values): number | null;
}

function createStatement(
  statement: SqliteStatement<unknown[], readonly unknown[]>,
  { params, fields }: { params: readonly unknown[]; fields: readonly SelectedField[] | undefined },
): SyncStatement<unknown> {
  const bind = createBinding(params);
  const toObject = createMapping(fields ?? []);
  if (statement.reader) statement.raw();
  return {
    all: (values) => statement.all(bind(values)).map(toObject),
    get(values) {
      const row = statement.get(bind(values));
      return row === undefined ? undefined : toObject(row);
    },
    run: (values) => statement.run(bind(values)).changes,
    insert(values) {
      const { changes, lastInsertRowid } = statement.run(bind(values));
      return changes === 0 ? null : Number(lastInsertRowid);
    },
  };
}

class Session extends SQLiteSession<'async', number, Record<string, never>, Record<string, never>> {
  readonly #connection: Database;

  constructor(connection: Database, dialect: SQLiteAsyncDialect) {
    super(dialect);
    this.#connection = connection;
  }

  prepareQuery(query: Query, fields: SelectedFieldsOrdered | undefined) {
    const { sql, params } = withLastingPlan(query);
    const statement = createStatement(this.#connection.prepare(sql), { params, fields });
    // Only `createSql` calls a prepared query, and no other of its methods.
    return statement as unknown as ReturnType<SQLiteSession<'async', number, never, never>['prepareQuery']>;
  }

  transaction(): never {
    throw new TypeError('transactions are opened by the writer alone');
  }
}

export interface SqliteSql extends Sql {
  /** As `prepare`, for a query of one row that is answered at once. */
  prepareNow<Rows>(query: Built<Rows>): Pick<SyncStatement<RowOf<Rows>>, 'get'>;
}

/**
 * The shared queries' way to a connection. A process uses few statements, and preparing all takes 45 ms of its start, so
 * each is prepared at its first use.
 * @param options.isEager prepares each statement at once, so that tests can read all query plans
 */
export function createSql(connection: Database, { isEager = false } = {}): SqliteSql {
  const dialect = new SQLiteAsyncDialect();
  const build = new BaseSQLiteDatabase<'async', number>('async', dialect, new Session(connection, dialect), undefined);

  function prepareLate<Rows>(query: Built<Rows>): () => SyncStatement<RowOf<Rows>> {
    // The session makes each prepared query.
    const make = () => query.prepare('') as SyncStatement<RowOf<Rows>>;
    let made = isEager ? make() : undefined;
    return () => {
      made ??= make();
      return made;
    };
  }

  return {
    kit: SQLITE_KIT,
    tables,
    // For the reason for which the kit is cast: at run time both builders have what the shared queries call.
    build: build as unknown as Sql['build'],
    prepare(query) {
      const statement = prepareLate(query);
      return {
        all: async (values) => statement().all(values),
        get: async (values) => statement().get(values),
        run: async (values) => statement().run(values),
      };
    },
    // Without `returning`: SQLite would look for children of the new row, in whole tables where no index helps.
    prepareInsert(query) {
      const statement = prepareLate(query);
      return async (values) => statement().insert(values);
    },
    prepareNow(query) {
      const statement = prepareLate(query);
      return { get: (values) => statement().get(values) };
    },
  };
}
