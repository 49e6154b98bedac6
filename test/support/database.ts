import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { inject } from 'vitest';
import { openStore, type StoreOptions } from '../../src/store/open.ts';
import type { Store } from '../../src/store/port/index.ts';
import {
  cloneDatabase,
  dropDatabases,
  giveBackDatabase,
  newDatabaseName,
  runStatement,
  takeDatabase,
  urlOf,
} from './postgres.ts';
import { MIGRATIONS, temporaryFolder, writeEmptyDatabase } from './store.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** What the stores of a project's tests are on; SQLite when absent. */
    storeEngine: 'postgres';
  }
}

/** What stores on PostgreSQL may connect with here: many are open at once on the server that all workers share. */
export const POOL_SIZE = 4;

type Row = Readonly<Record<string, unknown>>;

/** A database of one test, on the engine of its project. */
export interface TestDatabase {
  /** As `DATABASE_URL` has it; for SQLite the path alone. */
  readonly url: string;
  /** Opens the store on it, as one more process would. */
  open(options?: Partial<StoreOptions>): Promise<Store>;
  /** Runs a statement behind the store's back, with a value for each `?`; what is read next sees it. */
  sql(statement: string, ...values: readonly unknown[]): Promise<Row[]>;
  /** Keeps what is in it now, while no store is open on it. @returns what other databases of the test restore, too */
  copy(): Promise<string>;
  /** Puts it back to a copy, while no store is open on it; what lies beside a file stays, as when a backup is restored. */
  restore(copy: string): Promise<void>;
  /** Removes it and its copies. */
  remove(): Promise<void>;
}

async function createFile(from: string | undefined): Promise<TestDatabase> {
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  if (from === undefined) await writeEmptyDatabase(path);
  else for (const end of ['', '.ids']) copyFileSync(`${from}${end}`, `${path}${end}`);
  let copies = 0;
  return {
    url: path,
    open: (options) => openStore({ url: path, migrationsFolder: MIGRATIONS, ...options }),
    async sql(statement, ...values) {
      const database = new SqliteDatabase(path);
      try {
        const prepared = database.prepare<unknown[], Row>(statement);
        if (prepared.reader) return prepared.all(...values);
        prepared.run(...values);
        return [];
      } finally {
        database.close();
        // A store reads from one snapshot for a whole turn.
        await setImmediate();
      }
    },
    async copy() {
      copies += 1;
      const copy = `${path}.${copies}`;
      for (const end of ['', '.ids']) copyFileSync(`${path}${end}`, `${copy}${end}`);
      return copy;
    },
    async restore(copy) {
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
      copyFileSync(copy, path);
    },
    async remove() {
      folder.remove();
    },
  };
}

async function cloneOf(from: string): Promise<string> {
  const name = newDatabaseName();
  await cloneDatabase(name, from);
  return name;
}

async function createOnServer(from?: string): Promise<TestDatabase> {
  const name = from === undefined ? await takeDatabase() : await cloneOf(from);
  const url = urlOf(name);
  const copies: string[] = [];
  return {
    url,
    open: (options) => openStore({ url, migrationsFolder: MIGRATIONS, poolSize: POOL_SIZE, ...options }),
    async sql(statement, ...values) {
      let place = 0;
      const numbered = statement.replaceAll('?', () => {
        place += 1;
        return `$${place}`;
      });
      return await runStatement(url, numbered, values);
    },
    async copy() {
      const copy = await cloneOf(name);
      copies.push(copy);
      return copy;
    },
    async restore(copy) {
      await dropDatabases([name]);
      await cloneDatabase(name, copy);
    },
    async remove() {
      // Nobody waits for it: the next test needs nothing of it, and what is left goes with the server.
      Promise.all([giveBackDatabase(name), dropDatabases(copies)]).catch(() => undefined);
    },
  };
}

/**
 * A new database with today's schema, on PostgreSQL in the project `on-postgres` and on SQLite in all others.
 * @param from the copy that it begins with; it is empty when absent
 */
export async function createTestDatabase(from?: string): Promise<TestDatabase> {
  return isOnPostgres() ? await createOnServer(from) : await createFile(from);
}

/** Whether the tests of this project are to run on PostgreSQL. */
export function isOnPostgres(): boolean {
  return inject('storeEngine') === 'postgres';
}

/**
 * A new process takes over what a dead one had leased: at once where it serves alone, else when the leases are over.
 * @param leases.held how many there are
 * @param leases.pass lets the time of a lease pass
 */
export async function takeOver(store: Store, leases: { held: number; pass: () => void }): Promise<void> {
  const ended = await store.begin();
  const expected = isOnPostgres() ? 0 : leases.held;
  if (ended !== expected) throw new Error(`${ended} leases were ended instead of ${expected}`);
  if (isOnPostgres()) leases.pass();
}

/** What a test does to a store before anything uses it, as `runTwice`. */
export type WrapStore = (store: Store) => Store;

/** A new store in a database of its own; `close` removes the database as well. */
export async function openTestStore({
  wrap = (store) => store,
  ...options
}: {
  clock?: () => number;
  wrap?: WrapStore;
} = {}): Promise<{ store: Store; database: TestDatabase; close: () => Promise<void> }> {
  const database = await createTestDatabase();
  const store = wrap(await database.open(options));
  return {
    store,
    database,
    async close() {
      await store.close();
      await database.remove();
    },
  };
}
