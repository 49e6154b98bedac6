import { sql } from 'drizzle-orm';
import { BATCH_STATES } from '../../../domain/earning/payouts/bounty.ts';
import { DRAW_STATES } from '../../../domain/earning/payouts/draw.ts';
import { isEither } from '../checks.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';

/** Batches that wait for the verifier's answer; the condition of their index, word for word. */
export const BATCH_OPEN = sql.raw("verifier_batches.state = 'open'");

/**
 * What verifiers of bounties are asked. A gig has one open batch at most; triggers keep what a batch asks about, and
 * everything of one that is not open.
 */
function createVerifierBatches(kit: Kit, made: GigTables) {
  return kit.table(
    'verifier_batches',
    {
      id: kit.text('id').primaryKey(),
      gigId: ofGig(kit, made),
      state: kit.text('state', { enum: BATCH_STATES }).notNull(),
      /** The ids of the acts that it asks about. */
      candidates: kit.json('candidates').$type<readonly number[]>().notNull(),
      tries: kit.integer('tries').notNull(),
      nextAt: kit.integer('next_at').notNull(),
      /** What the verifier decided, as JSON. */
      answer: kit.text('answer'),
      madeAt: kit.integer('made_at').notNull(),
      endedAt: kit.integer('ended_at'),
    },
    (table) => [
      kit.uniqueIndex('verifier_batches_open').on(table.gigId).where(BATCH_OPEN),
      kit.check('verifier_batches_id', sql.raw("id <> ''")),
      kit.check('verifier_batches_state', isEither('state', BATCH_STATES)),
      kit.check('verifier_batches_candidates', kit.isJsonList('candidates')),
      kit.check('verifier_batches_tries', kit.isWholeNumber('tries')),
      kit.check('verifier_batches_answer', sql`answer is null or ${kit.isJson('answer')}`),
      kit.check('verifier_batches_answered', sql.raw("(state = 'answered') = (answer is not null)")),
      kit.check('verifier_batches_ended', sql.raw("(state = 'open') = (ended_at is null)")),
    ],
  );
}

/** What verifiers decide. */
export function createBountyTables(kit: Kit, made: GigTables) {
  return { verifierBatches: createVerifierBatches(kit, made) };
}

/** Triggers keep what was divided, and let nobody enter or leave. */
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

/** Written with the draw, and never changed. */
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
