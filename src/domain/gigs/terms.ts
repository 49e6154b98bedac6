import { z } from 'zod';
import type { Platform } from '../account.ts';
import { type CamelKeys, camelKeys } from '../camel-keys.ts';
import { readsActs } from '../earning/act.ts';
import { onlyRuleOf } from '../earning/rules/index.ts';
import { criteriaField } from '../earning/terms/rules-field.ts';
import { rulesProblems } from '../earning/terms/terms-rules.ts';
import {
  addressField,
  addressOrNameField,
  amountField,
  countField,
  freeText,
  oneOf,
  platformField,
} from '../fields.ts';
import { FARCASTER, platformFacts } from '../platforms/platforms.ts';
import { DAY_MS } from '../time.ts';
import { type FieldProblem, problemsWith } from '../validation.ts';
import { GIG_STARTS, GIG_TYPES, type GigStart, type GigType } from './gig.ts';
import { MAX_AWARD_DAYS } from './gig-end.ts';
import { GIG_TYPE_TRAITS, isAboutAnAccount, isAboutAPost } from './gig-type.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from './token.ts';
import { cleanText } from './token-text.ts';

/** The durations of a gig by name, in milliseconds; a month is 30 days. */
export const DURATIONS = {
  '1day': DAY_MS,
  '3days': 3 * DAY_MS,
  '1week': 7 * DAY_MS,
  '2weeks': 14 * DAY_MS,
  '3months': 90 * DAY_MS,
  '6months': 180 * DAY_MS,
} as const;

const MAX_AHEAD_MS = 365 * DAY_MS;

const CHAIN = 'chain must be the key of a chain, such as base';
/** What is wrong with a start that is no time. */
export const START_TIME_PROBLEM = 'start_time must be an ISO 8601 time with its zone, such as 2027-03-01T15:00:00Z';

export const MAX_TITLE = 60;
const TITLE = `title must be 1 to ${MAX_TITLE} characters of text, without a URL, an @ or a domain`;

/** Cleaned like the name of a token, because it stands where people look. */
const titleField = z
  .string(TITLE)
  .refine((text) => Array.from(text).length <= MAX_TITLE, TITLE)
  .transform((text) => cleanText(text, MAX_TITLE))
  .refine((text) => text !== '', TITLE)
  .nullish()
  .transform((text) => text ?? null);

/** A time to the minute, which the schema's format does not know. */
const WITHOUT_SECONDS = /(T[0-9]{2}:[0-9]{2})(Z|[+-][0-9]{2}:[0-9]{2})$/;
/** An earlier start is a mistake, such as seconds that were taken for milliseconds. */
const FIRST_START = Date.UTC(2020, 0, 1);

const durationNames = Object.keys(DURATIONS) as (keyof typeof DURATIONS)[]; // exactly the keys of a literal

/**
 * The terms of a gig: their names in the API, how each is read, what is taken for an absent one, and its description in the
 * document. Creation and change take these; {@link Terms} are what they read.
 */
