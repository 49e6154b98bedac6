import { sql } from 'drizzle-orm';
import { GIG_STARTS, GIG_TYPES } from '../../../domain/gigs/gig.ts';
import { isOneOf } from '../checks.ts';
import { type AccountTables, isAccount, ofPlatform } from '../claims/account-tables.ts';
import type { Kit } from '../kit.ts';
import type { AccessTables } from '../operators/access-tables.ts';
import { ofToken, type TokenTables } from './token-tables.ts';

/** Gigs that went live, and frozen gigs: the conditions of two partial indices, word for word. */
export const GIG_WENT_LIVE = sql.raw("gigs.status = 'live'");
export const GIG_FROZEN = sql.raw('gigs.frozen_reason is not null or gigs.operator_freeze is not null');
/** Gigs that ended without a start: as above. */
export const GIG_CANCELLED = sql.raw('gigs.cancelled_at is not null');
/** Started gigs whose books are open, and settled ones whose refund has an address and is not planned: as above. */
export const GIG_UNSETTLED = sql.raw("gigs.status = 'live' and gigs.settled_at is null");
/** Gigs that are neither started nor cancelled; the condition of their index, word for word. */
export const GIG_WAITS = sql.raw("gigs.status = 'created' and gigs.cancelled_at is null");
export const GIG_TO_REFUND = sql.raw(
  'gigs.settled_at is not null and gigs.refunded_at is null and (gigs.refund_address is not null or gigs.refund_to is not null)',
);

/** Gigs that the service is to start: as above. */
export const GIG_TO_START = sql.raw('gigs.start_until is not null');
/** Gigs about something with a URL; the condition of their index, word for word. */
export const GIG_HAS_URL = sql.raw('gigs.external_url is not null');
/** Gigs that have a title: as above. */
export const GIG_HAS_TITLE = sql.raw('gigs.title is not null');

type Base = AccountTables & TokenTables & AccessTables;

/**
 * `frozen_reason` is set by an audit or a payment, `operator_freeze` by the operator; neither clears the other. Ids are
 * never reused (AUTOINCREMENT), because wallets derive from them. `next_tip_number` never falls: the numbers below it
 * have been given. `gas_used` is the sum of its payments', kept by triggers; `voided_amount` is that of its void tips. From `stopped_at` on the columns say what became
 * of a gig besides its terms; triggers let each be set once. A migration must not rebuild this table: that would lose the
 * last id and drop the triggers that guard live gigs and the numbers.
 */
