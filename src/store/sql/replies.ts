import { and, asc, count, desc, eq, getTableColumns, gte, lt, lte, not, type SQL, sql } from 'drizzle-orm';
import type { Platform } from '../../domain/account.ts';
import type { NoticeSubject, ReplyRecord } from '../../domain/mention.ts';
import { REPLY_WORTH, REPLY_WORTHS, type ReplyWorth } from '../../domain/reply-worth.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { ReplyPick } from '../port/mentions.ts';
import type { Sql, Tables } from './engine.ts';
import { createHoldWrites, createReplyLimitReads, prepareUnposted } from './reply-limits.ts';
import { REPLY_ANSWERS, REPLY_OPEN, REPLY_TELLS } from './reply-tables.ts';
import { bound, equals, prepareChange, readEach, theRow, typed } from './statements.ts';

const placeholder = sql.placeholder;
const FOR_EVER = Number.MAX_SAFE_INTEGER;

function replyColumns({ replies }: Tables) {
  const { authorId: _author, threadId: _thread, lease: _lease, dueAt: _dueAt, ...columns } = getTableColumns(replies);
  return columns;
}

/** Finds the part of a reply record that comes from its mention. */
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

/** What a reply's row says of the event that it tells. */
function noticeOf({ gigId, event }: { [Key in keyof NoticeSubject]: NoticeSubject[Key] | null }): NoticeSubject | null {
  return gigId === null || event === null ? null : { gigId, event };
}

function createReplyCounts({
  build,
  kit,
  prepare,
  tables,
}: Sql): Pick<StoreReads, 'countRepliesToAuthor' | 'countRepliesSent'> {
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
    async countRepliesSent(platform, query) {
      // Those being sent first: one that is sent in between is counted twice, and not missed.
      const sending = (await beingSent.get({ platform }))?.n ?? 0;
      return sending + ((await sent.get({ platform, ...query }))?.n ?? 0);
    },
    async countRepliesToAuthor({ platform, platformUserId: authorId }, { since, until = FOR_EVER, kind }) {
      const found =
        kind === undefined
          ? await ofAuthor.get({ platform, authorId, since, until })
          : await ofAuthorAndKind.get({ platform, authorId, since, until, kind });
      return found?.n ?? 0;
    },
  };
}

export function createReplyReads(db: Sql) {
  const { build, prepare, tables } = db;
  const { replies } = tables;
  const subject = createSubjectLookup(db);
  const select = () => build.select(replyColumns(tables)).from(replies).$dynamic();
  const byId = prepare(select().where(equals(replies.id, 'id')));
  const ofMention = equals(replies.mentionId, 'mentionId');
  const byMention = prepare(
    select().where(and(ofMention, REPLY_ANSWERS, eq(replies.followUp, typed(replies.followUp, 'followUp')))),
  );
  const answers = prepare(select().where(and(ofMention, REPLY_ANSWERS)));
  const notices = prepare(select().where(and(ofMention, REPLY_TELLS)).orderBy(asc(replies.id)));
  const unposted = prepareUnposted(db);
  const older = lt(replies.id, placeholder('before'));
  const page = (condition: SQL | undefined) =>
    prepare(select().where(condition).orderBy(desc(replies.id)).limit(placeholder('limit')));
  const newest = page(older);
  const newestInState = page(and(equals(replies.state, 'state'), older));
  const isPost = and(equals(replies.platform, 'platform'), equals(replies.postId, 'postId'));
  const byPost = prepare(build.select({ id: replies.id }).from(replies).where(isPost));
  type Row = NonNullable<Awaited<ReturnType<typeof byId.get>>>;
  const complete = async ({ gigId, event, ...row }: Row): Promise<ReplyRecord> => ({
    ...row,
    notice: noticeOf({ gigId, event }),
    mention: await subject(row),
  });
  const orNull = async (row: Row | undefined) => (row === undefined ? null : await complete(row));
  return {
    reply: async (id) => await orNull(await byId.get({ id })),
    replyTo: async (mentionId) => await orNull(await byMention.get({ mentionId, followUp: false })),
    followUpTo: async (mentionId) => await orNull(await byMention.get({ mentionId, followUp: true })),
    async repliesTo(mentionId) {
      const rows = [...(await answers.all({ mentionId })), ...(await notices.all({ mentionId }))];
      return (await readEach(rows, complete)).toSorted((a, b) => a.id - b.id);
    },
    async unpostedReplies({ platform, platformUserId: authorId }, query) {
      const found = await unposted.all({ platform, authorId, ...query });
      const completed = await readEach(found, async ({ id }) => await orNull(await byId.get({ id })));
      return completed.filter((reply) => reply !== null);
    },
    ...createReplyLimitReads(db),
    async replies({ limit, before = Number.MAX_SAFE_INTEGER, state }) {
      const rows = state === undefined ? newest.all({ limit, before }) : newestInState.all({ limit, before, state });
      return await readEach(await rows, complete);
    },
    ...createReplyCounts(db),
    isOwnPost: async (platform, postId) => (await byPost.get({ platform, postId })) !== undefined,
  } satisfies Partial<StoreReads>;
}

