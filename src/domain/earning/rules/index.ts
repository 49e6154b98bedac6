import { z } from 'zod';
import type { GigType } from '../../gigs/gig.ts';
import type { Address } from '../../gigs/token.ts';
import type { RulePayout } from '../payouts/payout.ts';
import type { ClauseWords, MakeStrict, RuleTraits } from './define-rule.ts';
import type { Filling } from './fields.ts';
import { fixed } from './fixed.ts';
import type { RewardToSpend, RuleForm } from './form.ts';
import { hold } from './hold.ts';
import { manual } from './manual.ts';
import { raffle } from './raffle.ts';
import { split } from './split.ts';
import { verifier } from './verifier.ts';
import { weighted } from './weighted.ts';

/** In the order in which the API's document has them. */
const RULES = { manual, fixed, split, weighted, raffle, verifier, hold };

type Kind = (typeof RULES)[keyof typeof RULES];
export type RuleType = Kind['type'];
/** How a gig's reward is divided. Amounts are base units of the gig's token, times milliseconds. */
export type Rule = ReturnType<Kind['fill']>;
/** A rule as clients see it. Amounts are decimal text in whole tokens. */
export type RuleJson = ReturnType<Kind['write']>;
type TypedRule = Parameters<Kind['fill']>[1];
/** A rule without a type, which is the default one of the gig type. */
export type UntypedRule = { readonly type?: undefined } & Omit<Extract<TypedRule, { type: 'weighted' }>, 'type'>;
/** The rule that a client gives. */
export type GivenRule = TypedRule | UntypedRule;

/** A rule's methods take only its own values: those of its type. */
interface RuleKind extends RuleTraits {
  fill(filling: Filling, given: TypedRule): Rule;
  /** @param whole writes an amount */
  write(rule: Rule, whole: (amount: bigint) => string): RuleJson;
  pays(rule: Rule): RulePayout;
  /** The token that accounts are to hold; null where there is none. */
  heldTokenOf(given: TypedRule): Address | null;
  /** How long its acts are held, in milliseconds; null where clients say that. */
  holdOf(rule: Rule): number | null;
  clause(rule: Rule, words: ClauseWords): string;
  /** What the reward comes to, in a sentence; null when nothing can be said. */
  sum(rule: Rule, reward: RewardToSpend, whole: (amount: bigint) => string): string | null;
  /** The most that one account gets at a time, in base units; null where the rule does not say it. */
  most(rule: Rule, reward: RewardToSpend): bigint | null;
  readonly form: Pick<RuleForm<string, Rule>, 'choice' | 'fields' | 'instead'>;
}

const KINDS: Readonly<Record<RuleType, RuleKind>> = RULES;

/** The rule of a type. */
export function kindOf({ type }: { readonly type: RuleType }): RuleKind {
  return KINDS[type];
}

/** How a rule pays. */
export function payoutOf(rule: Rule): RulePayout {
  return kindOf(rule).pays(rule);
}

/** The token that accounts are to hold by a rule that a client gives; null where there is none. */
export function heldTokenOf(given: GivenRule | undefined): Address | null {
  return given?.type === undefined ? null : kindOf(given).heldTokenOf(given);
}

const { manual: _, ...others } = RULES;
const watched = Object.values(others);

/** The types in the order in which clients read them: those that are watched come first. */
export const RULE_TYPES: readonly RuleType[] = [...watched.map(({ type }) => type), manual.type];

/** The rule of gigs that nothing watches. */
export const BY_HAND: RuleType = manual.type;

/** The rule of gigs of a type that have no other one; null where clients choose it. */
export function onlyRuleOf(gigType: GigType): RuleType | null {
  return watched.find(({ isOnlyOne, onlyFor }) => isOnlyOne && onlyFor === gigType)?.type ?? null;
}

/** The types of the rules to which a field belongs; none for one that no rule has. */
export function typesWith(field: string): readonly RuleType[] {
  return watched.filter(({ given }) => Object.hasOwn(given, field)).map(({ type }) => type);
}

/** The schema of the rules that clients give. @param error what is said about a rule that is none of these */
export function givenRule(makeStrict: MakeStrict, error: z.core.$ZodErrorMap) {
  const untyped = makeStrict({ type: z.undefined().optional(), ...weighted.given });
  return z.discriminatedUnion(
    'type',
    [untyped, manual.givenBy(makeStrict), ...watched.map(({ givenBy }) => givenBy(makeStrict))],
    { error },
  );
}

/** The schema of a rule as it is stored: amounts are decimal text in base units. */
export const storedRule = z.discriminatedUnion('type', [manual.stored, ...watched.map(({ stored }) => stored)]);

/** The schema of a rule as clients see it. */
export const shownRule = z.discriminatedUnion('type', [manual.shown, ...watched.map(({ shown }) => shown)]);
