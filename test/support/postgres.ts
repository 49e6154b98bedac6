import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { inject } from 'vitest';

/** The committed migrations. */
export const POSTGRES_MIGRATIONS = fileURLToPath(new URL('../../drizzle-postgres', import.meta.url));

/** An empty database with today's schema. */
export const TEMPLATE = 'template_gigclaim';

/** Integers come as numbers, as on SQLite. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid)) as typeof pg.types.getTypeParser,
};

/** Runs one statement on a connection of its own. */
export async function runStatement(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>({ text: statement, values: [...values], types: TYPES })).rows;
  } finally {
    await client.end();
  }
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
  /** Ends the sessions and drops the database. */
  close(): Promise<void>;
}

/**
 * A new database on the shared server: a copy of the empty one with today's schema, or one that `made` says how to make,
 * such as `template template0`.
 */
export async function openTestDatabase(made = `template ${TEMPLATE}`): Promise<TestDatabase> {
  const url = inject('postgresUrl');
  const name = newDatabaseName();
  const client = await openDatabase(url, `create database ${name} ${made}`, name);
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
      await runStatement(url, `drop database ${name}`);
    },
  };
}

/** How many sessions in the test's database wait for a lock: of a subject, or of a row that another transaction changes. */
export async function countWaiting({ client }: TestDatabase): Promise<number> {
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and wait_event in ('advisory', 'transactionid')`;
  return (await client.query(waiting)).rowCount ?? 0;
}
