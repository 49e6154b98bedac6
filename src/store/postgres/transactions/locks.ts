import type { RowKind, Subjects } from '../../sql/subjects.ts';

/** A row keeps its gig, so the id of the row is enough. */
function gigsIn(table: string, type: string): string {
  return `select 'gig:' || gig_id as subject from ${table} where id = any($1::${type}[]) group by gig_id order by gig_id`;
}

const AUTHOR = "'author:' || platform || ':' || author_id";

const ROWS = {
  gigs: "select 'gig:' || id as subject from gigs where id = any($1::bigint[]) order by id",
  gigsOfTips: gigsIn('tips', 'bigint'),
  gigsOfPayments: gigsIn('payments', 'bigint'),
  gigsOfBatches: gigsIn('verifier_batches', 'text'),
  authorOfMention: `select ${AUTHOR} as subject from mentions where id = any($1::bigint[])`,
  windowsOfMention: `select subject from mentions cross join lateral (values (1, ${AUTHOR}),
    (2, 'thread:' || platform || ':' || thread_id)) as named (place, subject) where id = any($1::bigint[]) order by place`,
} satisfies Readonly<Record<RowKind, string>>;

/** A statement that locks subjects. Its name is the same for the same text. */
export interface LockStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly [readonly (number | string)[]];
}

/** It must not share a statement with what it protects: that would not see what was committed while the lock was awaited. */
function lock(name: string, subjects: string, values: readonly (number | string)[]): LockStatement {
  const text = `select pg_advisory_xact_lock(hashtextextended(subject, 0)) from (${subjects}) as named`;
  return { name: `lock ${name}`, text, values: [values] };
}

/** The statements that lock these subjects, one after another. */
export function lockStatements(subjects: Subjects): LockStatement[] {
  const texts = subjects.filter((subject) => typeof subject === 'string');
  const rows = subjects.filter((subject) => typeof subject !== 'string');
  // No method has both kinds but those that lock gigs by rows and a chain, which comes last.
  const locks = rows.map(({ rows: name, ids }) => lock(name, ROWS[name], ids));
  return texts.length === 0
    ? locks
    : [
        ...locks,
        lock(
          'subjects',
          'select subject from unnest($1::text[]) with ordinality as given (subject, place) order by place',
          texts,
        ),
      ];
}
