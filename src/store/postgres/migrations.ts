import type { ClientBase } from 'pg';
import { JOURNAL, type MigratedTo, missingMigrations } from '../sql/migrations.ts';

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

async function apply(client: ClientBase, folder: string): Promise<void> {
  for (const statement of BEGIN) await client.query(statement);
  const { database, ...state } = await readMigratedTo(client);
  for (const { sql, hash, folderMillis } of missingMigrations(state, { folder, database })) {
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
