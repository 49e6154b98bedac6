import { z } from 'zod';
import { formatAmount } from '../../amount.ts';
import { HOUR_MS } from '../../time.ts';
import { type HoldingJson, storedHolding, writeHolding } from '../holding/holding.ts';
import { kindOf, type RuleJson, storedRule } from '../rules/index.ts';
import { type EarningRules, type Gates, MILLION, SPAM_LABELS, type SpamLabelGate } from './rules.ts';

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
    /** Absent where accounts need not hold anything. */
    readonly min_holding?: HoldingJson | undefined;
  };
  readonly hold_hours: number;
  readonly tips_by_request: boolean;
}

function gatesJson(gates: Gates): RulesJson['gates'] {
  return {
    min_score: gates.minScore / MILLION,
    min_account_age_days: gates.minAccountAgeDays,
    min_followers: gates.minFollowers,
    verified_address: gates.verifiedAddress,
    spam_label: gates.spamLabel,
    min_letters: gates.minLetters,
    ...(gates.minHolding === undefined ? {} : { min_holding: writeHolding(gates.minHolding) }),
  };
}

/** Rules of a gig whose token has these decimals, as clients see them. */
export function writeRules({ rule, gates, holdMs, tipsByRequest }: EarningRules, decimals: number): RulesJson {
  return {
    rule: kindOf(rule).write(rule, (amount) => formatAmount(amount, decimals)),
    gates: gatesJson(gates),
    hold_hours: holdMs / HOUR_MS,
    tips_by_request: tipsByRequest,
  };
}

const whole = z.int().nonnegative();

const storedRules: z.ZodType<EarningRules> = z.strictObject({
  rule: storedRule,
  gates: z.strictObject({
    minScore: whole.max(MILLION),
    minAccountAgeDays: whole,
    minFollowers: whole,
    verifiedAddress: z.boolean(),
    spamLabel: z.enum(SPAM_LABELS),
    minLetters: whole,
    minHolding: z.strictObject(storedHolding).optional(),
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
