import { and, asc, count, eq, getTableColumns, gte, lte, type SQL, sql } from 'drizzle-orm';
import type { AccountKey, Platform } from '../../../domain/account.ts';
import type {
  LeasedReply,
  NewReply,
  NoticeSubject,
  ReplyKind,
  ReplyRecord,
  ReplyState,
} from '../../../domain/mentions/mention.ts';
import { REPLY_WORTH } from '../../../domain/mentions/reply-worth.ts';
import type { LeaseRequest } from '../../port/mentions.ts';
import type { TwoWayPage } from '../../port/page.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { boundTo, equals, prepareTwoWays, readEach, theRow, typed } from '../statements.ts';
import { byAuthor, byAuthorOfMention, byBudget, byWindowsOfMention, nothing } from '../subjects.ts';
import { prepareUnposted } from './reply-limits.ts';
import { REPLY_ANSWERS, REPLY_TELLS } from './reply-tables.ts';

const placeholder = sql.placeholder;
const FOR_EVER = Number.MAX_SAFE_INTEGER;

function replyColumns({ replies }: Tables) {
  const { authorId: _author, threadId: _thread, lease: _lease, dueAt: _dueAt, ...columns } = getTableColumns(replies);
  return columns;
}

function createSubjectLookup({
  build,
  prepare,
  tables,
}: Sql): (reply: { mentionId: number }) => Promise<ReplyRecord['mention']> {
  const { mentions } = tables;
  const { postId, replyTo, threadId, authorId } = mentions;
  const byId = prepare(
    build.select({ postId, replyTo, threadId, authorId }).from(mentions).where(equals(mentions.id, 'mentionId')),
  );
  return async ({ mentionId }) => {
    const mention = await byId.get({ mentionId });
    if (mention === undefined) throw new TypeError(`reply to an unknown mention ${mentionId}`);
    return mention;
  };
}

function noticeOf({ gigId, event }: { [Key in keyof NoticeSubject]: NoticeSubject[Key] | null }): NoticeSubject | null {
  return gigId === null || event === null ? null : { gigId, event };
}

function createReplyCounts({ build, kit, prepare, tables }: Sql) {
  const { replies } = tables;
  const recent = and(
    equals(replies.platform, 'platform'),
    gte(replies.createdAt, placeholder('since')),
    lte(replies.createdAt, placeholder('until')),
  );
  const toAuthor = and(recent, equals(replies.authorId, 'authorId'));
  const select = () => build.select({ n: count() }).from(replies);
  const ofAuthor = prepare(select().where(toAuthor));
  const ofAuthorAndKind = prepare(select().where(and(toAuthor, equals(replies.kind, 'kind'))));
  const sent = prepare(
    select().where(
      and(
        equals(replies.platform, 'platform'),
        gte(replies.sentAt, placeholder('since')),
        lte(replies.sentAt, placeholder('until')),
      ),
    ),
  );
  // Few replies are being sent at once, so the index of their state is the fastest.
  const beingSent = prepare(
    select().where(and(eq(kit.noWayIn(replies.platform), placeholder('platform')), eq(replies.state, 'sending'))),
  );
  return {
    /** How many replies a platform has received from `since` to `until`, including those being sent now. */
    countRepliesSent: locked(
      byBudget,
      async (platform: Platform, query: { since: number; until: number }): Promise<number> => {
        // Those being sent first: one that is sent in between is counted twice, and not missed.
        const sending = (await beingSent.get({ platform }))?.n ?? 0;
        return sending + ((await sent.get({ platform, ...query }))?.n ?? 0);
      },
    ),
    /**
     * Replies queued for one author from `since` to `until`, both included, optionally of one kind. `until` leaves out
     * replies that were queued on a clock that was set back since.
     */
    countRepliesToAuthor: locked(
      byAuthor,
      async (
        { platform, platformUserId: authorId }: AccountKey,
        { since, until = FOR_EVER, kind }: { since: number; until?: number | undefined; kind?: ReplyKind | undefined },
      ): Promise<number> => {
        const found =
          kind === undefined
            ? await ofAuthor.get({ platform, authorId, since, until })
            : await ofAuthorAndKind.get({ platform, authorId, since, until, kind });
        return found?.n ?? 0;
      },
    ),
  };
}

