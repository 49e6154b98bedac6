import { isAddress } from 'viem/utils';
import { z } from 'zod';
import type { Platform } from './account.ts';
import type { EarningCriteria } from './earning/given.ts';
import { rulesProblems } from './earning/terms-rules.ts';
import { oneOf } from './fields.ts';
import type { GigType } from './gig.ts';
import { ABOUT_A_POST } from './gig-type.ts';
import { platformFacts, platformNamed, platformNames } from './platforms.ts';
import { DAY_MS } from './time.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from './token.ts';

/** The durations of a gig by name, in milliseconds; a month is 30 days. */
export const DURATIONS = {
  '1day': DAY_MS,
  '3days': 3 * DAY_MS,
  '1week': 7 * DAY_MS,
  '2weeks': 14 * DAY_MS,
  '3months': 90 * DAY_MS,
  '6months': 180 * DAY_MS,
} as const;

/** How far in the future a start may be, in milliseconds. */
const MAX_AHEAD_MS = 365 * DAY_MS;

/** Control characters and direction overrides, which can change how the rest is shown; line breaks and tabs pass. */
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;

/** A display text, trimmed when parsed; null when it is empty or absent. */
export function freeText(field: string, limit: number) {
  const message = `${field} must be a string of at most ${limit} characters`;
  return z
    .string(message)
    .max(limit, message)
    .refine((text) => !CONTROLS.test(text.replace(/[\n\r\t]/g, '')), `${field} must not contain control characters`)
    .nullish()
    .transform((text) => text?.trim() || null);
}

/** A platform by its id or slug. */
export function platformField(field: string) {
  return oneOf(field, platformNames()).transform((name): Platform => platformNamed(name) ?? name);
}

/** An address, lower-cased when parsed; one in mixed case must pass its EIP-55 checksum. */
export function addressField(field: string) {
  const message = `${field} must be an address: 0x and 40 hex digits in lower case, or in mixed case with a valid checksum`;
  return z
    .string(message)
    .refine((text) => isAddress(text), message)
    .transform((text): Address => `0x${text.slice(2).toLowerCase()}`);
}

/** A whole number within bounds; null when absent. */
export function countField(field: string, { least, most }: { least: number; most: number }) {
  const message = `${field} must be a whole number from ${least} to ${most}`;
  return z
    .int(message)
    .min(least, message)
    .max(most, message)
    .nullish()
    .transform((count) => count ?? null);
}

/** The terms of a gig as a client requests them. */
export interface Terms {
  /** The key of a chain. */
  readonly chain: string;
  readonly tokenAddress: Address;
  /** Plain decimal text in whole tokens: base units need the token's decimals. */
  readonly amount: string;
  /** Epoch milliseconds. */
  readonly startTime: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly gigType: GigType;
  readonly howToEarn: string | null;
  readonly earningCriteria: EarningCriteria;
  readonly url: string | null;
  readonly platform: Platform;
  readonly verifier: string | null;
  /** The word of a mention gig that names no account; null for the token's symbol. */
  readonly keyword: string | null;
  /** Where what is left returns to; null when the client does not say. */
  readonly refundAddress: Address | null;
  /** For how many days after the end awards are taken; null for the default of its type and rules. */
  readonly awardDays: number | null;
}

const USER_ID =
  'platform_user_id must be a Farcaster FID or an X user id: a positive whole number of at most 20 digits, as a string if it has more than 15';

const HANDLE = 'username must be a handle: 1 to 64 letters, digits, _, . or -';

/** An account's id, as text or as a safe integer. */
export const userIdField = z
  // Ids on X have 64 bits: JSON.parse rounds a larger number, so it may already be another account's id.
  .union([z.string(), z.int().transform(String)], USER_ID)
  .refine((text) => /^[1-9][0-9]{0,19}$/.test(text), USER_ID);

/** The handle of an account, without the `@` when parsed. */
export const usernameField = z
  .string(HANDLE)
  .regex(/^@?[A-Za-z0-9_.-]{1,64}$/, HANDLE)
  .nullish()
  .transform((name) => name?.replace(/^@/, '') ?? null);