export const TERMS = {
  chain: z.string(CHAIN).min(1, CHAIN).describe('The key of a chain that is enabled here.'),
  token_address: addressField('token_address').describe(
    'The contract of an ERC-20 token, or 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE for the native asset of the chain.',
  ),
  amount: amountField('amount').describe(
    'The reward, in whole tokens; as a string for more digits than a JSON number holds.',
  ),
  start_time: z
    .string(START_TIME_PROBLEM)
    .overwrite((text) => text.replace(WITHOUT_SECONDS, '$1:00$2'))
    .check(z.iso.datetime({ offset: true, error: START_TIME_PROBLEM }))
    .transform((text) => Date.parse(text))
    .refine((time) => time >= FIRST_START, 'start_time must not be before the year 2020')
    .meta({ format: 'date-time' })
    .describe('When earning begins; if the gig is started later, the time of its start.'),
  duration: oneOf('duration', ['1day', ...durationNames.slice(1)])
    .transform((name) => DURATIONS[name])
    .describe('How long tips can be earned; a month is 30 days.'),
  gig_type: oneOf('gig_type', GIG_TYPES).describe('The act that earns tips from the gig.'),
  title: titleField.describe(
    'The name of the gig on pages and in lists, 1 to 60 characters; URLs, domains, `@` and invisible characters are removed.',
  ),
  how_to_earn: freeText('how_to_earn', 2_000).describe('The task, in words; the text of the gig type when absent.'),
  earning_criteria: criteriaField('earning_criteria').describe(
    'Who earns: words for people, or rules by which the service itself watches and awards, as an object or its JSON text. ' +
      'Without it a gig that can be watched has the default rules; `{"rule":{"type":"manual"}}` has none.',
  ),
  // The parsed URL, without the tabs and line breaks that URL parsers skip.
  url: freeText('url', 500)
    .transform((text) => (text === null ? null : (URL.parse(text)?.href ?? text)))
    .describe(
      'The post that the gig is about, or for follow and mention gigs the profile; stored in its canonical form, ' +
        'without query and fragment.',
    ),
  // No `default`: generated clients would then have to send the field.
  platform: platformField('platform')
    .optional()
    .transform((platform): Platform => platform ?? FARCASTER.id)
    .describe('The platform on which it is earned; Farcaster when absent.'),
  verifier: freeText('verifier', 500).describe('The verifier of a custom bounty: a URL, or the name of a person.'),
  refund_address: addressOrNameField('refund_address')
    .nullish()
    .transform((address) => address ?? null)
    .describe(
      'The wallet to which the unawarded funds of the gig return after its end, or all its money when it is cancelled. ' +
        'It can no longer be changed when the wallet of the gig holds something. A name such as `alice.eth` is resolved once, ' +
        'now, where names are on: the gig keeps the address.',
    ),
  award_days: countField('award_days', { least: 0, most: MAX_AWARD_DAYS }).describe(
    'For how many days after its end tips by request and decisions are taken; 14 by default for bounties and for gigs that ' +
      'are awarded by request, else 0.',
  ),
  start: oneOf('start', GIG_STARTS)
    .optional()
    .transform((start): GigStart => start ?? 'on_request')
    .describe(
      'How the gig starts: `on_request` by a request alone, the default; with `when_funded` the service also starts it ' +
        'automatically, when its wallet holds exactly what it needs. The service checks the wallet every minute, for 30 days ' +
        'after each change of the terms.',
    ),
  owners_may_award: z
    .boolean('owners_may_award must be true or false')
    .optional()
    .transform((allowed) => allowed ?? false)
    .describe(
      'Whether its owners may also award tips, decide, change its terms and name other owners when they sign in to the pages ' +
        'of the service; false when absent.',
    ),
  keyword: freeText('keyword', 33).describe(
    'The word that a mention gig without url watches: 2 to 32 letters or digits; `$` and the symbol of the token when absent.',
  ),
};

type Read<Shape extends Readonly<Record<string, z.ZodType>>> = { [Name in keyof Shape]: z.output<Shape[Name]> };

/**
 * The terms of a gig as a client requests them: times in milliseconds; the amount as plain decimal text in whole tokens,
 * because base units need the token's decimals. Null stands for a term that the client leaves to the service.
 */
export type Terms = Readonly<CamelKeys<Read<typeof TERMS>>>;

/** The terms that a gig has in another form; the others it has as they were given. */
const CONVERTED = ['chain', 'tokenAddress', 'amount', 'url', 'keyword', 'earningCriteria', 'awardDays'] as const;

/** A gig has the address to which a name led. */
type StoredTerms = Omit<Terms, (typeof CONVERTED)[number] | 'refundAddress'> & {
  readonly refundAddress: Address | null;
};

const converted: ReadonlySet<string> = new Set(CONVERTED);

function isKept(name: string): name is keyof StoredTerms {
  return !converted.has(name);
}

/** The names of the terms that a gig has as they were given. */
export const STORED_TERMS = Object.keys(camelKeys(TERMS)).filter(isKept);

/** The terms that a gig has as they were given. */
export function storedTerms(of: StoredTerms): StoredTerms {
  // Every name, each with the value of its type.
  return Object.fromEntries<unknown>(STORED_TERMS.map((name) => [name, of[name]])) as StoredTerms;
}

type MayBeAbsent = {
  [Name in keyof typeof TERMS]: undefined extends z.input<(typeof TERMS)[Name]> ? Name : never;
}[keyof typeof TERMS];

type AbsentTerms = Pick<StoredTerms, keyof StoredTerms & keyof CamelKeys<Pick<typeof TERMS, MayBeAbsent>>>;

/** What a gig has for the kept terms that a client may leave out. */
export const ABSENT_TERMS: AbsentTerms = readAbsent();

