/** What `store/sql` may use of the engine: its connection, its statements and the port's synchronous methods. */
export type { SyncReads, SyncWrites } from './async-adapter.ts';
export type { Db } from './connection.ts';
export { prepare, prepareRaw } from './raw-statement.ts';
