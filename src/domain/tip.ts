import { keccak256, stringToHex } from 'viem/utils';
import type { AccountKey } from './account.ts';
import type { Address, Token } from './token.ts';

/** An amount of a gig's token earned by one account. Times are epoch milliseconds. */
export interface Tip extends AccountKey {
  readonly id: number;
  readonly createdAt: number;
  readonly gigId: number;
  /**
   * Within its gig: the next from 0, or, once it was given another, {@link otherNumber}. Never given to another tip of it,
   * whatever becomes of this one.
   */
  readonly number: number;
  readonly tokenId: number;
  /** Base units. */
  readonly amount: bigint;
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

/**
 * The number of a tip whose own one the chain has paid to somebody else. It follows from the tip alone: whoever else has
 * the tip in a copy of the ledger gives it the same one, so that it is paid once.
 */
export function otherNumber(tip: Pick<Tip, 'gigId' | 'number' | 'createdAt' | 'amount' | keyof AccountKey>): number {
  const { gigId, number, createdAt, amount, platform, platformUserId } = tip;
  const identity = stringToHex(JSON.stringify([gigId, number, createdAt, String(amount), platform, platformUserId]));
  return OTHER_NUMBERS + Number(BigInt(keccak256(identity)) % BigInt(OTHER_NUMBERS));
}

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
