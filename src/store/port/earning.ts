import type { Account, AccountKey, Platform } from '../../domain/account.ts';
import type { Act, ActSource, Target } from '../../domain/earning/act.ts';
import type { BatchState, VerifierBatch } from '../../domain/earning/batch.ts';
import type { Earning, EarningFacts, EarningState, Observation, RefusalReason } from '../../domain/earning/earning.ts';
import type { HeldText } from '../../domain/earning/first-use.ts';
import type { Round, RoundPart } from '../../domain/earning/rounds.ts';
import type { Division, WeightCount } from '../../domain/earning/shares.ts';
import type { Watch } from '../../domain/earning/watch.ts';
import type { Address } from '../../domain/token.ts';
import type { LeaseRequest } from './mentions.ts';
import type { Page } from './page.ts';

/** How a gig is earned, as it was created or last changed; a gig without such a row is earned by request alone. */
export interface StoredEarningRules {
  readonly gigId: number;
  /** What the client gave, as canonical JSON; null when it gave nothing. */
  readonly given: string | null;
  /** The same with every default filled in, as JSON; see `readStoredRules`. */
  readonly rules: string;
  readonly target: Target;
}

/** An act to be stored. Times are epoch milliseconds. */
export interface NewObservation extends Act {
  readonly rankedAt: number;
  readonly textHash: string | null;
  readonly letters: number | null;
}

/** How acts were seen, and when accounts that are new with them are due. */
export interface Sight {
  readonly platform: Platform;
  readonly source: ActSource;
  readonly now: number;
  readonly dueAt: number;
  /** Whether acts that are new count no more, and are not stored; absent when they do. */
  readonly isTooLate?: boolean;
}

/** An account that is to be settled, with its acts by rank. */
export interface Settleable {
  readonly earning: Earning;
  readonly observations: readonly Observation[];
  /** Whether the operator has blocked the account. */
  readonly isBlocked: boolean;
}

/** A decision about an account, with what it was based on. */
export interface EarningDecision extends AccountKey {
  readonly gigId: number;
  readonly from: EarningState;
  readonly to: 'held' | 'eligible' | 'refused';
  readonly reason: RefusalReason | null;
  readonly facts: EarningFacts | null;
  /** The act that counts, and its rank. */
  readonly observationId: number;
  readonly rankedAt: number;
  readonly dueAt: number;
  /** Its part in a round; null without one. */
  readonly part: RoundPart | null;
  /** Why a verifier refused it; absent or null without words. */
  readonly note?: string | null;
  /** Verified addresses, and the hash of the text, which no other account of the gig may use; of an eligible account. */
  readonly addresses: readonly Address[];
  readonly textHash: string | null;
}

/** One decision, as it was recorded. */
export interface Evaluation {
  readonly id: number;
  readonly at: number;
  readonly state: EarningState;
  readonly reason: RefusalReason | null;
  readonly facts: EarningFacts | null;
  readonly amount: bigint | null;
}

/** An account that earns nothing, with its last known handle; `id` is the block's. */
export interface BlockedAccount extends Account {
  readonly id: number;
  readonly blockedAt: number;
  readonly reason: string;
}

/** How many accounts of a gig are in a state. */
export interface EarningCount {
  readonly state: EarningState;
  readonly count: number;
}

/** What is earned from a gig with rules, as a whole. */
export interface EarningOverview {
  readonly stored: StoredEarningRules;
  /** States with no account are absent. */
  readonly counts: readonly EarningCount[];
  /** What the gig's earnings have been awarded, in base units; tips by request are not in it. */
  readonly earned: bigint;
  /** How many of its rounds are divided. */
  readonly divided: number;
  /** When everything was decided, epoch milliseconds; null before. */
  readonly overAt: number | null;
}

/** An award among the largest of a gig. */
export interface TopEarning extends AccountKey {
  readonly username: string | null;
  readonly amount: bigint;
}

