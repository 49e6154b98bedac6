import { z } from 'zod';
import { parseExactJson } from '../../exact-json.ts';
import { freeText, oneOf, wholeField } from '../../fields.ts';
import { givenHolding } from '../holding/holding.ts';
import { givenRule, RULE_TYPES, typesWith } from '../rules/index.ts';
import { wordList } from '../words/sentence.ts';
import type { EarningCriteria, GivenRules } from './given.ts';
import { MILLION, SPAM_LABELS } from './rules.ts';

const MAX_TEXT = 2_000;
const MAX_NAMED = 5;

function booleanField(field: string) {
  return z.boolean(`${field} must be true or false`);
}

function shorten(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}

function ownersOf(field: string): string | null {
  const types = typesWith(field);
  return types.length === 0 ? null : `${field} belongs to type ${wordList(types)}`;
}

function ruleHint({ input, keys }: { readonly input?: unknown; readonly keys: readonly string[] }): string {
  const isTyped = typeof input === 'object' && input !== null && Object.hasOwn(input, 'type');
  const untyped = isTyped ? '' : '; without type it is weighted, or verifier for custom_bounty';
  const owned = keys.map(ownersOf).filter((words) => words !== null);
  return [untyped, ...owned.map((words) => `; ${words}`)].join('');
}

function onlyFields<Shape extends z.ZodRawShape>(field: string, shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return `${field} must be an object with the fields ${known}`;
      const names = issue.keys.slice(0, MAX_NAMED).map(shorten).join(', ');
      return `${field} has unknown fields: ${names}; it may have ${known}${field === 'rule' ? ruleHint(issue) : ''}`;
    },
  });
}

const ruleField = givenRule(
  (shape) => onlyFields('rule', shape),
  ({ code }) =>
    code === 'invalid_union'
      ? `type must be one of ${RULE_TYPES.join(', ')}`
      : 'rule must be an object with the field type',
);

const SCORE = 'min_score must be a number from 0 to 1 with at most six decimals';

const gatesField = onlyFields('gates', {
  min_score: z
    .number(SCORE)
    .min(0, SCORE)
    .max(1, SCORE)
    .refine((score) => Math.round(score * MILLION) / MILLION === score, SCORE)
    .optional(),
  min_account_age_days: wholeField('min_account_age_days', [0, 3_650]).optional(),
  min_followers: wholeField('min_followers', [0, 1_000_000_000]).optional(),
  verified_address: booleanField('verified_address').optional(),
  spam_label: oneOf('spam_label', SPAM_LABELS).optional(),
  min_letters: wholeField('min_letters', [0, 1_000]).optional(),
  min_holding: onlyFields('min_holding', givenHolding).nullish(),
});

function rulesField(field: string): z.ZodType<GivenRules> {
  return onlyFields(field, {
    rule: ruleField.optional(),
    gates: gatesField.optional(),
    hold_hours: wholeField('hold_hours', [0, 168]).optional(),
    tips_by_request: booleanField('tips_by_request').optional(),
  });
}

const LEADING_INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}]+/u;

/** A record would drop a field of this name in silence: as text it is refused like any unknown one. */
function keepProto(value: unknown): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')
    ? JSON.stringify(value)
    : value;
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text).value;
  } catch {
    return undefined;
  }
}

function refuse({ issues }: z.core.$ZodError, context: z.core.$RefinementCtx): never {
  for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...path], message });
  return z.NEVER;
}

/**
 * What a client gives as the criteria of a gig: rules, as an object or as its JSON text; or any other text, for people.
 */
export function criteriaField(field: string) {
  const textField = freeText(field, MAX_TEXT);
  const rules = rulesField(field);
  const readRules = (value: unknown, context: z.core.$RefinementCtx): EarningCriteria => {
    const read = rules.safeParse(value);
    return read.success ? { kind: 'rules', given: read.data } : refuse(read.error, context);
  };
  const readText = (value: string, context: z.core.$RefinementCtx): EarningCriteria => {
    const { data: text, error } = textField.safeParse(value);
    if (error !== undefined) return refuse(error, context);
    if (!text) return { kind: 'absent' };
    const shown = text.replace(LEADING_INVISIBLE, '');
    if (!shown.startsWith('{')) return { kind: 'text', text };
    const given = parseJson(shown);
    if (given !== undefined) return readRules(given, context);
    context.addIssue({ code: 'custom', message: `${field} begins with { but is not valid JSON` });
    return z.NEVER;
  };
  const given = z.union(
    [z.string(), z.record(z.string(), z.unknown())],
    `${field} must be a string or an object of rules`,
  );
  return z.preprocess(keepProto, given.nullish()).transform((value, context): EarningCriteria => {
    if (value === undefined || value === null) return { kind: 'absent' };
    return typeof value === 'string' ? readText(value, context) : readRules(value, context);
  });
}
