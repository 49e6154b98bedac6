import type { AccountKey } from '../../domain/account.ts';
import type { BlockRef } from '../../domain/block.ts';
import type { Claim } from '../../domain/claim.ts';
import type { PaidEvent } from '../../domain/payer-chain.ts';
import type {
  NewPayment,
  NumberedPayment,
  Payment,
  PaymentCandidate,
  PaymentKind,
  PaymentState,
  TankAttempt,
  TankTransaction,
} from '../../domain/payment.ts';
import type { Tip } from '../../domain/tip.ts';
import type { Page } from './page.ts';

/** Filters payments; all when empty. */
export interface PaymentFilter {
  readonly state?: PaymentState | undefined;
  readonly kind?: PaymentKind | undefined;
  readonly gigId?: number | undefined;
}

/** Where and when a payment was marked, and the gas that it used there. */
export interface MarkedIn {
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
  /** Its part of the gas of our transaction that held it, whatever has paid it; 0 when there was none. */
  readonly gasUsed: bigint;
}

/** A payment as the chain has made it; the recipient may differ from what was planned. */
export interface MadePayment extends MarkedIn {
  readonly id: number;
  readonly recipient: PaidEvent['to'];
  readonly numbers: readonly bigint[];
}

/** A payment that its transaction has not made. */
export interface MissedPayment {
  readonly id: number;
  readonly reason: string;
  readonly dueAt: number;
  /** It was tried on the chain, and is counted. */
  readonly hasFailed: boolean;
  readonly gasUsed: bigint;
}

/** What planned payments of a chain have in common. */
export type PaymentScope = { readonly chainId: number } & (
  | { readonly kind: 'client'; readonly of: string }
  | { readonly kind: 'gig' | 'token'; readonly of: number }
);

/** What payments of a gig to one account have cost that failed on the chain. */
export interface AccountFailures extends AccountKey {
  readonly gigId: number;
  /** How often they failed. */
  readonly failures: number;
  readonly gasUsed: bigint;
  /** When one of them last failed, epoch milliseconds. */
  readonly failedAt: number;
}

/** Payments of a gig that are planned or sent, with the same reason. */
export interface LatePayments {
  readonly chainId: number;
  readonly gigId: number;
  readonly state: 'planned' | 'sent';
  readonly reason: string | null;
  readonly payments: number;
}

/** Reads of payments out of gigs' wallets, and of the gas tank's transactions. */
export interface PaymentReads {
  payment(id: number): Promise<NumberedPayment | null>;
  /** Oldest first. */
  paymentsOfClaim(claimId: number): Promise<Payment[]>;
  /** Every payment of a gig, oldest first. */
  paymentsOfGig(gigId: number): Promise<Payment[]>;
  /** Newest first. */
  payments(query: Page & PaymentFilter): Promise<Payment[]>;
  /** How many payments stand in each state. */
  paymentDepths(): Promise<Record<PaymentState, number>>;
  /** A payment's tips: to be paid, paid, or failed and not taken by another claim since. Oldest first. */
  tipsOfPayment(paymentId: number): Promise<Tip[]>;
  /** Chains with a planned payment, or with a transaction of the gas tank that is not over. */
  chainsWithPayments(): Promise<number[]>;
  /**
   * Planned payments of a chain that are due, longest first. Of a gig with a planned or sent `mark` only that one is
   * listed: what was paid before has to be marked first.
   */
  paymentCandidates(chainId: number, query: { now: number; limit: number }): Promise<PaymentCandidate[]>;
  /** Payments that are planned or sent and were planned at `plannedBy` or before, in groups. */
  latePayments(query: { plannedBy: number }): Promise<LatePayments[]>;
  /** When the next planned payment of a chain is due, epoch milliseconds; null when none is planned. */
  nextPaymentDue(chainId: number): Promise<number | null>;
  /** Transactions of the gas tank on a chain that are not over, by nonce. */
  openTankTransactions(chainId: number): Promise<TankTransaction[]>;
  /** A transaction of the gas tank, over or not. */
  tankTransaction(id: number): Promise<TankTransaction | null>;
  /** The payments that are sent in a transaction. */
  paymentsInTransaction(transactionId: number): Promise<NumberedPayment[]>;
  /** Payments of a chain whose numbers were marked in a block above this one, lowest block first. */
  paymentsConfirmedAbove(chainId: number, blockNumber: bigint): Promise<NumberedPayment[]>;
  /** The numbers that a gig's confirmed payments have marked. Tips that were paid before the contract are not in it. */
  markedNumbers(gigId: number): Promise<bigint[]>;
  /** The words of marks (256 numbers each) that hold the numbers of a gig's tips. */
  tipWords(gigId: number): Promise<bigint[]>;
  /** Unpaid tips of a gig, not void, with these numbers, in their order. */
  unpaidTipsByNumber(gigId: number, numbers: readonly bigint[]): Promise<Tip[]>;
  /** Void tips of a gig with these numbers. */
  voidTipsByNumber(gigId: number, numbers: readonly bigint[]): Promise<Tip[]>;
  /**
   * Gas that the payments of these gigs have used, for their whole lives, without their fees', and how many numbers of tips
   * each has given.
   */
  gasOfGigs(gigIds: readonly number[]): Promise<ReadonlyMap<number, { gasUsed: bigint; tips: number }>>;
  /**
   * Gas that the payments of a client's gigs used, of those that changed since then: fees, and all others. Gigs that an
   * operator's key made are left out.
   */
  gasOfClient(client: string, since: number): Promise<{ claims: bigint; fees: bigint }>;
  /**
   * How many wallets' calls with payments in a token failed on the chain since then, and at most to how many accounts. A
   * call with several payments counts once, and a payment that was confirmed later not at all.
   */
  failuresOfToken(tokenId: number, since: number): Promise<number>;
  /** The same for each gig and account, of claims' payments in a token that failed since then. */
  accountFailures(tokenId: number, since: number): Promise<AccountFailures[]>;
  /** The settled block of a chain that the ledger counts on; null before the first payment there. */
  chainAnchor(chainId: number): Promise<BlockRef | null>;
}

