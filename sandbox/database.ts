import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { isPostgres } from '../src/domain/settings/database-url.ts';
import { openStore } from '../src/store/open.ts';
import { openReader, type StoreReader } from '../src/store/sqlite/reader.ts';
import type { SandboxOptions } from './options.ts';
import { startPostgres } from './postgres.ts';

/** Those of SQLite; PostgreSQL's are beside them. */
export const MIGRATIONS = fileURLToPath(new URL('../drizzle', import.meta.url));

/** The database of a sandbox's service. */
export interface SandboxDatabase {
  /** The path of a file, or the URL of a database on PostgreSQL. */
  readonly name: string;
  /** Tells its clock how far it is ahead of the machine's, in ms. A file has none. */
  tellTime(aheadMs: number): Promise<void>;
  /** Ends the server, if it has one. */
  stop(): Promise<void>;
}

/** What the sandbox's time is to SQL: a function of the same name that is found before PostgreSQL's own. */
function clockFunction(aheadMs: number): string {
  return `create or replace function public.clock_timestamp() returns timestamptz language sql volatile
    as $$ select pg_catalog.clock_timestamp() + interval '${aheadMs} milliseconds' $$`;
}

/** Runs statements on a connection of their own. */
async function administrate(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function startServer(): Promise<SandboxDatabase> {
  const server = await startPostgres();
  const url = new URL(server.url);
  url.pathname = 'gigclaim';
  const tellTime = (aheadMs: number) => administrate(url.href, [clockFunction(aheadMs)]);
  await administrate(server.url, [
    "create database gigclaim encoding 'UTF8' template template0",
    'alter database gigclaim set search_path = public, pg_catalog',
  ]);
  await tellTime(0);
  return { name: url.href, tellTime, stop: server.stop };
}

/** Makes an empty database: a file in `folder`, or one on a PostgreSQL server of its own. */
export async function createDatabase(
  store: SandboxOptions['store'],
  { folder }: { folder: string },
): Promise<SandboxDatabase> {
  if (store === 'postgres') return await startServer();
  return { name: join(folder, 'gigclaim.db'), tellTime: async () => undefined, stop: async () => undefined };
}

/** Opens a database that is there and migrated, to look into it while the service runs. */
export async function openDatabaseReader(name: string): Promise<StoreReader> {
  if (!isPostgres(name)) return openReader(name);
  return await openStore({ url: name, migrationsFolder: MIGRATIONS, poolSize: 1 });
}