/** Reads of what is earned from watched gigs. */
export interface EarningReads {
  earningRules(gigId: number): Promise<StoredEarningRules | null>;
  /** Of those among these gigs that have rules, in any order. */
  earningOverviews(gigIds: readonly number[]): Promise<EarningOverview[]>;
  watch(gigId: number): Promise<Watch | null>;
  earning(gigId: number, account: AccountKey): Promise<Earning | null>;
  /** Newest first by the act that counts: `before` is the id of one. */
  earnings(query: Page & { gigId: number; state?: EarningState | undefined }): Promise<Earning[]>;
  /**
   * The largest awards among those of the `among` accounts whose acts are newest, without voided tips; equal ones by rank.
   */
  topEarnings(gigId: number, query: { among: number; limit: number }): Promise<TopEarning[]>;
  /** Of one account in every gig, but for those that are awarded; newest first by the act that counts. */
  earningsOf(account: AccountKey, query: { limit: number }): Promise<Earning[]>;
  /** Kept by triggers; states with no account are absent. */
  earningCounts(gigId: number): Promise<EarningCount[]>;
  /** What the gig's earnings have been awarded, in base units; tips by request are not in it. */
  earnedAmount(gigId: number): Promise<bigint>;
  /** An account's acts in a gig, by rank. */
  observations(gigId: number, account: AccountKey): Promise<Observation[]>;
  /** Oldest first. */
  evaluations(gigId: number, account: AccountKey): Promise<Evaluation[]>;
  /** Held accounts that are due at or before `dueBy`, by rank. */
  settleable(gigId: number, query: { dueBy: number; limit: number }): Promise<Settleable[]>;
  /** When the first held account is due; null when none is held. */
  nextHeldDue(gigId: number): Promise<number | null>;
  /** Eligible accounts by rank, each with how many held ones have an earlier rank. */
  awardable(gigId: number, query: { limit: number }): Promise<{ earning: Earning; heldBefore: number }[]>;
  /** The earliest rank of a held account; null when none is held. */
  firstHeldRank(gigId: number): Promise<number | null>;
  /** The round that was divided last; null before the first division. */
  lastRound(gigId: number): Promise<Round | null>;
  /** How many eligible accounts of a round have each weight, in any order. */
  roundWeights(gigId: number, round: number): Promise<WeightCount[]>;
  /** Eligible accounts of a round by rank. */
  roundMembers(gigId: number, round: number, query: { limit: number }): Promise<Earning[]>;
  /** Eligible accounts of a gig that are to be asked about at or before `dueBy`, those that wait longest first. */
  candidates(gigId: number, query: { dueBy: number; limit: number }): Promise<Earning[]>;
  /** When the first eligible account of a gig is to be asked about; null when none is eligible. */
  nextCandidateDue(gigId: number): Promise<number | null>;
  /** The account of a gig for which this act counts, or null. */
  earningByAct(gigId: number, observationId: number): Promise<Earning | null>;
  /** The batch of a gig that waits for its answer, or null. */
  openBatch(gigId: number): Promise<VerifierBatch | null>;
  /** Which accepted account of the gig has verified this address, or null. */
  earningAddressHolder(gigId: number, address: Address): Promise<AccountKey | null>;
  /** Whom the gig's wallet has paid for tips that the ledger has lost, each once. */
  lostRecipients(gigId: number): Promise<Address[]>;
  /** Eligible accounts of a gig that have verified one of {@link EarningReads.lostRecipients}. */
  eligibleButPaid(gigId: number): Promise<Earning[]>;
  /** Which accepted account of the gig has used the text with this hash, or null. */
  earningTextHolder(gigId: number, textHash: string): Promise<AccountKey | null>;
  /** Acts with these texts of held accounts, those that were seen before the act `before`, in any order. */
  heldTexts(gigId: number, query: { hashes: readonly string[]; before: number }): Promise<HeldText[]>;
  isBlocked(account: AccountKey): Promise<boolean>;
  /** Newest block first. */
  blockedAccounts(query: Page): Promise<BlockedAccount[]>;
  /** Watched gigs of a platform that are not over, newest first. */
  openWatches(platform: Platform, query: { limit: number }): Promise<Watch[]>;
}

