import { sql } from 'drizzle-orm';
import type { Kit } from '../postgres/kit.ts';

/**
 * How many mentions, replies and payments are in each state, except waiting mentions, which an index counts. Triggers
 * keep the counts; a migration that rebuilds one of these tables must create its triggers again.
 */
function createStateCounts(kit: Kit) {
  return kit.table(
    'state_counts',
    {
      subject: kit.text('subject', { enum: ['mentions', 'replies', 'payments'] }).notNull(),
      state: kit.text('state').notNull(),
      n: kit.integer('n').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.subject, table.state] }),
      kit.check('state_counts_n', sql.raw('n >= 0')),
    ],
  );
}

/** One row, rewritten to prove that writes reach the disk. */
function createWriteChecks(kit: Kit) {
  return kit.table(
    'write_checks',
    { id: kit.integer('id').primaryKey(), writtenAt: kit.integer('written_at').notNull() },
    () => [kit.check('write_checks_single', sql.raw('id = 1'))],
  );
}

/** What the store keeps about itself. */
export function createServiceTables(kit: Kit) {
  return { stateCounts: createStateCounts(kit), writeChecks: createWriteChecks(kit) };
}
