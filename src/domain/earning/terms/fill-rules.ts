import { platformFacts } from '../../platforms/platforms.ts';
import { HOUR_MS } from '../../time.ts';
import { readsActs } from '../act.ts';
import { fillHolding } from '../holding/holding.ts';
import type { Filling, RulesContext } from '../rules/fields.ts';
import { type GivenRule, kindOf, onlyRuleOf, payoutOf, type Rule, type UntypedRule } from '../rules/index.ts';
import { DEFAULT_GATES, type GivenGates, type GivenRules } from './given.ts';
import { type EarningRules, type Gates, MILLION } from './rules.ts';

const HOLD_HOURS = 12;

function fillUntyped(filling: Filling, { type: _, ...given }: UntypedRule): Rule {
  const { gigType } = filling.context;
  if (gigType !== 'custom_bounty') return fillRule(filling, { ...given, type: 'weighted' });
  const isBare = given.by === undefined && given.round_hours === undefined;
  filling.check(isBare, 'rule.type of a custom_bounty gig is verifier by default, without by and round_hours');
  return fillRule(filling, { type: 'verifier', max_amount: given.max_amount });
}

function fillRule(filling: Filling, given: GivenRule): Rule {
  if (given.type === undefined) return fillUntyped(filling, given);
  const kind = kindOf(given);
  const { gigType } = filling.context;
  const isFor = kind.onlyFor === null || kind.onlyFor === gigType;
  filling.check(isFor, `rule.type ${given.type} is for ${kind.onlyFor} gigs only`);
  const only = onlyRuleOf(gigType);
  const isThat = only === null || only === given.type;
  filling.check(isThat, `rule.type must be ${only}, because ${gigType} gigs have no other rule`);
  return kind.fill(filling, given);
}

/** Notes what was given but would have no effect, or one that cannot be meant. */
function checkOthers({ context, check }: Filling, given: GivenRules, rule: Rule): void {
  const { type } = rule;
  const kind = kindOf(rule);
  const own = kind.holdOf(rule);
  const { isWatched: watches, entry } = payoutOf(rule);
  const knowsTrusted = context.hasLabels || given.gates?.spam_label !== 'trusted';
  check(knowsTrusted, 'gates.spam_label trusted needs a file of spam labels, which is not set up here');
  check(watches || given.gates === undefined, `gates must be absent with a ${type} rule, which watches nothing`);
  const canHold = own !== null || kind.holds || (given.hold_hours ?? 0) === 0;
  check(canHold, `hold_hours must be 0 or absent with a ${type} rule, which holds nothing`);
  const isOwn = own === null || given.hold_hours === undefined || given.hold_hours * HOUR_MS === own;
  check(isOwn, `hold_hours must be absent with a ${type} rule, whose hours say it`);
  const isElsewhere = entry === undefined || !given.gates?.min_holding;
  check(isElsewhere, `gates.min_holding must be absent with a ${type} rule, which has a token of its own`);
  checkKnown({ context, check }, given.gates ?? {});
  const canEarn = watches || given.tips_by_request !== false;
  check(canEarn, `tips_by_request must be true or absent with a ${type} rule, whose tips all come by request`);
}

/** Gates that pass every account: those of a platform that tells nothing of accounts but their wallets. */
const UNKNOWN_GATES = {
  min_score: 0,
  min_account_age_days: 0,
  min_followers: 0,
  spam_label: 'any',
  min_letters: 0,
} as const;

/** Whether a platform tells what most gates ask for. */
function tellsOf({ platform, gigType }: RulesContext): boolean {
  return platform === undefined || readsActs(gigType) || platformFacts(platform).hasVerifiedAddress;
}

/** Notes gates that no account could pass, because its platform does not tell. */
function checkKnown({ context, check }: Filling, given: GivenGates): void {
  const { platform } = context;
  if (platform === undefined || tellsOf(context)) return;
  const { label } = platformFacts(platform);
  for (const [gate, none] of Object.entries(UNKNOWN_GATES)) {
    const asked: Readonly<Record<string, unknown>> = { ...given };
    const isNone = asked[gate] === undefined || asked[gate] === none;
    check(isNone, `gates.${gate} must be absent or ${none} on ${label}, which does not tell it`);
  }
}

function fillGates(filling: Filling, asked: GivenGates): Gates {
  const given = tellsOf(filling.context) ? asked : { ...asked, ...UNKNOWN_GATES };
  const note = (isFine: boolean, problem: string) => filling.check(isFine, `gates.min_holding.${problem}`);
  const { heldToken } = filling.context;
  const held = given.min_holding ? { minHolding: fillHolding(given.min_holding, { heldToken, check: note }) } : {};
  return {
    ...held,
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
  const gates = fillGates({ context, check }, given.gates ?? {});
  if (problems.length > 0) return { problems };
  const kind = kindOf(rule);
  const holdHours = given.hold_hours ?? (kind.holds ? HOLD_HOURS : 0);
  return {
    rules: {
      rule,
      gates,
      holdMs: kind.holdOf(rule) ?? holdHours * HOUR_MS,
      tipsByRequest: given.tips_by_request ?? true,
    },
  };
}
