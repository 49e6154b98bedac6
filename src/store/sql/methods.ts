import type { StoreReads, StoreTx } from '../port/index.ts';
import { createAccountReads, createAccountWrites } from './accounts.ts';
import { createDeliveryReads, createDeliveryWrites } from './alert-deliveries.ts';
import { createAlertReads, createAlertWrites } from './alerts.ts';
import { createApiKeyReads, createApiKeyWrites } from './api-keys.ts';
import { createAuditEventReads, createAuditEventWrites } from './audit-events.ts';
import { createBlockReads, createBlockWrites } from './blocked-accounts.ts';
import { createBountyReads, createBountyWrites } from './bounties.ts';
import { createAnchorReads, createAnchorWrites } from './chain-anchors.ts';
import { createClaimReads, createClaimWrites } from './claims.ts';
import { createDrawReads, createDrawWrites } from './draws.ts';
import { createEarningChanges } from './earning-changes.ts';
import { createEarningHolderReads, createHeldTextReads, createLostPaymentReads } from './earning-holders.ts';
import { createEarningOverviews } from './earning-overviews.ts';
import { createEarningRuleReads, createEarningRuleWrites } from './earning-rules.ts';
import { createEarningReads } from './earnings.ts';
import type { Sql } from './engine.ts';
import { createEvaluationReads } from './evaluations.ts';
import { createGasTankReads, createGasTankWrites } from './gas-tanks.ts';
import { createGigWrites, type GigIds } from './gig-changes.ts';
import { createGigEndReads } from './gig-ends.ts';
import { createOwnerReads, createOwnerWrites } from './gig-owners.ts';
import { createGigPayoutReads } from './gig-payouts.ts';
import { createGigReportReads } from './gig-reports.ts';
import { createGigReads } from './gigs.ts';
import { createIdempotencyReads, createIdempotencyWrites } from './idempotency-keys.ts';
import { createLedgerStateReads, createLedgerStateWrites } from './ledger-state.ts';
import { createMentionReads, createMentionWrites } from './mentions.ts';
import { createObservationReads, createObservationWrites } from './observations.ts';
import { createPaymentAdoption } from './payment-adoption.ts';
import { createBudgetReads } from './payment-budgets.ts';
import { createPaymentChanges } from './payment-changes.ts';
import { createPaymentDelays } from './payment-delays.ts';
import { createPaymentLists } from './payment-lists.ts';
import { createPaymentPlans } from './payment-plans.ts';
import { createPaymentReads } from './payments.ts';
import { createPayoutReads } from './payouts.ts';
import { createCursorReads, createCursorWrites } from './poll-cursors.ts';
import { createQueueReads, createQueueWrites } from './queues.ts';
import { createReplyReads, createReplyWrites } from './replies.ts';
import { createRoundReads, createRoundWrites } from './rounds.ts';
import { createSessionReads, createSessionWrites } from './sessions.ts';
import { createTankReads, createTankWrites } from './tank-transactions.ts';
import { createTellingReads, createTellingWrites } from './tellings.ts';
import { createTipNumberReads, createTipNumberWrites } from './tip-numbers.ts';
import { createTipReads, createTipWrites } from './tips.ts';
import { createTokenReads, createTokenWrites } from './tokens.ts';
import { createTopEarnings } from './top-earnings.ts';
import { createWatchReads, createWatchWrites } from './watches.ts';

/** What the port reads, but for what each engine has of its own. */
export function createSharedReads(db: Sql): Omit<StoreReads, 'pendingTips' | 'paymentStop' | 'lastGigId'> {
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
    ...createLedgerStateReads(db),
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

/**
 * Everything that a transaction changes.
 * @param options.beforeNumbers runs before gigs give numbers of tips; nothing when absent
 * @param options.gigIds how the engine gives out the ids of gigs
 */
export function createSharedWrites(
  db: Sql,
  {
    beforeNumbers = async () => undefined,
    gigIds,
  }: { readonly beforeNumbers?: (() => Promise<void>) | undefined; readonly gigIds: GigIds },
): Omit<StoreTx, keyof StoreReads | 'allowPayments'> {
  return {
    ...createTokenWrites(db),
    ...createAccountWrites(db),
    ...createGigWrites(db, gigIds),
    ...createOwnerWrites(db),
    ...createTipWrites(db, beforeNumbers),
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
    ...createLedgerStateWrites(db),
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