function readAbsent(): AbsentTerms {
  const read = Object.entries(TERMS).flatMap(([name, term]: [string, z.ZodType]) => {
    const { success, data } = term.safeParse(undefined);
    return success ? [[name, data] as const] : [];
  });
  const named = Object.entries(camelKeys(Object.fromEntries(read))).filter(([name]) => isKept(name));
  return Object.fromEntries<unknown>(named) as AbsentTerms; // the type asks of each reader what it takes
}

export interface TermsContext {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether gigs may be for posts on X, whose rules forbid paying for them. */
  readonly earningOnX: boolean;
}

/**
 * The canonical URL of what a gig is about: of a post on this platform, which ends with the post's id or hash, or of a
 * profile, where the type allows one; null for anything else.
 */
export function canonicalUrl(url: string, platform: Platform, type: GigType): string | null {
  const { readPost, readProfile, profileUrl } = platformFacts(platform);
  const profile = isAboutAnAccount(type) ? readProfile(url) : null;
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
  if (GIG_TYPE_TRAITS[type].url === 'none') {
    return url === null ? null : `url must be absent for ${type} gigs, which are about a token`;
  }
  if (url === null) return isAboutAPost(type) ? `url is required for ${type} gigs` : null;
  if (canonicalUrl(url, platform, type) !== null) return null;
  const { examplePostUrl } = platformFacts(platform);
  const what = isAboutAnAccount(type) ? 'a profile or a post' : 'a post';
  return `url must be the URL of ${what} on the gig's platform, such as ${examplePostUrl}`;
}

const ZERO_ADDRESS = /^0x0{40}$/;

/** Why money that returns to an address would be lost. */
export const REFUND_ADDRESS_LOSES =
  'refund_address must be the address of a wallet that you control, not the zero address, a token or a wallet of this service';

function criteriaProblem({ gigType, earningCriteria }: Partial<Terms>): string | null {
  const only = gigType === undefined ? null : onlyRuleOf(gigType);
  if (only === null || earningCriteria === undefined || earningCriteria.kind === 'rules') return null;
  return `earning_criteria is required for ${gigType} gigs: rules of the type ${only}`;
}

function refundProblem({ refundAddress, tokenAddress }: Partial<Terms>): string | null {
  // A name is checked as the address that it leads to.
  if (!refundAddress) return null;
  const isToken = refundAddress === tokenAddress || refundAddress === NATIVE_TOKEN_ADDRESS;
  if (!isToken && !ZERO_ADDRESS.test(refundAddress)) return null;
  return REFUND_ADDRESS_LOSES;
}

/** Whether gigs may be for posts on this platform. */
export function mayEarnOn(platform: Platform, earningOnX: boolean): boolean {
  return earningOnX || platformFacts(platform).earningSwitch === null;
}

function earningProblem({ platform, gigType }: Partial<Terms>, earningOnX: boolean): string | null {
  const paysForPosts = gigType === undefined || readsActs(gigType);
  if (platform === undefined || !paysForPosts || mayEarnOn(platform, earningOnX)) return null;
  const { label, earningSwitch } = platformFacts(platform);
  return `platform: earning on ${label} is off here, because ${label} forbids paying for posts; the operator can allow it with ${earningSwitch}=true`;
}

/** The problems of terms whose fields are well-formed, each with its term; malformed fields must be left out. */
export function problemsByTerm(terms: Partial<Terms>, { now, earningOnX }: TermsContext): FieldProblem[] {
  const { startTime, howToEarn, verifier } = terms;
  const isTooLate = startTime !== undefined && startTime > now + MAX_AHEAD_MS;
  const isBounty = terms.gigType === 'custom_bounty';
  return [
    ...problemsWith('start_time', isTooLate ? 'start_time must be at most a year in the future' : null),
    ...problemsWith('url', urlProblem(terms)),
    ...problemsWith('keyword', keywordProblem(terms)),
    ...problemsWith('refund_address', refundProblem(terms)),
    ...problemsWith(
      'how_to_earn',
      isBounty && howToEarn === null ? 'how_to_earn is required for custom_bounty gigs' : null,
    ),
    ...problemsWith('verifier', isBounty && verifier === null ? 'verifier is required for custom_bounty gigs' : null),
    ...problemsWith('platform', earningProblem(terms, earningOnX)),
    ...problemsWith('earning_criteria', criteriaProblem(terms), ...rulesProblems(terms)),
  ];
}

/** The same as the API tells it. */
export function termsProblems(terms: Partial<Terms>, context: TermsContext): string[] {
  return problemsByTerm(terms, context).map(({ text }) => text);
}
