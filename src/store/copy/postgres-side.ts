import type { Client, QueryConfig } from 'pg';
import { serverDatabaseName } from '../../domain/settings/database-url.ts';
import { STEADY, withConnection } from '../postgres/connections/pools.ts';
import { type InSession, proveCommit, proveSessions } from '../postgres/connections/proof.ts';
import { refuseUnsafeServer, STOP } from '../postgres/connections/server.ts';
import { openDatabaseSession } from '../postgres/connections/session.ts';
import { explainServerFault } from '../postgres/errors.ts';
import { COUNT_ALIVE } from '../postgres/instances.ts';
import { migratePostgres, readPostgresState } from '../postgres/migrations.ts';
import { createPostgresSql } from '../postgres/sql.ts';
import { FENCE_REFUSES } from '../sql/moves.ts';
import { endLeases } from '../sql/operators/queues.ts';
import { COPIED, selectRows } from './plan.ts';
import { BATCH, FENCE, lacksSchema, NOT_ALONE, refuseDatabase, type Side, type SideOptions } from './side.ts';

const NAMES = COPIED.map(({ name }) => name);
/** Held while a copy uses the database. */
const LOCK = "hashtextextended('copy:', 0)";

/** A statement may take as long as the ledger is large; a lock is waited for longer than a stopped instance can hold it. */
const SESSION = [
  STEADY,
  'set statement_timeout = 0',
  'set idle_in_transaction_session_timeout = 0',
  "set lock_timeout = '15s'",
].join('; ');

/** What is made again once the rows are there: faster than keeping it up for each row, and checked then all the same. */
const EXTRAS = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname),
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid::regclass::text = any($1)
  union all
  select format('alter table %s disable trigger user', name), format('alter table %s enable trigger user', name)
  from unnest($1::text[]) as name
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  from pg_index where indrelid::regclass::text = any($1)
    and not exists (select 1 from pg_constraint where conindid = indexrelid)
  order by 1`;

function counts(counted: string, text: string) {
  const table = counted.replace(/s$/, '_parts');
  const subject = counted === 'state_counts' ? 'subject' : 'gig_id';
  const columns = `(${subject}, state, part, n)`;
  return {
    table,
    insert: `insert into ${table} ${columns} select ${subject}, state, 0, n from (${text}) as counted`,
  };
}

const FENCES = NAMES.map((table): [string, string] => [
  `drop trigger if exists ${FENCE} on ${table}`,
  `create trigger ${FENCE} before insert or update or delete or truncate on ${table}
    for each statement execute function refuse('${FENCE_REFUSES}')`,
]);

function createSide(client: Client, name: string, { isAnyVersion }: SideOptions): Side {
  async function query(config: QueryConfig): Promise<(string | null)[][]> {
    try {
      return (await client.query<(string | null)[]>({ ...config, rowMode: 'array' })).rows;
    } catch (error) {
      throw explainServerFault(error, name);
    }
  }
  const run = (text: string, values: readonly string[] = []) => query({ text, values: [...values] });
  return {
    name,
    run,
    async *rows(table) {
      const select = selectRows(table, (column, type) => `${column}${type === 'boolean' ? '::int' : ''}::text`);
      await run(`declare copied no scroll cursor for ${select}`);
      for (;;) {
        const rows = await run(`fetch ${BATCH} from copied`);
        if (rows.length > 0) yield rows;
        if (rows.length < BATCH) break;
      }
      await run('close copied');
    },
    async insert({ name: table, columns }, rows) {
      const names = columns.map((column) => column.name).join();
      const values = columns.map((column) => `${column.name}::${column.type}`).join();
      const lists = columns.map((_, place) => `$${place + 1}::text[]`).join();
      const text = `insert into ${table} (${names}) select ${values} from unnest(${lists}) as given (${names})`;
      const cells = columns.map((_, place) => rows.map((row) => row[place] ?? null));
      await query({ name: `copy ${table}`, text, values: cells });
    },
    // Waits for the transactions under way; what writes afterwards waits for this one. An older version lacks some of the tables.
    begin: isAnyVersion ? ['begin'] : ['begin', `lock table ${NAMES.join()} in share row exclusive mode`],
    async extras() {
      const rows = await query({ text: EXTRAS, values: [NAMES] });
      return rows.map(([drop, make]) => [String(drop), String(make)]);
    },
    fences: FENCES,
    counts,
    highestId: (table, id) => `select coalesce(greatest(
      (select max(${id}) from ${table}), pg_sequence_last_value(pg_get_serial_sequence('${table}', '${id}')::regclass)), 0)::text`,
    keepHighestId: (table, id, highest) => [`select setval(pg_get_serial_sequence('${table}', '${id}'), ${highest})`],
    async findDoubt() {
      const stopped = 'its server is another one than before, so that its payments are stopped';
      return (await run(STOP)).length > 0 ? stopped : null;
    },
    async finish() {
      const session = openDatabaseSession(client);
      await endLeases(createPostgresSql(() => session));
    },
    // Without statistics, and without what only a vacuum notes, the first plans would be bad ones.
    async prepareToOpen() {
      await run(`vacuum (analyze) ${NAMES.join()}`);
    },
  };
}

async function prepare(client: Client, database: string, options: SideOptions): Promise<void> {
  const inSession: InSession = (work) => withConnection(options.url, work);
  await proveSessions(client, inSession);
  await client.query(SESSION);
  await refuseUnsafeServer(client, { database, durable: options.durable ?? 'server' });
  const { rows } = await client.query<{ isHeld: boolean }>(`select pg_try_advisory_lock(${LOCK}) as "isHeld"`);
  if (rows[0]?.isHeld !== true)
    refuseDatabase(database, 'another copy uses it, or it is the database of DATABASE_URL itself');
  const folder = `${options.migrationsFolder}-postgres`;
  if (lacksSchema(await readPostgresState(client), { ...options, folder, database }))
    await migratePostgres(client, { folder, name: database });
  await proveCommit(client, inSession);
  const { rows: counted } = await client.query<{ alive: number }>(COUNT_ALIVE);
  if (counted[0]?.alive !== 0) refuseDatabase(database, NOT_ALONE);
}

/** Runs work on a PostgreSQL database that no instance serves meanwhile. @throws Error naming the database */
export async function withPostgresSide<T>(options: SideOptions, work: (side: Side) => Promise<T>): Promise<T> {
  const database = serverDatabaseName(options.url);
  try {
    return await withConnection(options.url, async (client) => {
      await prepare(client, database, options);
      return await work(createSide(client, database, options));
    });
  } catch (error) {
    throw explainServerFault(error, database);
  }
}
