import { and, asc, count, desc, getTableColumns, gt, gte, inArray, lt, lte, max, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { Notification, NotificationState, NotificationText } from '../../../domain/notifications/notification.ts';
import type { NotifiedTimes } from '../../../domain/notifications/pace.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, equals, prepareChange } from '../statements.ts';
import { byNotifications, nothing } from '../subjects.ts';
import {
  NOTIFICATION_ENDED,
  NOTIFICATION_FAILED,
  NOTIFICATION_QUEUED,
  NOTIFICATION_TRIED,
  NOTIFICATION_UNSENT,
} from './notification-tables.ts';

const placeholder = sql.placeholder;

/** The columns of a notification, as {@link toNotification} takes them. */
export function notificationColumns({ notifications }: Tables) {
  const { lease: _lease, ...columns } = getTableColumns(notifications);
  return columns;
}

interface Words {
  readonly title: string | null;
  readonly body: string | null;
}

/** A notification of its row. */
export function toNotification<Row extends Words>({ title, body, ...row }: Row) {
  return { ...row, text: title === null || body === null ? null : { title, body } };
}

/** The first try of a notification, or one after it. */
interface NotificationLease {
  readonly id: number;
  /** How often it was tried, and how much it told, when its words were chosen. */
  readonly tries: number;
  readonly count: number;
  readonly text: NotificationText;
  readonly lease: string;
  readonly now: number;
  readonly until: number;
}

/** How a try has ended. */
interface NotificationEnd {
  readonly id: number;
  readonly lease: string;
  readonly state: NotificationState;
  readonly error: string | null;
  readonly now: number;
}

/** How notifications ended since a time, and which wait. */
export interface NotificationSums {
  readonly counts: Readonly<Partial<Record<NotificationState, number>>>;
  /** When the one that waits longest was queued; null when none waits. */
  readonly oldestAt: number | null;
  /** The last one that could not be sent since then; null without one. */
  readonly lastFailure: { readonly error: string | null; readonly at: number | null } | null;
}

function createSums({ build, kit, prepare, tables }: Sql) {
  const { notifications } = tables;
  const { state, endedAt, queuedAt, error } = notifications;
  const since = gte(endedAt, placeholder('since'));
  const ended = prepare(
    build.select({ state, n: count() }).from(notifications).where(and(NOTIFICATION_ENDED, since)).groupBy(state),
  );
  const queued = prepare(
    build
      .select({ n: count(), oldestAt: sql<number | null>`min(${queuedAt})`.mapWith(queuedAt) })
      .from(notifications)
      .where(NOTIFICATION_QUEUED),
  );
  const failed = prepare(
    kit.first(
      build
        .select({ error, at: endedAt })
        .from(notifications)
        .where(and(NOTIFICATION_FAILED, since))
        .orderBy(desc(endedAt)),
    ),
  );
  return async (from: number): Promise<NotificationSums> => {
    const counts: Partial<Record<NotificationState, number>> = {};
    for (const { state, n } of await ended.all({ since: from })) counts[state] = n;
    const waiting = await queued.get();
    counts.queued = waiting?.n ?? 0;
    const lastFailure = (await failed.get({ since: from })) ?? null;
    return { counts, oldestAt: waiting?.n ? waiting.oldestAt : null, lastFailure };
  };
}

/** Until when an account was notified, since when, and how many times make a day full. */
interface TimesAsked {
  readonly since: number;
  /** Later times are of a clock that was set back. */
  readonly now: number;
  readonly most: number;
}

/** When an account was notified in the last day. */
function createTimesRead({ build, prepare, tables }: Sql) {
  const { notifications } = tables;
  const { platform, platformUserId, triedAt } = notifications;
  const ofAccount = and(NOTIFICATION_TRIED, equals(platform, 'platform'), equals(platformUserId, 'platformUserId'));
  const untilNow = and(ofAccount, lte(triedAt, placeholder('now')));
  const newest = prepare(
    build
      .select({ at: max(triedAt) })
      .from(notifications)
      .where(untilNow),
  );
  const full = prepare(
    build
      .select({ at: triedAt })
      .from(notifications)
      .where(and(untilNow, gt(triedAt, placeholder('since'))))
      .orderBy(desc(triedAt))
      .limit(1)
      .offset(placeholder('before')),
  );
  return async ({ platform, platformUserId }: AccountKey, { since, now, most }: TimesAsked): Promise<NotifiedTimes> => {
    const account = { platform, platformUserId, now };
    const lastAt = (await newest.get(account))?.at ?? null;
    return { lastAt, dayFullAt: (await full.get({ ...account, since, before: most - 1 }))?.at ?? null };
  };
}

function createDueRead({ build, kit, prepare, tables }: Sql) {
  const { notifications } = tables;
  const { id, nextAt } = notifications;
  const due = prepare(
    kit.first(
      build
        .select(notificationColumns(tables))
        .from(notifications)
        .where(and(NOTIFICATION_QUEUED, lte(nextAt, placeholder('now'))))
        .orderBy(asc(nextAt), asc(id)),
    ),
  );
  return async (now: number): Promise<Notification | null> => {
    const row = await due.get({ now });
    return row === undefined ? null : toNotification(row);
  };
}

function createForgetting({ build, prepare, tables }: Sql) {
  const { notifications } = tables;
  const { id, endedAt, queuedAt } = notifications;
  const isEnded = and(NOTIFICATION_ENDED, lt(endedAt, placeholder('before')));
  // Where none are sent any more, what waited then waits for ever.
  const isLeft = and(NOTIFICATION_QUEUED, lt(queuedAt, placeholder('before')));
  const limit = placeholder('limit');
  const ended = build.select({ id }).from(notifications).where(isEnded).orderBy(endedAt).limit(limit);
  const left = build.select({ id }).from(notifications).where(isLeft).limit(limit);
  const [forgetEnded, forgetLeft] = [ended, left].map((old) =>
    prepare(build.delete(notifications).where(inArray(id, old))),
  );
  return async (before: number, limit: number): Promise<number> =>
    Math.max((await forgetEnded?.run({ before, limit })) ?? 0, (await forgetLeft?.run({ before, limit })) ?? 0);
}

/** How notifications are sent. */
export const notifications = noun((db: Sql) => {
  const { notifications } = db.tables;
  const { id, nextAt, tries } = notifications;
  const isDue = and(equals(id, 'id'), NOTIFICATION_QUEUED, lte(nextAt, placeholder('now')));
  const isAsRead = and(isDue, equals(tries, 'tries'), equals(notifications.count, 'count'));
  const taken = { lease: bound('lease'), nextAt: bound('until'), triedAt: bound('now'), tries: sql`${tries} + 1` };
  const lease = prepareChange(db, notifications, { ...taken, title: bound('title'), body: bound('body') }, isAsRead);
  const isHeld = and(equals(id, 'id'), equals(notifications.lease, 'lease'));
  const over = { state: bound('state'), lease: null, endedAt: bound('now'), error: bound('error') };
  // From its answer on, because the request may have taken long.
  const end = prepareChange(db, notifications, { ...over, triedAt: bound('now') }, isHeld);
  const giveUp = prepareChange(db, notifications, over, isDue);
  const again = { lease: null, nextAt: bound('retryAt'), triedAt: bound('now'), error: bound('error') };
  const back = prepareChange(db, notifications, again, isHeld);
  const putOff = prepareChange(db, notifications, { nextAt: bound('until') }, isDue);
  const isUntried = and(
    ...[NOTIFICATION_UNSENT, equals(notifications.platform, 'platform')],
    ...[equals(notifications.platformUserId, 'platformUserId'), lte(nextAt, placeholder('now'))],
  );
  const putAllOff = db.prepare(
    db.build
      .update(notifications)
      .set({ nextAt: bound('until') })
      .where(isUntried),
  );
  return {
    reads: {
      /** The notification that has been due longest; null when none is. */
      dueNotification: locked(nothing, createDueRead(db)),
      /** When an account was notified. */
      notifiedTimes: locked(byNotifications, createTimesRead(db)),
      /** How the notifications ended that have ended since then, and how many wait. */
      notificationSums: locked(nothing, createSums(db)),
    },
    writes: {
      /** Leases a due notification with its words, and counts a try at once; false when it is not as it was read. */
      leaseNotification: locked(
        byNotifications,
        ({ text, ...request }: NotificationLease): Promise<boolean> => lease({ ...request, ...text }),
      ),
      /** Queued → its end, under the lease. */
      endNotification: locked(byNotifications, (ended: NotificationEnd): Promise<boolean> => end({ ...ended })),
      /** Ends a due notification without another try; false when it is not due. */
      giveUpNotification: locked(
        byNotifications,
        (ended: Omit<NotificationEnd, 'lease'>): Promise<boolean> => giveUp({ ...ended }),
      ),
      /** Has a notification be tried again, under the lease. */
      putNotificationBack: locked(
        byNotifications,
        (failed: { id: number; lease: string; retryAt: number; error: string; now: number }): Promise<boolean> =>
          back({ ...failed }),
      ),
      /** Has a due notification wait; false when it is not due. */
      putNotificationOff: locked(
        byNotifications,
        (of: number, until: number, now: number): Promise<boolean> => putOff({ id: of, until, now }),
      ),
      /** Has all due notifications of an account wait that were not tried yet. */
      putAccountOff: locked(
        byNotifications,
        async ({ platform, platformUserId }: AccountKey, until: number, now: number): Promise<void> => {
          await putAllOff.run({ platform, platformUserId, until, now });
        },
      ),
      /** Deletes the first that ended before then, and the first that have waited since. Returns how many of the more. */
      forgetNotifications: locked(byNotifications, createForgetting(db)),
    },
  };
});
