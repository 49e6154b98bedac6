import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { StoreReads } from '../port/index.ts';
import { guardMethods } from '../sql/guarded-methods.ts';
import { createVersion } from './changed-accounts.ts';
import { explainFault } from './errors.ts';
import { createReads } from './methods.ts';
import { createTurnSnapshot, type TurnSnapshot } from './turn-snapshot.ts';

/** The reads outside transactions; all of one event-loop turn see one state, which `enter` joins. */
export function createTurnReads(
  connection: Database,
  { path, snapshot }: { path: string; snapshot: TurnSnapshot },
): { reads: StoreReads; enter: () => void } {
  const explain = (error: unknown) => explainFault(error, path);
  const enter = () => {
    if (!connection.open) throw new Error(`database ${path}: it is closed`);
    snapshot.join();
  };
  return { reads: guardMethods<StoreReads>(createReads(connection), { explain, enter }), enter };
}

/** Looks into a store that another process serves, on a connection that cannot write. */
export interface StoreReader extends StoreReads {
  /** Another text after every commit. */
  version(): Promise<string>;
  /** Waits for the reads that are under way, then closes. */
  close(): Promise<void>;
}

/** Opens the database file of a store that is there and migrated. @throws Error naming the path when it cannot */
export function openReader(path: string): StoreReader {
  let connection: Database | undefined;
  try {
    const opened = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
    connection = opened;
    const snapshot = createTurnSnapshot(opened);
    const version = createVersion(opened, path);
    return {
      ...createTurnReads(opened, { path, snapshot }).reads,
      version: async () => version(),
      async close() {
        await snapshot.ended();
        opened.close();
      },
    };
  } catch (error) {
    connection?.close();
    throw explainFault(error, path);
  }
}
