import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { identify } from './native-binding.ts';

/** What the thread is started with. */
export interface CheckpointThreadData {
  readonly path: string;
  /** The native library of the thread that commits. */
  readonly library: string;
  /** `path` and `library`, as they were when the service started. */
  readonly identities: { readonly path: string; readonly library: string };
}

/**
 * A thread that copies what was committed from the write-ahead log into the database. It has a thread of its own because
 * the disk takes its time over a thousand pages, in which the service would answer nobody. `checkpoints.ts` starts it, asks
 * for one checkpoint with each message but `end`, and is told how the log stands after it.
 */
const { path, library, identities } = workerData as CheckpointThreadData;
if (identify(library) !== identities.library) {
  throw new Error(`${library} was replaced while the service runs; restart it`);
}
if (identify(path) !== identities.path) {
  throw new Error(`database ${path}: its file was replaced while the service runs; restart it`);
}
const connection = new SqliteDatabase(path, { fileMustExist: true, timeout: 0, nativeBinding: library });
connection.pragma('synchronous = FULL');
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', (message: unknown) => {
  if (message !== 'end') return parentPort?.postMessage(checkpoint.get());
  connection.close();
  parentPort?.close();
});
