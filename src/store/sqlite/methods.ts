import type { Database } from 'better-sqlite3';
import type { StoreReads, StoreTx } from '../port/index.ts';
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
import type { Sql } from '../sql/engine.ts';
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
import { createQueueReads, createQueueWrites } from '../sql/queues.ts';
import { createReplyReads, createReplyWrites } from '../sql/replies.ts';
import { createRoundReads, createRoundWrites } from '../sql/rounds.ts';
import { createSessionReads, createSessionWrites } from '../sql/sessions.ts';
import { createTankReads, createTankWrites } from '../sql/tank-transactions.ts';
import { createTellingReads, createTellingWrites } from '../sql/tellings.ts';
import { createTipNumberReads, createTipNumberWrites } from '../sql/tip-numbers.ts';
import { createTipReads, createTipWrites } from '../sql/tips.ts';
import { createTokenReads, createTokenWrites } from '../sql/tokens.ts';
import { createTopEarnings } from '../sql/top-earnings.ts';
import { createWatchReads, createWatchWrites } from '../sql/watches.ts';
import { createPendingLookup } from './pending-tips.ts';
import { createSql } from './sql.ts';

interface OnConnection {
  /** Prepares each statement at once, so that tests can read all query plans. */
  readonly isEager?: boolean;
}

/** Every read of the port, on one connection. */
export function createReads(connection: Database, options: OnConnection = {}): StoreReads {
  const db = createSql(connection, options);
  const pendingTips = createPendingLookup(connection, db);
  return {
    ...createSharedReads(db),
    pendingTips: async (identifiers) => pendingTips(identifiers),
  };
}

/** What the port reads, but for the look-up that each engine has of its own. */
function createSharedReads(db: Sql): Omit<StoreReads, 'pendingTips'> {
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
export function createTxMethods(
  connection: Database,
  { firstTipNumber = 0, ...options }: OnConnection & { readonly firstTipNumber?: number | undefined } = {},
): StoreTx {
  const db = createSql(connection, options);
  return {
    ...createReads(connection, options),
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
