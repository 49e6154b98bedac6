import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';

/** Brings what was written to an open file to the disk. */
export type Sync = (file: number) => Promise<void>;

/** Syncs the write-ahead log without blocking the event loop. */
export interface LogSync {
  /**
   * Call it outside a transaction: settles once all that is committed by then, in any process, is on disk. It never settles
   * when a sync fails, which ends the process.
   */
  reached(): Promise<void>;
  close(): void;
}

/** An exception that nothing catches ends the process before any promise settles, so that nobody is told. */
function endProcess(path: string, error: unknown): Promise<never> {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `database ${path}: what was committed cannot be brought to disk (${reason}); the process ends. Check the disk, then start it again`;
  queueMicrotask(() => {
    throw new Error(message, { cause: error });
  });
  return new Promise(() => undefined);
}

/**
 * Opens the log of a database in WAL mode. A sync takes with it all that was written before, so what commits while one is
 * under way shares the next. SQLite may begin the log anew or cut it, and keeps the file while `connection` is open; its
 * locks are on other files, so the descriptor may be closed.
 * @param options.sync Node's `fdatasync`, on a thread of its own, when absent
 * @throws Error of the file system
 */
export function openLogSync(
  connection: Database,
  { path, sync = promisify(fdatasync) }: { path: string; sync?: Sync | undefined },
): LogSync {
  // SQLite follows links before it names the log.
  const file = openSync(`${realpathSync(path)}-wal`, 'r+');
  let isOpen = true;
  const ownChanges = connection.prepare<[], number>('select total_changes()').pluck();
  const othersVersion = connection.prepare<[], number>('pragma data_version').pluck();
  // None yet: what others have committed before is synced, too.
  let seen: string | null = null;
  let commits = 0;
  let covered = 0;
  let underWay = Promise.resolve();
  let next: Promise<void> | null = null;

  /** Another text when this connection or another one has changed anything; null when SQLite cannot tell. */
  function look(): string | null {
    try {
      return `${ownChanges.get()} ${othersVersion.get()}`;
    } catch {
      // Such as while another process repairs the index of the log. A sync too many does no harm.
      return null;
    }
  }

  function start(): Promise<void> {
    next = null;
    covered = commits;
    underWay = sync(file).catch((error: unknown) => endProcess(path, error));
    return underWay;
  }

  return {
    reached() {
      const now = look();
      if (now === null || now !== seen) commits += 1;
      seen = now;
      if (commits === covered) return underWay;
      next ??= underWay.then(start);
      return next;
    },
    close() {
      // A second time would close what has got the same number since.
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
