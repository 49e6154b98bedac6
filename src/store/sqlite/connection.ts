import SqliteDatabase, { type Database } from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { VALUES } from '../sql/value-tables.ts';
import { explainFault } from './errors.ts';
import { type LogSync, openLogSync, type Sync } from './files/log-sync.ts';
import { makeFilesPrivate, openPrivateDatabase } from './files/private-files.ts';
import { migrate } from './migrations.ts';

/**
 * One connection, through Drizzle; `$client` is the bare one. Frequent statements avoid joins and bound LIMITs, because
 * SQLite re-prepares those on every run: a claim look-up took 27 µs with a join, and 7 µs without.
 */
export type Db = BetterSQLite3Database & { readonly $client: Database };

export interface Connections {
  readonly writer: Db;
  readonly reader: Db;
  readonly log: LogSync;
  close(): void;
}

/** How long opening and reading wait for another process, in milliseconds; this blocks the thread. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * How much of the file the reading connection maps into memory: a first look-up in five million tips is a fifth faster.
 * Mapped pages count as resident, and the system reclaims them under memory pressure.
 */
const MAPPED_BYTES = 2 ** 30;

/**
 * Of new files, in bytes; an older file keeps its own until it is vacuumed. A commit writes whole pages to the log: a lone mention
 * 54 kB in three commits, with SQLite's default of 4,096 bytes 170 to 180 kB. Neither look-ups nor mentions took longer at ten
 * thousand, one and five million tips.
 */
const PAGE_BYTES = 1_024;

/** How long the log becomes before it is brought into the file, in bytes: SQLite's default counts pages, a thousand of 4,096 bytes. */
const LOG_BYTES = 4_096_000;

function keepValues(connection: Database): void {
  const keepAll = connection.transaction(() => {
    for (const [table, values] of Object.entries(VALUES)) {
      const keep = connection.prepare(`insert into ${table} (id) values (?) on conflict do nothing`);
      for (const id of values()) keep.run(id);
    }
  });
  keepAll.immediate();
}

function openWriter(path: string, migrationsFolder: string): Database {
  const connection = openPrivateDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    connection.pragma('synchronous = FULL');
    // Without effect once the file has a page.
    connection.pragma(`page_size = ${PAGE_BYTES}`);
    const pageBytes = Number(connection.pragma('page_size', { simple: true }));
    connection.pragma(`wal_autocheckpoint = ${Math.round(LOG_BYTES / pageBytes)}`);
    // Savepoint journals otherwise go to a temporary file: 6 µs of system time for each mention.
    connection.pragma('temp_store = MEMORY');
    // Before the journal mode is set, which would persist in another program's file.
    migrate(connection, { folder: migrationsFolder, path });
    const mode = connection.pragma('journal_mode = WAL', { simple: true });
    if (mode !== 'wal') throw new Error(`database ${path}: its file system does not support write-ahead logging`);
    keepValues(connection);
    makeFilesPrivate(path);
    // A process that was killed, or whose disk failed, may have left commits that are in the system's memory alone.
    connection.pragma('wal_checkpoint(PASSIVE)');
    // From now on a commit waits for no disk: `openLogSync` does. Checkpoints still sync the log, then the file.
    connection.pragma('synchronous = NORMAL');
    // Waiting for a lock here would block the thread, and so all reads.
    connection.pragma('busy_timeout = 0');
    // No ANALYZE or `PRAGMA optimize`: statistics of a young, small database make SQLite plan scans, and it keeps them
    // as tables grow. Without statistics, each statement always uses its index.
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Opens the writing and the reading connection, after bringing the schema up to date.
 * @throws Error naming the path when the file cannot be used
 */
export function openConnections(options: {
  path: string;
  migrationsFolder: string;
  sync?: Sync | undefined;
}): Connections {
  const { path, migrationsFolder, sync } = options;
  try {
    const writer = openWriter(path, migrationsFolder);
    const reader = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    reader.pragma(`mmap_size = ${MAPPED_BYTES}`);
    const log = openLogSync(writer, { path, sync });
    return {
      writer: drizzle({ client: writer }),
      reader: drizzle({ client: reader }),
      log,
      close() {
        log.close();
        // The last connection to close removes the log, which only the writer may do.
        reader.close();
        writer.close();
      },
    };
  } catch (error) {
    throw explainFault(error, path);
  }
}
