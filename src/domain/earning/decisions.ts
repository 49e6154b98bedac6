import { z } from 'zod';
import { decimalText, parseAmount } from '../amount.ts';
import { amountField, amountProblem } from '../terms.ts';
import { cleanText } from '../token-text.ts';

/** A decision about a submission, as a verifier or a client gives it. Exactly one field but `id` is there. */
export interface GivenDecision {
  /** The id of the candidate, which is that of its act. */
  readonly id: number;
  /** Decimal text in whole tokens. */
  readonly award?: string | undefined;
  /** Why it is refused. */
  readonly refuse?: string | undefined;
  /** After how many seconds it is asked about again. */
  readonly wait_seconds?: number | undefined;
}

/** What is decided about a submission. Amounts are base units. */
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

/** Why a submission is refused. */
export const whyField = z.string(WHY).max(MAX_WHY, WHY);

const decisionField: z.ZodType<GivenDecision> = z
  .strictObject(
    {
      id: z.int(ID).positive(ID).describe('The id of the candidate.'),
      award: amountField('award').optional().describe('What it is awarded, in whole tokens.'),
      refuse: whyField.optional().describe('Why it is refused; its account is told.'),
      wait_seconds: z
        .int(WAIT)
        .min(1, WAIT)
        .max(MAX_WAIT_SECONDS, WAIT)
        .optional()
        .describe('After how long it is asked about again.'),
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
export function noteOf(why: string): string | null {
  const note = cleanText(why, MAX_NOTE).replace(/[$#]/gu, '').replace(/\s+/gu, ' ').trim();
  return note === '' ? null : note;
}

/** What the amounts of decisions are bounded by. */
interface Bounds {
  /** The token's. */
  readonly decimals: number;
  /** The most for one account, in base units. */
  readonly maxAmount: bigint;
}

function awardOf(award: string, { decimals, maxAmount }: Bounds): bigint | string {
  if (decimalText(award) === null) return amountProblem('award');
  const amount = parseAmount(award, decimals);
  if (amount === 'too_many_decimals') return `award has more decimals than the token, which has ${decimals}`;
  return amount === 'too_large' || amount > maxAmount ? 'award is more than max_amount' : amount;
}

function verdictOf({ award, refuse, wait_seconds: wait }: GivenDecision, bounds: Bounds): BountyVerdict | string {
  if (award !== undefined) {
    const amount = awardOf(award, bounds);
    return typeof amount === 'string' ? amount : { kind: 'award', amount };
  }
  return refuse === undefined ? { kind: 'wait', ms: (wait ?? 0) * 1_000 } : { kind: 'refuse', note: noteOf(refuse) };
}

/**
 * Decisions with their amounts, or every problem of them by its place. Malformed is more than the rule's most, a
 * candidate that is not one of `candidates`, and one that is named twice.
 */
export function readDecisions(
  given: readonly GivenDecision[],
  { candidates, ...bounds }: Bounds & { readonly candidates: ReadonlySet<number> },
): { readonly decisions: readonly Decision[] } | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const decisions: Decision[] = [];
  const first = new Map<number, number>();
  for (const [index, each] of given.entries()) {
    const at = `decisions[${index}]`;
    const before = first.get(each.id);
    if (before !== undefined) problems.push(`${at}.id is that of decisions[${before}]`);
    else if (!candidates.has(each.id)) problems.push(`${at}.id ${each.id} is no open candidate`);
    first.set(each.id, before ?? index);
    const verdict = verdictOf(each, bounds);
    if (typeof verdict === 'string') problems.push(`${at}.${verdict}`);
    else decisions.push({ id: each.id, verdict });
  }
  return problems.length > 0 ? { problems } : { decisions };
}

/** Decisions as they are kept with their batch, as JSON; amounts are base units. */
export function decisionsText(decisions: readonly Decision[]): string {
  return JSON.stringify(decisions, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
