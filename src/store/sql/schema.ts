import { createAccountTables } from './claims/account-tables.ts';
import { createClaimTables } from './claims/claim-tables.ts';
import { createEarningTables } from './earning/earning-tables.ts';
import { createEntryTables } from './earning/entries/entry-tables.ts';
import { createBountyTables, createDrawTables, createRoundTables } from './earning/payout-tables.ts';
import { createWatchTables } from './earning/watch-tables.ts';
import { createEventTables } from './events/event-tables.ts';
import { createGigTables } from './gigs/gig-tables.ts';
import { createTipTables } from './gigs/tip-tables.ts';
import { createTokenTables } from './gigs/token-tables.ts';
import type { Kit } from './kit.ts';
import { createMentionTables } from './mentions/mention-tables.ts';
import { createOddAnswerTables } from './mentions/odd-answer-tables.ts';
import { createReplyTables } from './mentions/reply-tables.ts';
import { createTellingTables } from './mentions/telling-tables.ts';
import { createNotificationTables } from './notifications/notification-tables.ts';
import { createAccessTables } from './operators/access-tables.ts';
import { createAlertTables } from './operators/alert-tables.ts';
import { createAuditTables } from './operators/audit-tables.ts';
import { createServiceTables } from './operators/service-tables.ts';
import { createSumTables } from './operators/sums/sum-tables.ts';
import { createOwnerTables } from './owners/owner-tables.ts';
import { createChainTables } from './payments/chain-tables.ts';
import { createPaymentTables } from './payments/payment-tables.ts';
import { createX402Tables } from './x402/x402-tables.ts';

function createBaseTables(kit: Kit) {
  const base = { ...createAccountTables(kit), ...createTokenTables(kit), ...createAccessTables(kit) };
  return { ...base, ...createGigTables(kit, base) };
}

function createLedgerTables(kit: Kit, base: ReturnType<typeof createBaseTables>) {
  const mentions = createMentionTables(kit, base);
  const claims = createClaimTables(kit, { ...base, ...mentions });
  const chain = createChainTables(kit);
  const payments = createPaymentTables(kit, { ...base, ...chain, ...claims });
  const tips = createTipTables(kit, { ...base, ...payments });
  return { ...mentions, ...claims, ...chain, ...payments, ...tips };
}

/** The tables of the store, made by an engine's kit. */
export function createTables(kit: Kit) {
  const base = createBaseTables(kit);
  const ledger = { ...base, ...createLedgerTables(kit, base) };
  const made = { ...ledger, ...createEarningTables(kit, ledger) };
  return {
    ...made,
    ...createReplyTables(kit, made),
    ...createTellingTables(kit, made),
    ...createOwnerTables(kit, made),
    ...createWatchTables(kit, made),
    ...createEntryTables(kit, made),
    ...createRoundTables(kit, made),
    ...createBountyTables(kit, made),
    ...createDrawTables(kit, made),
    ...createAlertTables(kit, made),
    ...createAuditTables(kit, made),
    ...createEventTables(kit, made),
    ...createNotificationTables(kit, made),
    ...createOddAnswerTables(kit),
    ...createServiceTables(kit),
    ...createSumTables(kit),
    ...createX402Tables(kit, made),
  };
}

export type Tables = ReturnType<typeof createTables>;
