import { ANSWER_BASES } from '../../../domain/platforms/odd-answer.ts';
import { isEither } from '../checks.ts';
import type { Kit } from '../kit.ts';

/** Answers of other services that no adapter understood, one row for each kind. Bodies hold nothing secret. */
export function createOddAnswerTables(kit: Kit) {
  const oddAnswers = kit.table(
    'odd_answers',
    {
      kind: kit.text('kind').primaryKey(),
      service: kit.text('service').notNull(),
      method: kit.text('method').notNull(),
      path: kit.text('path').notNull(),
      status: kit.integer('status').notNull(),
      basis: kit.text('basis', { enum: ANSWER_BASES }).notNull(),
      contentType: kit.text('content_type'),
      retryAfter: kit.text('retry_after'),
      body: kit.text('body').notNull(),
      firstSeenAt: kit.integer('first_seen_at').notNull(),
      lastSeenAt: kit.integer('last_seen_at').notNull(),
      times: kit.integer('times').notNull(),
    },
    (table) => [
      kit.index('odd_answers_by_time').on(table.lastSeenAt, table.kind),
      kit.check('odd_answers_kind', kit.isSha256('kind')),
      kit.check('odd_answers_basis', isEither('basis', ANSWER_BASES)),
      kit.check('odd_answers_times', kit.isAtLeast('times', 1)),
    ],
  );
  return { oddAnswers };
}