/** Changes of what is earned from watched gigs, inside a transaction. */
export interface EarningWrites {
  /** Stores a gig's rules in place of earlier ones, or removes them with null. Throws once the gig is live. */
  keepEarningRules(gigId: number, rules: Omit<StoredEarningRules, 'gigId'> | null): Promise<void>;
  /** Begins to watch a live gig; false when it is not live, or watched already. */
  openWatch(gigId: number, watch: { target: Target; nextAt: number }): Promise<boolean>;
  /** Leases the watch of a platform that is due longest, unless it is over. */
  leaseWatch(platform: Platform, request: LeaseRequest): Promise<Watch | null>;
  /** Leases the watch of a gig, due or not; null when it is over or leased, or there is none. */
  leaseWatchOf(gigId: number, request: LeaseRequest): Promise<Watch | null>;
  /** Stores a watch's new state and, with `release`, ends the lease. Only under the lease. */
  keepWatch(watch: Watch, change: { lease: string; release: boolean }): Promise<boolean>;
  /**
   * Stores acts that are new, by rank, and notes of the others that they were seen, unless a webhook tells of them. An
   * account that is new with them is held until `dueAt`; one that was refused as `withdrawn` or for its text is held again
   * when the act has another object.
   * @returns how many acts were new
   */
  keepActs(gigId: number, acts: readonly NewObservation[], sight: Sight): Promise<number>;
  /** Notes that an act was undone; false when it is not known or was noted before. */
  noteUndone(
    gigId: number,
    act: Pick<Act, 'kind' | 'accountId' | 'objectId'>,
    sight: Pick<Sight, 'platform' | 'now'>,
  ): Promise<boolean>;
  /**
   * Records a decision and keeps its facts; false when the account is not in the state `from`, or awarded. An account that
   * is no longer eligible gives up its addresses and its text. Throws when those of one that becomes eligible are another
   * account's.
   */
  decideEarning(decision: EarningDecision, now: number): Promise<boolean>;
  /**
   * Eligible → awarded, with its tip; false when it is not eligible. Throws when the tip is not of this award, or the gig
   * has awarded more than its reward.
   */
  awardEarning(
    gigId: number,
    account: AccountKey,
    award: { tipId: number; amount: bigint; now: number },
  ): Promise<boolean>;
  /**
   * Divides a gig's next round, and reserves the shares; nobody enters the round afterwards. Throws when it is not the
   * next one, the last one is not over, or the reward does not hold what is reserved.
   */
  divideRound(gigId: number, round: Division & { number: number; now: number }): Promise<void>;
  /**
   * Takes shares that became tips out of what is reserved and, with `isOver`, ends the round. Throws when the round is not
   * being handed out, less is reserved, or any is left at its end.
   */
  handOut(gigId: number, round: number, change: { amount: bigint; isOver: boolean }): Promise<void>;
  /** Has an eligible account asked about at another time; false when it is not eligible. */
  postponeCandidate(gigId: number, account: AccountKey, dueAt: number): Promise<boolean>;
  /** Stores a batch that was not sent yet. Throws when the gig has an open one. */
  openBatchOf(batch: VerifierBatch, now: number): Promise<void>;
  /** Counts a try of an open batch, and says when the next one is; false when the batch is not open. */
  tryBatch(id: string, change: { nextAt: number }): Promise<boolean>;
  /** Ends an open batch, with the decisions of its answer as JSON; false when it is not open. */
  endBatch(
    id: string,
    change: { state: Exclude<BatchState, 'open'>; answer: string | null; now: number },
  ): Promise<boolean>;
  /**
   * Held or eligible → refused for accounts of a gig that are so, held ones first, by rank; eligible ones stay with
   * `isHeldOnly`. Returns how many.
   */
  refuseOpenEarnings(
    gigId: number,
    change: { reason: RefusalReason; now: number; limit: number; isHeldOnly?: boolean },
  ): Promise<number>;
  /** Blocks an account for every gig; false when it is blocked already. */
  blockAccount(account: AccountKey, change: { reason: string; now: number }): Promise<boolean>;
  unblockAccount(account: AccountKey): Promise<boolean>;
}