function selectReplies({ build, tables }: Sql) {
  return build.select(replyColumns(tables)).from(tables.replies).$dynamic();
}

type ReplyRow = Awaited<ReturnType<typeof selectReplies>>[number];

function createCompletion(db: Sql): (row: ReplyRow) => Promise<ReplyRecord> {
  const subject = createSubjectLookup(db);
  return async ({ gigId, event, ...row }) => ({
    ...row,
    notice: noticeOf({ gigId, event }),
    mention: await subject(row),
  });
}

/** Finds a reply by its id, or null. */
export function createReplyLookup(db: Sql): (id: number) => Promise<ReplyRecord | null> {
  const { prepare, tables } = db;
  const complete = createCompletion(db);
  const byId = prepare(selectReplies(db).where(equals(tables.replies.id, 'id')));
  return async (id) => {
    const row = await byId.get({ id });
    return row === undefined ? null : await complete(row);
  };
}

/** Stores a reply that is queued or, with a lease, being sent. */
function createReplyInsert(db: Sql) {
  const { build, prepare, tables } = db;
  const { mentions, replies } = tables;
  const { platform, postId, replyTo, threadId, authorId } = mentions;
  const subject = prepare(
    build
      .select({ platform, postId, replyTo, threadId, authorId })
      .from(mentions)
      .where(equals(mentions.id, 'mentionId')),
  );
  const insert = prepare(
    build
      .insert(replies)
      .values({
        ...boundTo(replies, 'mentionId', 'platform', 'authorId', 'threadId', 'kind', 'text', 'worth', 'followUp'),
        ...boundTo(replies, 'gigId', 'event'),
        createdAt: placeholder('now'),
        ...boundTo(replies, 'state', 'attempts', 'lease', 'dueAt'),
      })
      .returning(replyColumns(tables)),
  );
  return async (
    { mentionId, kind, text, worth: given, followUp = false, notice = null }: NewReply,
    request: LeaseRequest | { readonly now: number },
  ): Promise<ReplyRecord> => {
    const { now } = request;
    const begun =
      'lease' in request
        ? ({ state: 'sending', attempts: 1, lease: request.lease, dueAt: request.until } as const)
        : ({ state: 'queued', attempts: 0, lease: null, dueAt: now } as const);
    const found = await subject.get({ mentionId });
    if (found === undefined) throw new RangeError(`there is no mention ${mentionId} to reply to`);
    const { platform, ...mention } = found;
    const { authorId, threadId } = mention;
    const worth = given ?? (kind === 'unasked_help' ? REPLY_WORTH.unaskedHelp : REPLY_WORTH.lookUp);
    const told = { gigId: notice?.gigId ?? null, event: notice?.event ?? null };
    const reply = { platform, authorId, threadId, ...told, ...begun, mentionId, kind, text, now, worth, followUp };
    const { gigId: _gigId, event: _event, ...row } = await theRow(insert.get(reply));
    return { ...row, notice, mention };
  };
}

/** Tells whether a post is one of the bot's own. */
export function createOwnPostCheck({
  build,
  prepare,
  tables,
}: Sql): (platform: Platform, postId: string) => Promise<boolean> {
  const { replies } = tables;
  const isPost = and(equals(replies.platform, 'platform'), equals(replies.postId, 'postId'));
  const ofPost = prepare(build.select({ id: replies.id }).from(replies).where(isPost));
  return async (platform, postId) => (await ofPost.get({ platform, postId })) !== undefined;
}

