import { explainFence } from '../sql/moves.ts';

const FAULTS: readonly (readonly [code: string, meaning: string])[] = [
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'disk I/O failed'],
  ['SQLITE_CORRUPT', 'the file is damaged; restore it from a backup'],
  ['SQLITE_NOTADB', 'the file is not a SQLite database'],
  ['SQLITE_READONLY', 'the file or its folder is not writable'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened or created'],
  ['SQLITE_PERM', 'no permission to open the file'],
  ['SQLITE_AUTH', 'no permission to open the file'],
  ['SQLITE_BUSY', 'another process held it locked for too long'],
  ['SQLITE_LOCKED', 'another process held it locked for too long'],
];

/** An error from another thread is a copy: not a `SqliteError`, but with its name and code. */
function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === 'SqliteError' && 'code' in error && typeof error.code === 'string';
}

/** Whether another process holds a lock that is needed. */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');
}

/**
 * Describes a fault of the database itself with its path and SQLite's error as the `cause`. Other errors, such as a
 * broken constraint, are returned unchanged.
 */
export function explainFault(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  const fence = explainFence(error, path);
  if (fence !== null) return fence;
  const fault = FAULTS.find(([code]) => error.code === code || error.code.startsWith(`${code}_`));
  return fault === undefined ? error : new Error(`database ${path}: ${fault[1]} (${error.code})`, { cause: error });
}
