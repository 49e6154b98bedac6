import { fillRules } from '../../domain/earning/fill-rules.ts';
import { criteriaText, type GivenRules } from '../../domain/earning/given.ts';
import type { EarningRules } from '../../domain/earning/rules.ts';
import { storeRules } from '../../domain/earning/rules-json.ts';
import { describeRules } from '../../domain/earning/sentence.ts';
import { DomainError } from '../../domain/errors.ts';
import type { NewGig } from '../../domain/gig.ts';
import type { Platforms, SocialPlatform } from '../../domain/mention.ts';
import { platformFacts } from '../../domain/platforms.ts';
import type { Terms } from '../../domain/terms.ts';
import type { Token } from '../../domain/token.ts';
import { refuse } from '../../domain/validation.ts';
import type { StoredEarningRules } from '../../store/port/index.ts';
import { findTarget } from './find-target.ts';

export interface RulesDeps {
  readonly platforms: Platforms;
  /** Whether the service watches gigs at all. */
  readonly watchesGigs: boolean;
  /** Whether the operator has set a file of spam labels. */
  readonly hasLabels: boolean;
}

/** How a gig is earned, as it is stored. */
export interface SettledRules {
  /** What its record shows: the client's words, or a sentence made from its rules. */
  readonly criteria: string | null;
  /** Null when nothing watches the gig. */
  readonly stored: Omit<StoredEarningRules, 'gigId'> | null;
}

/** The rules by which this service divides a reward. */
const DIVIDED: ReadonlySet<EarningRules['rule']['type']> = new Set(['fixed', 'split', 'weighted', 'raffle']);

/** The platform that watches a gig. @throws DomainError `validation_failed` when none does */
function requireWatcher({ platforms, watchesGigs }: RulesDeps, { platform }: Terms): SocialPlatform {
  const network = platforms.get(platform);
  if (watchesGigs && network !== undefined && network.acts !== null) return network;
  const { label } = platformFacts(platform);
  return refuse(`earning_criteria: this service watches no gigs on ${label}, so describe in words who earns`);
}

function fill(given: GivenRules, gig: NewGig, token: Token, { hasLabels }: RulesDeps): EarningRules {
  const { rewardAmount, duration, gigType } = gig;
  const filled = fillRules(given, { decimals: token.decimals, rewardAmount, duration, gigType, hasLabels });
  if ('problems' in filled) throw new DomainError({ code: 'validation_failed', details: filled.problems });
  const { type } = filled.rules.rule;
  if (type !== 'manual' && !DIVIDED.has(type))
    refuse('earning_criteria.rule.type must be fixed, split, weighted, raffle or manual here');
  return filled.rules;
}

/**
 * How a gig with these terms is earned: the rules with every default filled in, and the target as its platform knows it.
 * @throws DomainError `validation_failed`
 * @throws AdapterError when the platform must be asked and does not answer
 */
export async function settleRules(
  deps: RulesDeps,
  { terms, gig, token }: { terms: Terms; gig: NewGig; token: Token },
): Promise<SettledRules> {
  const { earningCriteria: criteria, platform } = terms;
  if (criteria.kind === 'absent') return { criteria: null, stored: null };
  if (criteria.kind === 'text') return { criteria: criteria.text, stored: null };
  const rules = fill(criteria.given, gig, token, deps);
  if (rules.rule.type === 'manual') return { criteria: null, stored: null };
  const target = await findTarget(requireWatcher(deps, terms), terms, token);
  if (target === null) refuse(`url is required for rules of ${terms.gigType} gigs`);
  const sentence = describeRules(rules, { gigType: terms.gigType, platform, target, token });
  const stored = { given: criteriaText(criteria), rules: storeRules(rules), target };
  return { criteria: sentence, stored };
}
