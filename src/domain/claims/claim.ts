import { isAddress } from 'viem/utils';
import type { AccountKey } from '../account.ts';
import { isSubmission } from '../earning/submission.ts';
import type { Address, Token } from '../gigs/token.ts';
import { foldSpaces, isTyped, MAX_COMMAND_LENGTH } from '../mentions/command-text.ts';
import type { Payment } from '../payments/payment.ts';
import { hasPassed } from '../time.ts';
import { namesChain, objectionTo, readings } from './claim-destination.ts';

/**
 * How claims come: a post that mentions the bot, the URL of a post, the button on the page of a person who signed in, or a tap on a
 * card.
 */
export const CLAIM_SOURCES = ['mention', 'url', 'page', 'snap'] as const;
export type ClaimSource = (typeof CLAIM_SOURCES)[number];

/** One account's request to be paid, keyed by the post that asked for it. Times are epoch milliseconds. */
export interface Claim extends AccountKey {
  readonly id: number;
  /** The `claim_nonce` of its tips while it runs. */
  readonly publicId: string;
  /** Of a claim by button, {@link pagePostId}; of one by tap, `tapPostId`. */
  readonly postId: string;
  readonly source: ClaimSource;
  /** The paid address, in lower case. */
  readonly recipient: Address;
  readonly createdAt: number;
}

export type NewClaim = Omit<Claim, 'id'>;

/** What stands for the post of a claim by button. No platform has posts with such ids. */
export function pagePostId(key: string): string {
  return `page:${key}`;
}

/** A claim with all payments that it ever planned, newest last. */
export interface ClaimStatus {
  readonly claim: Claim;
  readonly payments: readonly Payment[];
}

export interface Payout {
  readonly token: Token;
  readonly payment: Payment;
  readonly outcome: 'success' | 'failed' | 'pending';
}

/** The status of a claim as a whole: pending and failed payments come first. `empty` found nothing to pay. */
export type ClaimOutcome = 'pending' | 'failed' | 'paid' | 'empty';

/**
 * The longest text that is parsed, in UTF-16 units: fits the longest cast; a post on X must be the command alone.
 * Normalisation can make a text eighteen times as long.
 */
const MAX_TEXT = 10_000;

export type ClaimProblem = 'not_a_claim' | 'invalid_address' | 'several_addresses';

// Without the `u` flag: with it the long s and the Kelvin sign would match letters of the phrase.
const PHRASE = /claim my rewards/gi;
const HANDLES_BEFORE = /^(?:@[a-z0-9_][a-z0-9_.-]{0,63} )+/i;
/** An end mark that a post may have; a mention may not. */
const END_MARK = / ?[.!]$/;
/** They are searched for from the first of a row only: from each of them would take quadratic time. */
const HANDLES_AFTER = /(?<! @[a-z0-9_][a-z0-9_.-]{0,63})(?: @[a-z0-9_][a-z0-9_.-]{0,63})+[.!]?$/i;

/** A handle keeps its `@`, because many handles begin with `0x`. */
const WORD = /@?[\p{L}\p{N}_]+/gu;
/** Looks like an address, even when joined to another word or without its `0x`. */
const ADDRESS_LIKE = /^0x|[0-9a-f]{40}/i;

/** Changes the direction of text, so that a post could display another address than it contains. */
const REORDERS = /[\p{Bidi_Control}]/u;

function standsAlone(text: string, { index, 0: phrase }: RegExpExecArray): boolean {
  const after = text.slice(index + phrase.length);
  return !/[\p{L}\p{N}_]$/u.test(text.slice(0, index)) && !/^[\p{L}\p{N}_]/u.test(after);
}

function namesAddress(text: string): boolean {
  return readings(text).some((form) => form.match(WORD)?.some((word) => ADDRESS_LIKE.test(word)));
}

/**
 * Reads a command that names addresses: those after `phrase`, as they were typed; null for any other text. It reads texts
 * that are NFKC-normalised, with folded spaces and without handles.
 */
export function addressesAfter(phrase: string): (text: string) => string[] | null {
  // Several addresses match only because they get a reply of their own.
  const command = new RegExp(`^${phrase}((?: 0x[0-9a-z]{1,64}){0,4})$`, 'i');
  return (text) => command.exec(text)?.[1]?.split(' ').slice(1) ?? null;
}

export const claimedAddresses = addressesAfter('claim my rewards');

/** The address that a command names, in lower case; null for a word that is none, or fails its checksum. */
export function readNamedAddress(word: string): Address | null {
  if (!/^0x[0-9a-f]{40}$/i.test(word)) return null;
  const digits = word.slice(2);
  // An address in one case carries no checksum (EIP-55); viem takes only lower case for that.
  const isUpperCase = digits === digits.toUpperCase();
  return isUpperCase || isAddress(`0x${digits}`) ? `0x${digits.toLowerCase()}` : null;
}

