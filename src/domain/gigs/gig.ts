import type { Platform } from '../account.ts';
import type { Chain } from '../chains/chain.ts';
import { DAY_MS, MINUTE_MS } from '../time.ts';
import type { Address, Token } from './token.ts';

export const GIG_TYPES = ['mention', 'like', 'recast', 'boost', 'reply', 'follow', 'custom_bounty', 'hold'] as const;
export type GigType = (typeof GIG_TYPES)[number];

/** What starts a gig: a request alone, or also the service itself once the wallet holds exactly what the gig needs. */
export const GIG_STARTS = ['on_request', 'when_funded'] as const;
export type GigStart = (typeof GIG_STARTS)[number];

/** How long a wallet is looked at to start its gig. Milliseconds. */
export const START_LOOK_MS = 30 * DAY_MS;

/** How long a gig whose start was refused waits for the next try. Milliseconds. */
export const START_RETRY_MS = 10 * MINUTE_MS;

/** How long a start may hold a gig before its lock may be taken, in milliseconds. */
export const START_LEASE_MS = 60_000;

export interface GigEnd {
  /** When acts no longer count: `startTime + duration` by its terms, or earlier, when it was stopped. */
  readonly endTime: number;
}

/** What decides on the phase of a gig. Times are epoch milliseconds. */
export interface GigTimes extends GigEnd {
  /** The stored state; whether a live gig's window is over depends on the clock, see {@link gigPhase}. */
  readonly status: 'created' | 'live';
  readonly startTime: number;
  /** When an owner, its client or the operator ended it before its time; null otherwise. */
  readonly stoppedAt: number | null;
  /** When it was ended without a start; null otherwise. */
  readonly cancelledAt: number | null;
  /** When its start was recorded, by the clock of that moment; null before. */
  readonly wentLiveAt: number | null;
}

/** Until when awards are taken. Times are epoch milliseconds. */
export interface AwardWindow extends GigEnd {
  /** For how many days after its end awards by request and decisions are taken. */
  readonly awardDays: number;
}

/** A campaign with its own wallet. Times are epoch milliseconds, amounts base units of `token`. */
export interface Gig extends GigTimes, AwardWindow {
  readonly id: number;
  readonly createdAt: number;
  /** The newest block of its chain then; null for a gig from before this was noted. */
  readonly createdBlock: bigint | null;
  /** Its client; null for a gig from before gigs had clients, which only an operator's key reaches. */
  readonly client: string | null;
  /** The API key that created it, or null. */
  readonly createdBy: number | null;
  /** Set when the gig goes live. */
  readonly production: boolean;
  readonly token: Token;
  readonly rewardAmount: bigint;
  readonly feeAmount: bigint;
  /**
   * The sum of all tips, pending and claimed but not void, and of what the chain has paid for tips that are lost. Without
   * these it is never more than the reward.
   */
  readonly awardedAmount: bigint;
  /** The shares of a divided round that are no tips yet. */
  readonly reservedAmount: bigint;
  /** Milliseconds. */
  readonly duration: number;
  readonly gigType: GigType;
  readonly platform: Platform;
  readonly walletAddress: Address;
  /** What it is called; null when it has no title, so that it is named by how it is earned. */
  readonly title: string | null;
  readonly howToEarn: string | null;
  readonly earningCriteria: string | null;
  readonly externalUrl: string | null;
  readonly verifier: string | null;
  readonly start: GigStart;
  /** Until when its wallet is looked at to start it; null when it does not start by itself, or not any more. */
  readonly startUntil: number | null;
  /** The code of the refusal of the last try to start it by itself; null without one. */
  readonly startRefusal: string | null;
  /** Where what is left returns to, by its terms; null when they do not say. */
  readonly refundAddress: Address | null;
  /** The name that the terms gave for that address, which it led to then; null when they gave the address. */
  readonly refundName: string | null;
  /** Whether its owners may do in the browser what its client may, not only start and end it. */
  readonly ownersMayAward: boolean;
  /** When its books were closed: nothing is awarded from then on. Null before. */
  readonly settledAt: number | null;
  /** Where what is left returns to, as the operator said where the terms did not; null otherwise. */
  readonly refundTo: Address | null;
  /** When its refund was planned, or nothing was left for one; null before. */
  readonly refundedAt: number | null;
  /** The id of the gig transaction that its start recorded, or null before. */
  readonly transactionId: number | null;
}

type GigFate = 'stoppedAt' | 'settledAt' | 'cancelledAt' | 'refundTo' | 'refundedAt';

/** A gig before it has an id and with it a wallet. */
export type NewGig = Omit<
  Gig,
  | 'id'
  | 'createdAt'
  | 'createdBlock'
  | 'status'
  | 'client'
  | 'createdBy'
  | 'production'
  | 'token'
  | 'walletAddress'
  | 'awardedAmount'
  | 'reservedAmount'
  | 'transactionId'
  | 'startUntil'
  | 'startRefusal'
  | 'wentLiveAt'
  | 'refundName'
  | GigFate
