import { sql } from 'drizzle-orm';
import { DRAW_STATES } from '../../../domain/earning/payouts/draw.ts';
import { isEither } from '../checks.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';

/**
 * The draws of raffles, each from its gig's start on. Triggers let them only go forward, keep what is set, and let nobody
 * enter or leave once one is closed. The secret is public after the draw alone.
 */
function createDraws(kit: Kit, made: GigTables) {
  return kit.table(
    'draws',
    {
      gigId: ofGig(kit, made).primaryKey(),
      secret: kit.text('secret').notNull(),
      commitment: kit.text('commitment').notNull(),
      state: kit.text('state', { enum: DRAW_STATES }).notNull(),
      closedAt: kit.integer('closed_at'),
      entrants: kit.integer('entrants'),
      root: kit.text('root'),
      // Only roots that were fixed before there were others keep the default.
      rootVersion: kit.integer('root_version').notNull().default(1),
      fixedAt: kit.integer('fixed_at'),
      notBefore: kit.integer('not_before'),
      blockNumber: kit.count('block_number'),
      blockHash: kit.hex('block_hash'),
      blockAt: kit.integer('block_at'),
      seed: kit.text('seed'),
      drawnAt: kit.integer('drawn_at'),
    },
    () => [
      kit.check('draws_state', isEither('state', DRAW_STATES)),
      kit.check('draws_secret', kit.isSha256('secret')),
      kit.check('draws_commitment', kit.isSha256('commitment')),
      kit.check('draws_closed', sql.raw("(state = 'open') = (closed_at is null)")),
      kit.check(
        'draws_fixed',
        sql.raw(
          "(state = 'fixed' or state = 'drawn') = (root is not null) and (root is null) = (entrants is null) and (root is null) = (fixed_at is null) and (root is null) = (not_before is null)",
        ),
      ),
      kit.check(
        'draws_drawn',
        sql.raw(
          "(state = 'drawn') = (seed is not null) and (seed is null) = (block_number is null) and (seed is null) = (block_hash is null) and (seed is null) = (block_at is null) and (seed is null) = (drawn_at is null)",
        ),
      ),
      kit.check('draws_root', kit.isSha256('root')),
      kit.check('draws_seed', kit.isSha256('seed')),
      kit.check('draws_block_hash', kit.isHash('block_hash')),
      kit.check('draws_block_time', sql.raw('block_at >= not_before and not_before > fixed_at')),
    ],
  );
}

/** Who won a draw; written with it, and never changed. */
function createDrawWinners(kit: Kit, made: GigTables) {
  return kit.table(
    'draw_winners',
    {
      gigId: ofGig(kit, made),
      place: kit.integer('place').notNull(),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
      ticket: kit.text('ticket').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.place] }),
      kit.uniqueIndex('draw_winners_by_account').on(table.gigId, table.platform, table.platformUserId),
      kit.check('draw_winners_place', kit.isWholeNumber('place')),
      kit.check('draw_winners_ticket', kit.isSha256('ticket')),
    ],
  );
}

/** The draws of raffles. */
export function createDrawTables(kit: Kit, made: GigTables) {
  return { draws: createDraws(kit, made), drawWinners: createDrawWinners(kit, made) };
}
