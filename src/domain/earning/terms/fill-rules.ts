import { HOUR_MS } from '../../time.ts';
import type { Filling, RulesContext } from '../rules/fields.ts';
import { type GivenRule, kindOf, payoutOf, type Rule, type UntypedRule } from '../rules/index.ts';
import { DEFAULT_GATES, type GivenGates, type GivenRules } from './given.ts';
import { type EarningRules, type Gates, MILLION } from './rules.ts';

const HOLD_HOURS = 12;

function fillUntyped(filling: Filling, { type: _, ...given }: UntypedRule): Rule {
  if (filling.context.gigType !== 'custom_bounty') return fillRule(filling, { ...given, type: 'weighted' });
  const isBare = given.by === undefined && given.round_hours === undefined;
  filling.check(isBare, 'rule.type of a custom_bounty gig is verifier by default, without by and round_hours');
  return fillRule(filling, { type: 'verifier', max_amount: given.max_amount });
}

function fillRule(filling: Filling, given: GivenRule): Rule {
  if (given.type === undefined) return fillUntyped(filling, given);
  const kind = kindOf(given);
  const isFor = kind.onlyFor === null || kind.onlyFor === filling.context.gigType;
  filling.check(isFor, `rule.type ${given.type} is for ${kind.onlyFor} gigs only`);
  return kind.fill(filling, given);
}

/** Notes what was given but would have no effect, or one that cannot be meant. */
function checkOthers({ context, check }: Filling, given: GivenRules, rule: Rule): void {
  const { type } = rule;
  const { holds } = kindOf(rule);
  const { isWatched: watches } = payoutOf(rule);
  const knowsTrusted = context.hasLabels || given.gates?.spam_label !== 'trusted';
  check(knowsTrusted, 'gates.spam_label trusted needs a file of spam labels, which is not set up here');
  check(watches || given.gates === undefined, `gates must be absent with a ${type} rule, which watches nothing`);
  const canHold = holds || (given.hold_hours ?? 0) === 0;
  check(canHold, `hold_hours must be 0 or absent with a ${type} rule, which holds nothing`);
  const canEarn = watches || given.tips_by_request !== false;
  check(canEarn, `tips_by_request must be true or absent with a ${type} rule, whose tips all come by request`);
}

function fillGates(given: GivenGates): Gates {
  return {
    minScore: Math.round((given.min_score ?? DEFAULT_GATES.min_score) * MILLION),
    minAccountAgeDays: given.min_account_age_days ?? DEFAULT_GATES.min_account_age_days,
    minFollowers: given.min_followers ?? DEFAULT_GATES.min_followers,
    verifiedAddress: given.verified_address ?? DEFAULT_GATES.verified_address,
    spamLabel: given.spam_label ?? DEFAULT_GATES.spam_label,
    minLetters: given.min_letters ?? DEFAULT_GATES.min_letters,
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
  checkOthers({ context, check }, given, rule);
  if (problems.length > 0) return { problems };
  const holdHours = given.hold_hours ?? (kindOf(rule).holds ? HOLD_HOURS : 0);
  return {
    rules: {
      rule,
      gates: fillGates(given.gates ?? {}),
      holdMs: holdHours * HOUR_MS,
      tipsByRequest: given.tips_by_request ?? true,
    },
  };
}
