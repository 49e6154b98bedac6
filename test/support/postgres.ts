import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { inject } from 'vitest';
import { JOURNAL } from '../../src/store/sql/migrations.ts';
import { VALUES } from '../../src/store/sql/value-tables.ts';

/** The committed migrations. */
export const POSTGRES_MIGRATIONS = fileURLToPath(new URL('../../drizzle-postgres', import.meta.url));

/** An empty database with today's schema. */
export const TEMPLATE = 'template_gigclaim';

/** Integers come as numbers, as on SQLite. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid)) as typeof pg.types.getTypeParser,
};

/** Works on a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  // A server that is ended takes its connections with it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs one statement on a connection of its own. */
export async function runStatement(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const query = { text: statement, values: [...values], types: TYPES };
  return await withClient(url, async (client) => (await client.query<Record<string, unknown>>(query)).rows);
}

/** A name that no database has. */
export function newDatabaseName(): string {
  return `test_${randomBytes(8).toString('hex')}`;
}

/** Where a database of the shared server is. */
export function urlOf(name: string): string {
  const own = new URL(inject('postgresUrl'));
  own.pathname = name;
  return own.href;
}

let administration: pg.Pool | undefined;

/** Runs one statement on the server's first database; a worker keeps the connections. */
async function administrate(statement: string): Promise<void> {
  administration ??= new pg.Pool({
    connectionString: inject('postgresUrl'),
    max: 2,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  }).on('error', () => undefined);
  await administration.query(statement);
}

/**
 * Makes a database with what `from` holds, to which nobody is connected. It passes for the same one: otherwise the store
 * would stop all payments, which tests of their own are about.
 */
export async function cloneDatabase(name: string, from: string): Promise<void> {
  await administrate(`create database ${name} template ${from}`);
  if (from !== TEMPLATE) await runStatement(urlOf(name), 'delete from server_identity');
}

/** Ends the sessions of these databases and drops them. */
export async function dropDatabases(names: readonly string[]): Promise<void> {
  for (const name of names) await administrate(`drop database if exists ${name} with (force)`);
}

