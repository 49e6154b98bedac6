import { z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { shownAmount } from '../../../domain/earning/amounts.ts';
import { EARNING_STATES, type EarningState, REFUSAL_REASONS } from '../../../domain/earning/earning.ts';
import { type HeldInBlock, type HoldingFacts, shownHolding } from '../../../domain/earning/holding/holding.ts';
import { payoutOf, shownRule } from '../../../domain/earning/rules/index.ts';
import { type EarningRules, MILLION, SPAM_LABELS } from '../../../domain/earning/terms/rules.ts';
import type { RulesJson } from '../../../domain/earning/terms/rules-json.ts';
import { earningSentence, toldBy } from '../../../domain/earning/words/earning-words.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import type { AccountEarning, GigAccounts, GigEarning } from '../../../services/gigs/show/find-earnings.ts';
import { accountPlatformField, lastHandleField } from '../fields.ts';
import { iso, isoOrNull, isoTime } from '../schemas.ts';

const count = z.int().openapi({ description: 'Accounts.' });

/** Rules with every default filled in. */
export const rulesSchema: z.ZodType<RulesJson> = z
  .object({
    rule: shownRule.describe('The rule by which accounts get their amounts.'),
    gates: z
      .object({
        min_score: z.number().openapi({ description: 'The least score of an account, 0 to 1.' }),
        min_account_age_days: z.int().openapi({ description: 'The least age of an account.' }),
        min_followers: z.int().openapi({ description: 'The fewest followers.' }),
        verified_address: z.boolean().openapi({ description: 'Whether the account needs its own verified address.' }),
        spam_label: z.enum(SPAM_LABELS).openapi({ description: 'Which spam labels pass.' }),
        min_letters: z.int().openapi({ description: 'The fewest letters of a text of one’s own.' }),
        min_holding: z
          .object(shownHolding)
          .optional()
          .openapi({ description: 'What an account must hold at the decision; absent where it need not.' }),
      })
      .openapi({ description: 'The gates that an account must pass.' }),
    hold_hours: z.int().openapi({ description: 'How long an act is held before the decision on its account.' }),
    tips_by_request: z.boolean().openapi({ description: 'Whether tips may also be awarded by request.' }),
  })
  .openapi('EarningRules', { description: 'How a watched gig is earned.' });

/** What was earned from a gig by its rules. */
export const earningSchema = z
  .object({
    settles_at: isoTime.openapi({
      description: 'When the last accounts can be decided; after that, when they were.',
    }),
    next_division_at: isoTime.nullable().openapi({
      description:
        'When the next round can be divided, or the raffle drawn; null when that is done, and for rules without rounds.',
    }),
    decided_by: z.string().nullable().openapi({
      description:
        'The decider of submissions to a bounty: `hand`, or the origin of the verifier. Null for other rules.',
      example: 'https://verifier.example',
    }),
    decided_by_hint: z.string().nullable().openapi({
      description: 'Why a `verifier` that is a URL is not asked, in one sentence; null when it is asked, or is no URL.',
      example: null,
    }),
    counts: z
      .object({ held: count, eligible: count, awarded: count, refused: count })
      .openapi({ description: 'How many accounts are in each state.' }),
    sums: z.object({ held: shownAmount, eligible: shownAmount, awarded: shownAmount, refused: shownAmount }).openapi({
      description:
        'The amounts by the rules for the accounts in each state, without tips by request. `eligible`: the shares of a ' +
        'divided round that are not awarded yet. Accounts that are held, are refused or wait for a division count as 0.',
    }),
  })
  .openapi('GigEarning', { description: 'The earnings from a gig by its rules so far.' });

const heldSchema = z
  .object({
    amount: shownAmount,
    block: z.string().openapi({ description: 'The number of the block.' }),
    block_hash: z.string().openapi({ description: 'The hash of the block.' }),
  })
  .nullable();

const holdingFactsSchema = z
  .object({
    token: z.string().openapi({ description: 'The contract of the token.' }),
    needed: shownAmount,
    entry: heldSchema.openapi({ description: 'At its entry; null where nobody enters, or before it is known.' }),
    last: heldSchema.openapi({ description: 'In the block that was drawn, or at the decision; null before.' }),
    counted: z.int().openapi({ description: 'How many of its addresses count for another account.' }),
    is_unknown: z.boolean().openapi({ description: 'Whether the token does not tell.' }),
  })
  .openapi('HoldingFacts', { description: 'What an account held of the token that a gig asks for.' });

const factsSchema = z
  .object({
    score: z.number().nullable().openapi({ description: 'The platform’s score, 0 to 1; null when it gives none.' }),
    followers: z.int().nullable().openapi({ description: 'How many accounts follow it; null when that is not known.' }),
    registered_at: isoTime.nullable().openapi({ description: 'When it was made; null when that is not known.' }),
    spam_label: z
      .enum(['spam', 'trusted', 'unknown'])
      .openapi({ description: 'Its label in the file of spam labels.' }),
    verified_addresses: z.int().openapi({ description: 'How many addresses it has verified.' }),
    letters: z.int().nullable().openapi({ description: 'Letters of its own text; null for an act without text.' }),
    holding: holdingFactsSchema.nullable().openapi({ description: 'What it held; null where the gig does not ask.' }),
  })
  .openapi('EarningFacts', { description: 'The facts of an account at the time of its decision.' });

/** An account in a gig. */
export const accountEarningSchema = z
  .object({
    platform: accountPlatformField,
    platform_user_id: z
      .string()
      .nullable()
      .openapi({ description: 'Its id; null for a handle that no known account holds.' }),
    username: lastHandleField,
    state: z.enum([...EARNING_STATES, 'none']).openapi({ description: '`none`: no activity of the account counts.' }),
    reason: z.enum(REFUSAL_REASONS).nullable().openapi({ description: 'Why it was refused; null otherwise.' }),
    sentence: z.string().openapi({ description: 'State and reason in words.' }),
    settles_at: isoTime.nullable().openapi({ description: 'When a held account is decided; null otherwise.' }),
    amount: shownAmount.nullable().openapi({ description: 'Its award, in whole tokens; null otherwise.' }),
    facts: factsSchema.nullable().openapi({ description: 'Only in the list for a key, after the decision.' }),
    candidate: z
      .object({
        id: z.int().openapi({ description: 'Its id in decisions.' }),
        post_id: z.string().openapi({ description: 'The post that is the submission.' }),
        posted_at: isoTime.nullable().openapi({ description: 'When its author says that it was posted.' }),
      })
      .nullable()
      .openapi({ description: 'Only in the list for a key: a submission that waits for a decision; else null.' }),
  })
  .openapi('AccountEarning', { description: 'The state of an account in a gig.' });

/** How long the rounds of these rules are; null for rules without rounds. */
export function roundOf({ rule }: EarningRules): number | null {
  return payoutOf(rule).roundMs;
}

export function renderOverview(
  { settlesAt, nextDivisionAt, decidedBy, byHandHint, counts, sums }: GigEarning,
  decimals: number,
) {
  const sumOf = (state: EarningState) => formatAmount(sums[state], decimals);
  return {
    settles_at: iso(settlesAt),
    next_division_at: isoOrNull(nextDivisionAt),
    decided_by: decidedBy === null || decidedBy === 'hand' ? decidedBy : decidedBy.origin,
    decided_by_hint: byHandHint,
    counts,
    sums: {
      held: sumOf('held'),
      eligible: sumOf('eligible'),
      awarded: sumOf('awarded'),
      refused: sumOf('refused'),
    },
  };
}

function renderHolding(facts: HoldingFacts | undefined) {
  if (facts === undefined) return null;
  const { token, needed, entry, last, counted = 0, isUnknown = false } = facts;
  const whole = (amount: string) => formatAmount(BigInt(amount), token.decimals);
  const held = (seen: HeldInBlock | undefined) =>
    seen === undefined ? null : { amount: whole(seen.amount), block: seen.block, block_hash: seen.hash };
  return {
    token: checksummed(token.address),
    needed: whole(needed),
    entry: held(entry),
    last: held(last),
    counted,
    is_unknown: isUnknown,
  };
}

function renderFacts({ earning }: AccountEarning) {
  const facts = earning?.facts ?? null;
  if (facts === null) return null;
  const { score, followers, registeredAt, label, verifiedAddresses, letters, holding } = facts;
  return {
    holding: renderHolding(holding),
    score: score === null ? null : score / MILLION,
    followers,
    registered_at: isoOrNull(registeredAt),
    spam_label: label,
    verified_addresses: verifiedAddresses,
    letters,
  };
}

function renderCandidate({ submission }: AccountEarning) {
  if (submission === undefined) return null;
  const { earning, postId, postedAt } = submission;
  return { id: earning.observationId, post_id: postId, posted_at: isoOrNull(postedAt) };
}

const MANUAL = 'Tips of this gig are awarded by request; the service watches nobody.';
const UNKNOWN = 'This service knows no account with this handle: use its id.';

function sentenceOf(
  { platformUserId, earning, missing }: AccountEarning,
  { gig: { token }, overview }: GigAccounts,
  now: number,
): string {
  if (overview === null) return MANUAL;
  if (platformUserId === null) return UNKNOWN;
  const amountText = (amount: bigint) => `${formatAmount(amount, token.decimals)} ${token.symbol}`;
  return earningSentence(earning, { ...toldBy(overview.rules), missing, now, amountText });
}

/** An account in a gig as clients see it; its facts are for the gig's client alone. */
export function renderAccountEarning(
  account: AccountEarning,
  of: GigAccounts,
  { now, withFacts }: { now: number; withFacts: boolean },
) {
  const { platform, platformUserId, username, earning } = account;
  const { decimals } = of.gig.token;
  return {
    platform: platformFacts(platform).slug,
    platform_user_id: platformUserId,
    username,
    state: earning?.state ?? ('none' as const),
    reason: earning?.reason ?? null,
    sentence: sentenceOf(account, of, now),
    settles_at: earning?.state === 'held' ? iso(earning.dueAt) : null,
    amount: earning?.amount == null ? null : formatAmount(earning.amount, decimals),
    facts: withFacts ? renderFacts(account) : null,
    candidate: renderCandidate(account),
  };
}
