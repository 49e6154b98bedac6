import type { ClientBase } from 'pg';
import { JOURNAL, type MigratedTo, missingMigrations } from '../sql/migrations.ts';
import { type Move, READ_MOVE, refuseMove } from '../sql/moves.ts';
import { COUNT_ALIVE } from './instances.ts';

/** What processes that start together wait for; a migration may take longer than any other statement. */
const BEGIN = [
  'begin',
  'set local statement_timeout = 0',
  'set local lock_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
  // Since PostgreSQL 17.
  "select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'",
  "select pg_advisory_xact_lock(hashtextextended('migrations:', 0))",
  `create table if not exists ${JOURNAL} (id serial primary key, hash text not null, created_at bigint)`,
];

/** Tables of the schema in which ours are made, but for those of extensions, which every new database may have. */
const FOREIGN_TABLES = `
  select exists (
    select 1 from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and c.relname <> $1
      and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  ) as "hasTables", current_database() as database`;

async function hasTable(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>('select to_regclass($1) is not null as has', [name]);
  return rows[0]?.has === true;
}

/** What the database says about itself, and about the copy of which it is a side. */
export async function readPostgresState(
  client: ClientBase,
): Promise<MigratedTo & { database: string; move: Move | undefined }> {
  const applied = (await hasTable(client, JOURNAL))
    ? (await client.query<{ hash: string }>(`select hash from ${JOURNAL} order by id`)).rows
    : [];
  const moves = (await hasTable(client, 'store_moves')) ? (await client.query<Move>(READ_MOVE)).rows : [];
  const { rows } = await client.query<{ hasTables: boolean; database: string }>(FOREIGN_TABLES, [JOURNAL]);
  const [found] = rows;
  if (found === undefined) throw new Error('PostgreSQL returned no row');
  return { ...found, applied: applied.map(({ hash }) => hash), move: moves[0] };
}

/** Refuses to change the schema under instances that were made for the one before. */
async function refuseLiving(client: ClientBase, database: string): Promise<void> {
  const { rows } = await client.query<{ alive: number }>(COUNT_ALIVE);
  const alive = rows[0]?.alive ?? 0;
  if (alive === 0) return;
  const others =
    alive === 1 ? 'an instance of an older version serves it' : `${alive} instances of an older version serve it`;
  throw new Error(`database ${database}: ${others}; stop them first, because this version changes the schema`);
}

async function apply(client: ClientBase, { folder, name }: MigrationOptions): Promise<void> {
  for (const statement of BEGIN) await client.query(statement);
  const { move, ...state } = await readPostgresState(client);
  const database = name ?? state.database;
  refuseMove(move, database);
  const missing = missingMigrations(state, { folder, database });
  if (missing.length > 0 && state.applied.length > 0) await refuseLiving(client, database);
  for (const { sql, hash, folderMillis } of missing) {
    for (const statement of sql) await client.query(statement);
    await client.query(`insert into ${JOURNAL} (hash, created_at) values ($1, $2)`, [hash, folderMillis]);
  }
  await client.query('commit');
}

export interface MigrationOptions {
  readonly folder: string;
  /** How errors name the database; by its name alone when absent. */
  readonly name?: string;
}

/**
 * Applies all missing migrations or none, in one transaction; processes that start together wait for each other.
 * @throws Error naming the database when it is another program's, was made by a newer version, or is a side of a copy
 */
export async function migratePostgres(client: ClientBase, options: MigrationOptions): Promise<void> {
  try {
    await apply(client, options);
  } catch (error) {
    // A connection that broke has undone it already.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
