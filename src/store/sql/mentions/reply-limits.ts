import { and, asc, count, desc, eq, gte, isNotNull, isNull, lt, lte, min, ne, or, type SQL, sql } from 'drizzle-orm';
import type { HeldFor } from '../../../domain/mentions/mention.ts';
import type { ReplyWindow, WindowUse } from '../../../domain/mentions/reply-limits.ts';
import type { ReplyWorth } from '../../../domain/mentions/reply-worth.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, equals, prepareChange } from '../statements.ts';
import { byWindow, nothing } from '../subjects.ts';
import { REPLY_ANSWERS, REPLY_OPEN, REPLY_UNPOSTED } from './reply-tables.ts';

const placeholder = sql.placeholder;

function ofPlatform({ replies }: Tables) {
  return equals(replies.platform, 'platform');
}

function prepareWindow({ build, kit, prepare, tables }: Sql, ofWindow: SQL | undefined, heldFor: 'author' | 'thread') {
  const { replies } = tables;
  // Keeps SQLite from using the index of all replies by time.
  const isOver = lte(kit.noWayIn(replies.sentAt), placeholder('until'));
  // A reply that is held for another window does not count in this one.
  const isNext = or(isNull(replies.heldFor), eq(replies.heldFor, heldFor));
  const isWorthMore = lt(replies.worth, placeholder('worth'));
  const isOlder = and(equals(replies.worth, 'worth'), lt(replies.id, placeholder('id')));
  const goesBefore = and(REPLY_OPEN, ofWindow, eq(replies.heldFor, heldFor), or(isWorthMore, isOlder));
  return {
    sent: prepare(
      build
        .select({ at: sql<number>`${replies.sentAt}`.mapWith(Number) })
        .from(replies)
        .where(and(ofWindow, gte(replies.sentAt, placeholder('since')), isOver))
        .orderBy(asc(replies.sentAt)),
    ),
    // Counted in one pass: grouping would sort.
    open: prepare(
      build
        .select({
          // A notice that waits takes no room from what is answered: it is sent later than that.
          queued:
            sql<number>`count(*) filter (where ${replies.state} = 'queued' and ${replies.kind} <> 'notice')`.mapWith(
              Number,
            ),
          sending: sql<number>`count(*) filter (where ${replies.state} <> 'queued')`.mapWith(Number),
        })
        .from(replies)
        .where(and(REPLY_OPEN, ofWindow, isNext)),
    ),
    held: prepare(
      build
        .select({ first: min(replies.id), count: count() })
        .from(replies)
        .where(goesBefore),
    ),
  };
}

/** The ids of an account's unposted replies, newest first. */
export function prepareUnposted({ build, kit, prepare, tables }: Sql) {
  const { replies } = tables;
  const ofAuthor = and(ofPlatform(tables), equals(replies.authorId, 'authorId'));
  // Keeps SQLite from using the time, so that it takes the small index of unposted replies.
  const since = gte(kit.noWayIn(replies.createdAt), placeholder('since'));
  return prepare(
    build
      .select({ id: replies.id })
      .from(replies)
      .where(and(ofAuthor, REPLY_UNPOSTED, REPLY_ANSWERS, since))
      .orderBy(desc(replies.id))
      .limit(placeholder('limit')),
  );
}

/** The use of a limit’s window, and what waits for it. */
function createWindowReads(db: Sql) {
  const { tables } = db;
  const { replies } = tables;
  const isHere = ofPlatform(tables);
  const toAuthor = prepareWindow(db, and(isHere, equals(replies.authorId, 'key')), 'author');
  const inThread = and(isHere, equals(replies.threadId, 'key'), ne(replies.kind, 'unasked_help'));
  const toThread = prepareWindow(db, inThread, 'thread');
  const find = (window: ReplyWindow) =>
    'authorId' in window
      ? { queries: toAuthor, key: { platform: window.platform, key: window.authorId } }
      : { queries: toThread, key: { platform: window.platform, key: window.threadId } };
  return {
    /**
     * What has used the limit of an author or a thread: replies sent from `since` to `until` count. Waiting replies count
     * unless they are notices, or held for another window.
     */
    replyWindow: locked(
      byWindow,
      async (
        window: ReplyWindow,
        { since, until = Number.MAX_SAFE_INTEGER }: { since: number; until?: number | undefined },
      ): Promise<WindowUse> => {
        const { queries, key } = find(window);
        const { queued = 0, sending = 0 } = (await queries.open.get(key)) ?? {};
        const sentAt = (await queries.sent.all({ ...key, since, until })).map(({ at }) => at);
        return { sentAt, sending, queued };
      },
    ),
    /**
     * The replies held for a window that precede another one, because they are worth more, or as much and were queued
     * earlier: the oldest of them, and their number.
     */
    heldBefore: locked(
      byWindow,
      async (
        window: ReplyWindow,
        { id, worth }: { readonly id: number; readonly worth: ReplyWorth },
      ): Promise<{ first: number | null; count: number }> => {
        const { queries, key } = find(window);
        return (await queries.held.get({ ...key, id, worth })) ?? { first: null, count: 0 };
      },
    ),
  };
}

/** What the limits of replies need: counts, each from its own index, and what is held for them. */
export const replyLimits = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { replies } = tables;
  const isHeldBy = and(equals(replies.id, 'id'), equals(replies.lease, 'lease'));
  const hold = prepareChange(
    db,
    replies,
    { lease: null, heldFor: bound('heldFor'), dueAt: bound('until'), lastError: bound('reason') },
    and(isHeldBy, eq(replies.state, 'queued')),
  );
  const isWaiting = and(equals(replies.id, 'id'), eq(replies.state, 'queued'), sql`${replies.lease} is null`);
  const isHeld = and(isWaiting, isNotNull(replies.heldFor));
  // Skips a reply that another lane is leasing: waiting for its lock while holding a leased reply could deadlock.
  const free = prepare(kit.claiming(build.select({ id: replies.id }).from(replies).where(isHeld), replies));
  const release = prepareChange(db, replies, { dueAt: bound('now') }, isHeld);
  const revise = prepareChange(db, replies, { text: bound('text') }, and(isWaiting, eq(replies.attempts, 0)));
  return {
    reads: createWindowReads(db),
    writes: {
      /** Returns a queued reply until `until`, because it may not be sent yet. Only under the lease. */
      holdReply: locked(
        nothing,
        (id: number, change: { lease: string; heldFor: HeldFor; until: number; reason: string }) =>
          hold({ id, ...change }),
      ),
      /** Makes a held, unleased reply due now. False also when another transaction is about to lease or change it. */
      releaseReply: locked(
        nothing,
        async (id: number, now: number): Promise<boolean> =>
          (await free.get({ id })) !== undefined && (await release({ id, now })),
      ),
      /** Replaces the text of a queued reply that was never tried; false when it may have been sent. */
      reviseReply: locked(nothing, (id: number, text: string) => revise({ id, text })),
    },
  };
});
