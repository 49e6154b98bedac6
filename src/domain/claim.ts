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

/** How a claim stands as a whole: what is under way or failed comes first. `empty` found nothing to pay. */
export type ClaimStanding = 'pending' | 'failed' | 'paid' | 'empty';

/** Why a post is no claim. */
export type ClaimProblem = 'not_a_claim' | 'invalid_address' | 'several_addresses';

// Without the `u` flag: with it the long s and the Kelvin sign would pass for letters of the phrase.
const PHRASE = /claim my rewards/gi;
const WORD = /[\p{L}\p{N}_]+/gu;
/** What means to be an address, also one that is glued to another word or has lost its `0x`. */
const ADDRESS_LIKE = /^0x|[0-9a-f]{40}/i;

function readAddress(word: string): Address | null {
  if (!/^0x[0-9a-f]{40}$/i.test(word)) return null;
  const digits = word.slice(2);
  // In one case only it carries no checksum (EIP-55).
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || isAddress(`0x${digits}`) ? `0x${digits.toLowerCase()}` : null;
}

/**
 * Reads what a post claims: its own text must hold `claim my rewards` exactly once and at most one address, which in
 * mixed case must pass its checksum. The address is null when the post names none.
 */
export function parseClaim(text: string): { readonly address: Address | null } | ClaimProblem {
  if ([...text.matchAll(PHRASE)].length !== 1) return 'not_a_claim';
  // Normalised, so that an address in letters that only look like its own is refused and not overlooked.
  const words = [...text.normalize('NFKC').matchAll(WORD)].map(([word]) => word);
  const [candidate, ...more] = words.filter((word) => ADDRESS_LIKE.test(word));
  if (candidate === undefined) return { address: null };
  if (more.length > 0) return 'several_addresses';
  const address = text.includes(candidate) ? readAddress(candidate) : null;
  return address === null ? 'invalid_address' : { address };
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

/** The {@link ClaimStanding} of a claim with its payments. */
export function claimStanding(status: ClaimStatus): ClaimStanding {
  const outcomes = payoutsOf(status).map(({ outcome }) => outcome);
  if (outcomes.includes('pending')) return 'pending';
  if (outcomes.includes('failed')) return 'failed';
  return outcomes.length > 0 ? 'paid' : 'empty';
}
