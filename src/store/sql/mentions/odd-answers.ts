import { desc, getTableColumns, sql } from 'drizzle-orm';
import { type KeptOddAnswer, MOST_ODD_ANSWERS } from '../../../domain/platforms/odd-answer.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { givenRows, selectGiven } from '../statements.ts';
import { nothing } from '../subjects.ts';

export const oddAnswers = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { oddAnswers } = tables;
  const { kind, times, lastSeenAt } = oddAnswers;
  const newestFirst = [desc(lastSeenAt), desc(kind)] as const;
  const all = prepare(
    build
      .select()
      .from(oddAnswers)
      .orderBy(...newestFirst),
  );
  const seen = givenRows(db, 'answers', getTableColumns(oddAnswers));
  const note = prepare(
    build
      .insert(oddAnswers)
      .select(selectGiven(oddAnswers, seen, {}))
      .onConflictDoUpdate({
        target: kind,
        set: {
          times: sql`${times} + excluded.times`,
          // The clock may have been set back.
          lastSeenAt: kit.greatest(lastSeenAt, sql`excluded.last_seen_at`),
        },
      }),
  );
  const newest = build
    .select({ kind })
    .from(oddAnswers)
    .orderBy(...newestFirst)
    .limit(MOST_ODD_ANSWERS);
  const forget = prepare(build.delete(oddAnswers).where(sql`${kind} not in ${newest}`));
  return {
    reads: {
      /** The answers of other services that no adapter understood, those seen last first. */
      oddAnswers: locked(nothing, (): Promise<KeptOddAnswer[]> => all.all()),
    },
    writes: {
      /** Counts these answers, one of each kind, with earlier ones, and deletes the least recently seen above the limit. */
      noteOddAnswers: locked(nothing, async (answers: readonly KeptOddAnswer[]): Promise<void> => {
        await note.run({ answers });
        await forget.run();
      }),
    },
  };
});
