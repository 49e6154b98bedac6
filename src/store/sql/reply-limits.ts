import { and, asc, count, desc, eq, gte, isNotNull, isNull, lt, min, ne, or, type SQL, sql } from 'drizzle-orm';
import type { ReplyWindow } from '../../domain/reply-limits.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { REPLY_ANSWERS, REPLY_OPEN, REPLY_UNPOSTED, replies } from './tables.ts';

const placeholder = sql.placeholder;
const ofPlatform = equals(replies.platform, 'platform');
const isHeldBy = and(equals(replies.id, 'id'), equals(replies.lease, 'lease'));

/** The queries about windows of one sort. */
function prepareWindow(db: Db, ofWindow: SQL | undefined, heldFor: 'author' | 'thread') {
  // The plus keeps SQLite from using the index of all replies by time.
  const isOver = sql`+${replies.sentAt} <= ${placeholder('until')}`;
  // A reply that is held for another window does not count in this one.
  const isNext = or(isNull(replies.heldFor), eq(replies.heldFor, heldFor));
  const isWorthMore = lt(replies.worth, placeholder('worth'));
  const isOlder = and(equals(replies.worth, 'worth'), lt(replies.id, placeholder('id')));
  const goesBefore = and(REPLY_OPEN, ofWindow, eq(replies.heldFor, heldFor), or(isWorthMore, isOlder));
  return {
    sent: prepare(
      db,
      db
        .select({ at: sql<number>`${replies.sentAt}` })
        .from(replies)
        .where(and(ofWindow, gte(replies.sentAt, placeholder('since')), isOver))
        .orderBy(asc(replies.sentAt)),
    ),
    // Counted in one pass: grouping would sort.
    open: prepare(
      db,
      db
        .select({
          // A notice that waits takes no room from what is answered: it is sent later than that.
          queued: sql<number>`count(*) filter (where ${replies.state} = 'queued' and ${replies.kind} <> 'notice')`,
          sending: sql<number>`count(*) filter (where ${replies.state} <> 'queued')`,
        })
        .from(replies)
        .where(and(REPLY_OPEN, ofWindow, isNext)),
    ),
    held: prepare(
      db,
      db
        .select({ first: min(replies.id), count: count() })
        .from(replies)
        .where(goesBefore),
    ),
  };
}

type ReplyLimitReads = Pick<SyncReads, 'replyWindow' | 'heldBefore'>;

/** Reads the counts that the limits need, each from its own index. */
export function createReplyLimitReads(db: Db): ReplyLimitReads {
  const toAuthor = prepareWindow(db, and(ofPlatform, equals(replies.authorId, 'key')), 'author');
  const inThread = and(ofPlatform, equals(replies.threadId, 'key'), ne(replies.kind, 'unasked_help'));
  const toThread = prepareWindow(db, inThread, 'thread');
  const find = (window: ReplyWindow) =>
    'authorId' in window
      ? { queries: toAuthor, key: { platform: window.platform, key: window.authorId } }
      : { queries: toThread, key: { platform: window.platform, key: window.threadId } };
  return {
    replyWindow(window, { since, until = Number.MAX_SAFE_INTEGER }) {
      const { queries, key } = find(window);
      const { queued = 0, sending = 0 } = queries.open.get(key) ?? {};
      const sentAt = queries.sent.all({ ...key, since, until }).map(({ at }) => at);
      return { sentAt, sending, queued };
    },
    heldBefore(window, { id, worth }) {
      const { queries, key } = find(window);
      return queries.held.get({ ...key, id, worth }) ?? { first: null, count: 0 };
    },
  };
}

/** The ids of an account's unposted replies, newest first. */
export function prepareUnposted(db: Db) {
  const ofAuthor = and(ofPlatform, equals(replies.authorId, 'authorId'));
  // The plus keeps SQLite from using the time, so that it takes the small index of unposted replies.
  const since = gte(sql`+${replies.createdAt}`, placeholder('since'));
  return prepare(
    db,
    db
      .select({ id: replies.id })
      .from(replies)
      .where(and(ofAuthor, REPLY_UNPOSTED, REPLY_ANSWERS, since))
      .orderBy(desc(replies.id))
      .limit(placeholder('limit')),
  );
}

export function createHoldWrites(db: Db): Pick<SyncWrites, 'holdReply' | 'releaseReply' | 'reviseReply'> {
  const hold = prepareChange(
    db,
    replies,
    { lease: null, heldFor: bound('heldFor'), dueAt: bound('until'), lastError: bound('reason') },
    and(isHeldBy, eq(replies.state, 'queued')),
  );
  const isWaiting = and(equals(replies.id, 'id'), eq(replies.state, 'queued'), sql`${replies.lease} is null`);
  const release = prepareChange(db, replies, { dueAt: bound('now') }, and(isWaiting, isNotNull(replies.heldFor)));
  const revise = prepareChange(db, replies, { text: bound('text') }, and(isWaiting, eq(replies.attempts, 0)));
  return {
    holdReply: (id, change) => hold({ id, ...change }),
    releaseReply: (id, now) => release({ id, now }),
    reviseReply: (id, text) => revise({ id, text }),
  };
}