> & {
  readonly tokenId: number;
  /** None when absent. */
  readonly refundName?: string | null;
};

/** The record of a start: the balance that was seen, and where. */
export interface GigTransaction {
  readonly gigId: number;
  readonly tokenId: number;
  readonly chainId: number;
  /** Base units: the reward. */
  readonly amount: bigint;
  /** Base units: the platform fee. */
  readonly commissionAmount: bigint;
  /** The block in which the balance was read, or an earlier one in which the wallet had paid already. */
  readonly blockNumber: bigint;
  /** The block that must be settled before the funding is checked again; null when no check is due. */
  readonly checkBlock: bigint | null;
}

/** A start whose funding must be checked again. */
export interface FundingCheck {
  readonly gigId: number;
  /** The block in which the funding was seen. */
  readonly blockNumber: bigint;
  /** The block that must be settled first; later than `blockNumber` once the funding was found missing. */
  readonly checkBlock: bigint;
}

export interface Funding {
  readonly expected: bigint;
  readonly actual: bigint;
  readonly token: Token;
  readonly chain: { readonly id: number; readonly key: string };
  readonly walletAddress: Address;
}

/** What a gig's wallet has paid by the contract although its ledger has no start of it, as after an older backup. */
export interface PaidBefore {
  /** Base units of the gig's token. */
  readonly amount: bigint;
  /** The block of the first payment. */
  readonly since: bigint;
}

/** The {@link Funding} as of one block. Earlier payments count as held, and then the block is a settled one. */
export interface ReadFunding extends Funding {
  readonly chain: Chain;
  readonly blockNumber: bigint;
  readonly paidBefore: PaidBefore | null;
}

/** What the wallet must hold, to the base unit, for the gig to start: reward plus fee. */
export function requiredFunds(gig: { readonly rewardAmount: bigint; readonly feeAmount: bigint }): bigint {
  return gig.rewardAmount + gig.feeAmount;
}

interface Given {
  readonly rewardAmount: bigint;
  readonly awardedAmount: bigint;
  readonly refundedAt: number | null;
}

/** Base units of the reward that are not awarded; none once they were refunded. */
export function unawardedOf({ rewardAmount, awardedAmount, refundedAt }: Given): bigint {
  return refundedAt === null && awardedAmount < rewardAmount ? rewardAmount - awardedAmount : 0n;
}

/** Base units of the reward that can still be awarded: what is reserved for members of a round is not. */
export function awardableOf(gig: Given & { readonly reservedAmount: bigint }): bigint {
  const left = unawardedOf(gig);
  return gig.reservedAmount < left ? left - gig.reservedAmount : 0n;
}

/** The platform's fee on a reward, both in base units, rounded down. */
export function feeOn(reward: bigint, feeBps: number): bigint {
  return (reward * BigInt(feeBps)) / 10_000n;
}

/**
 * The smallest reward that needs exactly `held` with its fee, in base units. Null when rounding skips `held`: one more
 * base unit of reward can cost two.
 */
export function rewardNeeding(held: bigint, feeBps: number): bigint | null {
  const whole = 10_000n + BigInt(feeBps);
  const reward = (held * 10_000n + whole - 1n) / whole;
  return reward > 0n && reward + feeOn(reward, feeBps) === held ? reward : null;
}

/** The window of a gig that goes live at `now`: a start in the past moves to now, and the end moves with it. */
export function liveWindow(
  gig: { readonly startTime: number; readonly duration: number },
  now: number,
): { startTime: number; endTime: number } {
  const startTime = Math.max(gig.startTime, now);
  return { startTime, endTime: startTime + gig.duration };
}

/** Whether a live gig's window has begun: once it began as the gig went live, it has, even if the clock was set back since. */
export function hasBegun({ startTime, wentLiveAt }: GigTimes, now: number): boolean {
  return now >= startTime || (wentLiveAt !== null && wentLiveAt >= startTime);
}

export type GigPhase = 'created' | 'cancelled' | 'scheduled' | 'live' | 'ended';

/** The phase of a gig at `now`: `scheduled` is live with its window still to come, `cancelled` ended without a start. */
export function gigPhase(gig: GigTimes, now: number): GigPhase {
  if (gig.status === 'created') return gig.cancelledAt === null ? 'created' : 'cancelled';
  if (gig.stoppedAt !== null || now >= gig.endTime) return 'ended';
  return hasBegun(gig, now) ? 'live' : 'scheduled';
}

/** The order in which a transaction changes what is of several gigs, so that no two wait for each other. */
export function inGigOrder(a: { readonly gigId: number }, b: { readonly gigId: number }): number {
  return a.gigId - b.gigId;
}