function isWorth({ replies }: Tables) {
  return and(equals(replies.platform, 'platform'), equals(replies.worth, 'worth'));
}

/** Of the author of a row of `replies`, another row that was sent. */
const ANSWERED_BEFORE = sql.raw(
  'exists (select 1 from replies sent where sent.platform = replies.platform and sent.author_id = replies.author_id and sent.sent_at is not null)',
);

/** Finds the next reply to lease on a platform for one worth: of what a pick allows, the one due longest. */
function createDueLookup({ build, kit, prepare, tables }: Sql) {
  const { replies } = tables;
  const due = (allowed?: SQL) => {
    const isDue = and(REPLY_OPEN, isWorth(tables), lte(replies.dueAt, placeholder('now')), allowed);
    const query = build.select({ id: replies.id }).from(replies).where(isDue).orderBy(replies.dueAt, replies.id);
    return prepare(kit.claiming(query, replies));
  };
  const every = due();
  const elsewhere = and(not(kit.isAmong(replies.authorId, 'notTo')), not(kit.isAmong(replies.threadId, 'notIn')));
  const isElsewhere = due(elsewhere);
  const isKnown = due(and(elsewhere, ANSWERED_BEFORE));
  return (of: { platform: Platform; worth: ReplyWorth; now: number }, pick: ReplyPick) => {
    const { notTo, notIn, answeredBefore } = pick;
    if (answeredBefore) return isKnown.get({ ...of, notTo, notIn });
    return notTo.length + notIn.length === 0 ? every.get(of) : isElsewhere.get({ ...of, notTo, notIn });
  };
}

const EVERY_REPLY: ReplyPick = { notTo: [], notIn: [], answeredBefore: false };

function createReplyLeases(db: Sql): Pick<StoreTx, 'leaseReply' | 'markSending' | 'markSent' | 'putReplyBack'> {
  const { replies } = db.tables;
  const due = createDueLookup(db);
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
    async leaseReply(platform, { lease, now, until, least = REPLY_WORTH.unaskedHelp, picks = [EVERY_REPLY] }) {
      // One query per worth reads one row; a single query would sort all due replies.
      const worths = REPLY_WORTHS.filter((each) => each <= least);
      let next: { id: number } | undefined;
      for (const pick of picks) {
        for (const worth of worths) next ??= await due({ platform, worth, now }, pick);
      }
      if (next === undefined) return null;
      await hold({ id: next.id, lease, until });
      const held = await reply(next.id);
      return held === null ? null : { ...held, lease };
    },
    markSending: (id, lease) => sending({ id, lease }),
    markSent: (id, change) => sent({ id, ...change }),
    putReplyBack: (id, change) => back({ id, ...change }),
  };
}

export function createReplyWrites(db: Sql) {
  const { build, prepare, tables } = db;
  const { mentions, replies } = tables;
  const subject = prepare(
    build
      .select({ platform: mentions.platform, authorId: mentions.authorId, threadId: mentions.threadId })
      .from(mentions)
      .where(equals(mentions.id, 'mentionId')),
  );
  const insert = prepare(
    build
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
        followUp: placeholder('followUp'),
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
    isWorth(tables),
    lte(replies.dueAt, placeholder('dueBefore')),
    eq(replies.state, 'queued'),
  );
  const givenUp = { state: 'failed', lease: null, heldFor: null, lastError: bound('error') } as const;
  const giveUp = prepare(build.update(replies).set(givenUp).where(isPerished));
  return {
    ...createHoldWrites(db),
    async queueReply({ mentionId, kind, text, worth: given, followUp = false, notice = null }, now) {
      const mention = await subject.get({ mentionId });
      if (mention === undefined) throw new RangeError(`there is no mention ${mentionId} to reply to`);
      const worth = given ?? (kind === 'unasked_help' ? REPLY_WORTH.unaskedHelp : REPLY_WORTH.lookUp);
      const told = { gigId: notice?.gigId ?? null, event: notice?.event ?? null };
      const reply = { ...mention, ...told, mentionId, kind, text, now, worth, followUp };
      const { id } = await theRow(insert.get(reply));
      return id;
    },
    giveUpReplies: (platform, which) => giveUp.run({ platform, ...which }),
    ...createReplyLeases(db),
    retryReply: (id, now) => retry({ id, now }),
  } satisfies Partial<StoreTx>;
}
