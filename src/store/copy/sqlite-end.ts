import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { missingMigrations } from '../sql/migrations.ts';
import { FENCE_REFUSES, type Move, READ_MOVE } from '../sql/moves.ts';
import { endLeases } from '../sql/queues.ts';
import { explainFault } from '../sqlite/errors.ts';
import { createIdsFile, type KeptIds } from '../sqlite/ids-file.ts';
import { migrate, readSqliteState } from '../sqlite/migrations.ts';
import { makeFilesPrivate, openPrivateDatabase } from '../sqlite/private-files.ts';
import { createProcessLock } from '../sqlite/process-lock.ts';
import { createSql } from '../sqlite/sql.ts';
import {
  BATCH,
  type EndOptions,
  type EndReads,
  explaining,
  type Loading,
  NOT_ALONE,
  NOT_IN_STATE,
  NOT_MIGRATED,
  OLDER_SCHEMA,
  refuseDatabase,
  type StoreEnd,
} from './end.ts';
import { COUNTED, EMPTY_AT_FIRST, OPENED, PLAN, type Row, type TablePlan } from './plan.ts';

const BUSY_TIMEOUT_MS = 5_000;
const FENCE = 'store_moves_fence';

/** Only PostgreSQL takes no U+0000: a copy has what today's service would have stored. */
function withoutNull(value: string | null): string | null {
  return value?.includes('\0') === true ? value.replaceAll('\0', '\uFFFD') : value;
}

