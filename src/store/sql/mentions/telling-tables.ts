import { sql } from 'drizzle-orm';
import { type GigEvent, TELLING_STATES } from '../../../domain/gigs/notice.ts';
import { isEither } from '../checks.ts';
import { type AccountTables, isAccount } from '../claims/account-tables.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';
import type { MentionTables } from './mention-tables.ts';

/** Tellings that may have something to tell; the condition of their index, word for word. */
export const TELLING_OPEN = sql.raw("gig_tellings.state = 'open'");

type Made = AccountTables & GigTables & MentionTables;

/** Which owners are told about a gig, under which of their mentions, and the events that count as told. */
function createGigTellings(kit: Kit, made: Made) {
  const { mentions } = made;
  return kit.table(
    'gig_tellings',
    {
      id: kit.rowId('id'),
      gigId: ofGig(kit, made),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
      mentionId: kit
        .integer('mention_id')
        .notNull()
        .references(() => mentions.id),
      asked: kit.flag('asked').notNull(),
      state: kit.text('state', { enum: TELLING_STATES }).notNull(),
      told: kit.json('told').$type<readonly GigEvent[]>().notNull(),
    },
    (table) => [
      kit.uniqueIndex('gig_tellings_by_owner').on(table.gigId, table.platform, table.platformUserId),
      kit.index('gig_tellings_open').on(table.id).where(TELLING_OPEN),
      isAccount(kit, made, [table.platform, table.platformUserId]),
      kit.check('gig_tellings_asked', kit.isBoolean('asked')),
      kit.check('gig_tellings_state', isEither('state', TELLING_STATES)),
      kit.check('gig_tellings_told', kit.isJsonList('told')),
    ],
  );
}

/** The owners who get notices. */
export function createTellingTables(kit: Kit, made: Made) {
  return { gigTellings: createGigTellings(kit, made) };
}
