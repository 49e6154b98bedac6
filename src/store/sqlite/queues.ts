import { and, count, isNotNull } from 'drizzle-orm';
import type { Db } from './connection.ts';
import type { SyncReads } from './methods.ts';
import { MENTION_WAITS, mentions, pollCursors, REPLY_OPEN, replies } from './schema.ts';

export function createQueueReads(db: Db): Pick<SyncReads, 'queueDepths' | 'mentionDepths'> {
  const waiting = db.select({ n: count() }).from(mentions).where(MENTION_WAITS).prepare();
  const byState = db.select({ state: replies.state, n: count() }).from(replies).groupBy(replies.state).prepare();
  const counted = db.select({ state: mentions.state, n: count() }).from(mentions).groupBy(mentions.state).prepare();
  return {
    mentionDepths() {
      const depths = { received: 0, answered: 0, ignored: 0, failed: 0 };
      for (const { state, n } of counted.all()) depths[state] = n;
      return depths;
    },
    queueDepths() {
      const depths = { queued: 0, sending: 0, sent: 0, failed: 0, unknown: 0 };
      for (const { state, n } of byState.all()) depths[state] = n;
      return { mentions: waiting.get()?.n ?? 0, replies: depths };
    },
  };
}

/**
 * Ends every lease, whoever holds it; what was held is due at once, in the state it was left in, and polling is free.
 * Answers how many leases there were.
 */
export function endLeases(db: Db): number {
  const ended = { lease: null, dueAt: 0 };
  db.update(pollCursors).set({ claimedAt: 0 }).run();
  const ofMentions = db
    .update(mentions)
    .set(ended)
    .where(and(MENTION_WAITS, isNotNull(mentions.lease)))
    .run();
  const ofReplies = db
    .update(replies)
    .set(ended)
    .where(and(REPLY_OPEN, isNotNull(replies.lease)))
    .run();
  return ofMentions.changes + ofReplies.changes;
}
