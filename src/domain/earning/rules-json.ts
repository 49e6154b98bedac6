import { z } from 'zod';
import { formatAmount } from '../amount.ts';
import { HOUR_MS } from '../time.ts';
import { type EarningRules, type Gates, MILLION, type Rule, SPAM_LABELS, type SpamLabelGate } from './rules.ts';

/** A rule as clients see it. Amounts are decimal text in whole tokens. */
export type RuleJson =
  | { readonly type: 'manual' }
  | { readonly type: 'fixed'; readonly amount: string }
  | { readonly type: 'split'; readonly round_hours: number; readonly max_amount: string }
  | {
      readonly type: 'weighted';
      readonly by: 'score' | 'score_reach';
      readonly round_hours: number;
      readonly max_amount: string;
    }
  | { readonly type: 'raffle'; readonly winners: number }
  | { readonly type: 'verifier'; readonly max_amount: string };

/** The rules of a watched gig as clients see them, every default filled in; sent back they mean the same. */
export interface RulesJson {
  readonly rule: RuleJson;
  readonly gates: {
    readonly min_score: number;
    readonly min_account_age_days: number;
    readonly min_followers: number;
    readonly verified_address: boolean;
    readonly spam_label: SpamLabelGate;
    readonly min_letters: number;
  };
  readonly hold_hours: number;
  readonly tips_by_request: boolean;
}

function ruleJson(rule: Rule, decimals: number): RuleJson {
  const whole = (amount: bigint) => formatAmount(amount, decimals);
  switch (rule.type) {
    case 'fixed':
      return { type: 'fixed', amount: whole(rule.amount) };
    case 'split':
      return { type: 'split', round_hours: rule.roundMs / HOUR_MS, max_amount: whole(rule.maxAmount) };
    case 'weighted': {
      const { type, by, roundMs, maxAmount } = rule;
      return { type, by, round_hours: roundMs / HOUR_MS, max_amount: whole(maxAmount) };
    }
    case 'verifier':
      return { type: 'verifier', max_amount: whole(rule.maxAmount) };
    case 'manual':
    case 'raffle':
      return rule;
  }
}

function gatesJson(gates: Gates): RulesJson['gates'] {
  return {
    min_score: gates.minScore / MILLION,
    min_account_age_days: gates.minAccountAgeDays,
    min_followers: gates.minFollowers,
    verified_address: gates.verifiedAddress,
    spam_label: gates.spamLabel,
    min_letters: gates.minLetters,
  };
}

/** Rules of a gig whose token has these decimals, as clients see them. */
export function writeRules({ rule, gates, holdMs, tipsByRequest }: EarningRules, decimals: number): RulesJson {
  return {
    rule: ruleJson(rule, decimals),
    gates: gatesJson(gates),
    hold_hours: holdMs / HOUR_MS,
    tips_by_request: tipsByRequest,
  };
}

const amount = z
  .string()
  .regex(/^[1-9][0-9]{0,77}$/)
  .transform(BigInt);
const whole = z.int().nonnegative();
const roundMs = whole.positive();

const storedRules: z.ZodType<EarningRules> = z.strictObject({
  rule: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('manual') }),
    z.strictObject({ type: z.literal('fixed'), amount }),
    z.strictObject({ type: z.literal('split'), roundMs, maxAmount: amount }),
    z.strictObject({ type: z.literal('weighted'), by: z.enum(['score', 'score_reach']), roundMs, maxAmount: amount }),
    z.strictObject({ type: z.literal('raffle'), winners: whole.positive() }),
    z.strictObject({ type: z.literal('verifier'), maxAmount: amount }),
  ]),
  gates: z.strictObject({
    minScore: whole.max(MILLION),
    minAccountAgeDays: whole,
    minFollowers: whole,
    verifiedAddress: z.boolean(),
    spamLabel: z.enum(SPAM_LABELS),
    minLetters: whole,
  }),
  holdMs: whole,
  tipsByRequest: z.boolean(),
});

/** Rules as the store keeps them: JSON with amounts as decimal text in base units. */
export function storeRules(rules: EarningRules): string {
  return JSON.stringify(rules, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** Reads what {@link storeRules} wrote. @throws Error when it is anything else */
export function readStoredRules(text: string): EarningRules {
  return storedRules.parse(JSON.parse(text));
}
