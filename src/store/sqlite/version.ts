import type { Database } from 'better-sqlite3';
import type { EngineStanding } from '../port/standing.ts';
import { explainFault } from './errors.ts';

/**
 * Reads the version of a connection's view, which changes with each commit of any other connection, in any process. The
 * connection must not write: its own commits do not change the version. 2.8 µs.
 */
export function createVersion(connection: Database, path: string): () => string {
  const version = connection.prepare<[], number>('pragma data_version').pluck();
  return () => {
    try {
      const found = version.get();
      if (found === undefined) throw new Error('SQLite did not tell its data version');
      return String(found);
    } catch (error) {
      throw explainFault(error, path);
    }
  };
}

/** The library that reads the file. */
export function readEngine(connection: Database): EngineStanding {
  const version = connection.prepare<[], string>('select sqlite_version()').pluck().get();
  return { engine: 'sqlite', version: version ?? 'of no version', server: null };
}