const OTHERS = `
  from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
/** Ends all other sessions of a database. */
const END_SESSIONS = `select pg_terminate_backend(pid, 5000) ${OTHERS}`;

/** The enumerations that migrations fill. Platforms are rows only where a store was opened. */
const { platforms: _, ...FILLED } = VALUES;

/** Tells the schema: its tables, columns, checks, references, triggers and functions, who may use it, and what is set for it. */
const SCHEMA = `
  select string_agg(of_kind.sum, ' ') as schema from (
    select sum(hashtextextended(concat(oid, relname, relkind, reloptions, relacl), 0))::text from pg_class
      where relnamespace = to_regnamespace('public')
    union all select sum(hashtextextended(c::text, 0))::text from pg_constraint c
    union all select sum(hashtextextended(t::text, 0))::text from pg_trigger t
    union all select sum(hashtextextended(p::text, 0))::text from pg_proc p where pronamespace = to_regnamespace('public')
    union all select sum(hashtextextended(n::text, 0))::text from pg_namespace n where nspname !~ '^pg_'
    union all select sum(hashtextextended(concat(attrelid, attname, atttypid, attnotnull, attisdropped), 0))::text
      from pg_attribute where attrelid >= 16384 and attnum > 0
    union all select concat(datacl::text, (select count(*) from pg_db_role_setting where setdatabase = pg_database.oid))
      from pg_database where datname = current_database()
  ) of_kind (sum)`;

/** Leaves the rows and numbers that the empty database has: those of its migrations. */
const EMPTY = `
  set session_replication_role = replica;
  do $$ declare filled regclass; begin
    for filled in select oid from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in (${[JOURNAL, ...Object.keys(FILLED)].map((name) => `'${name}'`).join(', ')})
        and pg_relation_size(oid) > 0
    loop execute format('delete from %s', filled); end loop;
    perform setval(seqrelid, seqstart, false) from pg_sequence where seqrelid::regclass::text <> '${JOURNAL}_id_seq';
  end $$`;

/** Databases that are as empty as the template. */
const free: string[] = [];

/** @returns a text that two databases have in common when they have the same schema and one was copied from the other */
export async function readSchema(client: pg.Client): Promise<string> {
  return String((await client.query(SCHEMA)).rows[0]?.schema);
}

/** Whether the enumerations have the values that migrations give them, and no others. */
async function hasUsualValues(client: pg.Client): Promise<boolean> {
  for (const [table, values] of Object.entries(FILLED)) {
    const { rows } = await client.query<{ id: string }>(`select id from ${table}`);
    if (
      rows
        .map(({ id }) => id)
        .toSorted()
        .join() !== values().toSorted().join()
    )
      return false;
  }
  return true;
}

/** Waits for the sessions whose clients have ended. @throws Error while others go on */
async function assertEnded(client: pg.Client): Promise<void> {
  for (let times = 0; (await client.query(`select 1 ${OTHERS}`)).rows.length > 0; times += 1) {
    if (times === 100) throw new Error('a test left sessions open in its database');
    await wait(50);
  }
}

/** A database with today's schema and nothing in it: a new one, or one that an earlier test of this worker gave back. */
export async function takeDatabase(): Promise<string> {
  const emptied = free.pop();
  if (emptied !== undefined) return emptied;
  const name = newDatabaseName();
  await cloneDatabase(name, TEMPLATE);
  return name;
}

/**
 * Empties a database for the next test, which takes a third of the time of making one. Where a test has changed the schema, it
 * is dropped.
 * @param options.isStrict refuses sessions that are still open, instead of ending them
 */
export async function giveBackDatabase(name: string, { isStrict = false } = {}): Promise<void> {
  const isSame = await withClient(urlOf(name), async (client) => {
    if (isStrict) await assertEnded(client);
    else await client.query(END_SESSIONS);
    if ((await readSchema(client)) !== inject('postgresSchema') || !(await hasUsualValues(client))) return false;
    await client.query(EMPTY);
    return true;
  });
  if (isSame) free.push(name);
  else await dropDatabases([name]);
}

/** Connects to the database that `statement` makes. */
export async function openDatabase(url: string, statement: string, name: string): Promise<pg.Client> {
  await runStatement(url, statement);
  const own = new URL(url);
  own.pathname = name;
  const client = new pg.Client(own.href);
  await client.connect();
  return client;
}

/** A database of one test. */
export interface TestDatabase {
  readonly url: string;
  readonly client: pg.Client;
  /** Another session. */
  connect(): Promise<pg.Client>;
  /** Ends the sessions and gives the database back. */
  close(): Promise<void>;
}

/**
 * A database of the shared server: an empty one with today's schema, or a new one that `made` says how to make, such as
 * `template template0`.
 */
export async function openTestDatabase(made?: string): Promise<TestDatabase> {
  const name = made === undefined ? await takeDatabase() : newDatabaseName();
  if (made !== undefined) await administrate(`create database ${name} ${made}`);
  const client = new pg.Client(urlOf(name));
  await client.connect();
  const others: pg.Client[] = [];
  return {
    url: urlOf(name),
    client,
    async connect() {
      const other = new pg.Client({ host: client.host, port: client.port, user: client.user, database: name });
      await other.connect();
      others.push(other);
      return other;
    },
    async close() {
      await Promise.all([client, ...others].map((session) => session.end()));
      if (made === undefined) await giveBackDatabase(name, { isStrict: true });
      else await administrate(`drop database ${name}`);
    },
  };
}

/** How many sessions in the test's database wait for a lock: of a subject, or of a row that another transaction changes. */
export async function countWaiting({ client }: TestDatabase): Promise<number> {
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and wait_event in ('advisory', 'transactionid')`;
  return (await client.query(waiting)).rowCount ?? 0;
}
