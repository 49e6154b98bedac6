import { isAddress } from 'viem/utils';
import type { AccountKey } from './account.ts';
import { foldSpaces, INVISIBLE, isTyped, MAX_COMMAND_LENGTH, skeleton } from './command-text.ts';
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

/** What keeps a payment from being made that is not under way yet; it is made when that is over. */
export type Obstacle = 'gig_frozen' | 'gas_tank_empty';

/** Obstacles by the id of the transfer. */
export type Obstacles = ReadonlyMap<number, Obstacle>;

/** How a claim stands as a whole: what is under way or failed comes first. `empty` found nothing to pay. */
export type ClaimStanding = 'pending' | 'failed' | 'paid' | 'empty';

/**
 * The longest text that is looked at, in UTF-16 units: a longest cast, as a post on X must be the command alone.
 * Normalisation may make a text eighteen times as long.
 */
const MAX_TEXT = 10_000;

/** Why a post is no claim. */
export type ClaimProblem = 'not_a_claim' | 'invalid_address' | 'several_addresses';

// Without the `u` flag: with it the long s and the Kelvin sign would pass for letters of the phrase.
const PHRASE = /claim my rewards/gi;
/** The command alone; several addresses are no claim either, but worth an answer of their own. */
const COMMAND = /^claim my rewards((?: 0x[0-9a-z]{1,64}){0,4})$/i;
const HANDLES_BEFORE = /^(?:@[a-z0-9_][a-z0-9_.-]{0,63} )+/i;
/** How a post may end, which is a sentence to others as well; a mention may not. */
const END_MARK = / ?[.!]$/;
const HANDLES_AFTER = /(?: @[a-z0-9_][a-z0-9_.-]{0,63})+[.!]?$/i;

/** A handle keeps its `@`: many begin with `0x` and mean no address. */
const WORD = /@?[\p{L}\p{N}_]+/gu;
/** What means to be an address, also one that is glued to another word or has lost its `0x`. */
const ADDRESS_LIKE = /^0x|[0-9a-f]{40}/i;

/** Turns the order of what is seen around, so that a post may say another address than it shows. */
const REORDERS = /[\p{Bidi_Control}]/u;

/** Whether the phrase stands at this place as words of its own. */
function standsAlone(text: string, { index, 0: phrase }: RegExpExecArray): boolean {
  const after = text.slice(index + phrase.length);
  return !/[\p{L}\p{N}_]$/u.test(text.slice(0, index)) && !/^[\p{L}\p{N}_]/u.test(after);
}

/** Whether a text holds anything that a reader may take for an address, however it is written. */
function namesAddress(text: string): boolean {
  const normal = text.normalize('NFKC');
  const visible = normal.replace(INVISIBLE, '');
  return [normal, visible, skeleton(visible)].some((form) => form.match(WORD)?.some((word) => ADDRESS_LIKE.test(word)));
}

/**
 * The addresses of the command `claim my rewards`, as they were typed; null when the text is anything else.
 * @param text NFKC-normalised, with folded spaces and without handles
 */
export function claimedAddresses(text: string): string[] | null {
  return COMMAND.exec(text)?.[1]?.split(' ').slice(1) ?? null;
}

function readAddress(word: string): Address | null {
  if (!/^0x[0-9a-f]{40}$/i.test(word)) return null;
  const digits = word.slice(2);
  // In one case only it carries no checksum (EIP-55).
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || isAddress(`0x${digits}`) ? `0x${digits.toLowerCase()}` : null;
}

/** Reads a post that names an address. It may only be the command, because who quotes one names an address as well. */
function parseNamed(text: string): { readonly address: Address } | ClaimProblem {
  if (text.length > MAX_COMMAND_LENGTH || !isTyped(foldSpaces(text))) return 'not_a_claim';
  const own = foldSpaces(text.normalize('NFKC')).replace(HANDLES_BEFORE, '').replace(HANDLES_AFTER, '');
  const [candidate, ...more] = claimedAddresses(own.replace(END_MARK, '')) ?? [];
  if (candidate === undefined) return 'not_a_claim';
  if (more.length > 0) return 'several_addresses';
  // To the letter, so that nothing is paid to an address that only becomes one by normalising it.
  const address = text.includes(candidate) ? readAddress(candidate) : null;
  return address === null ? 'invalid_address' : { address };
}

/**
 * Reads what a post claims. One that names an address must be the command and nothing else, between handles, perhaps
 * with an end mark; in mixed case the address must pass its checksum. Without an address the text must hold
 * `claim my rewards` exactly once, as words of their own, and the answer's address is null.
 */
export function parseClaim(text: string): { readonly address: Address | null } | ClaimProblem {
  if (text.length > MAX_TEXT) return 'not_a_claim';
  if (namesAddress(text)) return parseNamed(text);
  const [phrase, ...again] = text.matchAll(PHRASE);
  if (phrase === undefined || again.length > 0 || !standsAlone(text, phrase) || REORDERS.test(text)) {
    return 'not_a_claim';
  }
  return { address: null };
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

/** How one payment of a claim stands. */
export function payoutOutcome({ state }: Pick<Transfer, 'state'>): Payout['outcome'] {
  return state === 'confirmed' ? 'success' : state === 'failed' ? 'failed' : 'pending';
}

/** The newest payment for each gig and token is the one that counts; older ones of the same kind have failed. */
export function payoutsOf({ transfers }: ClaimStatus): Payout[] {
  const newest = new Map(transfers.map((transfer) => [`${transfer.gigId}:${transfer.token.id}`, transfer]));
  return [...newest.values()].map((transfer) => ({
    token: transfer.token,
    transfer,
    outcome: payoutOutcome(transfer),
  }));
}

/** The {@link ClaimStanding} of a claim with its payments. */
export function claimStanding(status: ClaimStatus): ClaimStanding {
  const outcomes = payoutsOf(status).map(({ outcome }) => outcome);
  if (outcomes.includes('pending')) return 'pending';
  if (outcomes.includes('failed')) return 'failed';
  return outcomes.length > 0 ? 'paid' : 'empty';
}
