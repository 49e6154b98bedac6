import { sql } from 'drizzle-orm';
import { GIG_EVENTS } from '../../../domain/gigs/notice.ts';
import { HELD_FOR, REPLY_KINDS, REPLY_STATES } from '../../../domain/mentions/mention.ts';
import { REPLY_WORTH, type ReplyWorth } from '../../../domain/mentions/reply-worth.ts';
import { isEither } from '../checks.ts';
import { type AccountTables, ofPlatform } from '../claims/account-tables.ts';
import type { GigTables } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';
import type { MentionTables } from './mention-tables.ts';

/** Replies that still have to be sent or looked up; the condition of their index, word for word. */
export const REPLY_OPEN = sql.raw("replies.state <> 'sent' and replies.state <> 'failed'");

/** Sent replies; the condition of the indices in which the limits count, word for word. */
export const REPLY_SENT = sql.raw('replies.sent_at is not null');

/** Replies that are held or failed; the condition of their index, word for word. */
export const REPLY_UNPOSTED = sql.raw("(replies.held_for is not null or replies.state = 'failed')");

/** Replies that are notices, and those that are not; the conditions of partial indices, word for word. */
export const REPLY_TELLS = sql.raw('replies.event is not null');
export const REPLY_ANSWERS = sql.raw('replies.event is null');

type Made = AccountTables & GigTables & MentionTables;

/**
 * A mention has at most one reply and one follow-up, and an owner at most one notice of each event of a gig. `held_for` is
 * why a queued reply waits. `platform`, `author_id`
 * and `thread_id` repeat the mention's, which never change, so that the limits count in one index.
 */
function createReplies(kit: Kit, made: Made) {
  const { gigEvents, gigs, mentions } = made;
  return kit.table(
    'replies',
    {
      id: kit.rowId('id'),
      mentionId: kit
        .integer('mention_id')
        .notNull()
        .references(() => mentions.id),
      platform: ofPlatform(kit, made),
      authorId: kit.text('author_id').notNull(),
      threadId: kit.text('thread_id').notNull(),
      kind: kit.text('kind', { enum: REPLY_KINDS }).notNull(),
      text: kit.text('text').notNull(),
      createdAt: kit.integer('created_at').notNull(),
      state: kit.text('state', { enum: REPLY_STATES }).notNull(),
      attempts: kit.integer('attempts').notNull(),
      postId: kit.text('post_id'),
      sentAt: kit.integer('sent_at'),
      lastError: kit.text('last_error'),
      lease: kit.text('lease'),
      dueAt: kit.integer('due_at').notNull(),
      /** `REPLY_WORTH`: the lowest number is sent first. */
      worth: kit.integer('worth').$type<ReplyWorth>().notNull().default(REPLY_WORTH.lookUp),
      followUp: kit.flag('follow_up').notNull().default(false),
      heldFor: kit.text('held_for', { enum: HELD_FOR }),
      gigId: kit.integer('gig_id').references(() => gigs.id),
      /** Of a notice: the event of the gig that it tells. */
      event: kit.text('event', { enum: GIG_EVENTS }).references(() => gigEvents.id),
    },
    (table) => [
      kit.uniqueIndex('replies_by_mention').on(table.mentionId, table.followUp).where(REPLY_ANSWERS),
      kit
        .uniqueIndex('replies_by_event')
        .on(table.gigId, table.event, table.platform, table.authorId)
        .where(REPLY_TELLS),
      kit.index('replies_telling').on(table.mentionId).where(REPLY_TELLS),
      kit.index('replies_due').on(table.platform, table.worth, table.dueAt).where(REPLY_OPEN),
      kit.index('replies_by_sending').on(table.platform, table.sentAt).where(sql.raw('replies.sent_at is not null')),
      kit.index('replies_by_author').on(table.platform, table.authorId, table.createdAt),
      kit.index('replies_sent_to_author').on(table.platform, table.authorId, table.sentAt).where(REPLY_SENT),
      kit.index('replies_sent_in_thread').on(table.platform, table.threadId, table.sentAt).where(REPLY_SENT),
      kit.index('replies_open_to_author').on(table.platform, table.authorId).where(REPLY_OPEN),
      kit.index('replies_open_in_thread').on(table.platform, table.threadId).where(REPLY_OPEN),
      kit.index('replies_unposted').on(table.platform, table.authorId).where(REPLY_UNPOSTED),
      kit.index('replies_by_post').on(table.platform, table.postId),
      kit.index('replies_by_state').on(table.state),
      kit.check('replies_kind', isEither('kind', REPLY_KINDS)),
      kit.check('replies_state', isEither('state', REPLY_STATES)),
      kit.check(
        'replies_sent',
        sql.raw("(state = 'sent') = (post_id is not null) and (post_id is null) = (sent_at is null)"),
      ),
      kit.check('replies_lease', sql.raw("lease is null or (state <> 'sent' and state <> 'failed')")),
      kit.check('replies_follow_up', sql`${kit.isFalse('follow_up')} or ${kit.isTrue('follow_up')}`),
      kit.check(
        'replies_notice',
        sql`(kind = 'notice') = (event is not null) and (event is null) = (gig_id is null) and (event is null or ${kit.isFalse('follow_up')})`,
      ),
      kit.check(
        'replies_held',
        sql.raw(
          "held_for is null or (state = 'queued' and (held_for = 'author' or held_for = 'thread' or held_for = 'first_reply'))",
        ),
      ),
    ],
  );
}

/** What is said on platforms. */
export function createReplyTables(kit: Kit, made: Made) {
  return { replies: createReplies(kit, made) };
}
