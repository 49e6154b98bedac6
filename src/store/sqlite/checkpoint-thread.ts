import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';

/**
 * A thread that copies what was committed from the write-ahead log into the database. It has a thread of its own because
 * the disk takes its time over a thousand pages, in which the service would answer nobody. `checkpoints.ts` starts it, asks
 * for one checkpoint with each message but `end`, and is told how the log stands after it.
 */
const { path } = workerData as { path: string };
const connection = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 });
connection.pragma('synchronous = FULL');
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', (message: unknown) => {
  if (message !== 'end') return parentPort?.postMessage(checkpoint.get());
  connection.close();
  parentPort?.close();
});
