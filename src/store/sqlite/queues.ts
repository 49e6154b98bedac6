import { and, count, eq, isNotNull, sql } from 'drizzle-orm';
import type { Db } from './connection.ts';
import type { SyncReads } from './methods.ts';
import { MENTION_WAITS, mentions, pollCursors, REPLY_OPEN, replies, stateCounts } from './schema.ts';

/** Reads the kept counts of one table into `depths`, which names its states. */
function createCountReads(db: Db) {
  const bySubject = db
    .select({ state: stateCounts.state, n: stateCounts.n })
    .from(stateCounts)
    .where(eq(stateCounts.subject, sql.placeholder('subject')))
    .prepare();
  return <State extends string>(
    subject: (typeof stateCounts.$inferSelect)['subject'],
    depths: Record<State, number>,
  ): Record<State, number> => {
    const found = new Map(bySubject.all({ subject }).map(({ state, n }) => [state, n]));
    for (const state in depths) depths[state] = found.get(state) ?? 0;
    return depths;
  };
}

export function createQueueReads(db: Db): Pick<SyncReads, 'queueDepths' | 'mentionDepths' | 'transferDepths'> {
  const read = createCountReads(db);
  // As many steps as there are mentions that wait; counting each as it comes would cost webhooks more.
  const waiting = db.select({ n: count() }).from(mentions).where(MENTION_WAITS).prepare();
  const mentionDepths = () => {
    const kept = read('mentions', { answered: 0, ignored: 0, failed: 0 });
    return { received: waiting.get()?.n ?? 0, ...kept };
  };
  const replyDepths = () => read('replies', { queued: 0, sending: 0, sent: 0, failed: 0, unknown: 0 });
  return {
    mentionDepths,
    queueDepths: () => ({ mentions: waiting.get()?.n ?? 0, replies: replyDepths() }),
    transferDepths: () =>
      read('transfers', { planned: 0, signed: 0, broadcast: 0, confirmed: 0, failed: 0, replaced: 0 }),
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
