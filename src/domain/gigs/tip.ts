import { keccak256, stringToHex } from 'viem/utils';
import type { AccountKey } from '../account.ts';
import { EARLIEST_MS } from '../time.ts';
import type { Address, Token } from './token.ts';

/** What tells a tip apart in every copy of the ledger. */
export interface AwardedTip extends AccountKey {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly gigId: number;
  /**
   * Within its gig: the next one, at least the floor that was drawn last ({@link FloorDraw}), or, once it was given another,
   * {@link otherNumber}. Never given to another tip of it, whatever becomes of this one.
   */
  readonly number: number;
  /** Base units. */
  readonly amount: bigint;
}

/** An amount of a gig's token earned by one account. Times are epoch milliseconds. */
export interface Tip extends AwardedTip {
  readonly id: number;
  readonly tokenId: number;
  readonly status: 'pending' | 'claimed';
  /** The account's handle, if known. */
  readonly username: string | null;
  readonly userAddress: Address | null;
  readonly txHash: string | null;
  readonly claimedAt: number | null;
  /** The public id of the claim that is paying this tip now. */
  readonly claimNonce: string | null;
  readonly claimStartedAt: number | null;
  readonly lockTimeout: number | null;
}

/** The numbers of tips that were given another one begin here; a gig counts up to it. */
export const OTHER_NUMBERS = 2 ** 52;

const NUMBERS_PER_SECOND = 2 ** 20;
/** So many numbers share a word of a wallet's marks. */
const STEP = 256;
const STEPS = 65_536;

/** Floors come from the clock up to here, which is in 2094; a wrong clock leaves the numbers above to be counted. */
export const FLOORS_BY_CLOCK = OTHER_NUMBERS / 2;

/**
 * From what a floor is drawn, below which no tip gets a number. Each opening of a ledger to write draws one: above the time,
 * every floor and every number that the ledger knows, by a random distance. So two that go on from one ledger, as after its
 * database was put back, do not give the same number to different tips.
 */
export interface FloorDraw {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** A random whole number from 0 on, below this one. */
  readonly randomBelow: (limit: number) => number;
}

/** What a floor is above by the time alone: nobody gives a million numbers in a second. */
export function floorByClock({ clock }: { readonly clock: () => number }): number {
  const seconds = Math.max(0, Math.floor((clock() - EARLIEST_MS) / 1000));
  return Math.min(seconds * NUMBERS_PER_SECOND, FLOORS_BY_CLOCK);
}

/** By how much a floor is above everything that it is to be above. */
export function floorDistance({ randomBelow }: FloorDraw): number {
  return STEP * (1 + randomBelow(STEPS));
}

/**
 * The number of a tip whose own one the chain has paid to somebody else. It follows from the tip alone: every copy of
 * the ledger that has the tip gives it the same one, so that it is paid once.
 */
export function otherNumber(tip: AwardedTip): number {
  const { gigId, number, createdAt, amount, platform, platformUserId } = tip;
  const identity = stringToHex(JSON.stringify([gigId, number, createdAt, String(amount), platform, platformUserId]));
  return OTHER_NUMBERS + Number(BigInt(keccak256(identity)) % BigInt(OTHER_NUMBERS));
}

/** What an account needs to know of a tip of its own. */
export type OwnTip = Pick<Tip, 'amount' | 'status' | 'claimedAt'>;

/** A tip with facts that only the operator sees. */
export interface TipRecord extends Tip {
  /** The API key that awarded it, or null. */
  readonly awardedBy: number | null;
  /** When the operator voided it, epoch ms, or null. A void tip can no longer be claimed and is in no sum. */
  readonly voidedAt: number | null;
  readonly voidReason: string | null;
}

export interface NewTip extends AccountKey {
  readonly gigId: number;
  readonly tokenId: number;
  readonly amount: bigint;
  readonly userAddress: Address | null;
}

/** An account's pending tips in one token. */
export interface ClaimableGroup {
  readonly token: Token;
  /** Base units. */
  readonly total: bigint;
  /** Oldest first. */
  readonly tips: readonly Tip[];
  /** Distinct gigs behind the tips. */
  readonly gigCount: number;
}

/**
 * Groups tips by token, in the order in which the tokens first appear; the same token on two chains is two groups.
 * @throws TypeError when a tip's token is not among `tokens`, a broken reference in the store
 */
export function groupClaimable(tips: readonly Tip[], tokens: ReadonlyMap<number, Token>): ClaimableGroup[] {
  const byToken = Map.groupBy(tips, (tip) => tip.tokenId);
  return [...byToken].map(([tokenId, grouped]) => {
    const token = tokens.get(tokenId);
    if (token === undefined) throw new TypeError(`tip of unknown token ${tokenId}`);
    return {
      token,
      total: grouped.reduce((sum, tip) => sum + tip.amount, 0n),
      tips: grouped,
      gigCount: new Set(grouped.map((tip) => tip.gigId)).size,
    };
  });
}