function createGigs(kit: Kit, made: Base) {
  const { apiKeys, gigTypes } = made;
  return kit.table(
    'gigs',
    {
      id: kit.lastingId('id'),
      createdAt: kit.integer('created_at').notNull(),
      status: kit.text('status', { enum: ['created', 'live'] }).notNull(),
      production: kit.flag('production').notNull(),
      tokenId: ofToken(kit, made),
      rewardAmount: kit.amount('reward_amount').notNull(),
      feeAmount: kit.amount('fee_amount').notNull(),
      startTime: kit.integer('start_time').notNull(),
      endTime: kit.integer('end_time').notNull(),
      duration: kit.integer('duration').notNull(),
      gigType: kit
        .text('gig_type', { enum: GIG_TYPES })
        .notNull()
        .references(() => gigTypes.id),
      platform: ofPlatform(kit, made),
      walletAddress: kit.address('wallet_address').notNull(),
      howToEarn: kit.text('how_to_earn'),
      earningCriteria: kit.text('earning_criteria'),
      externalUrl: kit.text('external_url'),
      verifier: kit.text('verifier'),
      startLockHolder: kit.text('start_lock_holder'),
      startLockUntil: kit.integer('start_lock_until'),
      awardedAmount: kit.amount('awarded_amount').notNull().default(sql`'0'`),
      frozenReason: kit.text('frozen_reason'),
      client: kit.text('client'),
      createdBy: kit.integer('created_by').references(() => apiKeys.id),
      operatorFreeze: kit.text('operator_freeze'),
      nextTipNumber: kit.integer('next_tip_number').notNull().default(0),
      gasUsed: kit.count('gas_used').notNull().default(sql`0`),
      reservedAmount: kit.amount('reserved_amount').notNull().default(sql`'0'`),
      voidedAmount: kit.amount('voided_amount').notNull().default(sql`'0'`),
      refundAddress: kit.address('refund_address'),
      awardDays: kit.integer('award_days').notNull().default(0),
      stoppedAt: kit.integer('stopped_at'),
      settledAt: kit.integer('settled_at'),
      cancelledAt: kit.integer('cancelled_at'),
      refundTo: kit.address('refund_to'),
      refundedAt: kit.integer('refunded_at'),
      /** The newest block of its chain when it was created; null for a gig from before this was noted. */
      createdBlock: kit.count('created_block'),
      start: kit.text('start', { enum: GIG_STARTS }).notNull().default('on_request'),
      startUntil: kit.integer('start_until'),
      /** Before it the service does not try again; null when nothing was refused. */
      startTryAt: kit.integer('start_try_at'),
      startRefusal: kit.text('start_refusal'),
      title: kit.text('title'),
      ownersMayAward: kit.flag('owners_may_award').notNull().default(false),
      /** The transaction by which an owner says to have paid for it. */
      fundingHash: kit.hex('funding_hash'),
      refundName: kit.text('refund_name'),
    },
    (table) => [
      kit.uniqueIndex('gigs_by_wallet').on(table.walletAddress),
      kit.index('gigs_by_status').on(table.platform, table.status),
      kit
        .index('gigs_live_windows')
        .on(table.platform, table.endTime, table.startTime, table.stoppedAt)
        .where(GIG_WENT_LIVE),
      kit.index('gigs_frozen').on(table.id).where(GIG_FROZEN),
      kit.index('gigs_unsettled').on(table.id).where(GIG_UNSETTLED),
      kit.index('gigs_waiting').on(table.createdAt).where(GIG_WAITS),
      kit.index('gigs_cancelled').on(table.cancelledAt).where(GIG_CANCELLED),
      kit.index('gigs_to_refund').on(table.id).where(GIG_TO_REFUND),
      kit.index('gigs_to_start').on(table.id).where(GIG_TO_START),
      kit.index('gigs_by_url').on(table.externalUrl).where(GIG_HAS_URL),
      kit.index('gigs_by_title').on(table.title).where(GIG_HAS_TITLE),
      kit.index('gigs_by_client').on(table.client).where(sql.raw('gigs.client is not null')),
      kit.check('gigs_status', isOneOf('status', ['created', 'live'])),
      kit.check('gigs_production', sql.raw("production = (status = 'live')")),
      kit.check('gigs_reward', kit.isDecimal('reward_amount')),
      kit.check('gigs_fee', kit.isDecimal('fee_amount')),
      kit.check('gigs_awarded', kit.isDecimal('awarded_amount')),
      kit.check('gigs_reserved', kit.isDecimal('reserved_amount')),
      kit.check('gigs_voided', kit.isDecimal('voided_amount')),
      kit.check('gigs_window', sql.raw('duration >= 0 and end_time = start_time + duration')),
      kit.check('gigs_wallet', kit.isAddress('wallet_address')),
      kit.check('gigs_next_tip_number', kit.isWholeNumber('next_tip_number')),
      kit.check('gigs_gas_used', kit.isCount('gas_used')),
      kit.check('gigs_created_block', sql`created_block is null or ${kit.isCount('created_block')}`),
      kit.check('gigs_start_lock', sql.raw('(start_lock_holder is null) = (start_lock_until is null)')),
      kit.check('gigs_funding_hash', kit.isHash('funding_hash')),
      kit.check('gigs_title', sql.raw('length(title) between 1 and 60')),
      kit.check('gigs_start', isOneOf('start', GIG_STARTS)),
      kit.check(
        'gigs_start_until',
        sql.raw("start_until is null or start = 'when_funded' and status = 'created' and cancelled_at is null"),
      ),
      kit.check('gigs_start_refusal', sql.raw('(start_try_at is null) = (start_refusal is null)')),
      kit.check('gigs_refund_address', kit.isAddress('refund_address')),
      kit.check('gigs_refund_name', sql.raw('refund_name is null or refund_address is not null')),
      kit.check('gigs_award_days', kit.isBetween('award_days', 0, 90)),
      kit.check('gigs_stopped', sql.raw("stopped_at is null or status = 'live'")),
      kit.check('gigs_settled', sql.raw("settled_at is null or status = 'live' and reserved_amount = '0'")),
      kit.check('gigs_cancelled', sql.raw("cancelled_at is null or status = 'created' and start_lock_holder is null")),
      kit.check('gigs_refund_to', kit.isAddress('refund_to')),
      kit.check('gigs_owners_may_award', kit.isBoolean('owners_may_award')),
      kit.check('gigs_refunded', sql.raw("refunded_at is null or status = 'live'")),
    ],
  );
}

