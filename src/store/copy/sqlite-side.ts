import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { FENCE_REFUSES } from '../sql/moves.ts';
import { endLeases } from '../sql/operators/queues.ts';
import { explainFault } from '../sqlite/errors.ts';
import { createIdsFile, type StoredIds } from '../sqlite/files/ids-file.ts';
import { makeFilesPrivate, openPrivateDatabase } from '../sqlite/files/private-files.ts';
import { createProcessLock } from '../sqlite/files/process-lock.ts';
import { migrate, readSqliteState } from '../sqlite/migrations.ts';
import { createSql } from '../sqlite/sql.ts';
import { PLAN, type Row, selectRows, type TablePlan } from './plan.ts';
import {
  BATCH,
  FENCE,
  lacksSchema,
  NOT_ALONE,
  NOT_MIGRATED,
  refuseDatabase,
  type Side,
  type SideOptions,
} from './side.ts';

const BUSY_TIMEOUT_MS = 5_000;

/** Only PostgreSQL takes no U+0000: a copy has what today's service would have stored. */
function withoutNull(value: string | null): string | null {
  return value?.includes('\0') === true ? value.replaceAll('\0', '\uFFFD') : value;
}

function readIds(connection: Database) {
  const last = "coalesce((select seq from sqlite_sequence where name = 'gigs'), 0)";
  const text = `select word, coalesce(tip_floor, 0) as tipFloor, ${last} as gigId
    from (select 1) left join ledger_state on id = 1`;
  return connection.prepare<[], Omit<StoredIds, 'word'> & { word: string | null }>(text).get();
}

/** The file beside a database knows of ids and numbers that an older copy of the database does not have. */
function findOlder(connection: Database, path: string): string | null {
  const own = readIds(connection);
  const kept = createIdsFile(path).read();
  if (own === undefined || (kept === null && own.word === null && own.gigId === 0)) return null;
  const isWhole = kept?.word === own.word && kept.gigId <= own.gigId && kept.tipFloor <= own.tipFloor;
  return isWhole ? null : `it is not what ${path}.ids belongs to, so that it may be an older copy`;
}

/** Has the file beside a database know of the ids and numbers that the database has. */
function keepIds(connection: Database, path: string): void {
  const own = readIds(connection);
  if (!own?.word) return;
  const file = createIdsFile(path);
  // That of a database which was here before knows of ids and numbers that are lost.
  const kept = file.read();
  file.write({
    word: own.word,
    gigId: Math.max(own.gigId, kept?.gigId ?? 0),
    tipFloor: Math.max(own.tipFloor, kept?.tipFloor ?? 0),
  });
}

async function* rowsOf(
  connection: Database,
  table: TablePlan,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Row[]> {
  const text = selectRows(table, (column) => `cast(${column} as text)`);
  let batch: Row[] = [];
  try {
    for (const row of connection.prepare<[], (string | null)[]>(text).raw().iterate()) {
      batch.push(row.map(withoutNull));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    throw explain(error);
  }
  if (batch.length > 0) yield batch;
}

const FENCES = PLAN.flatMap(({ name: table }) =>
  ['insert', 'update', 'delete'].map((event) => {
    const name = `${FENCE}_${table}_${event}`;
    const refusal = `select raise(abort, '${FENCE_REFUSES}')`;
    return [
      `drop trigger if exists ${name}`,
      `create trigger ${name} before ${event} on ${table} begin ${refusal}; end`,
    ] as const;
  }),
);

function createSide(connection: Database, path: string): Side {
  const explain = (error: unknown) => explainFault(error, path);
  const run: Side['run'] = async (text, values = []) => {
    try {
      const statement = connection.prepare<unknown[], Row>(text.replaceAll(/\$\d/g, '?'));
      if (statement.reader) return statement.raw().all(...values);
      statement.run(...values);
      return [];
    } catch (error) {
      throw explain(error);
    }
  };
  return {
    name: path,
    run,
    rows: (table) => rowsOf(connection, table, explain),
    async insert({ name, columns }, rows) {
      const names = columns.map((column) => column.name).join();
      // The affinity of a column makes an integer of its text.
      const statement = connection.prepare(`insert into ${name} (${names}) values (${columns.map(() => '?').join()})`);
      for (const row of rows) statement.run(row);
    },
    // References are compared when the transaction commits.
    begin: ['begin immediate', 'pragma defer_foreign_keys = on'],
    async extras() {
      const made = "type in ('trigger', 'index') and sql is not null order by type desc, rowid desc";
      const rows = await run(`select 'drop ' || type || ' ' || name, sql from sqlite_schema where ${made}`);
      return rows.map(([drop, make]) => [String(drop), String(make)]);
    },
    fences: FENCES,
    counts: (table, counted) => ({ table, insert: `insert into ${table} ${counted}` }),
    // What a service has set in SQLite's own table may be a floating-point number.
    highestId: (table, id) => `select cast(cast(coalesce(max(id), 0) as integer) as text) from
      (select max(${id}) as id from ${table} union all select seq from sqlite_sequence where name = '${table}')`,
    keepHighestId: (table, _id, highest) => [
      `delete from sqlite_sequence where name = '${table}'`,
      `insert into sqlite_sequence (name, seq) select '${table}', ${highest} from sqlite_schema
        where type = 'table' and name = '${table}' and sql like '%autoincrement%'`,
    ],
    findDoubt: async () => findOlder(connection, path),
    async finish() {
      await endLeases(createSql(connection));
      // What comes from a server has no word.
      const change = 'on conflict (id) do update set word = coalesce(word, excluded.word)';
      await run(`insert into ledger_state (id, word) values (1, $1) ${change}`, [randomUUID()]);
    },
    prepareToOpen: async () => keepIds(connection, path),
  };
}

function openFile(path: string, options: SideOptions): Database {
  const folder = options.migrationsFolder;
  if (!options.isTarget && !existsSync(path)) refuseDatabase(path, NOT_MIGRATED);
  const connection = openPrivateDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Also the folder is on disk when a commit returns, in every journal mode: the source is marked as moved afterwards.
    connection.pragma('synchronous = EXTRA');
    connection.pragma('foreign_keys = ON');
    if (lacksSchema(readSqliteState(connection), { ...options, folder, database: path }))
      migrate(connection, { folder, path });
    makeFilesPrivate(path);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Runs work on a SQLite file that no other process serves meanwhile. @throws Error naming the path */
export async function withSqliteSide<T>(
  path: string,
  options: SideOptions,
  work: (side: Side) => Promise<T>,
): Promise<T> {
  try {
    const connection = openFile(path, options);
    const lock = createProcessLock(`${path}.lock`);
    try {
      const done = await lock.acquire(async () => ({ result: await work(createSide(connection, path)) }));
      return done === null ? refuseDatabase(path, NOT_ALONE) : done.result;
    } finally {
      lock.close();
      connection.close();
    }
  } catch (error) {
    throw explainFault(error, path);
  }
}
