import { isAddress } from 'viem/utils';
import { z } from 'zod';
import type { Platform } from './account.ts';
import { decimalText } from './amount.ts';
import { canonicalCastUrl } from './cast-url.ts';
import type { GigType } from './gig.ts';
import { canonicalPostUrl } from './post-url.ts';
import type { Address } from './token.ts';

const DAY_MS = 86_400_000;

/** How long a gig may run, in milliseconds; a month is 30 days. */
export const DURATIONS = {
  '1day': DAY_MS,
  '3days': 3 * DAY_MS,
  '1week': 7 * DAY_MS,
  '2weeks': 14 * DAY_MS,
  '3months': 90 * DAY_MS,
  '6months': 180 * DAY_MS,
} as const;

/** How far ahead a start may lie, in milliseconds. */
const MAX_AHEAD_MS = 365 * DAY_MS;
/** The gig types that are about one post, whose URL they need. */
const ABOUT_A_POST: ReadonlySet<GigType> = new Set(['like', 'recast', 'boost', 'reply']);

/** One of these words. */
export function oneOf<const Values extends readonly [string, ...string[]]>(field: string, values: Values) {
  return z.enum(values, `${field} must be one of ${values.join(', ')}`);
}

/** What cannot be seen and can change how the rest is shown, but for line breaks and tabs. */
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;

/** A text for people, trimmed once read; null when it is empty or absent. */
export function freeText(field: string, limit: number) {
  const message = `${field} must be a text of at most ${limit} characters`;
  return z
    .string(message)
    .max(limit, message)
    .refine((text) => !CONTROLS.test(text.replace(/[\n\r\t]/g, '')), `${field} must not contain control characters`)
    .nullish()
    .transform((text) => text?.trim() || null);
}

/** A network as clients name it: `x` stands for `twitter`. */
export function platformField(field: string) {
  return oneOf(field, ['farcaster', 'x', 'twitter']).transform((name): Platform => (name === 'x' ? 'twitter' : name));
}

/** An address, in lower case once read; one in mixed case must pass its EIP-55 checksum. */
export function addressField(field: string) {
  const message = `${field} must be an address: 0x and 40 hex digits, in mixed case with a valid checksum`;
  return z
    .string(message)
    .refine((text) => isAddress(text), message)
    .transform((text): Address => `0x${text.slice(2).toLowerCase()}`);
}

/** A positive amount in whole tokens: a JSON number, or text for more digits than a number holds. */
export function amountField(field: string) {
  const message = `${field} must be a positive decimal number such as 10 or "0.5", without sign or exponent`;
  return z.union([z.number(), z.string()], message).transform((value, context) => {
    const text = decimalText(value);
    if (text !== null) return text;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** The terms of a gig as a client wants them. */
export interface Terms {
  /** The key of a chain. */
  readonly chain: string;
  readonly tokenAddress: Address;
  /** Plain decimal text in whole tokens: base units are known with the token's decimals. */
  readonly amount: string;
  /** Epoch milliseconds. */
  readonly startTime: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly gigType: GigType;
  readonly howToEarn: string | null;
  readonly earningCriteria: string | null;
  readonly url: string | null;
  readonly platform: Platform;
  readonly verifier: string | null;
}

const USER_ID = 'platform_user_id must be a Farcaster FID or an X user id: digits, as text if there are more than 15';

/** Whose account it is, as text or as a number that is no longer than JSON keeps exactly. */
export const userIdField = z
  // Ids on X have 64 bits: a JSON number that large has already become somebody else's id.
  .union([z.string(), z.int().transform(String)], USER_ID)
  .refine((text) => /^[1-9][0-9]{0,19}$/.test(text), USER_ID);

/** The handle of an account, without the `@` once read. */
export const usernameField = z
  .string('username must be a handle')
  .regex(/^@?[A-Za-z0-9_.-]{1,64}$/, 'username must be a handle')
  .nullish()
  .transform((name) => name?.replace(/^@/, '') ?? null);

/** What is allowed here and now. */
export interface TermsContext {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether gigs may be about posts on X, whose rules forbid paying for them. */
  readonly earningOnX: boolean;
}

/** The URL of a post of this platform in one form, which ends with the post's id or hash; null for anything else. */
export function canonicalUrl(url: string, platform: Platform): string | null {
  return platform === 'farcaster' ? canonicalCastUrl(url) : canonicalPostUrl(url);
}

function urlProblem({ gigType: type, url, platform }: Partial<Terms>): string | null {
  if (type === undefined || url === undefined || platform === undefined) return null;
  if (url === null) return ABOUT_A_POST.has(type) ? `url is required for ${type} gigs` : null;
  if (canonicalUrl(url, platform) !== null) return null;
  const example =
    platform === 'farcaster' ? 'https://farcaster.xyz/alice/0x1234abcd' : 'https://x.com/alice/status/123';
  return `url must be the URL of a post on the gig's platform, such as ${example}`;
}

/** What is wrong with terms whose fields are well-formed; those that are not are left out and cause nothing here. */
export function termsProblems(terms: Partial<Terms>, { now, earningOnX }: TermsContext): string[] {
  const bounty = terms.gigType === 'custom_bounty';
  return [
    terms.startTime !== undefined && terms.startTime > now + MAX_AHEAD_MS
      ? 'start_time must not lie more than a year ahead'
      : null,
    urlProblem(terms),
    bounty && terms.howToEarn === null ? 'how_to_earn is required for custom_bounty gigs' : null,
    bounty && terms.verifier === null ? 'verifier is required for custom_bounty gigs' : null,
    terms.platform === 'twitter' && !earningOnX
      ? 'platform: earning on X is off here, because X forbids paying for posts; its operator can set ALLOW_X_EARNING=true'
      : null,
  ].filter((problem) => problem !== null);
}
