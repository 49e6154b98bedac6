import { sql } from 'drizzle-orm';
import { PAYMENT_KINDS, PAYMENT_STATES } from '../../../domain/payments/payment.ts';
import { isEither } from '../checks.ts';
import type { ClaimTables } from '../claims/claim-tables.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import { ofToken, type TokenTables } from '../gigs/token-tables.ts';
import type { Kit } from '../kit.ts';
import type { ValueTables } from '../value-tables.ts';
import type { ChainTables } from './chain-tables.ts';

/** The conditions of partial indices, word for word. */
export const PAYMENT_PLANNED = sql.raw("payments.state = 'planned'");
export const PAYMENT_SENT = sql.raw("payments.state = 'sent'");
export const PAYMENT_WAITS = sql.raw("(payments.state = 'planned' or payments.state = 'sent')");
export const PAYMENT_CONFIRMED = sql.raw("payments.state = 'confirmed'");
export const PAYMENT_MARKED = sql.raw('payments.hash is not null');
export const PAYMENT_UNCLAIMED = sql.raw('payments.claim_id is null');
export const PAYMENT_USED_GAS = sql.raw('payments.gas_used > 0');
export const IS_FEE_THAT_STANDS = sql.raw("payments.kind = 'fee' and payments.state <> 'failed'");
export const IS_REFUND_THAT_STANDS = sql.raw("payments.kind = 'refund' and payments.state <> 'failed'");
export const IS_RETURN_THAT_STANDS = sql.raw("payments.kind = 'return' and payments.state <> 'failed'");
/** No equation of the kind, by which SQLite would walk all payouts. */
export const IS_ADOPTED_PAYOUT = sql.raw("payments.claim_id is null and not payments.kind <> 'payout'");

type Made = ChainTables & ClaimTables & GigTables & TokenTables & ValueTables;

/**
 * Payments out of gigs' wallets by the contract. `numbers` are those that were signed or marked; null while it is planned,
 * when its tips have them, and of a confirmed one that was made before wallets paid by the contract. `gas_reserved` is the
 * part of `gas_used` that its transaction may still use. A gig has at most one fee and one refund that is paid or pending,
 * one return for each place, and one mark that is not over.
 */
function createPayments(kit: Kit, made: Made) {
  const { claims, paymentKinds, tankTransactions } = made;
  return kit.table(
    'payments',
    {
      id: kit.rowId('id'),
      kind: kit
        .text('kind', { enum: PAYMENT_KINDS })
        .notNull()
        .references(() => paymentKinds.id),
      chainId: kit.integer('chain_id').notNull(),
      gigId: ofGig(kit, made),
      claimId: kit.integer('claim_id').references(() => claims.id),
      tokenId: ofToken(kit, made),
      recipient: kit.address('recipient').notNull(),
      amount: kit.amount('amount').notNull(),
      place: kit.integer('place'),
      state: kit.text('state', { enum: PAYMENT_STATES }).notNull(),
      reason: kit.text('reason'),
      numbers: kit.numberList('numbers'),
      transactionId: kit.integer('transaction_id').references(() => tankTransactions.id),
      hash: kit.hex('hash'),
      blockNumber: kit.count('block_number'),
      gasUsed: kit.count('gas_used').notNull().default(sql`0`),
      gasReserved: kit.count('gas_reserved').notNull().default(sql`0`),
      failures: kit.integer('failures').notNull().default(0),
      /** When it last failed on the chain. */
      failedAt: kit.integer('failed_at'),
      dueAt: kit.integer('due_at').notNull(),
      createdAt: kit.integer('created_at').notNull(),
      updatedAt: kit.integer('updated_at').notNull(),
    },
    (table) => [
      kit.index('payments_planned').on(table.chainId, table.dueAt).where(PAYMENT_PLANNED),
      kit.index('payments_sent').on(table.transactionId).where(PAYMENT_SENT),
      kit.index('payments_confirmed').on(table.chainId, table.blockNumber).where(PAYMENT_CONFIRMED),
      kit.uniqueIndex('payments_one_fee').on(table.gigId).where(IS_FEE_THAT_STANDS),
      kit.uniqueIndex('payments_one_refund').on(table.gigId).where(IS_REFUND_THAT_STANDS),
      kit.uniqueIndex('payments_one_return').on(table.gigId, table.place).where(IS_RETURN_THAT_STANDS),
      kit
        .uniqueIndex('payments_open_mark')
        .on(table.gigId)
        .where(sql.raw("payments.kind = 'mark' and (payments.state = 'planned' or payments.state = 'sent')")),
      kit.index('payments_adopted').on(table.claimId).where(IS_ADOPTED_PAYOUT),
      kit.index('payments_by_claim').on(table.claimId).where(sql.raw('payments.claim_id is not null')),
      kit.index('payments_by_hash').on(table.hash).where(PAYMENT_MARKED),
      // A claim names where its payments go.
      kit.index('payments_by_recipient').on(table.recipient).where(PAYMENT_UNCLAIMED),
      kit.index('payments_by_gig').on(table.gigId, table.kind, table.state),
      kit.index('payments_waiting').on(table.createdAt).where(PAYMENT_WAITS),
      kit.index('payments_by_kind').on(table.kind, table.state),
      kit.index('payments_by_gas').on(table.gigId, table.updatedAt, table.gasUsed).where(PAYMENT_USED_GAS),
      kit.index('payments_failed').on(table.tokenId, table.failedAt).where(sql.raw('payments.failed_at is not null')),
      kit.check('payments_state', isEither('state', PAYMENT_STATES)),
      kit.check(
        'payments_claim',
        kit.ifElse(
          sql`claim_id is null`,
          sql`kind <> 'payout' or state = 'confirmed' or state = 'failed'`,
          sql`kind = 'payout'`,
        ),
      ),
      kit.check('payments_place', kit.ifElse(sql`kind = 'return'`, kit.isBetween('place', 0, 127), sql`place is null`)),
      kit.check('payments_recipient', kit.isAddress('recipient')),
      kit.check('payments_amount', sql`${kit.isDecimal('amount')} and (kind <> 'mark' or amount = '0')`),
      kit.check('payments_reason', sql.raw("reason is not null or state <> 'failed'")),
      kit.check(
        'payments_numbers',
        kit.ifElse(
          sql`numbers is null`,
          sql`state <> 'sent'`,
          sql`${kit.isNumberList('numbers')} and (state = 'sent' or state = 'confirmed')`,
        ),
      ),
      kit.check('payments_transaction', sql.raw("transaction_id is not null or state <> 'sent'")),
      kit.check(
        'payments_landing',
        sql.raw("(hash is not null) = (state = 'confirmed') and (hash is null) = (block_number is null)"),
      ),
      kit.check('payments_hash', kit.isHash('hash')),
      kit.check('payments_block', sql`block_number is null or ${kit.isCount('block_number')}`),
      kit.check('payments_gas', kit.isCount('gas_used')),
      kit.check(
        'payments_gas_reserved',
        sql`${kit.isBetween('gas_reserved', 0, 'gas_used')} and (gas_reserved = 0 or state = 'sent')`,
      ),
      kit.check('payments_failures', sql.raw('failures >= 0 and (failures = 0) = (failed_at is null)')),
    ],
  );
}

/** The payments out of gigs' wallets. */
export function createPaymentTables(kit: Kit, made: Made) {
  return { payments: createPayments(kit, made) };
}

export type PaymentTables = ReturnType<typeof createPaymentTables>;
