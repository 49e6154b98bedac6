import type { Account } from '../account.ts';
import type { Payment, PaymentState } from '../payments/payment.ts';
import { type Gig, requiredFunds } from './gig.ts';
import { refundDueAt, refundRecipient } from './gig-end.ts';
import type { TipRecord } from './tip.ts';
import type { Address } from './token.ts';

/** A gig's ledger, read at one moment. Amounts are base units of its token. */
export interface GigSums {
  readonly gig: Gig;
  /** Of all confirmed payouts. */
  readonly paid: bigint;
  /** Of tips that the operator voided: they are in no other sum. */
  readonly voided: bigint;
  /** Gas units that its payments have used, failed attempts included. What they cost is not stored. */
  readonly gasUsed: bigint;
  /** Fee, refund and returns with those that failed, oldest first; no payouts. */
  readonly payments: readonly Payment[];
}

/** What a gig's tips add up to when each of them is read, in base units. */
export interface TipSums {
  readonly pending: bigint;
  readonly claimed: bigint;
  readonly voided: bigint;
}

/** Where a statement does not add up, and by how much: more by the first than by the second of what is compared. */
export interface Difference {
  /** `sums`: what came in, against where it went; `claimed`: claimed tips, against payouts; `void`: void tips, against their sum. */
  readonly of: 'sums' | 'claimed' | 'void';
  /** Base units; never 0. */
  readonly amount: bigint;
}

/**
 * Where a gig's money went, in base units: `reward + fee + beyond = paid + pending + refund + feePaid + feeOwed + left`. Of a
 * gig that has not started all are 0: it awards nothing, and what its wallet holds goes back by returns.
 */
export interface Statement {
  readonly reward: bigint;
  readonly fee: bigint;
  /** Paid or owed: all tips but the void ones, and what was paid for tips that the ledger has lost. */
  readonly awarded: bigint;
  readonly paid: bigint;
  /** Owed: awarded, and not paid yet. */
  readonly pending: bigint;
  readonly voided: bigint;
  /** Of the refund, whether it is paid or still to be paid. */
  readonly refund: bigint;
  readonly feePaid: bigint;
  readonly feeOwed: bigint;
  /** The rest of the reward, neither awarded nor in the refund. */
  readonly left: bigint;
  /** Awarded and refunded beyond the reward, as after an older backup was put back. */
  readonly beyond: bigint;
  /** Paid for tips that the ledger has lost; null when the tips were not read. */
  readonly lost: bigint | null;
  readonly differences: readonly Difference[];
  readonly addsUp: boolean;
}

/** The payment of this kind that stands, else the last one that failed. */
export function paymentOf(payments: readonly Payment[], kind: 'fee' | 'refund'): Payment | null {
  const found = payments.filter((payment) => payment.kind === kind);
  return found.find(({ state }) => state !== 'failed') ?? found.at(-1) ?? null;
}

const orZero = (amount: bigint) => (amount > 0n ? amount : 0n);

function differencesOf(sums: bigint, { paid, voided }: GigSums, tips: TipSums | null): Difference[] {
  const found: Difference[] = [
    { of: 'sums', amount: sums },
    { of: 'claimed', amount: tips === null ? 0n : orZero(tips.claimed - paid) },
    { of: 'void', amount: tips === null ? 0n : tips.voided - voided },
  ];
  return found.filter(({ amount }) => amount !== 0n);
}

/** The closing statement of a gig. With `tips`, what is owed is what was read of them; else what was awarded and not paid. */
export function stateGig(books: GigSums, tips: TipSums | null = null): Statement {
  const { gig, paid, voided, payments } = books;
  const isStarted = gig.status === 'live';
  const [reward, fee] = isStarted ? [gig.rewardAmount, gig.feeAmount] : [0n, 0n];
  const awarded = gig.awardedAmount;
  const pending = tips?.pending ?? orZero(awarded - paid);
  const refund = paymentOf(payments, 'refund')?.amount ?? 0n;
  const feePayment = paymentOf(payments, 'fee');
  const feePaid = feePayment?.state === 'confirmed' ? feePayment.amount : 0n;
  const feeOwed = feePayment?.state === 'confirmed' ? 0n : fee;
  const left = orZero(reward - awarded - refund);
  const beyond = orZero(awarded + refund - reward);
  const received = isStarted ? requiredFunds(gig) : 0n;
  const differences = differencesOf(
    received + beyond - (paid + pending + refund + feePaid + feeOwed + left),
    books,
    tips,
  );
  return {
    reward,
    fee,
    awarded,
    paid,
    pending,
    voided,
    refund,
    feePaid,
    feeOwed,
    left,
    beyond,
    lost: tips === null ? null : orZero(paid - tips.claimed),
    differences,
    addsUp: differences.length === 0,
  };
}

