import { z } from 'zod';
import { countOf } from '../../count.ts';
import { wholeField } from '../../fields.ts';
import { HOUR_MS } from '../../time.ts';
import { SLOT_MS } from '../holding/entry.ts';
import {
  fillHolding,
  givenHolding,
  holdingWords,
  shownHolding,
  storedHolding,
  writeHolding,
} from '../holding/holding.ts';
import type { RulePayout } from '../payouts/payout.ts';
import { type ClauseWords, defineRule } from './define-rule.ts';
import type { Filling } from './fields.ts';
import { fixed } from './fixed.ts';
import type { FormField, FormGroup, RewardToSpend } from './form.ts';
import { raffle } from './raffle.ts';
import { split } from './split.ts';
import { weighted } from './weighted.ts';

/** How accounts that held are paid. */
const PAYING = { fixed, split, weighted, raffle };
type Paying = (typeof PAYING)[keyof typeof PAYING];
type Pays = ReturnType<Paying['fill']>;
type GivenPays = Parameters<Paying['fill']>[1];
type PaysJson = ReturnType<Paying['write']>;

const PAYING_TYPES = ['fixed', 'split', 'weighted', 'raffle'] as const satisfies readonly (keyof typeof PAYING)[];

/** A rule's methods take only its own values: those of its type. */
interface PayingKind {
  fill(filling: Filling, given: GivenPays): Pays;
  write(rule: Pays, whole: (amount: bigint) => string): PaysJson;
  pays(rule: Pays): RulePayout;
  clause(rule: Pays, words: ClauseWords): string;
  sum(rule: Pays, reward: RewardToSpend, whole: (amount: bigint) => string): string | null;
  most(rule: Pays, reward: RewardToSpend): bigint | null;
}

const KINDS: Readonly<Record<Pays['type'], PayingKind>> = PAYING;

function strictPays<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) => `pays ${code === 'unrecognized_keys' ? `may have ${known} only` : 'must be an object'}`,
  });
}

const givenPays = z.discriminatedUnion(
  'type',
  [fixed.givenBy(strictPays), split.givenBy(strictPays), weighted.givenBy(strictPays), raffle.givenBy(strictPays)],
  {
    error: ({ code }) =>
      code === 'invalid_union'
        ? `type must be one of ${PAYING_TYPES.join(', ')}`
        : 'pays must be an object with the field type',
  },
);

/** Its problems name their fields as those of `pays`. */
function within({ context, check }: Filling): Filling {
  return { context, check: (isFine, problem) => check(isFine, problem.replace(/^rule\./u, 'rule.pays.')) };
}

function fieldsOf({ fields }: { readonly fields: Readonly<Record<string, FormField | FormGroup>> }) {
  return Object.entries(fields).filter((entry): entry is [string, FormField] => 'input' in entry[1]);
}

/** The fields of all these rules, of which those of the chosen one count. */
const PAYS_FIELDS: FormGroup = {
  isNeeded: true,
  group: {
    type: {
      label: 'How it is paid',
      input: PAYING_TYPES.map((value) => ({ value, label: PAYING[value].form.choice })),
      usual: '',
    },
    ...Object.fromEntries(
      PAYING_TYPES.flatMap((type) => fieldsOf(PAYING[type].form)).map(([key, field]) => [
        key,
        { ...field, hint: forRules(key) },
      ]),
    ),
  },
  counts: (key, { type }) =>
    key === 'type' || PAYING_TYPES.some((each) => each === type && Object.hasOwn(PAYING[each].given, key)),
};

/** For which choices a field counts. */
function forRules(key: string): string {
  const choices = PAYING_TYPES.filter((type) => Object.hasOwn(PAYING[type].given, key));
  return `For: ${choices.map((type) => PAYING[type].form.choice.toLowerCase()).join('; ')}.`;
}

const MAX_HOURS = 720;

/** Who enters and holds a token for some hours is paid by another rule. */
export const hold = defineRule({
  type: 'hold',
  onlyFor: 'hold',
  isOnlyOne: true,
  subject: 'each',
  given: { ...givenHolding, hours: wholeField('hours', [1, MAX_HOURS]), pays: givenPays },
  stored: {
    ...storedHolding,
    hours: z.int().positive(),
    pays: z.discriminatedUnion('type', [fixed.stored, split.stored, weighted.stored, raffle.stored]),
  },
  shown: {
    ...shownHolding,
    hours: z.int().meta({ description: 'For how many hours from its entry an account holds it.' }),
    pays: z
      .discriminatedUnion('type', [fixed.shown, split.shown, weighted.shown, raffle.shown])
      .meta({ description: 'How those who held it are paid.' }),
  },
  heldTokenOf: ({ token }) => token,
  // Its block is drawn within two half hours.
  holdMsOf: ({ hours }) => hours * HOUR_MS + 2 * SLOT_MS,
  fill(filling, { token, amount, hours, pays }) {
    const { context, check } = filling;
    const note = (isFine: boolean, problem: string) => check(isFine, `rule.${problem}`);
    const holding = fillHolding({ token, amount }, { heldToken: context.heldToken, check: note });
    return { ...holding, hours, pays: KINDS[pays.type].fill(within(filling), pays) };
  },
  write: ({ token, amount, hours, pays }, whole) => ({
    ...writeHolding({ token, amount }),
    hours,
    pays: KINDS[pays.type].write(pays, whole),
  }),
  pays({ token, amount, hours, pays }) {
    const entry = { holding: { token, amount }, forMs: hours * HOUR_MS };
    // What it holds says how long it is held.
    return { ...KINDS[pays.type].pays(pays), entry, dueOf: (_, _window, { firstSeenAt }) => firstSeenAt };
  },
  clause({ token, amount, hours, pays }, words) {
    const held = `${holdingWords({ token, amount })} for ${countOf(hours, 'hour')}`;
    const own = { one: `${words.one} and holds ${held}`, many: `${words.many} and hold ${held}` };
    return KINDS[pays.type].clause(pays, { ...words, ...own });
  },
  accepted: {
    sentence: () => 'You held it. The tip follows.',
    label: () => 'Held it',
    waiting: (isAhead) => (isAhead ? 'Waits for the division' : 'Approved, tip pending'),
  },
  division: 'The reward is divided',
  form: {
    choice: 'For holding a token',
    fields: {
      token: {
        label: 'Token to hold',
        input: 'address',
        hint: 'The address of its contract, on the chain of the reward.',
      },
      amount: { label: 'Minimum to hold', input: 'amount', hint: 'Over all verified addresses of an account.' },
      hours: { label: 'Hours to keep the token', input: 'number' },
      pays: PAYS_FIELDS,
    },
    sum: ({ pays }, reward, whole) => KINDS[pays.type].sum(pays, reward, whole) ?? '',
    most: ({ pays }, reward) => KINDS[pays.type].most(pays, reward) ?? 0n,
  },
});
