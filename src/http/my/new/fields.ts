import { z } from '@hono/zod-openapi';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { problemsByTerm, TERMS, type Terms, type TermsContext } from '../../../domain/gigs/terms.ts';
import { problemForPeople } from '../../../domain/operators/request-refusals.ts';
import { type FieldProblem, fieldProblemsOf, parse, problemsWith } from '../../../domain/validation.ts';

/** A field of the form, by the name that it has there. Labels stand before what is wrong with it. */
export const LABELS = {
  title: 'Title',
  gig_type: 'Type',
  platform: 'Platform',
  url: 'Post or profile',
  keyword: 'Word',
  how_to_earn: 'What to do',
  awards: 'Who awards',
  // The form's own token has that name.
  asset: 'Token',
  amount: 'Reward',
  start: 'Start',
  start_time: 'Time of the start',
  duration: 'Duration',
  refund_address: 'Refund address',
} as const;

export type FieldName = keyof typeof LABELS;

/** What the form holds, as it was typed. */
export type Filled = Readonly<Record<FieldName, string>>;

/** What is wrong with a form: with its fields, and as a whole. */
export interface FormProblems {
  readonly fields: ReadonlyMap<FieldName, string>;
  readonly others: readonly string[];
}

type Raw = Readonly<Record<string, unknown>>;

/** How a gig starts, and the terms that say so. `now` is epoch milliseconds. */
export const STARTS: Readonly<Record<string, { readonly label: string; terms(now: number, at: string): Raw }>> = {
  when_funded: {
    label: 'When it is funded',
    terms: (now) => ({ start_time: new Date(now).toISOString(), start: 'when_funded' }),
  },
  now: {
    label: 'When I start it',
    terms: (now) => ({ start_time: new Date(now).toISOString() }),
  },
  at: {
    label: 'At a time, after I have started it',
    // The field of a browser has no zone; its label says that it is UTC.
    terms: (_, at) => ({ start_time: at === '' ? undefined : `${at}Z` }),
  },
};

/** Who decides who earns, and the terms that say so. */
export const AWARDS: Readonly<Record<string, { readonly label: string; readonly terms: Raw }>> = {
  rules: { label: 'This service, by rules', terms: {} },
  hand: { label: 'I do, with a list', terms: { earning_criteria: '{"rule":{"type":"manual"}}' } },
};

/** Bounties name who checks them: on these pages that is their owner. */
const CHECKED_BY = 'The owner of the gig';

/** The fields by the names of terms that have another one in the form. */
const FIELDS_OF_TERMS: Readonly<Record<string, FieldName>> = {
  chain: 'asset',
  token_address: 'asset',
  earning_criteria: 'awards',
};

function isField(name: string): name is FieldName {
  return Object.hasOwn(LABELS, name);
}

function fieldOf(term: string): FieldName | undefined {
  return FIELDS_OF_TERMS[term] ?? (isField(term) ? term : undefined);
}

/** Sorts problems, of which those of terms begin with the term's name, by the fields of the form. */
export function sortProblems(problems: readonly FieldProblem[]): FormProblems {
  const fields = new Map<FieldName, string>();
  const others: string[] = [];
  for (const { field: term, text: problem } of problems) {
    const text = problemForPeople(problem);
    const field = term === null ? undefined : fieldOf(term);
    if (term === null || field === undefined) others.push(`${text}.`);
    else if (!fields.has(field)) {
      const rest = text.slice(term.length).replace('"0.5"', '0.5');
      fields.set(field, `${LABELS[field]}${rest}.`);
    }
  }
  return { fields, others };
}

function rawTerms(filled: Filled, now: number): Raw {
  const [chain = '', token_address = ''] = filled.asset.split(' ');
  const typed = (name: FieldName) => (filled[name] === '' ? undefined : filled[name]);
  return {
    chain,
    token_address,
    amount: typed('amount'),
    duration: typed('duration'),
    title: typed('title'),
    gig_type: typed('gig_type'),
    platform: typed('platform'),
    url: typed('url'),
    keyword: typed('keyword'),
    how_to_earn: typed('how_to_earn'),
    refund_address: typed('refund_address'),
    verifier: filled.gig_type === 'custom_bounty' ? CHECKED_BY : undefined,
    ...STARTS[filled.start]?.terms(now, filled.start_time),
    ...AWARDS[filled.awards]?.terms,
  };
}

const schema = z.object(TERMS);
const NO_REFUND = 'refund_address is required: without it no money can be returned';

/** The terms that a form asks for, or everything that is wrong with it. */
export function readTerms(filled: Filled, context: TermsContext): { readonly terms: Terms } | FormProblems {
  const notListed = (field: string): FieldProblem => ({ field, text: `${field} must be one of the list` });
  if (!Object.hasOwn(STARTS, filled.start)) return sortProblems([notListed('start')]);
  const raw = rawTerms(filled, context.now);
  const read = schema.safeParse(raw);
  const problems = [
    ...(read.success ? [] : fieldProblemsOf(read.error)),
    ...problemsByTerm(camelKeys(parse(schema, raw).fields), context),
    ...problemsWith('refund_address', filled.refund_address === '' ? NO_REFUND : null),
    ...(Object.hasOwn(AWARDS, filled.awards) ? [] : [notListed('awards')]),
  ];
  return read.success && problems.length === 0 ? { terms: camelKeys(read.data) } : sortProblems(problems);
}
