import { type SQL, sql } from 'drizzle-orm';
import { IGNORE_REASONS, MENTION_STATES } from '../../../domain/mentions/mention.ts';
import { isEither, isOneOf } from '../checks.ts';
import { type AccountTables, isAccount } from '../claims/account-tables.ts';
import type { Kit } from '../kit.ts';

const SOURCES = ['webhook', 'poll'] as const;

/** Mentions without an answer; the condition of their indices, word for word. */
export const MENTION_WAITS = sql.raw("mentions.state = 'received'");

/** Waiting mentions that no older mention of their author precedes; the condition of one index, word for word. */
export function isLeadingMention(kit: Kit): SQL {
  return sql`mentions.state = 'received' and ${kit.isFalse('mentions.behind')}`;
}

/**
 * `due_at` is when the row may be leased: on arrival, at the end of a lease, or at the next try. `behind` is set on
 * arrival while an older mention of the author waits; a trigger clears it when that mention is done.
 */
function createMentions(kit: Kit, made: AccountTables) {
  return kit.table(
    'mentions',
    {
      id: kit.rowId('id'),
      version: kit.integer('version').$type<1>().notNull(),
      platform: kit.text('platform').notNull(),
      postId: kit.text('post_id').notNull(),
      replyTo: kit.text('reply_to').notNull(),
      threadId: kit.text('thread_id').notNull(),
      authorId: kit.text('author_id').notNull(),
      authorUsername: kit.text('author_username'),
      text: kit.text('text').notNull(),
      postedAt: kit.integer('posted_at').notNull(),
      receivedAt: kit.integer('received_at').notNull(),
      source: kit.text('source', { enum: SOURCES }).notNull(),
      state: kit.text('state', { enum: MENTION_STATES }).notNull(),
      attempts: kit.integer('attempts').notNull(),
      ignoreReason: kit.text('ignore_reason', { enum: IGNORE_REASONS }),
      lastError: kit.text('last_error'),
      lease: kit.text('lease'),
      dueAt: kit.integer('due_at').notNull(),
      behind: kit.flag('behind').notNull().default(false),
    },
    (table) => [
      kit.uniqueIndex('mentions_by_post').on(table.platform, table.postId),
      kit.index('mentions_due').on(table.platform, table.dueAt).where(isLeadingMention(kit)),
      kit.index('mentions_waiting_by_author').on(table.platform, table.authorId).where(MENTION_WAITS),
      kit.index('mentions_by_author').on(table.platform, table.authorId, table.id),
      kit.index('mentions_by_state').on(table.state),
      isAccount(kit, made, [table.platform, table.authorId]),
      kit.check('mentions_source', isOneOf('source', SOURCES)),
      kit.check('mentions_state', isEither('state', MENTION_STATES)),
      kit.check('mentions_ignore_reason', isEither('ignore_reason', IGNORE_REASONS)),
      kit.check('mentions_lease', sql.raw("lease is null or state = 'received'")),
      kit.check('mentions_behind', kit.isBoolean('behind')),
    ],
  );
}

function createPollCursors(kit: Kit, made: AccountTables) {
  const { platforms } = made;
  return kit.table('poll_cursors', {
    platform: kit
      .text('platform')
      .primaryKey()
      .references(() => platforms.id),
    cursor: kit.text('cursor'),
    updatedAt: kit.integer('updated_at').notNull(),
    /** When a process last claimed the poll for mentions; 0 when it is free. */
    claimedAt: kit.integer('claimed_at').notNull().default(0),
    /** Until when the platform refuses every call of the account; it stays after that, null before the first time. */
    pausedUntil: kit.integer('paused_until'),
    pauseReason: kit.text('pause_reason'),
  });
}

/** What was received from platforms. */
export function createMentionTables(kit: Kit, made: AccountTables) {
  return { mentions: createMentions(kit, made), pollCursors: createPollCursors(kit, made) };
}

export type MentionTables = ReturnType<typeof createMentionTables>;
