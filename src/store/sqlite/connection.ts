import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { PLATFORMS } from '../../domain/platforms.ts';
import { explainFault } from './errors.ts';
import { migrate } from './migrations.ts';

/**
 * One connection, through Drizzle; `$client` is the bare one.
 *
 * What runs often joins no tables and binds no LIMIT: SQLite prepares such a statement anew for every run, because its
 * plan may depend on what is bound (a claim look-up took 27 µs with a join, and 7 µs without).
 */
export type Db = BetterSQLite3Database & { readonly $client: Database };

export interface Connections {
  readonly writer: Db;
  readonly reader: Db;
  close(): void;
}

/** How long opening and reading wait for another process, in milliseconds; the thread stands still meanwhile. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * How much of the file the reading connection maps into memory instead of copying its pages: a fifth off a first look-up in
 * five million tips. What is mapped counts as resident and is given back when others need it.
 */
const MAPPED_BYTES = 2 ** 30;

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw new Error(`database ${path}: its folder cannot be made`, { cause: error });
  }
}

/** Accounts, gigs and what comes from a platform name its row. */
function keepPlatforms(connection: Database): void {
  const keep = connection.prepare('insert into platforms (id) values (?) on conflict do nothing');
  const keepAll = connection.transaction(() => {
    for (const { id } of PLATFORMS) keep.run(id);
  });
  keepAll.immediate();
}

function openWriter(path: string, migrationsFolder: string): Database {
  const connection = new SqliteDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    connection.pragma('synchronous = FULL');
    // What a savepoint may have to undo otherwise goes to a temporary file: 6 µs of the system's time for each mention.
    connection.pragma('temp_store = MEMORY');
    // Comes before the journal's mode, which another program's file would keep.
    migrate(connection, { folder: migrationsFolder, path });
    const mode = connection.pragma('journal_mode = WAL', { simple: true });
    if (mode !== 'wal') throw new Error(`database ${path}: its file system does not support write-ahead logging`);
    keepPlatforms(connection);
    // Waiting for a lock in here would hold the thread, and everybody who only reads.
    connection.pragma('busy_timeout = 0');
    // No ANALYZE and no `PRAGMA optimize`: from the statistics of a young database, where a table is a handful of rows,
    // SQLite plans scans and keeps to them while the table grows. Without any, each statement has one plan, by its index.
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Opens the one connection that writes and the one that reads, after bringing the schema up to date.
 * @throws Error naming the path when the file cannot be used
 */
export function openConnections(options: { path: string; migrationsFolder: string }): Connections {
  const { path, migrationsFolder } = options;
  makeFolder(path);
  try {
    const writer = openWriter(path, migrationsFolder);
    const reader = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    reader.pragma(`mmap_size = ${MAPPED_BYTES}`);
    return {
      writer: drizzle({ client: writer }),
      reader: drizzle({ client: reader }),
      close() {
        // The last one to close tidies the log away, which only the writer may.
        reader.close();
        writer.close();
      },
    };
  } catch (error) {
    throw explainFault(error, path);
  }
}
