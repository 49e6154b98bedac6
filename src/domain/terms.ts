import type { Platform } from './account.ts';
import type { EarningCriteria } from './earning/given.ts';
import { rulesProblems } from './earning/terms-rules.ts';
import type { GigType } from './gig.ts';
import { ABOUT_A_POST } from './gig-type.ts';
import { platformFacts } from './platforms.ts';
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
