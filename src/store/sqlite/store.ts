import { setImmediate } from 'node:timers/promises';
import type { Store, StoreReads, StoreTx } from '../port/index.ts';
import { createAccountReads, createAccountWrites } from '../sql/accounts.ts';
import { createDeliveryReads, createDeliveryWrites } from '../sql/alert-deliveries.ts';
import { createAlertReads, createAlertWrites } from '../sql/alerts.ts';
import { createApiKeyReads, createApiKeyWrites } from '../sql/api-keys.ts';
import { createAuditEventReads, createAuditEventWrites } from '../sql/audit-events.ts';
import { createBlockReads, createBlockWrites } from '../sql/blocked-accounts.ts';
import { createBountyReads, createBountyWrites } from '../sql/bounties.ts';
import { createAnchorReads, createAnchorWrites } from '../sql/chain-anchors.ts';
import { createClaimReads, createClaimWrites } from '../sql/claims.ts';
import { createDrawReads, createDrawWrites } from '../sql/draws.ts';
import { createEarningChanges } from '../sql/earning-changes.ts';
import { createEarningHolderReads, createHeldTextReads, createLostPaymentReads } from '../sql/earning-holders.ts';
import { createEarningOverviews } from '../sql/earning-overviews.ts';
import { createEarningRuleReads, createEarningRuleWrites } from '../sql/earning-rules.ts';
import { createEarningReads } from '../sql/earnings.ts';
import { createEvaluationReads } from '../sql/evaluations.ts';
import { createGasTankReads, createGasTankWrites } from '../sql/gas-tanks.ts';
import { createGigWrites } from '../sql/gig-changes.ts';
import { createGigEndReads } from '../sql/gig-ends.ts';
import { createOwnerReads, createOwnerWrites } from '../sql/gig-owners.ts';
import { createGigPayoutReads } from '../sql/gig-payouts.ts';
import { createGigReportReads } from '../sql/gig-reports.ts';
import { createGigReads } from '../sql/gigs.ts';
import { createIdempotencyReads, createIdempotencyWrites } from '../sql/idempotency-keys.ts';
import { createMentionReads, createMentionWrites } from '../sql/mentions.ts';
import { createObservationReads, createObservationWrites } from '../sql/observations.ts';
import { createPaymentAdoption } from '../sql/payment-adoption.ts';
import { createBudgetReads } from '../sql/payment-budgets.ts';
import { createPaymentChanges } from '../sql/payment-changes.ts';
import { createPaymentDelays } from '../sql/payment-delays.ts';
import { createPaymentLists } from '../sql/payment-lists.ts';
import { createPaymentPlans } from '../sql/payment-plans.ts';
import { createPaymentReads } from '../sql/payments.ts';
import { createPayoutReads } from '../sql/payouts.ts';
import { createCursorReads, createCursorWrites } from '../sql/poll-cursors.ts';
import { createQueueReads, createQueueWrites, endLeases } from '../sql/queues.ts';
import { createReplyReads, createReplyWrites } from '../sql/replies.ts';
import { createRoundReads, createRoundWrites } from '../sql/rounds.ts';
import { createSessionReads, createSessionWrites } from '../sql/sessions.ts';
import { writeChecks } from '../sql/tables.ts';
import { createTankReads, createTankWrites } from '../sql/tank-transactions.ts';
import { createTellingReads, createTellingWrites } from '../sql/tellings.ts';
import { createTipNumberReads, createTipNumberWrites } from '../sql/tip-numbers.ts';
import { createTipReads, createTipWrites } from '../sql/tips.ts';
import { createTokenReads, createTokenWrites } from '../sql/tokens.ts';
import { createTopEarnings } from '../sql/top-earnings.ts';
import { createWatchReads, createWatchWrites } from '../sql/watches.ts';
import { createAsync, createGuardedAsync, type Sync, type SyncReads } from './async-adapter.ts';
import { createChangedAccounts } from './changed-accounts.ts';
import { type Connections, type Db, openConnections } from './connection.ts';
import { explainFault } from './errors.ts';
import { createLookupBatch } from './lookup-batch.ts';
import { createProcessLock, type ProcessLock } from './process-lock.ts';
import { createVersion } from './version.ts';
import { createWriter } from './writer.ts';

