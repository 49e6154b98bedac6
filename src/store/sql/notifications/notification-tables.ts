import { sql } from 'drizzle-orm';
import {
  BODY_LIMIT,
  NOTIFICATION_KINDS,
  NOTIFICATION_STATES,
  TITLE_LIMIT,
} from '../../../domain/notifications/notification.ts';
import { isEither } from '../checks.ts';
import { type AccountTables, ofPlatform } from '../claims/account-tables.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';

/** Notifications that are still to be sent; the condition of their index, word for word. */
export const NOTIFICATION_QUEUED = sql.raw("notifications.state = 'queued'");
/** Untried ones, which may still grow; the condition of their index, word for word. */
export const NOTIFICATION_UNSENT = sql.raw("notifications.state = 'queued' and notifications.tries = 0");
export const NOTIFICATION_TRIED = sql.raw('notifications.tried_at is not null');
export const NOTIFICATION_ENDED = sql.raw('notifications.ended_at is not null');
export const NOTIFICATION_FAILED = sql.raw("notifications.state = 'failed'");

/**
 * The notifications of the mini app. `next_at` is when the row may be leased: at once, after a wait, at the end of a lease, or at
 * the next try. The accounts need no row.
 */
function createNotifications(kit: Kit, made: AccountTables & GigTables) {
  return kit.table(
    'notifications',
    {
      id: kit.rowId('id'),
      uuid: kit.text('uuid').notNull(),
      platform: ofPlatform(kit, made),
      platformUserId: kit.text('platform_user_id').notNull(),
      kind: kit.text('kind', { enum: NOTIFICATION_KINDS }).notNull(),
      gigId: ofGig(kit, made),
      /** A claim's id for `paid` and `not_paid`, else the gig's. */
      subjectId: kit.integer('subject_id').notNull(),
      reason: kit.text('reason'),
      amount: kit.amount('amount').notNull(),
      count: kit.integer('count').notNull(),
      state: kit.text('state', { enum: NOTIFICATION_STATES }).notNull(),
      tries: kit.integer('tries').notNull().default(0),
      nextAt: kit.integer('next_at').notNull(),
      lease: kit.text('lease'),
      queuedAt: kit.integer('queued_at').notNull(),
      triedAt: kit.integer('tried_at'),
      endedAt: kit.integer('ended_at'),
      error: kit.text('error'),
      title: kit.text('title'),
      body: kit.text('body'),
    },
    (table) => [
      kit.uniqueIndex('notifications_by_uuid').on(table.uuid),
      kit.index('notifications_due').on(table.nextAt, table.id).where(NOTIFICATION_QUEUED),
      kit
        .uniqueIndex('notifications_unsent')
        .on(table.platform, table.platformUserId, table.kind, table.subjectId)
        .where(NOTIFICATION_UNSENT),
      kit
        .index('notifications_tried')
        .on(table.platform, table.platformUserId, table.triedAt)
        .where(NOTIFICATION_TRIED),
      kit.index('notifications_ended').on(table.endedAt, table.state).where(NOTIFICATION_ENDED),
      kit.index('notifications_failed').on(table.endedAt).where(NOTIFICATION_FAILED),
      kit.check('notifications_uuid', sql.raw("uuid <> ''")),
      kit.check('notifications_user_id', kit.isUserId('platform_user_id')),
      kit.check('notifications_kind', isEither('kind', NOTIFICATION_KINDS)),
      kit.check('notifications_state', isEither('state', NOTIFICATION_STATES)),
      kit.check('notifications_amount', kit.isDecimal('amount')),
      kit.check('notifications_count', kit.isAtLeast('count', 1)),
      kit.check('notifications_tries', kit.isWholeNumber('tries')),
      kit.check('notifications_tried_at', sql.raw('(tries = 0) = (tried_at is null)')),
      kit.check('notifications_ended_at', sql.raw("(state = 'queued') = (ended_at is null)")),
      kit.check('notifications_lease', sql.raw("lease is null or state = 'queued' and tries > 0")),
      // What is sent again has the same words.
      kit.check('notifications_text', sql.raw('(title is null) = (tries = 0) and (body is null) = (title is null)')),
      kit.check(
        'notifications_length',
        sql.raw(`title is null or length(title) <= ${TITLE_LIMIT} and length(body) <= ${BODY_LIMIT}`),
      ),
    ],
  );
}

/** How far the events were read for notifications. */
function createNotificationReader(kit: Kit) {
  return kit.table(
    'notification_reader',
    { id: kit.integer('id').primaryKey(), seq: kit.integer('seq').notNull() },
    () => [
      kit.check('notification_reader_single', sql.raw('id = 1')),
      kit.check('notification_reader_seq', kit.isWholeNumber('seq')),
    ],
  );
}

/** Notifications, and the events that were read for them. */
export function createNotificationTables(kit: Kit, made: AccountTables & GigTables) {
  return { notifications: createNotifications(kit, made), notificationReader: createNotificationReader(kit) };
}
