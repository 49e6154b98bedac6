import { isAddress } from 'viem/utils';
import type { AccountKey } from './account.ts';
import { hasPassed } from './time.ts';
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

/** Turns the order of what is seen around, so that a post may say another address than it shows. */
const REORDERS = /[\p{Bidi_Control}]/u;
/** What makes an address a part of something else: of a link, a handle, a name. */
const PART_BEFORE = /[/@=&?#%~$.\p{Default_Ignorable_Code_Point}]$/u;
const PART_AFTER = /^(?:[/@=&?#%\p{Default_Ignorable_Code_Point}]|\.[\p{L}\p{N}])/u;

/** Whether the phrase stands at this place as words of its own; an address that is glued to it is looked at later. */
function standsAlone(text: string, { index, 0: phrase }: RegExpExecArray): boolean {
  const after = text.slice(index + phrase.length);
  return !/[\p{L}\p{N}_]$/u.test(text.slice(0, index)) && (/^0x/i.test(after) || !/^[\p{L}\p{N}_]/u.test(after));
}

function isPart(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return PART_BEFORE.test(text.slice(0, at)) || PART_AFTER.test(text.slice(at + word.length));
}

function readAddress(word: string): Address | null {
  if (!/^0x[0-9a-f]{40}$/i.test(word)) return null;
  const digits = word.slice(2);
  // In one case only it carries no checksum (EIP-55).
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || isAddress(`0x${digits}`) ? `0x${digits.toLowerCase()}` : null;
}

/**
 * Reads what a post claims: its own text must hold `claim my rewards` exactly once, as words of their own, and at most
 * one address, which stands for itself and in mixed case must pass its checksum. The address is null when the post names
 * none.
 */
export function parseClaim(text: string): { readonly address: Address | null } | ClaimProblem {
  const [phrase, ...again] = text.matchAll(PHRASE);
  if (phrase === undefined || again.length > 0 || !standsAlone(text, phrase) || REORDERS.test(text)) {
    return 'not_a_claim';
  }
  // Normalised, so that an address in letters that only look like its own is refused and not overlooked.
  const words = [...text.normalize('NFKC').matchAll(WORD)].map(([word]) => word);
  const [candidate, ...more] = words.filter((word) => ADDRESS_LIKE.test(word));
  if (candidate === undefined) return { address: null };
  if (more.length > 0) return 'several_addresses';
  const address = text.includes(candidate) && !isPart(text, candidate) ? readAddress(candidate) : null;
  return address === null ? 'invalid_address' : { address };
}

const FIRST_RETRY_PAUSE_MS = 30_000;
const LONGEST_RETRY_PAUSE_MS = 60 * 60 * 1000;

/**
 * Whether asking again plans a failed payment again: the first time at once, then after pauses that double, because
 * everybody may ask, as often as they like. `now` is epoch milliseconds.
 */
export function isRetryDue({ transfers }: ClaimStatus, { gigId, token, updatedAt }: Transfer, now: number): boolean {
  const failures = transfers.filter(
    (other) => other.gigId === gigId && other.token.id === token.id && other.state === 'failed',
  ).length;
  if (failures < 2) return true;
  const pauseMs = Math.min(FIRST_RETRY_PAUSE_MS * 2 ** (failures - 2), LONGEST_RETRY_PAUSE_MS);
  return hasPassed(pauseMs, { since: updatedAt, now });
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