/** The time and settings that terms depend on. */
export interface TermsContext {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether gigs may be for posts on X, whose rules forbid paying for them. */
  readonly earningOnX: boolean;
}

/** The gig types that may be about an account, by the URL of its profile. */
const ABOUT_AN_ACCOUNT: ReadonlySet<GigType> = new Set(['follow', 'mention']);

/**
 * The canonical URL of what a gig is about: of a post on this platform, which ends with the post's id or hash, or of a
 * profile, where the type allows one; null for anything else.
 */
export function canonicalUrl(url: string, platform: Platform, type: GigType): string | null {
  const { readPost, readProfile, profileUrl } = platformFacts(platform);
  const profile = ABOUT_AN_ACCOUNT.has(type) ? readProfile(url) : null;
  return readPost(url)?.canonical ?? (profile && profileUrl(profile));
}

/** Whether a text is a word of 2 to 32 letters or digits, with or without a `$` before it. */
export function isKeyword(text: string): boolean {
  return /^\$?[\p{L}\p{N}]{2,32}$/u.test(text);
}

function keywordProblem({ gigType: type, url, keyword }: Partial<Terms>): string | null {
  if (!keyword || type === undefined || url === undefined) return null;
  if (type !== 'mention' || url !== null) return 'keyword is for mention gigs without url';
  return isKeyword(keyword.normalize('NFKC'))
    ? null
    : 'keyword must be a word of 2 to 32 letters or digits, with or without a $ before it';
}

function urlProblem({ gigType: type, url, platform }: Partial<Terms>): string | null {
  if (type === undefined || url === undefined || platform === undefined) return null;
  if (url === null) return ABOUT_A_POST.has(type) ? `url is required for ${type} gigs` : null;
  if (canonicalUrl(url, platform, type) !== null) return null;
  const { examplePostUrl } = platformFacts(platform);
  const what = ABOUT_AN_ACCOUNT.has(type) ? 'a profile or a post' : 'a post';
  return `url must be the URL of ${what} on the gig's platform, such as ${examplePostUrl}`;
}

const ZERO_ADDRESS = /^0x0{40}$/;

/** Why money that returns to an address would be lost. */
export const REFUND_ADDRESS_LOSES =
  'refund_address must be the address of a wallet that you control, not the zero address, a token or a wallet of this service';

function refundProblem({ refundAddress, tokenAddress }: Partial<Terms>): string | null {
  if (!refundAddress) return null;
  const isToken = refundAddress === tokenAddress || refundAddress === NATIVE_TOKEN_ADDRESS;
  if (!isToken && !ZERO_ADDRESS.test(refundAddress)) return null;
  return REFUND_ADDRESS_LOSES;
}

/** Whether gigs may be for posts on this platform. */
export function mayEarnOn(platform: Platform, earningOnX: boolean): boolean {
  return earningOnX || platformFacts(platform).earningSwitch === null;
}

function earningProblem({ platform }: Partial<Terms>, earningOnX: boolean): string | null {
  if (platform === undefined || mayEarnOn(platform, earningOnX)) return null;
  const { label, earningSwitch } = platformFacts(platform);
  return `platform: earning on ${label} is off here, because ${label} forbids paying for posts; the operator can allow it with ${earningSwitch}=true`;
}

/** The problems of terms whose fields are well-formed; malformed fields must be left out. */
export function termsProblems(terms: Partial<Terms>, { now, earningOnX }: TermsContext): string[] {
  const bounty = terms.gigType === 'custom_bounty';
  return [
    terms.startTime !== undefined && terms.startTime > now + MAX_AHEAD_MS
      ? 'start_time must be at most a year in the future'
      : null,
    urlProblem(terms),
    keywordProblem(terms),
    refundProblem(terms),
    bounty && terms.howToEarn === null ? 'how_to_earn is required for custom_bounty gigs' : null,
    bounty && terms.verifier === null ? 'verifier is required for custom_bounty gigs' : null,
    earningProblem(terms, earningOnX),
    ...rulesProblems(terms),
  ].filter((problem) => problem !== null);
}
