import { sql } from 'drizzle-orm';
import { check, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { DRAW_STATES } from '../../domain/earning/draw.ts';
import { count, hex, isEither, isHash, isSha256, isWholeNumber } from './columns.ts';
import { ofGig } from './tables.ts';

/**
 * The draws of raffles, each from its gig's start on. Triggers let them only go forward, keep what is set, and let nobody
 * enter or leave once one is closed. The secret is public after the draw alone.
 */
export const draws = sqliteTable(
  'draws',
  {
    gigId: ofGig().primaryKey(),
    secret: text('secret').notNull(),
    commitment: text('commitment').notNull(),
    state: text('state', { enum: DRAW_STATES }).notNull(),
    closedAt: integer('closed_at'),
    entrants: integer('entrants'),
    root: text('root'),
    fixedAt: integer('fixed_at'),
    notBefore: integer('not_before'),
    blockNumber: count('block_number'),
    blockHash: hex('block_hash'),
    blockAt: integer('block_at'),
    seed: text('seed'),
    drawnAt: integer('drawn_at'),
  },
  () => [
    check('draws_state', isEither('state', DRAW_STATES)),
    check('draws_secret', isSha256('secret')),
    check('draws_commitment', isSha256('commitment')),
    check('draws_closed', sql.raw("(state = 'open') = (closed_at is null)")),
    check(
      'draws_fixed',
      sql.raw(
        "(state = 'fixed' or state = 'drawn') = (root is not null) and (root is null) = (entrants is null) and (root is null) = (fixed_at is null) and (root is null) = (not_before is null)",
      ),
    ),
    check(
      'draws_drawn',
      sql.raw(
        "(state = 'drawn') = (seed is not null) and (seed is null) = (block_number is null) and (seed is null) = (block_hash is null) and (seed is null) = (block_at is null) and (seed is null) = (drawn_at is null)",
      ),
    ),
    check('draws_root', isSha256('root')),
    check('draws_seed', isSha256('seed')),
    check('draws_block_hash', isHash('block_hash')),
    check('draws_block_time', sql.raw('block_at >= not_before and not_before > fixed_at')),
  ],
);

/** Who won a draw; written with it, and never changed. */
export const drawWinners = sqliteTable(
  'draw_winners',
  {
    gigId: ofGig(),
    place: integer('place').notNull(),
    platform: text('platform').notNull(),
    platformUserId: text('platform_user_id').notNull(),
    ticket: text('ticket').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gigId, table.place] }),
    uniqueIndex('draw_winners_by_account').on(table.gigId, table.platform, table.platformUserId),
    check('draw_winners_place', isWholeNumber('place')),
    check('draw_winners_ticket', isSha256('ticket')),
  ],
);