/** Every read of the port, on one connection. */
export function createReads(db: Db): SyncReads {
  return {
    ...createTipReads(db),
    ...createTokenReads(db),
    ...createGigReads(db),
    ...createGigEndReads(db),
    ...createGigReportReads(db),
    ...createOwnerReads(db),
    ...createIdempotencyReads(db),
    ...createAccountReads(db),
    ...createApiKeyReads(db),
    ...createSessionReads(db),
    ...createAuditEventReads(db),
    ...createMentionReads(db),
    ...createReplyReads(db),
    ...createCursorReads(db),
    ...createQueueReads(db),
    ...createClaimReads(db),
    ...createPaymentReads(db),
    ...createBudgetReads(db),
    ...createTipNumberReads(db),
    ...createPaymentLists(db),
    ...createPayoutReads(db),
    ...createTankReads(db),
    ...createAnchorReads(db),
    ...createGigPayoutReads(db),
    ...createGasTankReads(db),
    ...createEarningRuleReads(db),
    ...createEarningOverviews(db),
    ...createWatchReads(db),
    ...createObservationReads(db),
    ...createEarningReads(db),
    ...createTopEarnings(db),
    ...createRoundReads(db),
    ...createBountyReads(db),
    ...createDrawReads(db),
    ...createEvaluationReads(db),
    ...createEarningHolderReads(db),
    ...createHeldTextReads(db),
    ...createLostPaymentReads(db),
    ...createBlockReads(db),
    ...createTellingReads(db),
    ...createAlertReads(db),
    ...createDeliveryReads(db),
  };
}

/** Everything that a transaction can do, on the connection that writes. */
export function createTxMethods(db: Db, firstTipNumber = 0): Sync<StoreTx> {
  return {
    ...createReads(db),
    ...createTokenWrites(db),
    ...createAccountWrites(db),
    ...createGigWrites(db),
    ...createOwnerWrites(db),
    ...createTipWrites(db, firstTipNumber),
    ...createTipNumberWrites(db),
    ...createIdempotencyWrites(db),
    ...createApiKeyWrites(db),
    ...createSessionWrites(db),
    ...createAuditEventWrites(db),
    ...createMentionWrites(db),
    ...createReplyWrites(db),
    ...createCursorWrites(db),
    ...createQueueWrites(db),
    ...createClaimWrites(db),
    ...createPaymentPlans(db),
    ...createPaymentChanges(db),
    ...createPaymentDelays(db),
    ...createPaymentAdoption(db),
    ...createTankWrites(db),
    ...createAnchorWrites(db),
    ...createGasTankWrites(db),
    ...createEarningRuleWrites(db),
    ...createWatchWrites(db),
    ...createObservationWrites(db),
    ...createEarningChanges(db),
    ...createRoundWrites(db),
    ...createBountyWrites(db),
    ...createDrawWrites(db),
    ...createBlockWrites(db),
    ...createTellingWrites(db),
    ...createAlertWrites(db),
    ...createDeliveryWrites(db),
  };
}

export interface SqliteStoreOptions {
  /** The database file; it and its folder are created if missing. `<path>.lock` is created beside it. */
  readonly path: string;
  /** The folder of the committed migrations. */
  readonly migrationsFolder: string;
  /** Epoch milliseconds; the system's clock when absent. */
  readonly clock?: (() => number) | undefined;
  /** Tips get no number below it; 0 when absent. */
  readonly firstTipNumber?: number | undefined;
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
  const { path, clock = Date.now } = options;
  const connections = openConnections(options);
  const serving = openServing(connections, path);
  const txMethods = createGuardedAsync<StoreTx>(createTxMethods(connections.writer, options.firstTipNumber), path);
  const connection = connections.writer.$client;
  const changed = createChangedAccounts(connection, path);
  const writer = createWriter<StoreTx>({
    connection,
    path,
    committed: changed.committed,
    rolledBack: changed.rolledBack,
    openTx: (span) => txMethods(span.assertOpen),
  });
  const reads = openReads(connections, path);
  const writeCheck = createWriteCheck(connections.writer, clock);
  return {
    ...reads,
    transaction: writer.transaction,
    takeChangedAccounts: changed.take,
    checkWritable: () => writer.transaction(async () => writeCheck()),
    endStaleLeases: async () =>
      (await serving.acquire(() => writer.transaction(async () => endLeases(connections.writer)))) ?? 0,
    async close() {
      await writer.close();
      // Pending look-ups are answered at the end of their turn.
      await setImmediate();
      serving.close();
      connections.close();
    },
  };
}
