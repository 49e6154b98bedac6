import { rmSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';

/** A copy of the service's database, as an operator keeps one. */
export interface Backup {
  /** Copies the database as it is now; the earlier copy is forgotten. */
  take(): void;
  /** When it was taken, epoch ms. */
  takenAt(): number;
  /** Writes the copy over the database. The service must not run. */
  putBack(): Promise<void>;
}

/** A copy beside the database at `path`, taken now. */
export function createBackup({ path, clock }: { path: string; clock: () => number }): Backup {
  const copy = `${path}.copy`;
  let takenAt = 0;

  function take(): void {
    rmSync(copy, { force: true });
    const connection = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
    try {
      connection.prepare('vacuum into ?').run(copy);
    } finally {
      connection.close();
    }
    takenAt = clock();
  }

  take();
  return {
    take,
    takenAt: () => takenAt,
    putBack: async () => {
      const connection = new SqliteDatabase(copy, { readonly: true, fileMustExist: true });
      try {
        // Into the file that is there, so that those who have it open see what it holds now.
        await connection.backup(path);
      } finally {
        connection.close();
      }
    },
  };
}
