import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database, type Options } from 'better-sqlite3';

const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;
const ALL_OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
const ROOT = 0;

/** What SQLite and this service keep beside a database, by how the name goes on. */
const BESIDE = ['', '-wal', '-shm', '-journal', '.lock', '.ids'] as const;

function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  makePrivateFolder(dirname(folder));
  // Recursive, so that it is no error when another process has just made it.
  mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER });
  // The umask may have taken away the owner's own rights.
  chmodSync(folder, OWNER_FOLDER);
}

/** Otherwise the account that owns `other` could not open a file that root has made. */
function giveToOwnerOf(other: string, file: number): void {
  if (process.getuid?.() !== ROOT) return;
  const owner = statSync(other, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== ROOT) fchownSync(file, owner.uid, owner.gid);
}

/**
 * Makes a file that only its owner can read, whatever the umask is. It never opens one that is there: root would otherwise
 * follow a link that the owner of the folder has made.
 * @param options.ownerOf the file or folder whose account gets what root makes; the folder of the new file when absent
 * @returns the opened file, which the caller closes
 * @throws Error of the file system
 */
export function openNewPrivateFile(path: string, { ownerOf = dirname(path) } = {}): number {
  const file = openSync(path, 'wx', OWNER_FILE);
  try {
    fchmodSync(file, OWNER_FILE);
    giveToOwnerOf(ownerOf, file);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/**
 * Creates an empty file as {@link openNewPrivateFile} does, unless it is there: closing a database's file would drop this
 * process's locks on it.
 * @throws Error of the file system
 */
function createPrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openNewPrivateFile(path));
}

/** Opens a database for writing, and creates it and its folder for its owner alone; SQLite gives its log the same mode. */
export function openPrivateDatabase(path: string, options: Options): Database {
  try {
    makePrivateFolder(dirname(path));
  } catch (error) {
    throw new Error(`database ${path}: its folder cannot be created`, { cause: error });
  }
  try {
    createPrivateFile(path);
  } catch {
    // SQLite meets the same obstacle in the next step, and its error names it.
  }
  return new SqliteDatabase(path, options);
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EROFS');
}

function sharedFiles(path: string): { file: string; mode: number }[] {
  return BESIDE.flatMap((end) => {
    const file = `${path}${end}`;
    // The database itself may be a link of the operator's; what is beside it is where the database really is.
    const found = (end === '' ? statSync : lstatSync)(file, { throwIfNoEntry: false });
    return found?.isFile() === true && (found.mode & ALL_OTHERS) !== 0 ? [{ file, mode: found.mode & 0o777 }] : [];
  });
}

/**
 * Takes the rights of other accounts from the files of a database, which earlier versions made with the umask's. Only for
 * a file that is known to be a database of this service. Another account's files stay as they are; `doctor` names them.
 */
export function makeFilesPrivate(path: string): void {
  for (const { file, mode } of sharedFiles(path)) {
    try {
      chmodSync(file, mode & ~ALL_OTHERS);
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
  }
}

/** A file of a database that other accounts can read, or its folder when others can replace files in it. */
export interface Exposed {
  readonly path: string;
  /** The permission bits. */
  readonly mode: number;
  /** The permission bits that it should have. */
  readonly wanted: number;
}

/** What other accounts of this machine can reach of a database. */
export function findExposed(path: string): Exposed[] {
  const folder = dirname(path);
  const { mode } = statSync(folder);
  const files = sharedFiles(path).map((each) => ({ path: each.file, mode: each.mode, wanted: OWNER_FILE }));
  const isOpen = (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
  return isOpen ? [...files, { path: folder, mode: mode & 0o777, wanted: OWNER_FOLDER }] : files;
}
