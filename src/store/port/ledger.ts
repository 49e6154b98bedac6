import type { AccountKey, Platform } from '../../domain/account.ts';
import type { Claim, NewClaim } from '../../domain/claim.ts';
import type { PayoutSums } from '../../domain/payout-sums.ts';
import type { Tip } from '../../domain/tip.ts';
import type { Address } from '../../domain/token.ts';
import type { NewTransfer, Transfer, TransferAttempt, TransferKind, TransferState } from '../../domain/transfer.ts';
import type { AcknowledgedActivity, UnrecognizedActivity } from '../../domain/unrecognized-activity.ts';
import type { Page } from './page.ts';

/** One wallet on one chain. */
export interface Sender {
  readonly chainId: number;
  readonly sender: Address;
}

/** The inclusion of a settled transfer: its block, hash and gas. */
export interface SettledInclusion {
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
  /** Wei. */
  readonly gasSpent: bigint;
}

/** Filters transfers; all when empty. */
export interface TransferFilter {
  readonly state?: TransferState | undefined;
  readonly kind?: TransferKind | undefined;
  /** Transfers for this gig, gas included. */
  readonly gigId?: number | undefined;
}

/** Reads of claims and of transfers out of the service's wallets. */
export interface LedgerReads {
  claim(id: number): Promise<Claim | null>;
  claimByPost(platform: Platform, postId: string): Promise<Claim | null>;
  /** The claim that a tip's `claimNonce` names. */
  claimByPublicId(publicId: string): Promise<Claim | null>;
  /** The claim of the last payment that was planned for a tip, whatever became of it; null when none was. */
  claimOfTip(tipId: number): Promise<Claim | null>;
  claims(query: Page & { account?: AccountKey | undefined }): Promise<Claim[]>;
  transfer(id: number): Promise<Transfer | null>;
  /** Oldest first. */
  transfersOfClaim(claimId: number): Promise<Transfer[]>;
  /** Every transfer for a gig, gas included, oldest first. */
  transfersOfGig(gigId: number): Promise<Transfer[]>;
  /** The newest block in which a gig's start or a transfer of it was settled; null when there is none. */
  newestBlockOf(gigId: number): Promise<bigint | null>;
  /** What a gig's confirmed payouts and fee moved, without gas, in base units of its token. */
  amountPaidByGig(gigId: number): Promise<bigint>;
  /** Whether a gas transfer to a gig's wallet is planned or open. */
  awaitsGas(gigId: number): Promise<boolean>;
  transfers(query: Page & TransferFilter): Promise<Transfer[]>;
  /** How many payouts to an account were included since then but moved nothing, at the gas tank's expense. */
  countRevertedPayouts(account: AccountKey, query: { since: number; until?: number | undefined }): Promise<number>;
  /** Wallets with a transfer that is planned, signed or broadcast, longest waiting first. */
  busySenders(): Promise<Sender[]>;
  /** The one transfer of a wallet that is signed or broadcast, or null. */
  openTransfer(sender: Sender): Promise<Transfer | null>;
  /** The transfer that used a nonce of a wallet, in any state, or null. */
  transferByNonce(sender: Sender, nonce: number): Promise<Transfer | null>;
  /** The oldest planned transfer of a wallet, or null. */
  nextPlanned(sender: Sender): Promise<Transfer | null>;
  /** One more than the highest nonce that any transfer of the wallet was signed with, or null when none was. */
  nextNonce(sender: Sender): Promise<number | null>;
  /** A transfer's tips: to be paid, paid, or failed and not taken by another claim since. Oldest first. */
  tipsOfTransfer(transferId: number): Promise<Tip[]>;
  /** The confirmed payouts of an account's claims, newest first. */
  paidTo(account: AccountKey, page: Page): Promise<Transfer[]>;
  /** What the confirmed payouts of a gig's tips moved; null when there are none. Read from stored sums. */
  paidByGig(gigId: number): Promise<PayoutSums | null>;
  /** How many transfers stand in each state. */
  transferDepths(): Promise<Record<TransferState, number>>;
  /** Whether an address is a stored token's or a gig's wallet: such a recipient is refused. */
  isOwnAddress(address: Address): Promise<boolean>;
  /** Why a gig is frozen, or null; the reason of an audit or a payment precedes the operator's. */
  gigFreeze(gigId: number): Promise<string | null>;
  /** Every frozen gig with its reason, by id. */
  frozenGigs(): Promise<{ gigId: number; reason: string }[]>;
  /** Activity of the gig's wallet that is not ours and that the operator acknowledged, in order of acknowledgement. */
  acknowledgedActivity(gigId: number): Promise<AcknowledgedActivity[]>;
  /** The gas tank of the store's mnemonic; null before its first use. */
  gasTank(): Promise<Address | null>;
  /** How many of the gas tank's nonces on a chain are accepted without a transfer; null before its first use there. */
  gasTankNonces(chainId: number): Promise<number | null>;
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
   * Takes again, for their claim, the tips of a failed transfer that are still pending and that no other claim has
   * taken since. Oldest first.
   */
  retakeTips(transferId: number, options: { claim: Claim; now: number; lockTimeout: number }): Promise<Tip[]>;
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
   * Plans a transfer that pays these tips; none for gas and fees. Throws a RangeError when the tips are not what its
   * claim took for its recipient from its gig and in its token, when another transfer pays one of them already, or when
   * they do not add up to its amount.
   */
  planTransfer(transfer: NewTransfer, options: { now: number; tipIds: readonly number[] }): Promise<Transfer>;
  /**
   * Planned → signed, with the first attempt. False when it is not planned, or the wallet has another open transfer. A
   * nonce that the wallet has used before breaks the store's constraint and throws.
   */
  markSigned(id: number, change: { nonce: number; attempt: TransferAttempt; now: number }): Promise<boolean>;
  /** One more signed attempt under the same nonce. Only while signed or broadcast. */
  addAttempt(id: number, change: { attempt: TransferAttempt; now: number }): Promise<boolean>;
  /** Signed → broadcast; broadcast stays so after a rebroadcast. */
  markBroadcast(id: number, now: number): Promise<boolean>;
  /** Signed or broadcast → confirmed; its tips → claimed, with the hash. Throws when no attempt has the hash. */
  markConfirmed(id: number, change: SettledInclusion & { now: number }): Promise<boolean>;
  /**
   * Planned → failed when `inclusion` is null; signed or broadcast → failed when it was included without effect: until
   * then its bytes may still be included. Its tips can be claimed again, and name it until they are.
   * @throws when the hash is none of its attempts
   */
  markTransferFailed(
    id: number,
    change: { reason: string; inclusion: SettledInclusion | null; now: number },
  ): Promise<boolean>;
  /**
   * Signed or broadcast → replaced, because a foreign transaction used its nonce; the same payment is planned again and
   * its tips move to it. Returns the new transfer, or null when it was not open.
   */
  planAgain(id: number, change: { reason: string; now: number }): Promise<Transfer | null>;
  /** Sets what a transfer waits for, in words, or null. Its next step clears the note; a finished transfer keeps it. */
  noteTransfer(id: number, change: { reason: string | null; now: number }): Promise<void>;
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
  /** Stores the operator's acknowledgement of foreign activity; false when there is one, which stays as it was. */
  acknowledgeActivity(gigId: number, use: UnrecognizedActivity, now: number): Promise<boolean>;
  /** Stores the gas tank's address at first use and returns the stored one, which never changes. */
  keepGasTank(address: Address, now: number): Promise<Address>;
  /** Accepts the first `spent` nonces of the gas tank on a chain without a transfer. */
  acknowledgeGasTankNonces(chainId: number, spent: number, now: number): Promise<void>;
}
