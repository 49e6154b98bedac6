import { z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { chainById } from '../../../domain/chains/chain.ts';
import { gigPhase } from '../../../domain/gigs/gig.ts';
import { REFUND_STATES, type ReportedAccount } from '../../../domain/gigs/gig-report.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { PAYMENT_STATES, type Payment } from '../../../domain/payments/payment.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { dollars, type Price } from '../../../domain/prices/price.ts';
import type { GigReport } from '../../../services/gigs/show/report-gig.ts';
import {
  accountPlatformField,
  chainKeyField,
  gigIdField,
  lastHandleField,
  paidAddressField,
  paidByField,
} from '../fields.ts';
import { iso, isoOrNull, isoTime } from '../schemas.ts';

const whole = z.string().openapi({ description: 'Decimal text, in whole tokens.', example: '12.5' });
const sumOf = (description: string) => z.string().openapi({ description, example: '12.5' });

const sumsSchema = z
  .object({
    reward: sumOf('The reward; 0 before the start.'),
    fee: sumOf('The fee of the platform; 0 before the start.'),
    awarded: sumOf('Paid and pending together.'),
    paid: sumOf('Paid to claims.'),
    pending: sumOf('Owed: awarded and not paid yet.'),
    void: sumOf('The tips that the operator voided; in no other sum.'),
    refund: sumOf('The refund, paid or to be paid.'),
    fee_paid: sumOf('The part of the fee that is in the treasury.'),
    fee_owed: sumOf('The part of the fee that is not moved yet.'),
    left: sumOf('The rest of the reward, neither awarded nor in the refund.'),
    beyond: sumOf('Awarded and refunded beyond the reward, as after an older backup was put back; else 0.'),
  })
  .openapi('ReportSums', {
    description:
      'In whole tokens. To the unit, `reward` + `fee` + `beyond` is `paid` + `pending` + `refund` + `fee_paid` + `fee_owed` + `left`.',
  });

const dollarsOf = (description: string) => z.string().openapi({ description, example: '12.40' });

const worthSchema = z
  .object({
    reward: dollarsOf('The reward.'),
    awarded: dollarsOf('Paid and pending together.'),
    paid: dollarsOf('Paid to claims.'),
    left: dollarsOf('The rest of the reward.'),
    at: isoTime.openapi({ description: 'When the price was set.' }),
  })
  .openapi('ReportWorth', { description: 'Sums in US dollars, for reading alone; null without a price.' });

const refundSchema = z
  .object({
    state: z.enum(REFUND_STATES).openapi({
      description:
        '`open`: the gig is not settled; `due`: it is settled and the refund not planned; `nothing`: the whole reward was awarded, or the gig was cancelled; else the state of its payment.',
    }),
    amount: sumOf('Its amount, or the amount if it were planned now.'),
    recipient: paidAddressField.nullable().openapi({ description: 'Null when no address is set.' }),
    tx_hash: paidByField,
    due_at: isoTime
      .nullable()
      .openapi({ description: 'When it is planned at the earliest; null before the gig is settled.' }),
  })
  .openapi('Refund', { description: 'The refund of unawarded funds.' });

const paymentSchema = z
  .object({
    kind: z.enum(['fee', 'refund', 'return']).openapi({
      description: '`return`: money that the ledger did not need, such as a surplus or another asset.',
    }),
    state: z.enum(PAYMENT_STATES).openapi({ description: 'Where it stands.' }),
    amount: whole,
    token: z.string().openapi({ description: 'The address of the token.' }),
    token_symbol: z.string().openapi({ description: 'Its symbol.', example: 'USDC' }),
    recipient: paidAddressField,
    tx_hash: paidByField,
  })
  .openapi('ReportPayment', { description: 'A payment out of the gig’s wallet that is no claim’s.' });

const accountSchema = z
  .object({
    status: z
      .enum(['pending', 'paid', 'void', 'refused'])
      .openapi({ description: 'The state of its tip; `refused`: it got none.' }),
    platform: accountPlatformField,
    platform_user_id: z.string().openapi({ description: 'Its id.', example: '8004' }),
    username: lastHandleField,
    amount: whole.nullable().openapi({ description: 'In whole tokens; null for a refused account.' }),
    tip_id: z.int().nullable().openapi({ description: 'Null for a refused account.' }),
    tip_number: z.int().nullable().openapi({ description: 'By which the chain knows it; null for a refused account.' }),
    awarded_at: isoTime.nullable().openapi({ description: 'Null for a refused account.' }),
    recipient: paidAddressField.nullable().openapi({ description: 'Where it was paid to; null while it is not.' }),
    tx_hash: paidByField,
    paid_at: isoTime.nullable().openapi({ description: 'Null while it is not paid.' }),
    reason: z.string().nullable().openapi({ description: 'Why it was refused, or its tip voided; null otherwise.' }),
  })
  .openapi('ReportedAccount', { description: 'A tip of the gig, or an account that got none.' });

/** The statement of a gig. */
export const reportSchema = z
  .object({
    gig_id: gigIdField,
    status: z
      .enum(['created', 'cancelled', 'scheduled', 'live', 'ended'])
      .openapi({ description: 'The phase of the gig; `scheduled` is live with its window still to come.' }),
    settled_at: isoTime.nullable().openapi({ description: 'When its books were closed; null before.' }),
    chain: chainKeyField.openapi({ example: 'base' }),
    token: z.string().openapi({ description: 'The address of the token.' }),
    token_symbol: z.string().openapi({ description: 'Its symbol.', example: 'USDC' }),
    wallet_address: z.string().openapi({ description: 'The wallet that pays.' }),
    sums: sumsSchema,
    usd: worthSchema.nullable(),
    adds_up: z.boolean().openapi({ description: 'Whether the sums agree, to the unit.' }),
    refund: refundSchema,
    payments: z.array(paymentSchema).openapi({ description: 'Fee, refund and returns, oldest first; no payouts.' }),
    gas_used: z.string().openapi({
      description:
        'Gas units that its payments have used, including failed attempts. Their price in wei is not stored.',
      example: '98213',
    }),
    accounts: z
      .array(accountSchema)
      .nullable()
      .openapi({ description: 'A page of tips, the newest first, then of refused accounts; null without a key.' }),
  })
  .openapi('GigReport', { description: 'The statement of a gig.' });

function renderSums({ statement, gig }: GigReport) {
  const text = (amount: bigint) => formatAmount(amount, gig.token.decimals);
  return {
    reward: text(statement.reward),
    fee: text(statement.fee),
    awarded: text(statement.awarded),
    paid: text(statement.paid),
    pending: text(statement.pending),
    void: text(statement.voided),
    refund: text(statement.refund),
    fee_paid: text(statement.feePaid),
    fee_owed: text(statement.feeOwed),
    left: text(statement.left),
    beyond: text(statement.beyond),
  };
}

function renderUsd({ statement, gig }: GigReport, price: Price | null) {
  if (price === null) return null;
  const text = (amount: bigint) => dollars((amount * price.usd) / 10n ** BigInt(gig.token.decimals));
  const { reward, awarded, paid, left } = statement;
  return { reward: text(reward), awarded: text(awarded), paid: text(paid), left: text(left), at: iso(price.at) };
}

function renderPayment({ kind, state, amount, token, recipient, hash }: Payment) {
  // Payouts and marks are not among them.
  const shown = kind === 'fee' || kind === 'refund' ? kind : ('return' as const);
  return {
    kind: shown,
    state,
    amount: formatAmount(amount, token.decimals),
    token: checksummed(token.address),
    token_symbol: token.symbol,
    recipient: checksummed(recipient),
    tx_hash: hash,
  };
}

/** An account of a gig's report as clients see it. */
export function renderReported({ amount, recipient, hash, ...account }: ReportedAccount, decimals: number) {
  return {
    status: account.status,
    platform: platformFacts(account.platform).slug,
    platform_user_id: account.platformUserId,
    username: account.username,
    amount: amount === null ? null : formatAmount(amount, decimals),
    tip_id: account.tipId,
    tip_number: account.tipNumber,
    awarded_at: isoOrNull(account.awardedAt),
    recipient: recipient && checksummed(recipient),
    tx_hash: hash,
    paid_at: isoOrNull(account.paidAt),
    reason: account.reason,
  };
}

/** The statement of a gig as clients see it, without its accounts. */
export function renderReport(report: GigReport, { now, price }: { now: number; price: Price | null }) {
  const { gig, statement, refund, payments, gasUsed } = report;
  const { token } = gig;
  const { amount, recipient, hash, dueAt, state } = refund;
  return {
    gig_id: gig.id,
    status: gigPhase(gig, now),
    settled_at: gig.settledAt === null ? null : iso(gig.settledAt),
    chain: chainById(token.chainId)?.key ?? String(token.chainId),
    token: checksummed(token.address),
    token_symbol: token.symbol,
    wallet_address: checksummed(gig.walletAddress),
    sums: renderSums(report),
    usd: renderUsd(report, price),
    adds_up: statement.addsUp,
    refund: {
      state,
      amount: formatAmount(amount, token.decimals),
      recipient: recipient && checksummed(recipient),
      tx_hash: hash,
      due_at: isoOrNull(dueAt),
    },
    payments: payments.map(renderPayment),
    gas_used: String(gasUsed),
  };
}
