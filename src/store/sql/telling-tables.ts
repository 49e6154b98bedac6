import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { type GigEvent, TELLING_STATES } from '../../domain/notice.ts';
import { isBoolean, isEither } from './columns.ts';
import { isAccount, mentions, ofGig } from './tables.ts';

/** Tellings that may have something to tell; the condition of their index, word for word. */
export const TELLING_OPEN = sql.raw("gig_tellings.state = 'open'");

/** Which owners are told of a gig, under which of their mentions, and the events that count as told. */
export const gigTellings = sqliteTable(
  'gig_tellings',
  {
    id: integer('id').primaryKey(),
    gigId: ofGig(),
    platform: text('platform').notNull(),
    platformUserId: text('platform_user_id').notNull(),
    mentionId: integer('mention_id')
      .notNull()
      .references(() => mentions.id),
    asked: integer('asked', { mode: 'boolean' }).notNull(),
    state: text('state', { enum: TELLING_STATES }).notNull(),
    told: text('told', { mode: 'json' }).$type<readonly GigEvent[]>().notNull(),
  },
  (table) => [
    uniqueIndex('gig_tellings_by_owner').on(table.gigId, table.platform, table.platformUserId),
    index('gig_tellings_open').on(table.id).where(TELLING_OPEN),
    isAccount(table.platform, table.platformUserId),
    check('gig_tellings_asked', isBoolean('asked')),
    check('gig_tellings_state', isEither('state', TELLING_STATES)),
    check('gig_tellings_told', sql.raw("json_valid(told) and told glob '[[]*]'")),
  ],
);
