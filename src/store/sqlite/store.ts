import { randomUUID } from 'node:crypto';
import type { FloorDraw } from '../../domain/gigs/tip.ts';
import type { Store, StoreTx } from '../port/index.ts';
import { shareMethods } from '../sql/guarded-methods.ts';
import { storeMentions } from '../sql/mentions/intake.ts';
import { type Move, READ_MOVE, refuseMove } from '../sql/moves.ts';
import { createLedgerBeat } from '../sql/operators/ledger-state.ts';
import { endLeases } from '../sql/operators/queues.ts';
import { createWriteCheck } from '../sql/operators/write-check.ts';
import { createChangedAccounts, createVersion, readEngine } from './changed-accounts.ts';
import { type Connections, openConnections } from './connection.ts';
import { explainFault } from './errors.ts';
import { createIdsFile, drawFloor } from './files/ids-file.ts';
import type { Sync } from './files/log-sync.ts';
import { createProcessLock, type ProcessLock } from './files/process-lock.ts';
import { createTxMethods } from './methods.ts';
import { createTurnReads } from './reader.ts';
import { createSql } from './sql.ts';
import { createTurnLookups, createTurnSnapshot } from './turn-snapshot.ts';
import { createWriter } from './writer.ts';

export interface SqliteStoreOptions {
  /** The database file; it and its folder are created if missing. `<path>.lock` and `<path>.ids` are created beside it. */
  readonly path: string;
  readonly migrationsFolder: string;
  /** Epoch milliseconds; the system's clock when absent. */
  readonly clock?: (() => number) | undefined;
  /** From what a floor of tip numbers is drawn; the last one holds when absent. */
  readonly floors?: FloorDraw | undefined;
  /** Brings the write-ahead log to disk; Node's `fdatasync` when absent. */
  readonly sync?: Sync | undefined;
}

function openServing(connections: Connections, path: string): ProcessLock {
  const lockPath = `${path}.lock`;
  try {
    return createProcessLock(lockPath);
  } catch (error) {
    connections.close();
    throw explainFault(error, lockPath);
  }
}

/**
 * Opens the store in a SQLite file, after bringing its schema up to date.
 * @throws Error naming the path when the file is not a database, is damaged, belongs to another program or a newer
 * version, or cannot be written
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path, floors, clock = Date.now } = options;
  const connections = openConnections(options);
  const serving = openServing(connections, path);
  const connection = connections.writer.$client;
  const ids = { file: createIdsFile(path), clock, newWord: randomUUID };
  const { agree, ...methods } = createTxMethods(connection, { ids, rest: () => writer.rest() });
  const openTx = shareMethods<StoreTx>(methods, (error) => explainFault(error, path));
  const changed = createChangedAccounts(connection, path);
  const snapshot = createTurnSnapshot(connections.reader.$client, { onOpen: changed.look });
  const writer = createWriter<StoreTx>({
    connection,
    path,
    // Callers are told of a commit that is on disk, and when no older snapshot is open: what they read next contains it.
    async beforeTelling() {
      await connections.log.reached();
      await snapshot.ended();
    },
    committed: changed.committed,
    rolledBack: changed.rolledBack,
    openTx: ({ run }) => openTx(run),
  });
  const db = createSql(connection);
  async function close() {
    await writer.close();
    // Reads that are under way are done by the end of their turn.
    await snapshot.ended();
    serving.close();
    connections.close();
  }
  const begun = writer.transaction(async () => {
    await agree();
    if (floors) await drawFloor(db, floors, ids.file);
  });
  await begun.catch(async (error: unknown) => {
    await close();
    throw explainFault(error, path);
  });
  const version = createVersion(connections.reader.$client, path);
  const writeCheck = createWriteCheck(db);
  // On the connection that writes: the other one may still hold a snapshot of before a sleep.
  const move = connection.prepare<[], Move>(READ_MOVE);
  const renewBeat = createLedgerBeat(clock, (now) => writer.transaction((tx) => tx.renewBeat(now)));
  const { reads, enter } = createTurnReads(connections.reader.$client, { path, snapshot });
  return {
    ...reads,
    transaction: writer.transaction,
    storeMentions: (mentions, arrival) => writer.transaction((tx) => storeMentions(tx, mentions, arrival)),
    version: async () => version(),
    pendingTipsSince: createTurnLookups({ ended: snapshot.ended, enter, changed, pendingTips: reads.pendingTips }),
    checkWritable: () => writer.transaction(() => writeCheck(clock())),
    async beat() {
      refuseMove(move.get(), path);
      await renewBeat();
      return { id: null, clockAheadMs: 0 };
    },
    instances: async () => [],
    engine: async () => readEngine(connections.reader.$client),
    pools: async () => [],
    begin: async () => (await serving.acquire(() => writer.transaction(() => endLeases(db)))) ?? 0,
    close,
  };
}
