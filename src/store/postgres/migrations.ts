import type { ClientBase } from 'pg';
import { JOURNAL, type MigratedTo, missingMigrations } from '../sql/migrations.ts';
import { COUNT_ALIVE } from './instances.ts';

/** What processes that start together wait for; a migration may take longer than any other statement. */
const BEGIN = [
  'begin',
  'set local statement_timeout = 0',
  'set local lock_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
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

async function readMigratedTo(client: ClientBase): Promise<MigratedTo & { database: string }> {
  const { rows: applied } = await client.query<{ hash: string }>(`select hash from ${JOURNAL} order by id`);
  const { rows } = await client.query<{ hasTables: boolean; database: string }>(FOREIGN_TABLES, [JOURNAL]);
  const [found] = rows;
  if (found === undefined) throw new Error('PostgreSQL returned no row');
  return { ...found, applied: applied.map(({ hash }) => hash) };
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

async function apply(client: ClientBase, folder: string): Promise<void> {
  for (const statement of BEGIN) await client.query(statement);
  const { database, ...state } = await readMigratedTo(client);
  const missing = missingMigrations(state, { folder, database });
  if (missing.length > 0 && state.applied.length > 0) await refuseLiving(client, database);
  for (const { sql, hash, folderMillis } of missing) {
    for (const statement of sql) await client.query(statement);
    await client.query(`insert into ${JOURNAL} (hash, created_at) values ($1, $2)`, [hash, folderMillis]);
  }
  await client.query('commit');
}

/**
 * Applies all missing migrations or none, in one transaction; processes that start together wait for each other.
 * @throws Error naming the database when it is another program's, or was made by a newer version
 */
export async function migratePostgres(client: ClientBase, options: { folder: string }): Promise<void> {
  try {
    await apply(client, options.folder);
  } catch (error) {
    // A connection that broke has undone it already.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
