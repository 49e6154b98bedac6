import { and, count, desc, gt, isNotNull, isNull } from 'drizzle-orm';
import type { Db } from './connection.ts';
import type { SyncReads, SyncWrites } from './methods.ts';
import { MENTION_WAITS, mentions, REPLY_OPEN, replies } from './schema.ts';

export function createQueueReads(db: Db): Pick<SyncReads, 'queueDepths' | 'mentionDepths' | 'lastArrival'> {
  const waiting = db.select({ n: count() }).from(mentions).where(MENTION_WAITS).prepare();
  const byState = db.select({ state: replies.state, n: count() }).from(replies).groupBy(replies.state).prepare();
  const counted = db.select({ state: mentions.state, n: count() }).from(mentions).groupBy(mentions.state).prepare();
  const newest = db.select({ at: mentions.receivedAt }).from(mentions).orderBy(desc(mentions.id)).limit(1).prepare();
  return {
    lastArrival: () => newest.get()?.at ?? null,
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

/** Ends waits for times that a clock which was set back reaches too late. */
export function createQueueWrites(db: Db): Pick<SyncWrites, 'endWaits'> {
  return {
    endWaits({ now, leaseMs }) {
      const leaseEnd = now + leaseMs;
      const parts = [
        db
          .update(mentions)
          .set({ dueAt: now })
          .where(and(MENTION_WAITS, isNull(mentions.lease), gt(mentions.dueAt, now))),
        db
          .update(mentions)
          .set({ dueAt: leaseEnd })
          .where(and(MENTION_WAITS, isNotNull(mentions.lease), gt(mentions.dueAt, leaseEnd))),
        db
          .update(replies)
          .set({ dueAt: now })
          .where(and(REPLY_OPEN, isNull(replies.lease), gt(replies.dueAt, now))),
        db
          .update(replies)
          .set({ dueAt: leaseEnd })
          .where(and(REPLY_OPEN, isNotNull(replies.lease), gt(replies.dueAt, leaseEnd))),
      ];
      return parts.reduce((sum, part) => sum + part.run().changes, 0);
    },
  };
}

/** Ends every lease, whoever holds it; what was held is due at once, in the state it was left in. Answers how many. */
export function endLeases(db: Db): number {
  const ended = { lease: null, dueAt: 0 };
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