/** `open`: the gig is not settled; `due`: it is to be planned; `nothing`: nothing was left; else the state of its payment. */
export const REFUND_STATES = ['open', 'due', 'nothing', 'planned', 'sent', 'confirmed', 'failed'] as const satisfies (
  | 'open'
  | 'due'
  | 'nothing'
  | PaymentState
)[];

export interface Refund {
  readonly state: (typeof REFUND_STATES)[number];
  /** What it is, or would be now, in base units. */
  readonly amount: bigint;
  /** Null when neither the terms nor the operator say where to. */
  readonly recipient: Address | null;
  /** The transaction that paid it; null before. */
  readonly hash: `0x${string}` | null;
  /** When it is planned at the earliest, epoch milliseconds; null before the gig is settled. */
  readonly dueAt: number | null;
}

/** The outcome of a gig's refund; `delayMs` is the time between settlement and refund. */
export function refundOf({ gig, payments }: GigSums, delayMs: number): Refund {
  const dueAt = refundDueAt(gig, delayMs);
  const payment = paymentOf(payments, 'refund');
  if (payment !== null) {
    const { state, amount, recipient, hash } = payment;
    return { state, amount, recipient, hash, dueAt };
  }
  const isOpen = gig.refundedAt === null && gig.status === 'live';
  const amount = isOpen ? orZero(gig.rewardAmount - gig.awardedAmount) : 0n;
  const isNone = gig.refundedAt !== null || gig.cancelledAt !== null;
  const state = isNone ? 'nothing' : gig.settledAt === null ? 'open' : 'due';
  return { state, amount, recipient: refundRecipient(gig), hash: null, dueAt };
}

/** A tip with the recipient of its payment, which it names when it is paid, and while it is being paid. */
export type ListedTip = TipRecord & { readonly recipient: Address | null };

/** The outcome of an account in a gig; an account with several tips is listed with each. */
export interface ReportedAccount extends Account {
  readonly status: 'pending' | 'paid' | 'void' | 'refused';
  /** Base units; null for a refused account. */
  readonly amount: bigint | null;
  /** Null for a refused account, like the tip's number. */
  readonly tipId: number | null;
  readonly tipNumber: number | null;
  readonly awardedAt: number | null;
  readonly recipient: Address | null;
  readonly hash: string | null;
  readonly paidAt: number | null;
  /** Why it was refused, or its tip voided; null otherwise. */
  readonly reason: string | null;
}

/** An account without a tip. */
export function reportUntipped<Status extends string>(account: Account, status: Status, reason: string) {
  const { platform, platformUserId, username } = account;
  const none = {
    amount: null,
    tipId: null,
    tipNumber: null,
    awardedAt: null,
    recipient: null,
    hash: null,
    paidAt: null,
  };
  return { platform, platformUserId, username, status, ...none, reason };
}

export interface ReportedTip extends ReportedAccount {
  readonly status: 'pending' | 'paid' | 'void';
  readonly amount: bigint;
  readonly tipId: number;
  readonly tipNumber: number;
  readonly awardedAt: number;
}

export function reportTip(tip: ListedTip): ReportedTip {
  const { platform, platformUserId, username, amount, voidedAt } = tip;
  const status = voidedAt !== null ? 'void' : tip.status === 'claimed' ? 'paid' : 'pending';
  const isPaid = status === 'paid';
  return {
    platform,
    platformUserId,
    username,
    status,
    amount,
    tipId: tip.id,
    tipNumber: tip.number,
    awardedAt: tip.createdAt,
    recipient: isPaid ? tip.recipient : null,
    hash: isPaid ? tip.txHash : null,
    paidAt: tip.claimedAt,
    reason: tip.voidReason,
  };
}
