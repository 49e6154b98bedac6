import { z } from '@hono/zod-openapi';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { BY_HAND } from '../../../domain/earning/rules/index.ts';
import { GIG_TYPES } from '../../../domain/gigs/gig.ts';
import { GIG_TYPE_TRAITS } from '../../../domain/gigs/gig-type.ts';
import {
  problemsByTerm,
  START_TIME_PROBLEM,
  TERMS,
  type Terms,
  type TermsContext,
} from '../../../domain/gigs/terms.ts';
import { problemForPeople } from '../../../domain/operators/request-refusals.ts';
import { type FieldProblem, fieldProblemsOf, parse, problemsWith } from '../../../domain/validation.ts';
import { EARNING_LABELS, type Filled, fieldOfCriteria, RULE_CHOICES, readCriteria } from './earning-fields.ts';

/** The fields of the form in their order, with what they are called: it stands before what is wrong with one. */
export const LABELS: Readonly<Record<string, string>> = {
  gig_type: 'What is rewarded',
  platform: 'Platform',
  url: 'Post or profile',
  keyword: 'Word',
  how_to_earn: 'What to do',
  title: 'Title',
  // The form's own token has that name.
  asset: 'Token',
  amount: 'Reward',
  rule: 'Who gets what',
  ...EARNING_LABELS,
  start: 'Start',
  start_time: 'Time of the start',
  duration: 'Duration',
  award_days: 'Days for awards after the end',
  refund_address: 'Refund address',
};

/** What is wrong with a form: with its fields, by their names, and as a whole. */
export interface FormProblems {
  readonly fields: ReadonlyMap<string, string>;
  readonly others: readonly string[];
}

type Raw = Readonly<Record<string, unknown>>;

const START_CHOICES: Readonly<Record<string, { readonly label: string; terms(now: number, at: string): Raw }>> = {
  when_funded: {
    label: 'As soon as it is funded',
    terms: (now) => ({ start_time: new Date(now).toISOString(), start: 'when_funded' }),
  },
  now: {
    label: 'When I start it',
    terms: (now) => ({ start_time: new Date(now).toISOString(), start: 'on_request' }),
  },
  at: {
    label: 'At a set time, once I start it',
    // The field of a browser has no zone; its label says that it is UTC.
    terms: (_, at) => ({ start_time: at === '' ? undefined : `${at}Z`, start: 'on_request' }),
  },
};

/** Bounties name who checks them: on these pages that is their owner. */
const CHECKED_BY = 'The owner of the gig';

/** What no type names: the owner describes it, sees to it, and awards. In the interface it is a bounty without rules. */
export const OTHER = 'other';

/** How a gig starts, and the terms that say so. `now` is epoch milliseconds. */
export const STARTS = new Map(Object.entries(START_CHOICES));

/** The fields by the names of terms that have another one in the form. */
const FIELDS_OF_TERMS: Readonly<Record<string, string>> = { chain: 'asset', token_address: 'asset' };

function fieldOf({ field: term, text }: FieldProblem, filled: Filled): { name: string; named: string } | null {
  if (term === null) return null;
  if (term === 'earning_criteria') return fieldOfCriteria(text, filled);
  const name = FIELDS_OF_TERMS[term] ?? term;
  return Object.hasOwn(LABELS, name) ? { name, named: term } : null;
}

