import type { Address } from '../gigs/token.ts';
/** Who may create gigs on the pages of owners: nobody, the owners whom the operator allows, or anybody who signs in. */
export const OWNER_CREATORS = ['nobody', 'listed', 'anybody'] as const;
export type OwnerCreators = (typeof OWNER_CREATORS)[number];

/**
 * How many gigs of all owners together may wait for their funds: each has a wallet that is looked at. Owners whom the operator
 * allowed have as many places apart, because strangers sign in with as many wallets as they like.
 */
export const MOST_UNFUNDED = 100;
/** How many of the same may be watched: platforms bill each look, and webhooks are heeded for 500 gigs, clients' included. */
export const MOST_WATCHED = 300;
/** Strangers' places are scarce when more than so many are taken. */
export const SCARCE_FROM = 75;
/**
 * An owner's gig whose wallet does not hold what it needs after so long is cancelled; a stranger's while places are `scarce`
 * sooner. Milliseconds.
 */
export const UNFUNDED_FOR_MS = { usual: 7 * 24 * 60 * 60 * 1000, scarce: 60 * 60 * 1000 };
/**
 * While places are scarce, a stranger's gig that has its funds and did not start is cancelled so long after its creation: a
 * week after the last moment at which it could be funded. Dust would keep a place for ever. Milliseconds.
 */
export const UNSTARTED_FOR_MS = 2 * UNFUNDED_FOR_MS.usual;

/** The gigs that owners have created and that still count against their limits. */
export interface OpenGigs {
  /** Of one owner: those that wait for their start, and those that are live. */
  readonly own: number;
  /** Gigs that wait for their start, of all owners of this owner's kind: allowed by the operator, or not. */
  readonly waiting: number;
  /** Gigs of the same owners that rules award, so that their platform is asked for likes, replies and follows. */
  readonly watched: number;
}

/** An owner who may create gigs where only those may whom the operator lists. */
export interface AllowedOwner {
  readonly id: number;
  /** As one word. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly allowedAt: number;
}

/** An allowed owner with the wallet that it has linked; null for a wallet, and for an account without a link. */
export interface ListedOwner extends AllowedOwner {
  readonly wallet: Address | null;
}
