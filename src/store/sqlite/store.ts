import { setImmediate } from 'node:timers/promises';
import type { Store, StoreReads, StoreTx } from '../port.ts';
import { createAcceptedReads, createAcceptedWrites } from './accepted-uses.ts';
import { createAccountReads, createAccountWrites } from './accounts.ts';
import { createAnswerReads, createAnswerWrites } from './answers.ts';
import { createApiKeyReads, createApiKeyWrites } from './api-keys.ts';
import { createAuditEventReads, createAuditEventWrites } from './audit-events.ts';
import { type CheckpointOptions, createCheckpoints } from './checkpoints.ts';
import { createClaimReads, createClaimWrites } from './claims.ts';
import { type Connections, type Db, openConnections } from './connection.ts';
import { createCursorReads, createCursorWrites } from './cursors.ts';
import { explainFault } from './faults.ts';
import { createGasTankReads, createGasTankWrites } from './gas-tanks.ts';
import { createGigWrites } from './gig-changes.ts';
import { createGigPayoutReads } from './gig-payouts.ts';
import { createGigReads } from './gigs.ts';
import { createLookupBatch } from './lookups.ts';
import { createMentionReads, createMentionWrites } from './mentions.ts';
import { createAsync, createAsyncFamily, type Sync, type SyncReads } from './methods.ts';
import { createOwnerReads, createOwnerWrites } from './owners.ts';
import { createPaymentReads } from './payments.ts';
import { createQueueReads, createQueueWrites, endLeases } from './queues.ts';
import { createReplyReads, createReplyWrites } from './replies.ts';
import { writeChecks } from './schema.ts';
import { createServing, type Serving } from './serving.ts';
import { createSessionReads, createSessionWrites } from './sessions.ts';
import { createTipReads, createTipWrites } from './tips.ts';
import { createTokenReads, createTokenWrites } from './tokens.ts';
import { createTransferWrites } from './transfer-changes.ts';
import { createPlanWrites } from './transfer-plans.ts';
import { createTransferReads } from './transfers.ts';
import { createVersion } from './version.ts';
import { createWriter } from './writer.ts';

/** Every read of the port, on one connection. */
export function createReads(db: Db): SyncReads {
  return {
    ...createTipReads(db),
    ...createTokenReads(db),
    ...createGigReads(db),
    ...createOwnerReads(db),
    ...createAnswerReads(db),
    ...createAccountReads(db),
    ...createApiKeyReads(db),
    ...createSessionReads(db),
    ...createAuditEventReads(db),
    ...createMentionReads(db),
    ...createReplyReads(db),
    ...createCursorReads(db),
    ...createQueueReads(db),
    ...createClaimReads(db),
    ...createTransferReads(db),
    ...createPaymentReads(db),
    ...createGigPayoutReads(db),
    ...createAcceptedReads(db),
    ...createGasTankReads(db),
  };
}

/** Everything that a transaction can do, on the connection that writes. */
export function createTxMethods(db: Db): Sync<StoreTx> {
  return {
    ...createReads(db),
    ...createTokenWrites(db),
    ...createAccountWrites(db),
    ...createGigWrites(db),
    ...createOwnerWrites(db),
    ...createTipWrites(db),
    ...createAnswerWrites(db),
    ...createApiKeyWrites(db),
    ...createSessionWrites(db),
    ...createAuditEventWrites(db),
    ...createMentionWrites(db),
    ...createReplyWrites(db),
    ...createCursorWrites(db),
    ...createQueueWrites(db),
    ...createClaimWrites(db),
    ...createPlanWrites(db),
    ...createTransferWrites(db),
    ...createAcceptedWrites(db),
    ...createGasTankWrites(db),
  };
}

export interface SqliteStoreOptions {
  /** The database file; it and its folder are made when they are not there. `<path>.lock` is made beside it. */
  readonly path: string;
  /** The folder of the committed migrations. */
  readonly migrationsFolder: string;
  /** Epoch milliseconds; the system's clock when absent. */
  readonly clock?: (() => number) | undefined;
  /** For a service under load; without it SQLite copies its log into the file in the thread that answers. */
  readonly checkpoints?: CheckpointOptions | undefined;
}

function openReads(connections: Connections, path: string): StoreReads & Pick<Store, 'version'> {
  const connection = connections.reader.$client;
  const reads = createReads(connections.reader);
  const guard = () => {
    if (!connection.open) throw new Error(`database ${path}: it is closed`);
  };
  const find = createLookupBatch(connection, { path, find: reads.pendingTips });
  return {
    ...createAsync<StoreReads>(reads, path, guard),
    version: createVersion(connection, path),
    async pendingTips(identifiers) {
      guard();
      return await find(identifiers);
    },
  };
}

function createWriteCheck(db: Db, clock: () => number): () => void {
  return () => {
    const writtenAt = clock();
    db.insert(writeChecks)
      .values({ id: 1, writtenAt })
      .onConflictDoUpdate({ target: writeChecks.id, set: { writtenAt } })
      .run();
  };
}

function openServing(connections: Connections, path: string): Serving {
  const lockPath = `${path}.lock`;
  try {
    return createServing(lockPath);
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
  const { path, clock = Date.now } = options;
  const connections = openConnections(options);
  const serving = openServing(connections, path);
  const txMethods = createAsyncFamily<StoreTx>(createTxMethods(connections.writer), path);
  const connection = connections.writer.$client;
  const checkpoints = options.checkpoints ? createCheckpoints({ ...options.checkpoints, connection, path }) : null;
  const writer = createWriter<StoreTx>({
    connection,
    path,
    committed: checkpoints?.committed,
    openTx: (span) => txMethods(span.assertOpen),
  });
  const reads = openReads(connections, path);
  const writeCheck = createWriteCheck(connections.writer, clock);
  return {
    ...reads,
    transaction: writer.transaction,
    checkWritable: () => writer.transaction(async () => writeCheck()),
    endStaleLeases: async () =>
      (await serving.begin(() => writer.transaction(async () => endLeases(connections.writer)))) ?? 0,
    async close() {
      await writer.close();
      // Look-ups that were asked for are answered at the end of their turn.
      await setImmediate();
      await checkpoints?.close();
      serving.close();
      connections.close();
    },
  };
}
