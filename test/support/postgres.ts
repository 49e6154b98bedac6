import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { inject } from 'vitest';

/** The committed migrations. */
export const POSTGRES_MIGRATIONS = fileURLToPath(new URL('../../drizzle-postgres', import.meta.url));

/** An empty database with today's schema. */
export const TEMPLATE = 'template_gigclaim';

/** Runs one statement on a connection to the server's first database. */
async function administrate(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Connects to the database that `statement` makes. */
export async function openDatabase(url: string, statement: string, name: string): Promise<pg.Client> {
  await administrate(url, statement);
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
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = await openDatabase(url, `create database ${name} ${made}`, name);
  const others: pg.Client[] = [];
  const own = new URL(url);
  own.pathname = name;
  return {
    url: own.href,
    client,
    async connect() {
      const other = new pg.Client({ host: client.host, port: client.port, user: client.user, database: name });
      await other.connect();
      others.push(other);
      return other;
    },
    async close() {
      await Promise.all([client, ...others].map((session) => session.end()));
      await administrate(url, `drop database ${name}`);
    },
  };
}
