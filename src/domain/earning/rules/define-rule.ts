import { z } from 'zod';
import type { Gig } from '../../gigs/gig.ts';
import type { Standing } from '../payouts/shares.ts';
import type { Filling } from './fields.ts';

/** How long the rounds of a gig are, in milliseconds. */
export interface RoundLength {
  readonly roundMs: number;
}

/** Rounds, with the most that an account gets from one, in base units. */
export interface RoundTerms extends RoundLength {
  readonly maxAmount: bigint;
}

interface Rounds extends RoundTerms {
  weightOf(standing: Standing): bigint;
}

/** The same for each account, by rank, until less than that is left. Amounts are base units. */
export interface ByRank {
  readonly amount: bigint;
  /** What is left for these accounts of a gig's reward. */
  awardableOf(gig: Gig): bigint;
}

interface Takes {
  /** Clients, who ask for tips: nothing is watched. */
  readonly request: object;
  readonly rank: ByRank;
  readonly rounds: Rounds;
  /** A draw after the end: so many accounts each get an equal share of what is left. */
  readonly draw: { readonly places: number };
  /** A program, or people, who decide on each submission. */
  readonly decisions: { readonly maxAmount: bigint };
}

/** What decides who gets what. */
export type DecidedBy = keyof Takes;

type PayoutBy<By extends DecidedBy> = { readonly by: By } & Takes[By];
/** How a rule pays: what decides, and what it takes of the reward. */
export type RulePayout = { [By in DecidedBy]: PayoutBy<By> }[DecidedBy];

/** What accounts do, of one account and of several, with an amount as it is written. */
export interface ClauseWords {
  readonly one: string;
  readonly many: string;
  readonly whole: (amount: bigint) => string;
}

/** What is said about an account that is accepted and has no tip yet. */
interface AcceptedWords {
  /** A sentence, and its state in a word or two. `hasPart`: it has its part of a division or a draw. */
  sentence(hasPart: boolean): string;
  label(hasPart: boolean): string;
  /** What all of them wait for. `isAhead`: whether a division or a draw is still to come. */
  waiting(isAhead: boolean): string;
}

/** What a rule may say about itself. */
export interface RuleTraits {
  /** Whether acts are held before they are judged. */
  readonly holds: boolean;
  /** Who needs what the gates ask for, in the sentence that begins with its clause. */
  readonly subject: 'it' | 'each';
  readonly accepted: AcceptedWords;
  /** What happens at the next division. */
  readonly division: string;
}

const DEFAULTS: RuleTraits = {
  holds: true,
  subject: 'each',
  accepted: {
    sentence: () => 'Accepted. The tip follows, by rank.',
    label: () => 'Accepted',
    waiting: () => 'Accepted, tip follows',
  },
  division: 'The next round is divided',
};

// Zod takes an object without fields for a record of nothing, so it gets one with a field more.
type Fields<Shape extends z.ZodRawShape> = Readonly<
  Omit<z.output<z.ZodObject<Shape & { readonly type: z.ZodUnknown }>>, 'type'>
>;
type Typed<Type extends string, Shape extends z.ZodRawShape> = { readonly type: Type } & Fields<Shape>;

/** Amounts are decimal text in whole tokens for clients, base units inside. */
interface RuleSpec<
  Type extends string,
  By extends DecidedBy,
  Given extends z.ZodRawShape,
  Stored extends z.ZodRawShape,
  Shown extends z.ZodRawShape,
> extends Partial<RuleTraits> {
  readonly type: Type;
  readonly by: By;
  /** The fields that clients give; what they may leave out has a default. */
  readonly given: Given;
  /** The fields of the rule as it is stored, every default filled in. */
  readonly stored: Stored;
  /** The fields that clients see, as the API's document tells them. */
  readonly shown: Shown;
  fill(filling: Filling, given: Fields<Given>): Fields<Stored>;
  /** @param whole writes an amount */
  write(rule: Fields<Stored>, whole: (amount: bigint) => string): Fields<Shown>;
  takes(rule: Fields<Stored>): Takes[By];
  /** Who gets what, in words without the full stop. */
  clause(rule: Fields<Stored>, words: ClauseWords): string;
}

/** Makes the schema of an object without other fields than these. */
export type MakeStrict = <Shape extends z.ZodRawShape>(shape: Shape) => z.ZodObject<Shape, z.core.$strict>;

/** A rule by which gigs are earned, all of it in one object: its schemas, its types and how it pays follow from it. */
export function defineRule<
  const Type extends string,
  By extends DecidedBy,
  Given extends z.ZodRawShape,
  Stored extends z.ZodRawShape,
  Shown extends z.ZodRawShape,
>(spec: RuleSpec<Type, By, Given, Stored, Shown>) {
  const type = z.literal(spec.type);
  type Rule = Typed<Type, Stored>;
  return {
    ...DEFAULTS,
    ...spec,
    givenBy: (makeStrict: MakeStrict) => makeStrict({ type, ...spec.given }),
    stored: z.strictObject({ type, ...spec.stored }),
    shown: z.object({ type, ...spec.shown }),
    fill: (filling: Filling, from: Typed<Type, Given>): Rule => ({ type: spec.type, ...spec.fill(filling, from) }),
    write: (rule: Rule, whole: (amount: bigint) => string): Typed<Type, Shown> => ({
      type: spec.type,
      ...spec.write(rule, whole),
    }),
    clause: (rule: Rule, words: ClauseWords): string => spec.clause(rule, words),
    payout: (rule: Rule): PayoutBy<By> => ({ by: spec.by, ...spec.takes(rule) }),
  };
}
