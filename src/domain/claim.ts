import { isAddress } from 'viem/utils';
import type { AccountKey } from './account.ts';
import type { Address, Token } from './token.ts';
import type { Transfer } from './transfer.ts';

/** One account's request to be paid, keyed by the post that asked for it. Times are epoch milliseconds. */
export interface Claim extends AccountKey {
  readonly id: number;
  /** What its tips carry as `claim_nonce` while it runs. */
  readonly publicId: string;
  readonly postId: string;
  /** Who is paid, in lower case. */
  readonly recipient: Address;
  readonly createdAt: number;
}

export type NewClaim = Omit<Claim, 'id'>;

/** A claim with every payment it ever planned, newest last. */
export interface ClaimStatus {
  readonly claim: Claim;
  readonly transfers: readonly Transfer[];
}

/** How one payment of a claim stands, for whoever asks. */
export interface Payout {
  readonly token: Token;
  readonly transfer: Transfer;
  readonly outcome: 'success' | 'failed' | 'pending';
}

/** Why a post is no claim. */
export type ClaimProblem = 'not_a_claim' | 'invalid_address' | 'several_addresses';

const PHRASE = /claim my rewards/giu;
const ADDRESS_LIKE = /(?<![\p{L}\p{N}_])0x[\p{L}\p{N}_]*/giu;

/**
 * Reads what a post claims: its own text must hold `claim my rewards` exactly once and at most one address, which in
 * mixed case must pass its checksum. The address is null when the post names none.
 */
export function parseClaim(text: string): { readonly address: Address | null } | ClaimProblem {
  if ([...text.matchAll(PHRASE)].length !== 1) return 'not_a_claim';
  const [candidate, ...more] = [...text.matchAll(ADDRESS_LIKE)].map(([match]) => match);
  if (candidate === undefined) return { address: null };
  if (more.length > 0) return 'several_addresses';
  return isAddress(candidate) ? { address: `0x${candidate.slice(2).toLowerCase()}` } : 'invalid_address';
}

/** The newest payment for each gig and token is the one that counts; older ones of the same kind have failed. */
export function payoutsOf({ transfers }: ClaimStatus): Payout[] {
  const newest = new Map(transfers.map((transfer) => [`${transfer.gigId}:${transfer.token.id}`, transfer]));
  return [...newest.values()].map((transfer) => ({
    token: transfer.token,
    transfer,
    outcome: transfer.state === 'confirmed' ? 'success' : transfer.state === 'failed' ? 'failed' : 'pending',
  }));
}
