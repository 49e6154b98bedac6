import { and, count, eq, gt, gte, lte, max, type SQL, sql } from 'drizzle-orm';
import { type AccountKey, accountKeyText } from '../../../domain/account.ts';
import { type Notification, notificationUuid, type Topic } from '../../../domain/notifications/notification.ts';
import { type GrownNotification, type QueuedNews, topicOf } from '../../../domain/notifications/pace.ts';
import type { NounSql, Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import {
  bound,
  changeEach,
  changeParts,
  distinct,
  equals,
  givenRows,
  prepareChange,
  selectGiven,
} from '../statements.ts';
import { byNotifications, nothing } from '../subjects.ts';
import { NOTIFICATION_TRIED, NOTIFICATION_UNSENT } from './notification-tables.ts';
import { notificationColumns, toNotification } from './notifications.ts';

const placeholder = sql.placeholder;

/** A tip of a batch, and whose it is. */
interface BatchTip extends AccountKey {
  readonly amount: bigint;
}

function createTipsOfBatch({ build, kit, prepare, tables: { tips } }: Sql) {
  const { id, gigId, platform, platformUserId, amount, isVoid } = tips;
  // Ids between may be of other gigs. An index of the gig would walk all of its tips.
  const isOfBatch = and(gte(id, placeholder('first')), lte(id, placeholder('last')), eq(isVoid, false));
  const ofGig = sql`${kit.noWayIn(gigId)} in (${placeholder('gigId')})`;
  const all = prepare(build.select({ platform, platformUserId, amount }).from(tips).where(and(isOfBatch, ofGig)));
  return (gig: number, batch: { readonly first: number; readonly last: number }): Promise<BatchTip[]> =>
    all.all({ gigId: gig, ...batch });
}

/** Some topics: their accounts, kinds and subjects, which may be combined as others. */
function partsOf(topics: readonly Topic[]) {
  return [...Map.groupBy(topics, ({ platform }) => platform)].map(([platform, some]) => ({
    platform,
    accountIds: distinct(some.map(({ platformUserId }) => platformUserId)),
    kinds: distinct(some.map(({ kind }) => kind)),
    subjectIds: distinct(some.map(({ subjectId }) => subjectId)),
  }));
}

/** What is stored of the topics of news. */
function createTopicReads(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { notifications } = tables;
  const { platform, platformUserId, kind, subjectId, triedAt } = notifications;
  const ofAccounts = and(equals(platform, 'platform'), kit.isAmong(platformUserId, 'accountIds'));
  const ofTopics = and(ofAccounts, kit.isAmong(kind, 'kinds'), kit.isAmong(subjectId, 'subjectIds'));
  const unsent = prepare(
    build.select(notificationColumns(tables)).from(notifications).where(and(NOTIFICATION_UNSENT, ofTopics)),
  );
  const waiting = prepare(
    build
      .select({ platform, platformUserId, n: count() })
      .from(notifications)
      .where(and(NOTIFICATION_UNSENT, ofAccounts))
      .groupBy(platform, platformUserId),
  );
  // What is later was kept before the clock was set back.
  const isRecent = and(gt(triedAt, placeholder('since')), lte(triedAt, placeholder('now')));
  const told = prepare(
    build
      .select({ platform, platformUserId, kind, subjectId, at: max(triedAt) })
      .from(notifications)
      .where(and(NOTIFICATION_TRIED, ofAccounts, isRecent))
      .groupBy(platform, platformUserId, kind, subjectId),
  );
  return {
    /** Notifications of these topics that were not tried yet, and maybe of others. */
    unsentNotifications: locked(byNotifications, async (topics: readonly Topic[]): Promise<Notification[]> => {
      const rows = await changeEach(partsOf(topics), (of) => unsent.all(of));
      return rows.flat().map(toNotification);
    }),
    /** How many notifications of the accounts of these topics were not tried yet, by the accounts' keys as text. */
    waitingNotifications: locked(byNotifications, async (topics: readonly Topic[]): Promise<Map<string, number>> => {
      const rows = await changeEach(partsOf(topics), (of) => waiting.all(of));
      return new Map(rows.flat().map(({ n, ...account }) => [accountKeyText(account), n]));
    }),
    /** When topics of these accounts were last told since then, until now. */
    topicsTold: locked(
      byNotifications,
      async (topics: readonly Topic[], since: number, now: number): Promise<Map<string, number>> => {
        const rows = await changeEach(partsOf(topics), (of) => told.all({ ...of, since, now }));
        return new Map(rows.flat().map(({ at, ...topic }) => [topicOf(topic), at ?? since]));
      },
    ),
  };
}

function createQueue(db: NounSql): (news: readonly QueuedNews[], now: number) => Promise<void> {
  const { build, kit, prepare, tables } = db;
  const { notifications } = tables;
  const { uuid, platform, platformUserId, kind, gigId, subjectId, reason, amount, count } = notifications;
  const { state, tries, nextAt, queuedAt } = notifications;
  const what = { uuid, platform, platformUserId, kind, gigId, subjectId, reason, amount, count };
  const added = givenRows(db, 'added', { ...what, state, tries, nextAt, queuedAt });
  // One that is stored was derived from the same event before: the ledger was restored meanwhile.
  const insert = prepare(
    build
      .insert(notifications)
      .select(selectGiven(notifications, added, { id: kit.newId(notifications.id) }))
      .onConflictDoNothing({ target: uuid }),
  );
  return async (news, now) => {
    await changeParts(db, news, async (part) => {
      const rows = part.map((each) => ({ ...each, uuid: notificationUuid(each) }));
      await insert.run({ added: rows.map((row) => ({ ...row, state: 'queued', tries: 0, queuedAt: now })) });
      return [];
    });
  };
}

function createGrowth(db: Sql): (grown: readonly GrownNotification[]) => Promise<void> {
  const { build, prepare, tables } = db;
  const { notifications } = tables;
  const { id, reason, amount, count } = notifications;
  const { rows, given } = givenRows(db, 'grown', { id, reason, amount, count });
  const set: Record<'reason' | 'amount' | 'count', SQL> = {
    reason: sql`${given.reason}`,
    amount: sql`${given.amount}`,
    count: sql`${given.count}`,
  };
  const grow = prepare(
    build
      .update(notifications)
      .set(set)
      .from(rows)
      .where(and(eq(id, given.id), NOTIFICATION_UNSENT)),
  );
  return async (grown) => {
    if (grown.length > 0) await grow.run({ grown });
  };
}

/** How events become notifications. */
export const news = noun((db: NounSql) => {
  const { build, prepare, tables } = db;
  const { notificationReader } = tables;
  const { id, seq } = notificationReader;
  const place = prepare(build.select({ seq }).from(notificationReader).where(eq(id, 1)));
  const begin = prepare(
    build
      .insert(notificationReader)
      .values({ id: 1, seq: placeholder('seq') })
      .onConflictDoNothing(),
  );
  const isFrom = and(eq(id, 1), equals(seq, 'fromSeq'));
  const move = prepareChange(db, notificationReader, { seq: bound('toSeq') }, isFrom);
  const queue = createQueue(db);
  const grow = createGrowth(db);
  return {
    reads: {
      /** The place of the last event that was read for notifications; null before the first start with them. */
      newsPlace: locked(nothing, async (): Promise<number | null> => (await place.get({}))?.seq ?? null),
      /** The tips of a gig that were awarded together, by the lowest and the highest of their ids, without void ones. */
      tipsOfBatch: locked(nothing, createTipsOfBatch(db)),
      ...createTopicReads(db),
    },
    writes: {
      /** Begins to read events for notifications behind this place, unless that was begun before. */
      beginNews: locked(byNotifications, async (after: number): Promise<void> => {
        await begin.run({ seq: after });
      }),
      /** False when another process has read these events meanwhile. */
      moveNews: locked(
        byNotifications,
        (from: number, to: number): Promise<boolean> => move({ fromSeq: from, toSeq: to }),
      ),
      /** Queues notifications. */
      queueNews: locked(byNotifications, queue),
      /** Has notifications that were not tried yet tell more. */
      growNotifications: locked(byNotifications, grow),
    },
  };
});
