import { and, count, desc, eq, getTableColumns, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { ReplyRecord } from '../../domain/mention.ts';
import type { Db } from './connection.ts';
import { prepareLean } from './lean.ts';
import type { SyncReads, SyncWrites } from './methods.ts';
import { mentions, REPLY_OPEN, replies } from './schema.ts';

const placeholder = sql.placeholder;
const FOR_EVER = Number.MAX_SAFE_INTEGER;

const { authorId: _author, threadId: _thread, lease: _lease, dueAt: _dueAt, ...columns } = getTableColumns(replies);

type ReplyReads = Pick<
  SyncReads,
  'reply' | 'replyTo' | 'replies' | 'countRepliesToAuthor' | 'countRepliesInThread' | 'isOwnPost'
>;

/** Finds what a reply says of the mention it answers. */
function createSubjectLookup(db: Db): (reply: { mentionId: number }) => ReplyRecord['mention'] {
  const { postId, replyTo, threadId, authorId } = mentions;
  const byId = db
    .select({ postId, replyTo, threadId, authorId })
    .from(mentions)
    .where(eq(mentions.id, placeholder('mentionId')))
    .prepare();
  return ({ mentionId }) => {
    const mention = byId.get({ mentionId });
    if (mention === undefined) throw new TypeError(`reply to an unknown mention ${mentionId}`);
    return mention;
  };
}

function createReplyCounts(db: Db): Pick<ReplyReads, 'countRepliesToAuthor' | 'countRepliesInThread'> {
  const recent = and(
    eq(replies.platform, placeholder('platform')),
    gte(replies.createdAt, placeholder('since')),
    lte(replies.createdAt, placeholder('until')),
  );
  const toAuthor = and(recent, eq(replies.authorId, placeholder('authorId')));
  const select = () => db.select({ n: count() }).from(replies);
  const ofAuthor = select().where(toAuthor).prepare();
  const ofAuthorAndKind = select()
    .where(and(toAuthor, eq(replies.kind, placeholder('kind'))))
    .prepare();
  const ofThread = select()
    .where(and(recent, eq(replies.threadId, placeholder('threadId'))))
    .prepare();
  return {
    countRepliesToAuthor({ platform, platformUserId: authorId }, { since, until = FOR_EVER, kind }) {
      const found =
        kind === undefined
          ? ofAuthor.get({ platform, authorId, since, until })
          : ofAuthorAndKind.get({ platform, authorId, since, until, kind });
      return found?.n ?? 0;
    },
    countRepliesInThread: ({ platform, threadId }, { since, until = FOR_EVER }) =>
      ofThread.get({ platform, threadId, since, until })?.n ?? 0,
  };
}

export function createReplyReads(db: Db): ReplyReads {
  const subject = createSubjectLookup(db);
  const complete = <T extends { mentionId: number }>(row: T) => ({ ...row, mention: subject(row) });
  const select = () => db.select(columns).from(replies).$dynamic();
  const byId = select()
    .where(eq(replies.id, placeholder('id')))
    .prepare();
  const byMention = select()
    .where(eq(replies.mentionId, placeholder('mentionId')))
    .prepare();
  const older = lt(replies.id, placeholder('before'));
  const page = (condition: SQL | undefined) =>
    select().where(condition).orderBy(desc(replies.id)).limit(placeholder('limit')).prepare();
  const newest = page(older);
  const newestInState = page(and(eq(replies.state, placeholder('state')), older));
  const isPost = and(eq(replies.platform, placeholder('platform')), eq(replies.postId, placeholder('postId')));
  const byPost = prepareLean<[id: number]>(db, db.select({ id: replies.id }).from(replies).where(isPost));
  const orNull = <T extends { mentionId: number }>(row: T | undefined) => (row === undefined ? null : complete(row));
  return {
    reply: (id) => orNull(byId.get({ id })),
    replyTo: (mentionId) => orNull(byMention.get({ mentionId })),
    replies({ limit, before = Number.MAX_SAFE_INTEGER, state }) {
      const rows = state === undefined ? newest.all({ limit, before }) : newestInState.all({ limit, before, state });
      return rows.map(complete);
    },
    ...createReplyCounts(db),
    isOwnPost: (platform, postId) => byPost.get({ platform, postId }) !== undefined,
  };
}

/** The reply to lease next on a platform: the one that became due first. */
function prepareDueReply(db: Db) {
  return db
    .select({ id: replies.id })
    .from(replies)
    .where(and(REPLY_OPEN, eq(replies.platform, placeholder('platform')), lte(replies.dueAt, placeholder('now'))))
    .orderBy(replies.dueAt, replies.id)
    .prepare();
}

function createReplyLeases(db: Db): Pick<SyncWrites, 'leaseReply' | 'markSending' | 'markSent' | 'putReplyBack'> {
  const due = prepareDueReply(db);
  const { reply } = createReplyReads(db);
  const hold = db
    .update(replies)
    .set({ lease: sql`${placeholder('lease')}`, dueAt: sql`${placeholder('until')}` })
    .where(eq(replies.id, placeholder('id')))
    .prepare();
  // Only an open reply has a lease, so the lease says the state as well.
  const isHeld = and(eq(replies.id, placeholder('id')), eq(replies.lease, placeholder('lease')));
  const sending = db
    .update(replies)
    .set({ state: 'sending', attempts: sql`${replies.attempts} + 1` })
    .where(isHeld)
    .prepare();
  const sent = db
    .update(replies)
    .set({
      state: 'sent',
      lease: null,
      postId: sql`${placeholder('postId')}`,
      sentAt: sql`${placeholder('now')}`,
    })
    .where(isHeld)
    .prepare();
  const back = db
    .update(replies)
    .set({
      state: sql`${placeholder('state')}`,
      lease: null,
      dueAt: sql`${placeholder('retryAt')}`,
      lastError: sql`${placeholder('error')}`,
    })
    .where(isHeld)
    .prepare();
  return {
    leaseReply(platform, { lease, now, until }) {
      const next = due.get({ platform, now });
      if (next === undefined) return null;
      hold.run({ id: next.id, lease, until });
      const held = reply(next.id);
      return held === null ? null : { ...held, lease };
    },
    markSending: (id, lease) => sending.run({ id, lease }).changes === 1,
    markSent: (id, change) => sent.run({ id, ...change }).changes === 1,
    putReplyBack: (id, change) => back.run({ id, ...change }).changes === 1,
  };
}

export function createReplyWrites(
  db: Db,
): Pick<SyncWrites, 'queueReply' | 'leaseReply' | 'markSending' | 'markSent' | 'putReplyBack' | 'retryReply'> {
  const subject = db
    .select({ platform: mentions.platform, authorId: mentions.authorId, threadId: mentions.threadId })
    .from(mentions)
    .where(eq(mentions.id, placeholder('mentionId')))
    .prepare();
  const insert = db
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
    })
    .returning({ id: replies.id })
    .prepare();
  const retry = db
    .update(replies)
    .set({ state: 'unknown', attempts: 0, dueAt: sql`${placeholder('now')}` })
    .where(and(eq(replies.id, placeholder('id')), eq(replies.state, 'failed')))
    .prepare();
  return {
    queueReply({ mentionId, kind, text }, now) {
      const mention = subject.get({ mentionId });
      if (mention === undefined) throw new RangeError(`there is no mention ${mentionId} to reply to`);
      return insert.get({ ...mention, mentionId, kind, text, now }).id;
    },
    ...createReplyLeases(db),
    retryReply: (id, now) => retry.run({ id, now }).changes === 1,
  };
}
