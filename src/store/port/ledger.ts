import type { AccountKey, Platform } from '../../domain/account.ts';
import type { Claim, NewClaim } from '../../domain/claim.ts';
import type { PayoutSums } from '../../domain/payout-sums.ts';
import type { Tip } from '../../domain/tip.ts';
import type { Address } from '../../domain/token.ts';
import type { Page } from './page.ts';

/** That nothing is paid, because the store is on another server than before, whose last commits it may lack. */
export interface PaymentStop {
  /** The server on which it is now, in words. */
  readonly server: string;
  /** When that was noticed, epoch milliseconds. */
  readonly since: number;
}

/** Reads of claims, and of what gigs have paid. */
export interface LedgerReads {
  claim(id: number): Promise<Claim | null>;
  claimByPost(platform: Platform, postId: string): Promise<Claim | null>;
  /** The claim that a tip's `claimNonce` names. */
  claimByPublicId(publicId: string): Promise<Claim | null>;
  /** The claim of the last payment that was planned for a tip, whatever became of it; null when none was. */
  claimOfTip(tipId: number): Promise<Claim | null>;
  claims(query: Page & { account?: AccountKey | undefined }): Promise<Claim[]>;
  /** What a gig's confirmed payouts and fee moved, without gas, in base units of its token. */
  amountPaidByGig(gigId: number): Promise<bigint>;
  /** What the confirmed payouts of a gig's tips moved; null when there are none. Read from stored sums. */
  paidByGig(gigId: number): Promise<PayoutSums | null>;
  /** Whether an address is a stored token's or a gig's wallet: such a recipient is refused. */
  isOwnAddress(address: Address): Promise<boolean>;
  /** Why a gig is frozen, or null; the reason of an audit or a payment precedes the operator's. */
  gigFreeze(gigId: number): Promise<string | null>;
  /** Every frozen gig with its reason, by id; `isByOperator` when that is the operator's, which no audit undoes. */
  frozenGigs(): Promise<{ gigId: number; reason: string; isByOperator: boolean }[]>;
  /** Null while payments may be made, as always where the store is a file. Compares the server with the one before at once. */
  paymentStop(): Promise<PaymentStop | null>;
  /** The gas tank of the store's mnemonic; null before its first use. */
  gasTank(): Promise<Address | null>;
}

/** Changes of the ledger, inside a transaction. */
export interface LedgerWrites {
  /** A second claim for the same post breaks the store's constraint and throws. */
  insertClaim(claim: NewClaim): Promise<Claim>;
  /**
   * Takes every pending tip of the claim's account that no running claim holds: they get the claim's public id, the
   * start and the timeout, and the recipient as their address. Oldest first.
   */
  takeTips(claim: Claim, options: { now: number; lockTimeout: number }): Promise<Tip[]>;
  /**
   * Gives a tip its {@link otherNumber} and returns it, because the chain has paid the old one to another. The old number
   * is never given again. Null when the tip is paid or void, there is no such tip, or a signed payment of it may still be
   * included: its bytes name the old number.
   */
  renumberTip(tipId: number): Promise<number | null>;
  /**
   * Skips the numbers of a gig's tips below `next`, which the chain may have paid for tips that this store has lost.
   * False when the gig has given them already, or there is no such gig.
   * @throws RangeError when `next` is not an integer of zero or more
   */
  skipTipNumbers(gigId: number, next: number): Promise<boolean>;
  /**
   * Freezes a gig for what an audit or a payment found, or clears that with null; an operator's freeze stays. Throws
   * when there is no such gig.
   */
  freezeGig(gigId: number, change: { reason: string | null; now: number }): Promise<void>;
  /**
   * Freezes a gig for the operator, or clears that with null; another reason stays. False when that changes nothing, or
   * there is no such gig.
   */
  freezeByOperator(gigId: number, reason: string | null): Promise<boolean>;
  /**
   * Ends a stop of payments. False when there is none, the server has changed since, or nobody has noted the change yet, as
   * each start and beat does.
   */
  allowPayments(stop: Pick<PaymentStop, 'server'>): Promise<boolean>;
  /** Stores the gas tank's address at first use and returns the stored one, which never changes. */
  keepGasTank(address: Address, now: number): Promise<Address>;
}
