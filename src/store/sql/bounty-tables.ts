import { sql } from 'drizzle-orm';
import { check, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { BATCH_STATES } from '../../domain/earning/batch.ts';
import { isEither, isWholeNumber } from './columns.ts';
import { ofGig } from './tables.ts';

/** Batches that wait for the verifier's answer; the condition of their index, word for word. */
export const BATCH_OPEN = sql.raw("verifier_batches.state = 'open'");

/**
 * What verifiers of bounties are asked. A gig has one open batch at most; triggers keep what a batch asks about, and
 * everything of one that is not open.
 */
export const verifierBatches = sqliteTable(
  'verifier_batches',
  {
    id: text('id').primaryKey(),
    gigId: ofGig(),
    state: text('state', { enum: BATCH_STATES }).notNull(),
    /** The ids of the acts that it asks about. */
    candidates: text('candidates', { mode: 'json' }).$type<readonly number[]>().notNull(),
    tries: integer('tries').notNull(),
    nextAt: integer('next_at').notNull(),
    /** What the verifier decided, as JSON. */
    answer: text('answer'),
    madeAt: integer('made_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    uniqueIndex('verifier_batches_open').on(table.gigId).where(BATCH_OPEN),
    check('verifier_batches_id', sql.raw("id <> ''")),
    check('verifier_batches_state', isEither('state', BATCH_STATES)),
    check('verifier_batches_candidates', sql.raw("json_valid(candidates) and candidates glob '[[]*]'")),
    check('verifier_batches_tries', isWholeNumber('tries')),
    check('verifier_batches_answer', sql.raw('answer is null or json_valid(answer)')),
    check('verifier_batches_answered', sql.raw("(state = 'answered') = (answer is not null)")),
    check('verifier_batches_ended', sql.raw("(state = 'open') = (ended_at is null)")),
  ],
);
