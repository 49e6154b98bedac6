import { z } from 'zod';
import type { GigType } from '../../gigs/gig.ts';
import type { Address } from '../../gigs/token.ts';
import type { RulePayout } from '../payouts/payout.ts';
import type { Filling } from './fields.ts';
import type { RewardToSpend, RuleForm } from './form.ts';

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
  /** The only type of gig that it is for; null for every type. */
  readonly onlyFor: GigType | null;
  /** Whether the gigs that it is only for have no other rule. */
  readonly isOnlyOne: boolean;
  /** Whether acts are held before they are judged. */
  readonly holds: boolean;
  /** Who needs what the gates ask for, in the sentence that begins with its clause. */
  readonly subject: 'it' | 'each';
  readonly accepted: AcceptedWords;
  /** What happens at the next division. */
  readonly division: string;
}

const DEFAULTS: RuleTraits = {
  onlyFor: null,
  isOnlyOne: false,
  holds: true,
  subject: 'each',
  accepted: {
    sentence: () => 'Approved. The tip is pending.',
    label: () => 'Approved',
    waiting: () => 'Approved, tip pending',
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
  Given extends z.ZodRawShape,
  Stored extends z.ZodRawShape,
  Shown extends z.ZodRawShape,
> extends Partial<RuleTraits> {
  readonly type: Type;
  /** The fields that clients give; what they may leave out has a default. */
  readonly given: Given;
  /** The fields of the rule as it is stored, every default filled in. */
  readonly stored: Stored;
  /** The fields that clients see, as the API's document tells them. */
  readonly shown: Shown;
  /** The token that accounts are to hold; absent where there is none. */
  heldTokenOf?(given: Fields<Given>): Address;
  /** How long its acts are held, in milliseconds; absent where clients say that. */
  holdMsOf?(rule: Fields<Stored>): number;
  fill(filling: Filling, given: Fields<Given>): Fields<Stored>;
  /** @param whole writes an amount */
  write(rule: Fields<Stored>, whole: (amount: bigint) => string): Fields<Shown>;
  pays(rule: Fields<Stored>): RulePayout;
  /** Who gets what, in words without the full stop. */
  clause(rule: Fields<Stored>, words: ClauseWords): string;
  readonly form: RuleForm<keyof Given & string, Fields<Stored>>;
}

/** Makes the schema of an object without other fields than these. */
export type MakeStrict = <Shape extends z.ZodRawShape>(shape: Shape) => z.ZodObject<Shape, z.core.$strict>;

/** A rule by which gigs are earned, all of it in one object: its schemas, its types and how it pays follow from it. */
export function defineRule<
  const Type extends string,
  Given extends z.ZodRawShape,
  Stored extends z.ZodRawShape,
  Shown extends z.ZodRawShape,
>(spec: RuleSpec<Type, Given, Stored, Shown>) {
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
    pays: (rule: Rule): RulePayout => spec.pays(rule),
    heldTokenOf: (given: Typed<Type, Given>): Address | null => spec.heldTokenOf?.(given) ?? null,
    holdOf: (rule: Rule): number | null => spec.holdMsOf?.(rule) ?? null,
    sum: (rule: Rule, reward: RewardToSpend, whole: (amount: bigint) => string): string | null =>
      spec.form.sum?.(rule, reward, whole) ?? null,
    most: (rule: Rule, reward: RewardToSpend): bigint | null => spec.form.most?.(rule, reward) ?? null,
  };
}