/** A post that names an address must be the command alone: a quote of a claim names an address too. */
function parseNamed(text: string): { readonly address: Address } | ClaimProblem {
  if (text.length > MAX_COMMAND_LENGTH || !isTyped(foldSpaces(text))) return 'not_a_claim';
  const own = foldSpaces(text.normalize('NFKC')).replace(HANDLES_BEFORE, '').replace(HANDLES_AFTER, '');
  const [candidate, ...more] = claimedAddresses(own.replace(END_MARK, '')) ?? [];
  if (candidate === undefined) return own.match(PHRASE) !== null && namesChain(own) ? 'invalid_address' : 'not_a_claim';
  if (more.length > 0) return 'several_addresses';
  // The address must occur literally: one that only results from normalisation is not paid.
  const address = text.includes(candidate) ? readNamedAddress(candidate) : null;
  return address === null ? 'invalid_address' : { address };
}

/** The author's own address is paid, unless the words may deny it or name another destination. */
function parseUnnamed(text: string): { readonly address: null } | ClaimProblem {
  const [phrase, ...again] = text.matchAll(PHRASE);
  if (phrase === undefined || again.length > 0 || !standsAlone(text, phrase) || REORDERS.test(text)) {
    return 'not_a_claim';
  }
  const objection = objectionTo(text.slice(0, phrase.index), text.slice(phrase.index + phrase[0].length));
  if (objection === 'denied') return 'not_a_claim';
  return objection === null ? { address: null } : 'invalid_address';
}

/**
 * Reads the claim in a post. With an address it must be the command alone, apart from handles and an end mark, and a
 * mixed-case one must pass its checksum; without (null), `claim my rewards` must occur once as separate words, and no
 * word may name a destination. A submission to a bounty is no claim.
 * @param plainText the text without the handles and links that the platform marks in it
 */
export function parseClaim(text: string, plainText = text): { readonly address: Address | null } | ClaimProblem {
  if (text.length > MAX_TEXT || isSubmission(text)) return 'not_a_claim';
  return namesAddress(text) ? parseNamed(text) : parseUnnamed(plainText);
}

const FIRST_RETRY_PAUSE_MS = 30_000;
const LONGEST_RETRY_PAUSE_MS = 60 * 60 * 1000;

/**
 * Whether a repeated claim plans a failed payment again: at once after the first failure, then after pauses that
 * double, because any account may repeat it at will. `now` is epoch milliseconds.
 */
export function isRetryDue({ payments }: ClaimStatus, { gigId, token, updatedAt }: Payment, now: number): boolean {
  const failures = payments.filter(
    (other) => other.gigId === gigId && other.token.id === token.id && other.state === 'failed',
  ).length;
  if (failures < 2) return true;
  const pauseMs = Math.min(FIRST_RETRY_PAUSE_MS * 2 ** (failures - 2), LONGEST_RETRY_PAUSE_MS);
  return hasPassed(pauseMs, { since: updatedAt, now });
}

export function payoutOutcome({ state }: Payment): Payout['outcome'] {
  return state === 'confirmed' ? 'success' : state === 'failed' ? 'failed' : 'pending';
}

/**
 * The payments of one gig and token that count: those that failed were planned again since, all at once, when there are
 * newer ones.
 */
function currentOf(payments: readonly Payment[]): Payment[] {
  let newest = Number.NEGATIVE_INFINITY;
  let oldest = Number.POSITIVE_INFINITY;
  const isCurrent = ({ state, createdAt, updatedAt }: Payment): boolean => {
    // After the clock was set back, newer ones have earlier times.
    const isReplaced = newest >= updatedAt || oldest < createdAt;
    newest = Math.max(newest, createdAt);
    oldest = Math.min(oldest, createdAt);
    return state !== 'failed' || !isReplaced;
  };
  return payments.toReversed().filter(isCurrent).toReversed();
}

/** The least far state first. */
const PROGRESS: readonly Payment['state'][] = ['planned', 'sent', 'failed', 'confirmed'];

/**
 * What a claim pays for each gig and token. Several payments of one, which pay many tips, are shown as the one that is
 * least far, with the amount of all.
 */
export function payoutsOf({ payments }: ClaimStatus): Payout[] {
  const ofEach = Map.groupBy(payments, ({ gigId, token }) => `${gigId}:${token.id}`);
  return [...ofEach.values()].flatMap((all) => {
    const current = currentOf(all);
    const least = PROGRESS.flatMap((state) => current.filter((payment) => payment.state === state))[0];
    if (least === undefined) return [];
    const amount = current.reduce((sum, payment) => sum + payment.amount, 0n);
    return [{ token: least.token, payment: { ...least, amount }, outcome: payoutOutcome(least) }];
  });
}

/** The {@link ClaimOutcome} of a claim with its payments. */
export function claimOutcome(status: ClaimStatus): ClaimOutcome {
  const outcomes = payoutsOf(status).map(({ outcome }) => outcome);
  if (outcomes.includes('pending')) return 'pending';
  if (outcomes.includes('failed')) return 'failed';
  return outcomes.length > 0 ? 'paid' : 'empty';
}
