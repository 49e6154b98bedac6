import type { Database } from 'better-sqlite3';
import { JOURNAL, type MigratedTo, missingMigrations } from '../sql/migrations.ts';
import { type Move, READ_MOVE, refuseMove } from '../sql/moves.ts';

/** What the database says about itself, and of the copy of which it is a side. */
export function readSqliteState(connection: Database): MigratedTo & { move: Move | undefined } {
  const table = connection.prepare<[string]>("select 1 from sqlite_schema where type = 'table' and name = ?");
  const has = (name: string) => table.get(name) !== undefined;
  const applied = has(JOURNAL)
    ? connection.prepare<[], string>(`select hash from ${JOURNAL} order by id`).pluck().all()
    : [];
  const move = has('store_moves') ? connection.prepare<[], Move>(READ_MOVE).get() : undefined;
  const foreign = connection.prepare<[string], string>(
    "select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*' and name <> ?",
  );
  return { applied, move, hasTables: foreign.get(JOURNAL) !== undefined };
}

/** Signed transfers of version 0.2.0 may still be included, and only that version can end them. */
function refuseOpenTransfers(connection: Database, path: string): void {
  const tables = connection.prepare("select 1 from sqlite_schema where type = 'table' and name = 'transfers'");
  if (tables.get() === undefined) return;
  const open = connection.prepare("select 1 from transfers where state in ('signed', 'broadcast')");
  if (open.get() === undefined) return;
  const remedy = 'start that version again, and let it finish them';
  throw new Error(`database ${path}: it has payments of version 0.2.0 that are under way; ${remedy}`);
}

function apply(connection: Database, options: { folder: string; path: string }): void {
  connection.exec(
    `create table if not exists ${JOURNAL} (id integer primary key, hash text not null, created_at numeric)`,
  );
  const record = connection.prepare(`insert into ${JOURNAL} (hash, created_at) values (?, ?)`);
  const { folder, path } = options;
  const state = readSqliteState(connection);
  refuseMove(state.move, path);
  const migrations = missingMigrations(state, { folder, database: path });
  if (migrations.length > 0) refuseOpenTransfers(connection, path);
  for (const migration of migrations) {
    for (const statement of migration.sql) connection.exec(statement);
    record.run(migration.hash, migration.folderMillis);
  }
  if (migrations.length === 0) return;
  const broken = connection.pragma('foreign_key_check');
  if (Array.isArray(broken) && broken.length > 0) {
    throw new Error(`database ${path}: a migration would break ${broken.length} references`);
  }
}

/**
 * Applies all missing migrations or none; processes that start together wait for each other. Leaves foreign keys on.
 * @throws Error naming the path when the database is another program's, was made by a newer version, or is a side of a copy
 */
export function migrate(connection: Database, options: { folder: string; path: string }): void {
  // A migration that rebuilds a table drops the old one; with foreign keys on, that would cascade to its child rows.
  connection.pragma('foreign_keys = OFF');
  // A migration that changes a constraint edits its text in `sqlite_schema`, and no row is written anew.
  connection.unsafeMode(true);
  connection.transaction(() => apply(connection, options)).immediate();
  connection.unsafeMode(false);
  connection.pragma('foreign_keys = ON');
}
