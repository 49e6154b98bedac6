import { parseAmount } from '../amount.ts';
import type { GigType } from '../gig.ts';
import { DAY_MS, HOUR_MS } from '../time.ts';
import type { GivenGates, GivenRule, GivenRules } from './given.ts';
import { type EarningRules, type Gates, MILLION, type Rule } from './rules.ts';

/** What rules depend on. */
export interface RulesContext {
  /** The token's. */
  readonly decimals: number;
  /** Base units. */
  readonly rewardAmount: bigint;
  /** The window, in milliseconds. */
  readonly duration: number;
  readonly gigType: GigType;
  /** Whether the service has a file of spam labels. */
  readonly hasLabels: boolean;
}

type RoundsRule = Extract<GivenRule, { readonly round_hours?: number | undefined }>;
type WeightedRule = Extract<GivenRule, { readonly type?: 'weighted' | undefined }>;

const HOLD_HOURS = 12;
const NO_HOLD: ReadonlySet<Rule['type']> = new Set(['verifier', 'manual']);

/** Rules that are being filled in. */
interface Filling {
  readonly context: RulesContext;
  /** Notes a problem of a field, unless it is fine; the field then has a value that is never used. */
  check(isFine: boolean, problem: string): void;
}

function fillAmount({ context, check }: Filling, field: string, text: string): bigint {
  const { decimals, rewardAmount } = context;
  const amount = parseAmount(text, decimals);
  const isExact = amount !== 'too_many_decimals';
  check(isExact, `rule.${field} has more decimals than the token, which has ${decimals}`);
  check(!isExact || (amount !== 'too_large' && amount <= rewardAmount), `rule.${field} must be at most the reward`);
  return typeof amount === 'bigint' ? amount : 0n;
}

function fillMaxAmount(filling: Filling, text: string | undefined): bigint {
  if (text !== undefined) return fillAmount(filling, 'max_amount', text);
  const tenth = filling.context.rewardAmount / 10n;
  return tenth > 0n ? tenth : 1n;
}

function fillRound({ context: { duration }, check }: Filling, hours: number | undefined): number {
  const ms = hours === undefined ? Math.min(DAY_MS, duration) : hours * HOUR_MS;
  check(ms <= duration, `rule.round_hours must be at most the window, ${Math.floor(duration / HOUR_MS)} hours`);
  return ms;
}

function fillVerifier(filling: Filling, maxAmount: string | undefined): Rule {
  filling.check(filling.context.gigType === 'custom_bounty', 'rule.type verifier is for custom_bounty gigs only');
  return { type: 'verifier', maxAmount: fillMaxAmount(filling, maxAmount) };
}

function fillRounds(filling: Filling, given: RoundsRule): Rule {
  const roundMs = fillRound(filling, given.round_hours);
  const maxAmount = fillMaxAmount(filling, given.max_amount);
  return given.type === 'split'
    ? { type: 'split', roundMs, maxAmount }
    : { type: 'weighted', by: given.by ?? 'score_reach', roundMs, maxAmount };
}

/** The default rule of the gig type, with what was given of it. */
function fillUntyped(filling: Filling, given: WeightedRule): Rule {
  if (filling.context.gigType !== 'custom_bounty') return fillRounds(filling, given);
  const isBare = given.by === undefined && given.round_hours === undefined;
  filling.check(isBare, 'rule.type of a custom_bounty gig is verifier by default, without by and round_hours');
  return fillVerifier(filling, given.max_amount);
}

function fillRule(filling: Filling, given: GivenRule): Rule {
  switch (given.type) {
    case undefined:
      return fillUntyped(filling, given);
    case 'fixed':
      return { type: 'fixed', amount: fillAmount(filling, 'amount', given.amount) };
    case 'split':
    case 'weighted':
      return fillRounds(filling, given);
    case 'verifier':
      return fillVerifier(filling, given.max_amount);
    case 'manual':
    case 'raffle':
      return given;
  }
}

/** Notes what was given but would have no effect, or one that cannot be meant. */
function checkOthers({ context, check }: Filling, given: GivenRules, type: Rule['type']): void {
  const isManual = type === 'manual';
  const knowsTrusted = context.hasLabels || given.gates?.spam_label !== 'trusted';
  check(knowsTrusted, 'gates.spam_label trusted needs a file of spam labels, which is not set up here');
  check(!isManual || given.gates === undefined, 'gates must be absent with a manual rule, which watches nothing');
  const canHold = !NO_HOLD.has(type) || (given.hold_hours ?? 0) === 0;
  check(canHold, `hold_hours must be 0 or absent with a ${type} rule, which holds nothing`);
  const canEarn = !isManual || given.tips_by_request !== false;
  check(canEarn, 'tips_by_request must be true or absent with a manual rule, whose tips all come by request');
}

function fillGates(given: GivenGates): Gates {
  return {
    minScore: Math.round((given.min_score ?? 0.55) * MILLION),
    minAccountAgeDays: given.min_account_age_days ?? 7,
    minFollowers: given.min_followers ?? 0,
    verifiedAddress: given.verified_address ?? true,
    spamLabel: given.spam_label ?? 'not_spam',
    minLetters: given.min_letters ?? 10,
  };
}

/** Given rules with every default filled in, or every problem, a sentence each. */
export function fillRules(
  given: GivenRules,
  context: RulesContext,
): { readonly rules: EarningRules } | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const check = (isFine: boolean, problem: string) => void (isFine || problems.push(`earning_criteria.${problem}`));
  const rule = fillRule({ context, check }, given.rule ?? {});
  checkOthers({ context, check }, given, rule.type);
  if (problems.length > 0) return { problems };
  const holdHours = given.hold_hours ?? (NO_HOLD.has(rule.type) ? 0 : HOLD_HOURS);
  return {
    rules: {
      rule,
      gates: fillGates(given.gates ?? {}),
      holdMs: holdHours * HOUR_MS,
      tipsByRequest: given.tips_by_request ?? true,
    },
  };
}
