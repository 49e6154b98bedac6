import type { Address } from '../../domain/token.ts';

/** Reads about the ends of gigs. */
export interface GigEndReads {
  /** Started gigs that are not settled and whose time for awards was over at `now`, by id; `after` is an id. */
  gigsToSettle(query: { now: number; after: number; limit: number }): Promise<number[]>;
  /** Gigs that were settled at or before `settledBy`, with an address for a refund that is not planned, by id. */
  gigsToRefund(query: { settledBy: number; after: number; limit: number }): Promise<number[]>;
  /** Settled gigs whose refund has no address and is not planned, by id. */
  gigsWithoutRefundAddress(query: { after: number; limit: number }): Promise<number[]>;
  /** Gigs that were cancelled at `since` or later, have returned nothing, not even in vain, and say where to, by id. */
  gigsToReturn(query: { since: number; after: number; limit: number }): Promise<number[]>;
  /**
   * When the ledger last noticed that it had lost tips: that a wallet had paid some which it does not have, as after an
   * older backup was put back. Null when it never did.
   */
  lostTipsNoticedAt(): Promise<number | null>;
  /** The gigs whose wallets have paid tips that the ledger does not have, by id, and in how many payments. */
  gigsWithLostTips(): Promise<{ readonly gigId: number; readonly payments: number }[]>;
}

/** Changes that end gigs, inside a transaction. Each is made once: triggers keep it. */
export interface GigEndWrites {
  /**
   * Ends a live gig at `now`, before its time, and has its acts read and its held accounts decided about soon: those that
   * were held longer are due at `dueBy`. False when it is not live, over, stopped, or settled.
   */
  stopGig(gigId: number, change: { now: number; dueBy: number }): Promise<boolean>;
  /**
   * Closes the books of a gig that is over. False when it is not started, not over, settled, or an account, a share or a
   * sweep is not decided about.
   */
  settleGig(gigId: number, now: number): Promise<boolean>;
  /** Ends a created gig and releases its start lock; only while `holder` has that. */
  cancelGig(gigId: number, change: { holder: string; now: number }): Promise<boolean>;
  /** Names where what is left returns to; false where the terms say it, or the refund was planned. */
  nameRefundAddress(gigId: number, address: Address): Promise<boolean>;
  /**
   * Marks the refund of a gig as planned, as nothing, or as found on its chain: from then on nothing of the reward is left.
   * False when it has not started, or was marked before.
   */
  markRefunded(gigId: number, now: number): Promise<boolean>;
}
