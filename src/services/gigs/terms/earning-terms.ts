import { formatAmount } from '../../../domain/amount.ts';
import { readsActs } from '../../../domain/earning/act.ts';
import type { FindHeldToken } from '../../../domain/earning/holding/holding.ts';
import type { RewardToSpend } from '../../../domain/earning/rules/form.ts';
import { kindOf, payoutOf } from '../../../domain/earning/rules/index.ts';
import { fillRules } from '../../../domain/earning/terms/fill-rules.ts';
import { criteriaText, type GivenRules } from '../../../domain/earning/terms/given.ts';
import type { EarningRules } from '../../../domain/earning/terms/rules.ts';
import { storeRules } from '../../../domain/earning/terms/rules-json.ts';
import { describeRules } from '../../../domain/earning/words/sentence.ts';
import type { GigType } from '../../../domain/gigs/gig.ts';
import type { Terms } from '../../../domain/gigs/terms.ts';
import type { Token, TokenUnit } from '../../../domain/gigs/token.ts';
import type { SocialPlatform } from '../../../domain/mentions/mention.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { InvalidFields, problemsWith, refuseField, refuseFields } from '../../../domain/validation.ts';
import type { StoredEarningRules } from '../../../store/port/index.ts';
import type { GigContext } from '../context.ts';
import { describedTarget, findTarget, targetProblem } from './find-target.ts';
import { findHeldTokens, knownHeldTokens } from './held-tokens.ts';

/** A gig by what its rules depend on. */
interface RewardedGig {
  readonly terms: Terms;
  readonly gig: RewardToSpend & { readonly gigType: GigType };
  readonly token: TokenUnit;
  /** Absent before the chain was asked. */
  readonly heldToken?: FindHeldToken;
}

interface RuledGig extends RewardedGig {
  readonly token: Token;
}

/** The words for a gig's rules before it is created. */
interface RulesPreview {
  /** As its record shows it; null when nothing watches the gig. */
  readonly criteria: string | null;
  /** What the reward comes to; null when nothing can be said. */
  readonly sum: string | null;
  /** The most that one account gets at a time, in base units; null when nothing says it. */
  readonly most: bigint | null;
}

export interface FilledRules {
  /** What its record shows: the client's words, or a sentence made from its rules. */
  readonly criteria: string | null;
  /** Null when nothing watches the gig. */
  readonly stored: Omit<StoredEarningRules, 'gigId'> | null;
}

const MANUAL: FilledRules = { criteria: null, stored: null };

function watcherOf({ platforms, watchesGigs }: GigContext, { platform, gigType }: Terms): SocialPlatform | null {
  const network = platforms.get(platform);
  const canTell = network !== undefined && (network.acts !== null || !readsActs(gigType));
  return watchesGigs && canTell ? network : null;
}

/** @throws DomainError `validation_failed` when no platform watches the gig */
function requireWatcher(deps: GigContext, terms: Terms): SocialPlatform {
  const network = watcherOf(deps, terms);
  if (network !== null) return network;
  const { label } = platformFacts(terms.platform);
  const text = `earning_criteria: this service watches no gigs on ${label}, so describe in words who earns`;
  return refuseField('earning_criteria', text);
}

function fill(
  given: GivenRules,
  { gig, token, terms, heldToken }: RewardedGig,
  { hasLabels }: GigContext,
): EarningRules {
  const { decimals } = token;
  const { platform } = terms;
  const filled = fillRules(given, { ...gig, platform, decimals, hasLabels, heldToken });
  if ('problems' in filled) throw new InvalidFields(problemsWith('earning_criteria', ...filled.problems));
  return filled.rules;
}

/** Null when nothing watches the gig. */
function rulesFor(deps: GigContext, ruled: RewardedGig): EarningRules | null {
  const { terms, token } = ruled;
  const { earningCriteria: criteria } = terms;
  if (criteria.kind === 'rules') return fill(criteria.given, ruled, deps);
  const canBeWatched = watcherOf(deps, terms) !== null && targetProblem(terms, token) === null;
  return criteria.kind === 'absent' && canBeWatched ? fill({}, ruled, deps) : null;
}

/**
 * How a gig with these terms is earned: the rules with every default filled in, and the target as its platform knows it.
 * Without criteria it has the default rules if it is about something that is watched here.
 * @throws DomainError `validation_failed`
 * @throws AdapterError when the platform must be asked and does not answer
 */
export async function fillGigRules(deps: GigContext, ruled: RuledGig): Promise<FilledRules> {
  const { terms, token } = ruled;
  const { earningCriteria: criteria, platform, gigType } = terms;
  if (criteria.kind === 'text') return { criteria: criteria.text, stored: null };
  const heldToken = await findHeldTokens(deps, { criteria, chainId: token.chainId });
  const rules = rulesFor(deps, { ...ruled, heldToken });
  if (rules === null || !payoutOf(rules.rule).isWatched) return MANUAL;
  const network = requireWatcher(deps, terms);
  if (terms.url !== null) deps.beforeAsking?.();
  const target = await findTarget(network, terms, token);
  const sentence = describeRules(rules, { gigType, platform, target, token });
  return { criteria: sentence, stored: { given: criteriaText(criteria), rules: storeRules(rules), target } };
}

/**
 * The words for the rules of a gig with these terms. No platform is asked, so what the gig is about may not exist.
 * @throws DomainError `validation_failed`
 */
export async function previewRules(deps: GigContext, ruled: RewardedGig): Promise<RulesPreview> {
  const { terms, gig, token } = ruled;
  const { gigType, platform } = terms;
  const heldToken = await knownHeldTokens(deps, terms);
  const rules = rulesFor(deps, { ...ruled, heldToken });
  if (rules === null || !payoutOf(rules.rule).isWatched) return { criteria: null, sum: null, most: null };
  requireWatcher(deps, terms);
  const problem = targetProblem(terms, token);
  refuseFields(problem === null ? [] : [problem]);
  const whole = (amount: bigint) => `${formatAmount(amount, token.decimals)} ${token.symbol}`;
  return {
    criteria: describeRules(rules, { gigType, platform, target: describedTarget(terms, token), token }),
    sum: kindOf(rules.rule).sum(rules.rule, gig, whole),
    most: kindOf(rules.rule).most(rules.rule, gig),
  };
}
