import { z } from 'zod';
import { decimalText, formatAmount, parseAmount } from '../../amount.ts';
import { amountField, amountProblem } from '../../fields.ts';
import type { TokenUnit } from '../../gigs/token.ts';
import { cleanText } from '../../gigs/token-text.ts';

/** A decision about a submission, as a verifier or a client gives it. Exactly one field but `id` is there. */
export interface GivenDecision {
  /** The id of the candidate, which is that of its act. */
  readonly id: number;
  /** Decimal text in whole tokens. */
  readonly award?: string | undefined;
  readonly refuse?: string | undefined;
  /** After how many seconds it is asked about again. */
  readonly wait_seconds?: number | undefined;
}

/** The decision on a submission. Amounts are base units. */
export type BountyVerdict =
  | { readonly kind: 'award'; readonly amount: bigint }
  /** `note` is safe to show; null when no words are left. */
  | { readonly kind: 'refuse'; readonly note: string | null }
  | { readonly kind: 'wait'; readonly ms: number };

/** A verdict, and the id of its candidate. */
export interface Decision {
  readonly id: number;
  readonly verdict: BountyVerdict;
}

export const MAX_DECISIONS = 50;
const MAX_WHY = 2_000;
/** Reasons are told in replies, which are short. */
const MAX_NOTE = 120;
/** 30 days. */
export const MAX_WAIT_SECONDS = 2_592_000;

const ONE_OF = 'must have exactly one of award, refuse and wait_seconds';
const ID = 'id must be the id of a candidate, a positive whole number';
const WAIT = `wait_seconds must be a whole number from 1 to ${MAX_WAIT_SECONDS}`;
const WHY = `refuse must be a text of at most ${MAX_WHY} characters`;

const idField = z.int(ID).positive(ID);

/** Why a submission is refused. */
export const whyField = z.string(WHY).max(MAX_WHY, WHY);

const decisionField: z.ZodType<GivenDecision> = z
  .strictObject(
    {
      id: idField.describe('The id of the candidate.'),
      award: amountField('award').optional().describe('The award, in whole tokens.'),
      refuse: whyField.optional().describe('Why it is refused; the account sees this reason.'),
      wait_seconds: z
        .int(WAIT)
        .min(1, WAIT)
        .max(MAX_WAIT_SECONDS, WAIT)
        .optional()
        .describe('How many seconds pass before the verifier is asked again.'),
    },
    {
      error: ({ code }) =>
        code === 'unrecognized_keys'
          ? 'may have the fields id, award, refuse and wait_seconds only'
          : 'must be an object',
    },
  )
  .refine(
    ({ award, refuse, wait_seconds: wait }) => [award, refuse, wait].filter((each) => each !== undefined).length === 1,
    ONE_OF,
  );

const LIST = `decisions must be a list of at most ${MAX_DECISIONS} decisions`;

/** The decisions of a body, by the name that they have in it. */
export const decisionsField = z.array(decisionField, LIST).max(MAX_DECISIONS, LIST);

const answerField = z.strictObject({ decisions: decisionsField }, 'the answer must be an object with decisions alone');

/** The decisions of a verifier's answer, or what is wrong with it. */
export function readAnswer(
  answer: unknown,
): { readonly decisions: readonly GivenDecision[] } | { readonly problem: string } {
  const { data, error } = answerField.safeParse(answer);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  return { problem: `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is malformed'}`.trim() };
}

/** A reason as it is kept and shown: without control characters, links and names; null when nothing is left. */
export function noteOf(why: string, limit = MAX_NOTE): string | null {
  // Replaced by spaces: deletion could join two parts to a link.
  const note = cleanText(why, limit).replace(/[$#]/gu, ' ').replace(/\s+/gu, ' ').trim();
  return note === '' ? null : note;
}

/** What decisions are checked against. */
export interface Bounds {
  readonly token: TokenUnit;
  /** The most for one account, in base units. */
  readonly maxAmount: bigint;
  /** What is left of the reward, where more than that is a problem; else its account is refused, because it is used up. */
  readonly left?: bigint;
  /** The ids of those about whom is to be decided. */
  readonly candidates: ReadonlySet<number>;
}

function awardOf(award: string, { token, maxAmount, left }: Omit<Bounds, 'candidates'>): bigint | string {
  if (decimalText(award) === null) return amountProblem('award');
  const amount = parseAmount(award, token.decimals);
  if (amount === 'too_many_decimals') return `award has more decimals than the token, which has ${token.decimals}`;
  const text = (most: bigint) => `${formatAmount(most, token.decimals)} ${token.symbol}`;
  if (amount === 'too_large' || amount > maxAmount) return `award is more than max_amount, which is ${text(maxAmount)}`;
  if (left !== undefined && amount > left)
    return `award is more than what is left of the reward, which is ${text(left)}`;
  return amount;
}

function verdictOf({ award, refuse, wait_seconds: wait }: GivenDecision, bounds: Bounds): BountyVerdict {
  const amount = award === undefined ? undefined : awardOf(award, bounds);
  if (typeof amount === 'bigint') return { kind: 'award', amount };
  return refuse === undefined ? { kind: 'wait', ms: (wait ?? 0) * 1_000 } : { kind: 'refuse', note: noteOf(refuse) };
}

/** A decision of which only these fields were readable. */
export interface PartDecision {
  readonly id?: number | undefined;
  readonly award?: string | undefined;
}

const partField: z.ZodType<PartDecision> = z
  .object({ id: idField.optional().catch(undefined), award: amountField('award').optional().catch(undefined) })
  .catch({});
const partsField = z.object({ decisions: z.array(partField) });

/** What can be read of the decisions of a body in which some are malformed, each in its place. */
export function readParts(body: unknown): readonly PartDecision[] {
  return partsField.safeParse(body).data?.decisions.slice(0, MAX_DECISIONS) ?? [];
}

/**
 * What is wrong with well-formed decisions, each problem with its place: more than the rule's most, a candidate that is
 * not one of `candidates`, and one that is named twice.
 */
export function problemsOfDecisions(given: readonly PartDecision[], bounds: Bounds): string[] {
  const problems: string[] = [];
  const first = new Map<number, number>();
  for (const [index, { id, award }] of given.entries()) {
    const at = `decisions[${index}]`;
    const before = id === undefined ? undefined : first.get(id);
    if (before !== undefined) problems.push(`${at}.id repeats decisions[${before}]`);
    else if (id !== undefined && !bounds.candidates.has(id)) problems.push(`${at}.id ${id} is no open candidate`);
    if (id !== undefined) first.set(id, before ?? index);
    const amount = award === undefined ? 0n : awardOf(award, bounds);
    if (typeof amount === 'string') problems.push(`${at}.${amount}`);
  }
  return problems;
}

/** A problem of a decision that was given alone, without its place. */
export function withoutPlace(problem: string): string {
  return problem.replace(/^decisions\[0\][. ]/u, '');
}

/** Decisions with their amounts, or every problem of them as {@link problemsOfDecisions} finds it. */
export function readDecisions(
  given: readonly GivenDecision[],
  bounds: Bounds,
): { readonly decisions: readonly Decision[] } | { readonly problems: readonly string[] } {
  const problems = problemsOfDecisions(given, bounds);
  if (problems.length > 0) return { problems };
  return { decisions: given.map((each) => ({ id: each.id, verdict: verdictOf(each, bounds) })) };
}

/** Decisions as they are kept with their batch, as JSON; amounts are base units. */
export function decisionsText(decisions: readonly Decision[]): string {
  return JSON.stringify(decisions, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
