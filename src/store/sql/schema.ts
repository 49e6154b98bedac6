import { createAccessTables } from './access-tables.ts';
import { createAccountTables } from './account-tables.ts';
import { createAlertTables } from './alert-tables.ts';
import { createAuditTables } from './audit-tables.ts';
import { createBountyTables } from './bounty-tables.ts';
import { createChainTables } from './chain-tables.ts';
import { createClaimTables } from './claim-tables.ts';
import { createDrawTables } from './draw-tables.ts';
import { createEarningTables } from './earning-tables.ts';
import { createGigTables } from './gig-tables.ts';
import type { Kit } from './kit.ts';
import { createMentionTables } from './mention-tables.ts';
import { createPaymentTables } from './payment-tables.ts';
import { createReplyTables } from './reply-tables.ts';
import { createRoundTables } from './round-tables.ts';
import { createServiceTables } from './service-tables.ts';
import { createTellingTables } from './telling-tables.ts';
import { createTipTables } from './tip-tables.ts';
import { createTokenTables } from './token-tables.ts';
import { createWatchTables } from './watch-tables.ts';

/** The tables that others refer to, up to the gigs. */
function createBaseTables(kit: Kit) {
  const base = { ...createAccountTables(kit), ...createTokenTables(kit), ...createAccessTables(kit) };
  return { ...base, ...createGigTables(kit, base) };
}

/** The tables of what is awarded, claimed and paid. */
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
  const made = { ...base, ...createLedgerTables(kit, base) };
  return {
    ...made,
    ...createReplyTables(kit, made),
    ...createTellingTables(kit, made),
    ...createWatchTables(kit, made),
    ...createEarningTables(kit, made),
    ...createRoundTables(kit, made),
    ...createBountyTables(kit, made),
    ...createDrawTables(kit, made),
    ...createAlertTables(kit, made),
    ...createAuditTables(kit, made),
    ...createServiceTables(kit),
  };
}

export type Tables = ReturnType<typeof createTables>;