/** Changes of payments, inside a transaction. */
export interface PaymentWrites {
  /**
   * Plans a payment of these tips; none for a fee or a mark. Throws a RangeError when the tips are not what its claim took
   * for its recipient from its gig and in its token, when another payment pays one of them already, or when they do not
   * add up to its amount.
   */
  planPayment(payment: NewPayment, options: { now: number; tipIds: readonly number[] }): Promise<Payment>;
  /**
   * Takes again, for their claim, the tips of a failed payment that are still pending and that no other claim has taken
   * since. Oldest first.
   */
  retakePaymentTips(paymentId: number, options: { claim: Claim; now: number; lockTimeout: number }): Promise<Tip[]>;
  /**
   * Stores a signed transaction and its payments with it: planned → sent, with the numbers that were signed. Null, and
   * nothing is changed, when one of them is not planned, its numbers are not those of its tips any more, or its gig is
   * frozen; and when another transaction of the chain that is not over has the nonce, or a later one: another instance was
   * faster.
   */
  keepTankTransaction(
    transaction: { chainId: number; nonce: number; attempt: TankAttempt },
    options: { payments: readonly { id: number; numbers: readonly bigint[]; gas: bigint }[]; now: number },
  ): Promise<TankTransaction | null>;
  /** One more signed attempt under the same nonce. False when the transaction is over. */
  addTankAttempt(transactionId: number, change: { attempt: TankAttempt; now: number }): Promise<boolean>;
  /** Records a broadcast. False when the transaction is over. */
  noteBroadcast(transactionId: number, now: number): Promise<boolean>;
  /**
   * Ends a transaction whose nonce is spent in a settled block, or that is given up. False when it is over, or holds a
   * payment that is sent.
   */
  endTankTransaction(transactionId: number, now: number): Promise<boolean>;
  /**
   * Planned or sent → confirmed, with the numbers; their tips → claimed, with the hash. Of several with one id the first
   * counts.
   * @param sentIn the transaction whose gas they have used: those that are not sent in it stay as they are
   * @returns the ids of those that were planned or sent, in their order; the others stay as they are
   * @throws RangeError when the numbers of one are not those of its tips or its fee; those of a mark may be any
   */
  confirmPayments(made: readonly MadePayment[], now: number, sentIn?: number): Promise<number[]>;
  /**
   * Stores a payment that the ledger knows from the chain alone, confirmed: of these unpaid tips, of the gig's fee, or of
   * numbers that no tip has: its amount counts as awarded, because its tips are lost. What another payment had planned for
   * one of the tips, or for the fee, fails, and its other tips can be claimed again.
   * @throws RangeError when a tip is paid, void, another account's, or held by a payment that is sent; when the tips do not
   * have its numbers or add up to its amount; and, without tips, when an unpaid tip has one of its numbers, or another
   * payment has marked it
   */
  adoptPayment(
    payment: NewPayment & { numbers: readonly bigint[] },
    options: MarkedIn & { tipIds: readonly number[]; now: number },
  ): Promise<Payment>;
  /**
   * Sent → planned, because this transaction did not mark their numbers. Of several with one id the first counts.
   * @returns the ids of those that were sent in this transaction, in their order; the others stay as they are
   */
  replanPayments(
    missed: readonly MissedPayment[],
    change: { readonly transactionId: number; readonly now: number },
  ): Promise<number[]>;
  /**
   * Confirmed → planned, because a reorganisation took its marks back; its tips are pending again, for the same claim and
   * its recipient. A payout that was adopted without a claim → failed, and its tips can be claimed.
   */
  unconfirmPayment(id: number, change: { reason: string; now: number }): Promise<boolean>;
  /** Planned → failed. Its tips can be claimed again, and name it until they are. */
  failPayment(id: number, change: { reason: string; now: number }): Promise<boolean>;
  /** Sets what a planned payment waits for, in words, or null, and until when it is not tried. */
  notePayment(id: number, change: { reason: string | null; dueAt: number; now: number }): Promise<boolean>;
  /** Sets why a payment that is sent is not settled yet, in words, or null. False when it is not sent. */
  noteSent(id: number, change: { reason: string | null; now: number }): Promise<boolean>;
  /**
   * Notes the same for all planned payments of a scope that are due and, as candidates, listed after this one; marks are
   * left out. How many there were.
   */
  delayPayments(
    scope: PaymentScope,
    change: { reason: string; dueAt: number; now: number; after: Pick<Payment, 'dueAt' | 'id'> },
  ): Promise<number>;
  /** Allows a token to take more gas than others, or ends that. False when that changes nothing, or there is no such token. */
  allowToken(tokenId: number, isAllowed: boolean): Promise<boolean>;
  /** Stores the settled block that the ledger counts on. */
  setChainAnchor(chainId: number, block: BlockRef): Promise<void>;
}

/** For the pages of an account: its confirmed payouts, newest first. */
export interface PayoutReads {
  payoutsTo(account: AccountKey, page: Page): Promise<Payment[]>;
}
