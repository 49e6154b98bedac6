import { and, count, desc, eq, getTableColumns, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { ReplyRecord } from '../../domain/mention.ts';
import { REPLY_WORTH, REPLY_WORTHS } from '../../domain/reply-worth.ts';
import { type Db, prepare, prepareRaw, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { createHoldWrites, createReplyLimitReads, prepareUnposted } from './reply-limits.ts';
import { mentions, REPLY_OPEN, replies } from './tables.ts';

const placeholder = sql.placeholder;
const FOR_EVER = Number.MAX_SAFE_INTEGER;

const { authorId: _author, threadId: _thread, lease: _lease, dueAt: _dueAt, ...columns } = getTableColumns(replies);

type ReplyReads = Pick<
  SyncReads,
  | 'reply'
  | 'replyTo'
  | 'followUpTo'
  | 'replies'
  | 'countRepliesToAuthor'
  | 'countRepliesSent'
  | 'replyWindow'
  | 'heldBefore'
  | 'unpostedReplies'
  | 'isOwnPost'
>;

/** Finds the part of a reply record that comes from its mention. */
function createSubjectLookup(db: Db): (reply: { mentionId: number }) => ReplyRecord['mention'] {
  const { postId, replyTo, threadId, authorId } = mentions;
  const byId = prepare(
    db,
    db
      .select({ postId, replyTo, threadId, authorId })
      .from(mentions)
      .where(eq(mentions.id, placeholder('mentionId'))),
  );
  return ({ mentionId }) => {
    const mention = byId.get({ mentionId });
    if (mention === undefined) throw new TypeError(`reply to an unknown mention ${mentionId}`);
    return mention;
  };
}

type ReplyCounts = Pick<ReplyReads, 'countRepliesToAuthor' | 'countRepliesSent'>;

function createReplyCounts(db: Db): ReplyCounts {
  const recent = and(
    eq(replies.platform, placeholder('platform')),
    gte(replies.createdAt, placeholder('since')),
    lte(replies.createdAt, placeholder('until')),
  );
  const toAuthor = and(recent, eq(replies.authorId, placeholder('authorId')));
  const select = () => db.select({ n: count() }).from(replies);
  const ofAuthor = prepare(db, select().where(toAuthor));
  const ofAuthorAndKind = prepare(db, select().where(and(toAuthor, eq(replies.kind, placeholder('kind')))));
  const sent = prepare(
    db,
    select().where(
      and(
        eq(replies.platform, placeholder('platform')),
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

export function createReplyReads(db: Db): ReplyReads {
  const subject = createSubjectLookup(db);
  const complete = <T extends { mentionId: number }>(row: T) => ({ ...row, mention: subject(row) });
  const select = () => db.select(columns).from(replies).$dynamic();
  const byId = prepare(db, select().where(eq(replies.id, placeholder('id'))));
  const byMention = prepare(
    db,
    select().where(
      and(eq(replies.mentionId, placeholder('mentionId')), eq(replies.followUp, sql`${placeholder('followUp')}`)),
    ),
  );
  const unposted = prepareUnposted(db);
  const older = lt(replies.id, placeholder('before'));
  const page = (condition: SQL | undefined) =>
    prepare(db, select().where(condition).orderBy(desc(replies.id)).limit(placeholder('limit')));
  const newest = page(older);
  const newestInState = page(and(eq(replies.state, placeholder('state')), older));
  const isPost = and(eq(replies.platform, placeholder('platform')), eq(replies.postId, placeholder('postId')));
  const byPost = prepareRaw<[id: number]>(db, db.select({ id: replies.id }).from(replies).where(isPost));
  const orNull = <T extends { mentionId: number }>(row: T | undefined) => (row === undefined ? null : complete(row));
  return {
    reply: (id) => orNull(byId.get({ id })),
    replyTo: (mentionId) => orNull(byMention.get({ mentionId, followUp: 0 })),
    followUpTo: (mentionId) => orNull(byMention.get({ mentionId, followUp: 1 })),
    unpostedReplies: ({ platform, platformUserId: authorId }, query) =>
      unposted.all({ platform, authorId, ...query }).flatMap(({ id }) => orNull(byId.get({ id })) ?? []),
    ...createReplyLimitReads(db),
    replies({ limit, before = Number.MAX_SAFE_INTEGER, state }) {
      const rows = state === undefined ? newest.all({ limit, before }) : newestInState.all({ limit, before, state });
      return rows.map(complete);
    },
    ...createReplyCounts(db),
    isOwnPost: (platform, postId) => byPost.get({ platform, postId }) !== undefined,
  };
}

const isWorth = and(eq(replies.platform, placeholder('platform')), eq(replies.worth, placeholder('worth')));

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
  const hold = prepare(
    db,
    db
      .update(replies)
      .set({ lease: sql`${placeholder('lease')}`, dueAt: sql`${placeholder('until')}` })
      .where(eq(replies.id, placeholder('id'))),
  );
  // Only an open reply has a lease, so the lease implies the state.
  const isHeld = and(eq(replies.id, placeholder('id')), eq(replies.lease, placeholder('lease')));
  const sending = prepare(
    db,
    db
      .update(replies)
      .set({ state: 'sending', heldFor: null, attempts: sql`${replies.attempts} + 1` })
      .where(isHeld),
  );
  const sent = prepare(
    db,
    db
      .update(replies)
      .set({
        state: 'sent',
        lease: null,
        heldFor: null,
        postId: sql`${placeholder('postId')}`,
        sentAt: sql`${placeholder('now')}`,
      })
      .where(isHeld),
  );
  const back = prepare(
    db,
    db
      .update(replies)
      .set({
        state: sql`${placeholder('state')}`,
        lease: null,
        heldFor: null,
        dueAt: sql`${placeholder('retryAt')}`,
        lastError: sql`${placeholder('error')}`,
      })
      .where(isHeld),
  );
  return {
    leaseReply(platform, { lease, now, until, least = REPLY_WORTH.unaskedHelp }) {
      // One query per worth reads one row; a single query would sort all due replies.
      let next: { id: number } | undefined;
      for (const worth of REPLY_WORTHS.filter((each) => each <= least)) {
        next ??= due.get({ platform, worth, now });
      }
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
): Pick<
  SyncWrites,
  | 'queueReply'
  | 'leaseReply'
  | 'markSending'
  | 'markSent'
  | 'putReplyBack'
  | 'giveUpReplies'
  | 'retryReply'
  | 'holdReply'
  | 'releaseReply'
  | 'reviseReply'
> {
  const subject = prepare(
    db,
    db
      .select({ platform: mentions.platform, authorId: mentions.authorId, threadId: mentions.threadId })
      .from(mentions)
      .where(eq(mentions.id, placeholder('mentionId'))),
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
        followUp: sql`${placeholder('followUp')}`,
      })
      .returning({ id: replies.id }),
  );
  const retry = prepare(
    db,
    db
      .update(replies)
      .set({ state: 'unknown', attempts: 0, dueAt: sql`${placeholder('now')}` })
      .where(and(eq(replies.id, placeholder('id')), eq(replies.state, 'failed'))),
  );
  const giveUp = prepare(
    db,
    db
      .update(replies)
      .set({ state: 'failed', lease: null, heldFor: null, lastError: sql`${placeholder('error')}` })
      .where(and(REPLY_OPEN, isWorth, lte(replies.dueAt, placeholder('dueBefore')), eq(replies.state, 'queued'))),
  );
  return {
    ...createHoldWrites(db),
    queueReply({ mentionId, kind, text, worth: given, followUp = false }, now) {
      const mention = subject.get({ mentionId });
      if (mention === undefined) throw new RangeError(`there is no mention ${mentionId} to reply to`);
      const worth = given ?? (kind === 'unasked_help' ? REPLY_WORTH.unaskedHelp : REPLY_WORTH.lookUp);
      return insert.get({ ...mention, mentionId, kind, text, now, worth, followUp: followUp ? 1 : 0 }).id;
    },
    giveUpReplies: (platform, which) => giveUp.run({ platform, ...which }).changes,
    ...createReplyLeases(db),
    retryReply: (id, now) => retry.run({ id, now }).changes === 1,
  };
}