function createReads(connection: Database): EndReads {
  return {
    async *rows({ name, columns, key }) {
      const cells = columns.map((column) => `cast(${column.name} as text)`);
      const counting = COUNTED[name] === undefined ? '' : 'where n <> 0';
      const order = key.map((column) => `${name}.${column}`).join();
      const text = `select ${cells.join()} from ${name} ${counting} order by ${order}`;
      let batch: Row[] = [];
      for (const row of connection.prepare<[], (string | null)[]>(text).raw().iterate()) {
        batch.push(row.map(withoutNull));
        if (batch.length < BATCH) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    async highestId({ name, id }) {
      if (id === null) return 0n;
      const text = `select max(id) from (select max(${id}) as id from ${name} union all select seq from sqlite_sequence where name = ?)`;
      return connection.prepare<[string], bigint | null>(text).pluck().safeIntegers().get(name) ?? 0n;
    },
  };
}

/** Whether SQLite keeps the last id of a table, and gives none twice. */
function isAutoincrement(connection: Database, table: TablePlan): boolean {
  const text = "select sql like '%autoincrement%' from sqlite_schema where type = 'table' and name = ?";
  return connection.prepare<[string], number>(text).pluck().get(table.name) === 1;
}

function createLoading(connection: Database): Loading {
  return {
    ...createReads(connection),
    async insert({ name, columns }, rows) {
      const text = `insert into ${name} (${columns.map((column) => column.name).join()}) values (${columns.map(() => '?').join()})`;
      // The affinity of a column makes an integer of its text.
      const statement = connection.prepare(text);
      for (const row of rows) statement.run(row);
    },
    async count() {
      for (const [table, counts] of Object.entries(COUNTED)) connection.exec(`insert into ${table} ${counts}`);
    },
    async keepHighestId(table, id) {
      if (id === 0n || !isAutoincrement(connection, table)) return;
      connection.prepare('delete from sqlite_sequence where name = ?').run(table.name);
      connection.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table.name, id);
    },
    async endLeases() {
      await endLeases(createSql(connection));
    },
  };
}

/** What the database itself has of what the file beside it keeps. */
function readIds(connection: Database) {
  const last = "coalesce((select seq from sqlite_sequence where name = 'gigs'), 0)";
  const text = `select word, coalesce(tip_floor, 0) as tipFloor, ${last} as gigId
    from (select 1) left join ledger_state on id = 1`;
  return connection.prepare<[], Omit<KeptIds, 'word'> & { word: string | null }>(text).get();
}

/** Has ids go on in the copy as they would have in its source: what comes from a server has no word and no file. */
function keepIds(connection: Database, path: string): void {
  const change = 'on conflict (id) do update set word = coalesce(word, excluded.word)';
  connection.prepare(`insert into ledger_state (id, word) values (1, ?) ${change}`).run(randomUUID());
  const kept = readIds(connection);
  if (kept?.word) createIdsFile(path).write({ ...kept, word: kept.word });
}

/** Why ids and numbers may have been given that a database does not have: the file beside it knows when it was put back. */
function findOlder(connection: Database, path: string): string | null {
  const own = readIds(connection);
  const kept = createIdsFile(path).read();
  if (own === undefined || (kept === null && own.word === null && own.gigId === 0)) return null;
  const isWhole = kept?.word === own.word && kept.gigId <= own.gigId && kept.tipFloor <= own.tipFloor;
  return isWhole ? null : `it is not what ${path}.ids belongs to, so that it may be an older copy`;
}

/** Runs work without triggers and indices, which would be kept up for each row; makes them again from their own text. */
async function withoutExtras(connection: Database, work: () => Promise<void>): Promise<void> {
  const text =
    "select type, name, sql from sqlite_schema where type in ('trigger', 'index') and sql is not null order by type, rowid";
  const extras = connection.prepare<[], { type: string; name: string; sql: string }>(text).all();
  for (const { type, name } of extras) connection.exec(`drop ${type} ${name}`);
  await work();
  for (const { sql } of extras) connection.exec(sql);
}

function fenceTriggers(): string[] {
  return PLAN.flatMap(({ name }) =>
    ['insert', 'update', 'delete'].map(
      (event) =>
        `create trigger ${FENCE}_${name}_${event} before ${event} on ${name} begin select raise(abort, '${FENCE_REFUSES}'); end`,
    ),
  );
}

function createEnd(connection: Database, path: string): StoreEnd {
  async function transaction<T>(begin: string, work: () => Promise<T>): Promise<T> {
    connection.exec(begin);
    try {
      const result = await work();
      connection.exec('commit');
      return result;
    } catch (error) {
      if (connection.inTransaction) connection.exec('rollback');
      throw error;
    }
  }
  const change = (text: string, ...values: readonly string[]) => {
    if (connection.prepare(text).run(...values).changes !== 1) refuseDatabase(path, NOT_IN_STATE);
  };
  const advance: StoreEnd['advance'] = async ({ move, from, to }) => {
    change('update store_moves set state = ? where move = ? and state = ?', to, move, from);
  };
  const isEmpty = async () =>
    EMPTY_AT_FIRST.every(({ name }) => connection.prepare(`select 1 from ${name}`).get() === undefined);
  const fences = connection.prepare<[], string>(
    `select name from sqlite_schema where type = 'trigger' and name glob '${FENCE}*'`,
  );
  return {
    ...createReads(connection),
    name: path,
    readMove: async () => connection.prepare<[], Move>(READ_MOVE).get(),
    findDoubt: async () => findOlder(connection, path),
    isEmpty,
    fence: ({ state, move, other }) =>
      transaction('begin immediate', async () => {
        if (fences.pluck().get() === undefined) for (const trigger of fenceTriggers()) connection.exec(trigger);
        const text = 'insert or replace into store_moves (id, state, move, other) values (1, ?, ?, ?)';
        connection.prepare(text).run(state, move, other);
      }),
    advance,
    open: ({ move, state }) =>
      transaction('begin immediate', async () => {
        change('delete from store_moves where move = ? and state = ?', move, state);
        for (const name of fences.pluck().all()) connection.exec(`drop trigger ${name}`);
      }),
    snapshot: (work) => transaction('begin', work),
    load: (step, work) =>
      transaction('begin immediate', async () => {
        if (!(await isEmpty())) refuseDatabase(path, 'it is not empty');
        await withoutExtras(connection, async () => {
          for (const name of OPENED) connection.exec(`delete from ${name}`);
          await work(createLoading(connection));
          keepIds(connection, path);
        });
        await advance(step);
      }),
    settle: async () => undefined,
  };
}

function openFile(path: string, { migrationsFolder, isTarget, isAnyVersion = false }: EndOptions): Database {
  if (!isTarget && !existsSync(path)) refuseDatabase(path, NOT_MIGRATED);
  const connection = openPrivateDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Also the folder is on disk when a commit returns, in every journal mode: the source is marked as moved afterwards.
    connection.pragma('synchronous = EXTRA');
    connection.pragma('foreign_keys = ON');
    const { applied, hasTables } = readSqliteState(connection);
    const isFresh = applied.length === 0 && !hasTables;
    if (isFresh && isTarget) migrate(connection, { folder: migrationsFolder, path });
    else if (isFresh) refuseDatabase(path, NOT_MIGRATED);
    else if (missingMigrations({ applied, hasTables }, { folder: migrationsFolder, database: path }).length > 0) {
      if (!isAnyVersion) refuseDatabase(path, OLDER_SCHEMA);
    }
    makeFilesPrivate(path);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Runs work on a SQLite file that no other process serves meanwhile. @throws Error naming the path */
export async function withSqliteEnd<T>(
  path: string,
  options: EndOptions,
  work: (end: StoreEnd) => Promise<T>,
): Promise<T> {
  const explain = (error: unknown) => explainFault(error, path);
  try {
    const connection = openFile(path, options);
    const lock = createProcessLock(`${path}.lock`);
    try {
      const end = explaining(createEnd(connection, path), explain);
      const done = await lock.acquire(async () => ({ result: await work(end) }));
      if (done === null) refuseDatabase(path, NOT_ALONE);
      return done.result;
    } finally {
      lock.close();
      connection.close();
    }
  } catch (error) {
    throw explain(error);
  }
}