/** What is wrong with a field, in a sentence. @param rest what follows its name */
function sentenceOf(label: string, rest: string): string {
  const text = rest.startsWith(': ') ? rest.slice(2) : `${label}${rest}`;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace('"0.5"', '0.5')}.`;
}

/** Sorts problems, of which those of terms begin with the term's name, by the fields of a filled form. */
export function sortProblems(problems: readonly FieldProblem[], filled: Filled): FormProblems {
  const fields = new Map<string, string>();
  const others: string[] = [];
  for (const problem of problems) {
    const field = fieldOf(problem, filled);
    const text = problem.text === START_TIME_PROBLEM ? NO_START_TIME : problemForPeople(problem.text);
    if (field === null) others.push(`${text}.`);
    else if (!fields.has(field.name)) {
      fields.set(field.name, sentenceOf(LABELS[field.name] ?? '', text.slice(field.named.length)));
    }
  }
  return { fields, others };
}

/** A number, or what was typed instead of one. */
function readNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : text;
}

/** The choices of a type that take no URL. */
const WITHOUT_URL: ReadonlySet<string> = new Set([
  OTHER,
  ...GIG_TYPES.filter((type) => GIG_TYPE_TRAITS[type].url === 'none'),
]);

/** The terms that a filled form gives, as a client would send them. */
export function rawTerms(filled: Filled, now: number): Raw {
  const [chain = '', token_address = ''] = (filled['asset'] ?? '').split(' ');
  const typed = (name: string) => (filled[name] === '' ? undefined : filled[name]);
  const gigType = filled['gig_type'] === OTHER ? 'custom_bounty' : typed('gig_type');
  return {
    chain,
    token_address,
    amount: typed('amount'),
    duration: typed('duration'),
    award_days: readNumber(typed('award_days')),
    title: typed('title'),
    gig_type: gigType,
    platform: typed('platform'),
    // What was typed for another type is not shown, and does not count.
    url: WITHOUT_URL.has(filled['gig_type'] ?? '') ? undefined : typed('url'),
    keyword: gigType === 'mention' ? typed('keyword') : undefined,
    how_to_earn: typed('how_to_earn'),
    refund_address: typed('refund_address'),
    verifier: gigType === 'custom_bounty' ? CHECKED_BY : undefined,
    ...STARTS.get(filled['start'] ?? '')?.terms(now, filled['start_time'] ?? ''),
    earning_criteria: readCriteria(filled),
  };
}

const schema = z.object(TERMS);
/** A field of a browser takes no other form of a time. */
const NO_START_TIME = 'start_time: choose a start time';
const NO_REFUND = 'refund_address is required: without it no money can be returned';
const BY_LIST = 'rule must be awards from a list: the service cannot see what is done';

/** What is wrong with choices of the form that no term has. */
function choiceProblems(filled: Filled, raw: Raw, mayLackRefund: boolean): FieldProblem[] {
  const isSeen = filled['gig_type'] !== OTHER || filled['rule'] === BY_HAND;
  const { label, onlyFor = null } = RULE_CHOICES.find(({ type }) => type === filled['rule']) ?? {};
  const isFor = onlyFor === null || onlyFor === raw['gig_type'];
  const notListed = (field: string) => `${field} must be one of the list`;
  return [
    ...problemsWith('start', STARTS.has(filled['start'] ?? '') ? null : notListed('start')),
    ...problemsWith('rule', raw['earning_criteria'] === undefined ? notListed('rule') : null, isSeen ? null : BY_LIST),
    ...problemsWith('rule', isFor ? null : `rule: "${label}" is for ${onlyFor} gigs only`),
    ...problemsWith('refund_address', filled['refund_address'] === '' && !mayLackRefund ? NO_REFUND : null),
  ];
}

/**
 * The terms that a form asks for, or everything that is wrong with it.
 * @param context.mayLackRefund whether it may name no refund address, as a gig of a client may
 */
export function readTerms(
  filled: Filled,
  { mayLackRefund = false, ...context }: TermsContext & { readonly mayLackRefund?: boolean },
): { readonly terms: Terms } | FormProblems {
  const raw = rawTerms(filled, context.now);
  const choices = choiceProblems(filled, raw, mayLackRefund);
  const read = schema.safeParse(raw);
  const problems = [
    ...choices,
    ...(read.success ? [] : fieldProblemsOf(read.error)),
    ...problemsByTerm(camelKeys(parse(schema, raw).fields), context),
  ];
  return read.success && problems.length === 0 ? { terms: camelKeys(read.data) } : sortProblems(problems, filled);
}
