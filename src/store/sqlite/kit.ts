/** All that `store/sql` may know of the engine: its connection, its fast statements and the port's methods as it has them. */
export type { SyncReads, SyncWrites } from './async-adapter.ts';
export type { Db } from './connection.ts';
export { prepare, prepareRaw } from './raw-statement.ts';