/** What the bot posts under a mention. */
function createAnswerReads(db: Sql) {
  const { prepare, tables } = db;
  const { replies } = tables;
  const complete = createCompletion(db);
  const select = () => selectReplies(db);
  const ofMention = equals(replies.mentionId, 'mentionId');
  const byMention = prepare(
    select().where(and(ofMention, REPLY_ANSWERS, eq(replies.followUp, typed(replies.followUp, 'followUp')))),
  );
  const answers = prepare(select().where(and(ofMention, REPLY_ANSWERS)));
  const notices = prepare(select().where(and(ofMention, REPLY_TELLS)).orderBy(asc(replies.id)));
  const orNull = async (row: ReplyRow | undefined) => (row === undefined ? null : await complete(row));
  return {
    /** The first reply to a mention, notices aside. */
    replyTo: locked(
      nothing,
      async (mentionId: number): Promise<ReplyRecord | null> =>
        await orNull(await byMention.get({ mentionId, followUp: false })),
    ),
    /** The second reply to a mention, notices aside. */
    followUpTo: locked(
      nothing,
      async (mentionId: number): Promise<ReplyRecord | null> =>
        await orNull(await byMention.get({ mentionId, followUp: true })),
    ),
    /** All that the bot posts under a mention: its reply, the follow-up and notices, oldest first. */
    repliesTo: locked(
      // Which of the replies to a mention goes first is decided by the others.
      byAuthorOfMention,
      async (mentionId: number): Promise<ReplyRecord[]> => {
        const rows = [...(await answers.all({ mentionId })), ...(await notices.all({ mentionId }))];
        return (await readEach(rows, complete)).toSorted((a, b) => a.id - b.id);
      },
    ),
  };
}

export const replies = noun((db: Sql) => {
  const { prepare, tables } = db;
  const { replies } = tables;
  const complete = createCompletion(db);
  const reply = createReplyLookup(db);
  const select = () => selectReplies(db);
  const unposted = prepareUnposted(db);
  const list = (condition: SQL | undefined) =>
    prepareTwoWays(replies.id, (isOnSide, order) =>
      prepare(select().where(and(condition, isOnSide)).orderBy(order).limit(placeholder('limit'))),
    );
  const all = list(undefined);
  const inState = list(equals(replies.state, 'state'));
  const insert = createReplyInsert(db);
  return {
    reads: {
      reply: locked(nothing, reply),
      ...createAnswerReads(db),
      /** Replies to an account, notices aside, queued at or after `since`, that are held or failed; newest first. */
      unpostedReplies: locked(
        nothing,
        async (
          { platform, platformUserId: authorId }: AccountKey,
          query: { since: number; limit: number },
        ): Promise<ReplyRecord[]> => {
          const found = await unposted.all({ platform, authorId, ...query });
          const completed = await readEach(found, ({ id }) => reply(id));
          return completed.filter((reply) => reply !== null);
        },
      ),
      replies: locked(
        nothing,
        async (page: TwoWayPage & { readonly state?: ReplyState | undefined }): Promise<ReplyRecord[]> =>
          await readEach(await (page.state === undefined ? all : inState)({ ...page }), complete),
      ),
      ...createReplyCounts(db),
      isOwnPost: locked(nothing, createOwnPostCheck(db)),
    },
    writes: {
      /**
       * Queues the first reply to a mention, the follow-up, or a notice. A second one of the same sort for the same mention, or
       * for the same gig, event and account, breaks the store's constraint and throws. Returns its id.
       */
      queueReply: locked(
        ({ mentionId }) => byWindowsOfMention(mentionId),
        async (reply: NewReply, now: number): Promise<number> => (await insert(reply, { now })).id,
      ),
      /** As `queueReply`, but it is not queued: it is marked as being sent at once, as by `leaseReply` and `markSending`. */
      beginReply: locked(
        ({ mentionId }) => byWindowsOfMention(mentionId),
        async (reply: NewReply, request: LeaseRequest): Promise<LeasedReply> => {
          return { ...(await insert(reply, request)), lease: request.lease };
        },
      ),
    },
  };
});
