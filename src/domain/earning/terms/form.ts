import type { FormChoice, FormField, FormGroup } from '../rules/form.ts';
import { DEFAULT_GATES, type GivenGates, type GivenRules } from './given.ts';

const YES_NO: readonly FormChoice[] = [
  { value: true, label: 'Yes' },
  { value: false, label: 'No' },
];

type Fields<Given> = Readonly<Record<keyof Given & string, Omit<FormField, 'usual'> | FormGroup>>;

function withDefaults(fields: Fields<GivenGates>): Readonly<Record<string, FormField | FormGroup>> {
  const usual: Readonly<Record<string, unknown>> = DEFAULT_GATES;
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      'group' in field ? field : { ...field, usual: String(usual[name]) },
    ]),
  );
}

/** The fields of a form in which people say who may take part, by their names in the interface. */
export const GATE_FIELDS = withDefaults({
  min_score: { label: 'Minimum score', input: 'number', hint: 'From 0 to 1, as the platform rates the account.' },
  min_account_age_days: { label: 'Minimum age in days', input: 'number' },
  min_followers: { label: 'Minimum followers', input: 'number' },
  verified_address: { label: 'Verified address', input: YES_NO, hint: 'One address earns once.' },
  spam_label: {
    label: 'Spam label',
    input: [
      { value: 'not_spam', label: 'Not spam' },
      { value: 'trusted', label: 'Trusted' },
      { value: 'any', label: 'Any' },
    ],
  },
  min_letters: {
    label: 'Minimum letters',
    input: 'number',
    hint: 'For gigs that ask for a text. If empty: 10, or 0 when you judge submissions.',
  },
  min_holding: {
    group: {
      token: {
        label: 'Token to hold',
        input: 'address',
        usual: '',
        hint: 'The address of its contract, on the chain of the reward.',
      },
      amount: {
        label: 'Minimum to hold',
        input: 'amount',
        usual: '',
        hint: 'Over all verified addresses of an account.',
      },
    },
  },
});

/** The same for what else is said with a rule. */
export const MORE_FIELDS: Readonly<Record<Exclude<keyof GivenRules, 'rule' | 'gates'>, FormField>> = {
  hold_hours: {
    label: 'Hours before a decision',
    input: 'number',
    usual: '12',
    hint: 'Acts undone in this time do not count. Gigs that you judge have no hold.',
  },
  tips_by_request: { label: 'Also tips from a list', input: YES_NO, usual: 'true' },
};
