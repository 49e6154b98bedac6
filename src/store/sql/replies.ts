import { and, asc, count, desc, eq, getTableColumns, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { NoticeSubject, ReplyRecord } from '../../domain/mention.ts';
import { REPLY_WORTH, REPLY_WORTHS } from '../../domain/reply-worth.ts';
import { type Db, prepare, prepareRaw, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { createHoldWrites, createReplyLimitReads, prepareUnposted } from './reply-limits.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { mentions, REPLY_ANSWERS, REPLY_OPEN, REPLY_TELLS, replies } from './tables.ts';

const placeholder = sql.placeholder;
const FOR_EVER = Number.MAX_SAFE_INTEGER;

const { authorId: _author, threadId: _thread, lease: _lease, dueAt: _dueAt, ...columns } = getTableColumns(replies);

/** Finds the part of a reply record that comes from its mention. */
function createSubjectLookup(db: Db): (reply: { mentionId: number }) => ReplyRecord['mention'] {
  const { postId, replyTo, threadId, authorId } = mentions;
  const byId = prepare(
    db,
    db.select({ postId, replyTo, threadId, authorId }).from(mentions).where(equals(mentions.id, 'mentionId')),
  );
  return ({ mentionId }) => {
    const mention = byId.get({ mentionId });
    if (mention === undefined) throw new TypeError(`reply to an unknown mention ${mentionId}`);
    return mention;
  };
}

/** What a reply's row says of the event that it tells. */
function noticeOf({ gigId, event }: { [Key in keyof NoticeSubject]: NoticeSubject[Key] | null }): NoticeSubject | null {
  return gigId === null || event === null ? null : { gigId, event };
}

function createReplyCounts(db: Db): Pick<SyncReads, 'countRepliesToAuthor' | 'countRepliesSent'> {
  const recent = and(
    equals(replies.platform, 'platform'),
    gte(replies.createdAt, placeholder('since')),
    lte(replies.createdAt, placeholder('until')),
  );
  const toAuthor = and(recent, equals(replies.authorId, 'authorId'));
  const select = () => db.select({ n: count() }).from(replies);
  const ofAuthor = prepare(db, select().where(toAuthor));
  const ofAuthorAndKind = prepare(db, select().where(and(toAuthor, equals(replies.kind, 'kind'))));
  const sent = prepare(
    db,
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
    db,
    select().where(and(sql`+${replies.platform} = ${placeholder('platform')}`, eq(replies.state, 'sending'))),
  );
  return {
    countRepliesSent: (platform, query) =>
      (sent.get({ platform, ...query })?.n ?? 0) + (beingSent.get({ platform })?.n ?? 0),
    countRepliesToAuthor({ platform, platformUserId: authorId }, { since, until = FOR_EVER, kind }) {
      const found =
        kind === undefined
          ? ofAuthor.get({ platform, authorId, since, until })
          : ofAuthorAndKind.get({ platform, authorId, since, until, kind });
      return found?.n ?? 0;
    },
  };
}

export function createReplyReads(db: Db) {
  const subject = createSubjectLookup(db);
  const select = () => db.select(columns).from(replies).$dynamic();
  const byId = prepare(db, select().where(equals(replies.id, 'id')));
  const ofMention = equals(replies.mentionId, 'mentionId');
  const byMention = prepare(db, select().where(and(ofMention, REPLY_ANSWERS, eq(replies.followUp, bound('followUp')))));
  const answers = prepare(db, select().where(and(ofMention, REPLY_ANSWERS)));
  const notices = prepare(db, select().where(and(ofMention, REPLY_TELLS)).orderBy(asc(replies.id)));
  const unposted = prepareUnposted(db);
  const older = lt(replies.id, placeholder('before'));
  const page = (condition: SQL | undefined) =>
    prepare(db, select().where(condition).orderBy(desc(replies.id)).limit(placeholder('limit')));
  const newest = page(older);
  const newestInState = page(and(equals(replies.state, 'state'), older));
  const isPost = and(equals(replies.platform, 'platform'), equals(replies.postId, 'postId'));
  const byPost = prepareRaw<[id: number]>(db, db.select({ id: replies.id }).from(replies).where(isPost));
  type Row = NonNullable<ReturnType<typeof byId.get>>;
  const complete = ({ gigId, event, ...row }: Row): ReplyRecord => ({
    ...row,
    notice: noticeOf({ gigId, event }),
    mention: subject(row),
  });
  const orNull = (row: Row | undefined) => (row === undefined ? null : complete(row));
  return {
    reply: (id) => orNull(byId.get({ id })),
    replyTo: (mentionId) => orNull(byMention.get({ mentionId, followUp: 0 })),
    followUpTo: (mentionId) => orNull(byMention.get({ mentionId, followUp: 1 })),
    repliesTo: (mentionId) =>
      [...answers.all({ mentionId }), ...notices.all({ mentionId })].map(complete).toSorted((a, b) => a.id - b.id),
    unpostedReplies: ({ platform, platformUserId: authorId }, query) =>
      unposted.all({ platform, authorId, ...query }).flatMap(({ id }) => orNull(byId.get({ id })) ?? []),
    ...createReplyLimitReads(db),
    replies({ limit, before = Number.MAX_SAFE_INTEGER, state }) {
      const rows = state === undefined ? newest.all({ limit, before }) : newestInState.all({ limit, before, state });
      return rows.map(complete);
    },
    ...createReplyCounts(db),
    isOwnPost: (platform, postId) => byPost.get({ platform, postId }) !== undefined,
  } satisfies Partial<SyncReads>;
}

const isWorth = and(equals(replies.platform, 'platform'), equals(replies.worth, 'worth'));

/** The next reply to lease on a platform for one worth: the one due longest. */
function prepareDueReply(db: Db) {
  return prepare(
    db,
    db
      .select({ id: replies.id })
      .from(replies)
      .where(and(REPLY_OPEN, isWorth, lte(replies.dueAt, placeholder('now'))))
      .orderBy(replies.dueAt, replies.id),
  );
}

function createReplyLeases(db: Db): Pick<SyncWrites, 'leaseReply' | 'markSending' | 'markSent' | 'putReplyBack'> {
  const due = prepareDueReply(db);
  const { reply } = createReplyReads(db);
  const hold = prepareChange(db, replies, { lease: bound('lease'), dueAt: bound('until') }, equals(replies.id, 'id'));
  // Only an open reply has a lease, so the lease implies the state.
  const isHeld = and(equals(replies.id, 'id'), equals(replies.lease, 'lease'));
  const sending = prepareChange(
    db,
    replies,
    { state: 'sending', heldFor: null, attempts: sql`${replies.attempts} + 1` },
    isHeld,
  );
  const sent = prepareChange(
    db,
    replies,
    { state: 'sent', lease: null, heldFor: null, postId: bound('postId'), sentAt: bound('now') },
    isHeld,
  );
  const back = prepareChange(
    db,
    replies,
    { state: bound('state'), lease: null, heldFor: null, dueAt: bound('retryAt'), lastError: bound('error') },
    isHeld,
  );
  return {
    leaseReply(platform, { lease, now, until, least = REPLY_WORTH.unaskedHelp }) {
      // One query per worth reads one row; a single query would sort all due replies.
      let next: { id: number } | undefined;
      for (const worth of REPLY_WORTHS.filter((each) => each <= least)) {
        next ??= due.get({ platform, worth, now });
      }
      if (next === undefined) return null;
      hold({ id: next.id, lease, until });
      const held = reply(next.id);
      return held === null ? null : { ...held, lease };
    },
    markSending: (id, lease) => sending({ id, lease }),
    markSent: (id, change) => sent({ id, ...change }),
    putReplyBack: (id, change) => back({ id, ...change }),
  };
}

export function createReplyWrites(db: Db) {
  const subject = prepare(
    db,
    db
      .select({ platform: mentions.platform, authorId: mentions.authorId, threadId: mentions.threadId })
      .from(mentions)
      .where(equals(mentions.id, 'mentionId')),
  );
  const insert = prepare(
    db,
    db
      .insert(replies)
      .values({
        mentionId: placeholder('mentionId'),
        platform: placeholder('platform'),
        authorId: placeholder('authorId'),
        threadId: placeholder('threadId'),
        kind: placeholder('kind'),
        text: placeholder('text'),
        createdAt: placeholder('now'),
        state: 'queued',
        attempts: 0,
        dueAt: placeholder('now'),
        worth: placeholder('worth'),
        followUp: bound('followUp'),
        gigId: placeholder('gigId'),
        event: placeholder('event'),
      })
      .returning({ id: replies.id }),
  );
  const retry = prepareChange(
    db,
    replies,
    { state: 'unknown', attempts: 0, dueAt: bound('now') },
    and(equals(replies.id, 'id'), eq(replies.state, 'failed')),
  );
  const isPerished = and(
    REPLY_OPEN,
    isWorth,
    lte(replies.dueAt, placeholder('dueBefore')),
    eq(replies.state, 'queued'),
  );
  const givenUp = { state: 'failed', lease: null, heldFor: null, lastError: bound('error') } as const;
  const giveUp = prepare(db, db.update(replies).set(givenUp).where(isPerished));
  return {
    ...createHoldWrites(db),
    queueReply({ mentionId, kind, text, worth: given, followUp = false, notice = null }, now) {
      const mention = subject.get({ mentionId });
      if (mention === undefined) throw new RangeError(`there is no mention ${mentionId} to reply to`);
      const worth = given ?? (kind === 'unasked_help' ? REPLY_WORTH.unaskedHelp : REPLY_WORTH.lookUp);
      const told = { gigId: notice?.gigId ?? null, event: notice?.event ?? null };
      return insert.get({ ...mention, ...told, mentionId, kind, text, now, worth, followUp: followUp ? 1 : 0 }).id;
    },
    giveUpReplies: (platform, which) => giveUp.run({ platform, ...which }).changes,
    ...createReplyLeases(db),
    retryReply: (id, now) => retry({ id, now }),
  } satisfies Partial<SyncWrites>;
}
