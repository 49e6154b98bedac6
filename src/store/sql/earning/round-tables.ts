import { sql } from 'drizzle-orm';
import { isEither } from '../checks.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';

/** The divided rounds of gigs. Triggers keep what was divided, and let nobody enter or leave. */
function createRounds(kit: Kit, made: GigTables) {
  return kit.table(
    'rounds',
    {
      gigId: ofGig(kit, made),
      number: kit.integer('number').notNull(),
      state: kit.text('state', { enum: ['divided', 'over'] }).notNull(),
      pool: kit.amount('pool').notNull(),
      total: kit.amount('total').notNull(),
      members: kit.integer('members').notNull(),
      reserved: kit.amount('reserved').notNull(),
      dividedAt: kit.integer('divided_at').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.number] }),
      kit.check('rounds_number', kit.isAtLeast('number', 1)),
      kit.check('rounds_state', isEither('state', ['divided', 'over'])),
      kit.check('rounds_pool', kit.isDecimal('pool')),
      kit.check('rounds_total', kit.isDecimal('total')),
      kit.check('rounds_members', kit.isWholeNumber('members')),
      kit.check('rounds_reserved', kit.isDecimal('reserved')),
      kit.check('rounds_reserved_of_pool', kit.isAtMost('reserved', 'pool')),
      kit.check('rounds_over', sql.raw("state <> 'over' or reserved = '0'")),
    ],
  );
}

/** The rounds in which rewards are divided. */
export function createRoundTables(kit: Kit, made: GigTables) {
  return { rounds: createRounds(kit, made) };
}
