import { decimalText } from '../../../domain/amount.ts';
import type { FormField, FormGroup } from '../../../domain/earning/rules/form.ts';
import { BY_HAND, kindOf, RULE_TYPES, type RuleType } from '../../../domain/earning/rules/index.ts';
import { GATE_FIELDS, MORE_FIELDS } from '../../../domain/earning/terms/form.ts';
import type { RulesJson } from '../../../domain/earning/terms/rules-json.ts';
import type { GigType } from '../../../domain/gigs/gig.ts';

/** What a form holds, as it was typed, by the names of its fields. */
export type Filled = Readonly<Record<string, string>>;

/** A field that a rule or the gates bring. */
export interface EarningField {
  /** In the form. */
  readonly name: string;
  /** In the interface. */
  readonly key: string;
  readonly field: FormField;
  /** The object whose field it is; absent for one that stands alone. */
  readonly group?: FormGroup;
}

/** A rule as the form offers it. */
interface RuleChoice {
  readonly type: RuleType;
  readonly label: string;
  readonly onlyFor: GigType | null;
  readonly fields: readonly EarningField[];
}

type Fields = Readonly<Record<string, FormField | FormGroup>>;

function named(prefix: string, fields: Fields): EarningField[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    if (!('group' in field)) return { name: `${prefix}${key}`, key, field };
    return named(`${prefix}${key}.`, field.group).map((each) => ({ ...each, key: `${key}.${each.key}`, group: field }));
  });
}

export const RULE_CHOICES: readonly RuleChoice[] = RULE_TYPES.map((type) => {
  const { form, onlyFor } = kindOf({ type });
  return { type, label: form.choice, onlyFor, fields: named(`rule.${type}.`, form.fields) };
});

/** Who may take part, and what else is said with a rule. */
export const GATES = named('gates.', GATE_FIELDS);
export const MORE = named('', MORE_FIELDS);

const ALL: readonly EarningField[] = [...RULE_CHOICES.flatMap(({ fields }) => fields), ...GATES, ...MORE];

/** The labels of all these fields, by their names in the form. */
export const EARNING_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  ALL.map(({ name, field }) => [name, field.label]),
);

/** What the fields hold at first: choices have their usual value, the others are empty. */
export const EARNING_EMPTY: Filled = Object.fromEntries(
  ALL.map(({ name, field: { input, usual = '' } }) => [name, typeof input === 'string' ? '' : usual]),
);

/** What a text says, as clients give it; undefined for the usual. */
function readField({ input, usual }: FormField, text = ''): unknown {
  if (text === '' || input === 'amount' || input === 'address') return text || undefined;
  if (input === 'number') return /^[0-9]+(?:\.[0-9]+)?$/.test(text) ? Number(text) : text;
  return text === usual ? undefined : (input.find(({ value }) => String(value) === text)?.value ?? text);
}

function readFields(fields: readonly EarningField[], filled: Filled): Record<string, unknown> {
  const read = fields.map((each) => ({ ...each, value: readField(each.field, filled[each.name]) }));
  const given = read.filter(({ value }) => value !== undefined);
  const alone = given.filter(({ group }) => group === undefined).map(({ key, value }) => [key, value] as const);
  const isGiven = ({ value, group }: (typeof read)[number]) => value !== undefined || group?.isNeeded === true;
  const ofGroups = read.filter((each) => each.group !== undefined && isGiven(each));
  const groups = Map.groupBy(ofGroups, ({ key }) => key.split('.')[0] ?? '');
  const nested = [...groups].map(([name, all]) => {
    const told = all.filter(({ value }) => value !== undefined);
    const values = Object.fromEntries(told.map(({ key, value }) => [key.slice(name.length + 1), value]));
    const counts = all[0]?.group?.counts ?? (() => true);
    return [name, Object.fromEntries(Object.entries(values).filter(([key]) => counts(key, values)))] as const;
  });
  return Object.fromEntries([...alone, ...nested]);
}

/** The criteria of a filled form, as clients give them; undefined when it names no rule. */
export function readCriteria(filled: Filled): Readonly<Record<string, unknown>> | undefined {
  const choice = RULE_CHOICES.find(({ type }) => type === filled['rule']);
  if (choice === undefined) return undefined;
  const { instead } = kindOf(choice).form;
  const amount = decimalText(filled['amount'] ?? '');
  const usual = amount === null ? {} : instead?.fields?.(amount);
  const gates = { ...instead?.gates, ...readFields(GATES, filled) };
  return {
    rule: { type: choice.type, ...usual, ...readFields(choice.fields, filled) },
    ...(Object.keys(gates).length === 0 ? {} : { gates }),
    ...readFields(MORE, filled),
  };
}

/** The numbers that say no more than an empty field does, which other rules may refuse; those of a rule with its own are kept. */
function leaveOutUsual(filled: Filled, { instead }: { readonly instead?: { readonly gates?: object } }): Filled {
  const isUsual = ({ name, key, field: { input, usual } }: EarningField) =>
    input === 'number' && filled[name] === usual && !Object.hasOwn(instead?.gates ?? {}, key);
  const usual = [...GATES, ...MORE].filter(isUsual);
  return { ...filled, ...Object.fromEntries(usual.map(({ name }) => [name, ''])) };
}

function texts(prefix: string, values: object): Filled {
  const entries = Object.entries(values).flatMap(([key, value]: [string, unknown]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(texts(`${prefix}${key}.`, value))
      : [[`${prefix}${key}`, String(value)]],
  );
  return Object.fromEntries(entries);
}

/** The form's fields with the rules of a gig; null for a gig that nothing watches. */
export function fillCriteria(rules: RulesJson | null): Filled {
  if (rules === null) return { ...EARNING_EMPTY, rule: BY_HAND };
  const { rule, gates, ...more } = rules;
  const { type, ...own } = rule;
  const filled = {
    ...EARNING_EMPTY,
    rule: type,
    ...texts(`rule.${type}.`, own),
    ...texts('gates.', gates),
    ...texts('', more),
  };
  return leaveOutUsual(filled, kindOf({ type }).form);
}

/**
 * The field of the form that a problem of the criteria concerns, and the words that name it there.
 * @param text begins with `earning_criteria`
 */
export function fieldOfCriteria(text: string, { rule }: Filled): { readonly name: string; readonly named: string } {
  const [path = '', group, key] = /^earning_criteria(?:\.(rule|gates))?(?:\.(\w+(?:\.\w+)*))?/.exec(text) ?? [];
  const names = { rule: `rule.${rule}.${key}`, gates: `gates.${key}` };
  const name = group === 'rule' || group === 'gates' ? names[group] : (key ?? '');
  return { name: Object.hasOwn(EARNING_LABELS, name) ? name : 'rule', named: path };
}
