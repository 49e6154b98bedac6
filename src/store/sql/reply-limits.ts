import { and, asc, count, desc, eq, gte, isNotNull, isNull, lt, lte, min, ne, or, type SQL, sql } from 'drizzle-orm';
import type { ReplyWindow } from '../../domain/reply-limits.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql, Tables } from './engine.ts';
import { REPLY_ANSWERS, REPLY_OPEN, REPLY_UNPOSTED } from './reply-tables.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;

function ofPlatform({ replies }: Tables) {
  return equals(replies.platform, 'platform');
}

/** The queries about windows of one sort. */
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

type ReplyLimitReads = Pick<StoreReads, 'replyWindow' | 'heldBefore'>;

/** Reads the counts that the limits need, each from its own index. */
export function createReplyLimitReads(db: Sql): ReplyLimitReads {
  const { replies } = db.tables;
  const isHere = ofPlatform(db.tables);
  const toAuthor = prepareWindow(db, and(isHere, equals(replies.authorId, 'key')), 'author');
  const inThread = and(isHere, equals(replies.threadId, 'key'), ne(replies.kind, 'unasked_help'));
  const toThread = prepareWindow(db, inThread, 'thread');
  const find = (window: ReplyWindow) =>
    'authorId' in window
      ? { queries: toAuthor, key: { platform: window.platform, key: window.authorId } }
      : { queries: toThread, key: { platform: window.platform, key: window.threadId } };
  return {
    async replyWindow(window, { since, until = Number.MAX_SAFE_INTEGER }) {
      const { queries, key } = find(window);
      const { queued = 0, sending = 0 } = (await queries.open.get(key)) ?? {};
      const sentAt = (await queries.sent.all({ ...key, since, until })).map(({ at }) => at);
      return { sentAt, sending, queued };
    },
    async heldBefore(window, { id, worth }) {
      const { queries, key } = find(window);
      return (await queries.held.get({ ...key, id, worth })) ?? { first: null, count: 0 };
    },
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

export function createHoldWrites(db: Sql): Pick<StoreTx, 'holdReply' | 'releaseReply' | 'reviseReply'> {
  const { build, kit, prepare } = db;
  const { replies } = db.tables;
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
    holdReply: (id, change) => hold({ id, ...change }),
    releaseReply: async (id, now) => (await free.get({ id })) !== undefined && (await release({ id, now })),
    reviseReply: (id, text) => revise({ id, text }),
  };
}
