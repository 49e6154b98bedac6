import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { explainFault, isBusy } from '../errors.ts';
import { openPrivateDatabase } from './private-files.ts';

/** Marks a process as serving a store; the operating system releases it when the process dies. */
export interface ProcessLock {
  /**
   * Runs `whileAlone` if no other process serves the store, then holds the shared lock. Returns the result of
   * `whileAlone`, or null when it was not run.
   */
  acquire<T>(whileAlone: () => Promise<T>): Promise<T | null>;
  close(): void;
}

const RETRY_MS = 20;
const MAX_RETRIES = 500;

/**
 * Locks of a small database beside the store: SHARED while a process serves it, EXCLUSIVE while it checks that it is
 * alone. SQLite's locks work across processes and end with them.
 */
export function createProcessLock(path: string): ProcessLock {
  const connection = openPrivateDatabase(path, { timeout: 0 });

  function tryLock(statements: string): boolean {
    try {
      connection.exec(statements);
      return true;
    } catch (error) {
      if (connection.inTransaction) connection.exec('rollback');
      if (isBusy(error)) return false;
      throw explainFault(error, path);
    }
  }

  async function share(): Promise<void> {
    // Waits between attempts instead of in SQLite, because the exclusive lock may be held in this thread.
    for (let attempt = 0; attempt < MAX_RETRIES; attempt++) {
      if (tryLock('begin; select count(*) from sqlite_schema')) return;
      await setTimeout(RETRY_MS);
    }
    throw new Error(`database ${path}: another process held it locked for too long`);
  }

  return {
    async acquire(whileAlone) {
      if (connection.inTransaction) return null;
      let result = null;
      if (tryLock('begin exclusive')) {
        try {
          result = await whileAlone();
        } finally {
          connection.exec('rollback');
        }
      }
      await share();
      return result;
    },
    close() {
      connection.close();
    },
  };
}

/** Removes the files of a database, unless a process serves it. @returns whether it has */
export async function removeDatabase(path: string): Promise<boolean> {
  const lock = createProcessLock(`${path}.lock`);
  const remove = async () => {
    for (const end of ['', '-wal', '-shm', '.ids']) rmSync(`${path}${end}`, { force: true });
    return true;
  };
  const isRemoved = (await lock.acquire(remove)) ?? false;
  lock.close();
  if (isRemoved) rmSync(`${path}.lock`, { force: true });
  return isRemoved;
}