type Made = Base & { readonly gigs: ReturnType<typeof createGigs> };

/** A column for the gig of a row. */
export function ofGig(kit: Kit, { gigs }: Pick<Made, 'gigs'>) {
  return kit
    .integer('gig_id')
    .notNull()
    .references(() => gigs.id);
}

function createGigOwners(kit: Kit, made: Made) {
  const { apiKeys } = made;
  return kit.table(
    'gig_owners',
    {
      /** The order in which they were added: times repeat, and clocks can go back. */
      place: kit.rowId('place'),
      gigId: ofGig(kit, made),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
      createdAt: kit.integer('created_at').notNull(),
      addedBy: kit.integer('added_by').references(() => apiKeys.id),
    },
    (table) => [
      kit.uniqueIndex('gig_owners_by_account').on(table.gigId, table.platform, table.platformUserId),
      kit.index('gig_owners_gigs').on(table.platform, table.platformUserId, table.gigId),
      isAccount(kit, made, [table.platform, table.platformUserId]),
    ],
  );
}

/** Starts whose funding must be checked again; the condition of their index, word for word. */
export const FUNDING_TO_CHECK = sql.raw('gig_transactions.check_block is not null');

/**
 * `check_block` is the block that must settle before the funding is checked again: first the block in which it was
 * seen, then a later one if it was missing, null when done.
 */
function createGigTransactions(kit: Kit, made: Made) {
  return kit.table(
    'gig_transactions',
    {
      id: kit.rowId('id'),
      gigId: ofGig(kit, made),
      tokenId: ofToken(kit, made),
      chainId: kit.integer('chain_id').notNull(),
      amount: kit.amount('amount').notNull(),
      commissionAmount: kit.amount('commission_amount').notNull(),
      blockNumber: kit.amount('block_number').notNull(),
      createdAt: kit.integer('created_at').notNull(),
      checkBlock: kit.amount('check_block'),
    },
    (table) => [
      kit.uniqueIndex('gig_transactions_by_gig').on(table.gigId),
      kit.index('gig_transactions_to_check').on(table.chainId).where(FUNDING_TO_CHECK),
      kit.check('gig_transactions_amount', kit.isDecimal('amount')),
      kit.check('gig_transactions_commission', kit.isDecimal('commission_amount')),
      kit.check('gig_transactions_block', kit.isDecimal('block_number')),
      kit.check('gig_transactions_check_block', kit.isDecimal('check_block')),
    ],
  );
}

/**
 * The confirmed payouts of each gig, summed over equally long parts of the time since its start
 * (`domain/payments/payout-sums.ts`): at most 30 rows per gig. Written with the payout's confirmation.
 */
function createGigPayouts(kit: Kit, made: Made) {
  return kit.table(
    'gig_payouts',
    {
      gigId: ofGig(kit, made),
      part: kit.integer('part').notNull(),
      partMs: kit.integer('part_ms').notNull(),
      payouts: kit.integer('payouts').notNull(),
      amount: kit.amount('amount').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.part] }),
      kit.check('gig_payouts_part', sql.raw('part between 0 and 29 and part_ms > 0 and payouts > 0')),
      kit.check('gig_payouts_amount', kit.isDecimal('amount')),
    ],
  );
}

/** The gigs, their owners, and what was paid in and out. */
export function createGigTables(kit: Kit, made: Base) {
  const gigs = createGigs(kit, made);
  const withGigs = { ...made, gigs };
  return {
    gigs,
    gigOwners: createGigOwners(kit, withGigs),
    gigTransactions: createGigTransactions(kit, withGigs),
    gigPayouts: createGigPayouts(kit, withGigs),
  };
}

export type GigTables = ReturnType<typeof createGigTables>;
