import { and, count, desc, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { alertDeliveries, alertWatch, DELIVERY_QUEUED } from './alert-tables.ts';
import { BATCH_OPEN, verifierBatches } from './bounty-tables.ts';
import { observations, WATCH_OPEN, watches } from './earning-tables.ts';
import { equals } from './statements.ts';
import {
  MENTION_WAITS,
  mentions,
  PAYMENT_PLANNED,
  payments,
  pollCursors,
  REPLY_OPEN,
  replies,
  stateCounts,
} from './tables.ts';

/** Reads the counts of one table into `depths`, which names its states. */
function createCountReads(db: Db) {
  const { subject, state, n } = stateCounts;
  const bySubject = prepare(db, db.select({ state, n }).from(stateCounts).where(equals(subject, 'subject')));
  return <State extends string>(
    subject: (typeof stateCounts.$inferSelect)['subject'],
    depths: Record<State, number>,
  ): Record<State, number> => {
    const found = new Map(bySubject.all({ subject }).map(({ state, n }) => [state, n]));
    for (const state in depths) depths[state] = found.get(state) ?? 0;
    return depths;
  };
}

type QueueReads = Pick<SyncReads, 'queueDepths' | 'mentionDepths' | 'paymentDepths' | 'lastArrival'>;

export function createQueueReads(db: Db): QueueReads {
  const read = createCountReads(db);
  // Takes one step per waiting mention; a counter updated on each arrival would cost webhooks more.
  const waiting = prepare(db, db.select({ n: count() }).from(mentions).where(MENTION_WAITS));
  const newest = prepare(db, db.select({ at: mentions.receivedAt }).from(mentions).orderBy(desc(mentions.id)));
  const mentionDepths = () => {
    const kept = read('mentions', { answered: 0, ignored: 0, failed: 0 });
    return { received: waiting.get()?.n ?? 0, ...kept };
  };
  const replyDepths = () => read('replies', { queued: 0, sending: 0, sent: 0, failed: 0, unknown: 0 });
  return {
    lastArrival: () => newest.get()?.at ?? null,
    mentionDepths,
    queueDepths: () => ({ mentions: waiting.get()?.n ?? 0, replies: replyDepths() }),
    paymentDepths: () => read('payments', { planned: 0, sent: 0, confirmed: 0, failed: 0 }),
  };
}

/**
 * Has what a clock that was ahead has seen of open gigs look as if it was seen now: later sweeps would be older than it,
 * and nothing that is undone would be noticed.
 */
function setSightsBack(db: Db, now: number): void {
  const { lookedAt, sweptAt, sweepBegunAt } = watches;
  const isAhead = or(gt(lookedAt, now), gt(sweptAt, now), gt(sweepBegunAt, now));
  const ahead = db.select({ gigId: watches.gigId }).from(watches).where(and(WATCH_OPEN, isAhead));
  const ofAhead = and(inArray(observations.gigId, ahead), gt(observations.lastSeenAt, now));
  db.update(observations).set({ lastSeenAt: now }).where(ofAhead).run();
  const atMostNow = (time: SQLiteColumn) => sql`min(${time}, ${now})`;
  db.update(watches)
    .set({ lookedAt: atMostNow(lookedAt), sweptAt: atMostNow(sweptAt), sweepBegunAt: atMostNow(sweepBegunAt) })
    .where(and(WATCH_OPEN, isAhead))
    .run();
}

/** Ends waits whose time is too far ahead. */
export function createQueueWrites(db: Db): Pick<SyncWrites, 'endWaits' | 'endLongWaits'> {
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
        db
          .update(payments)
          .set({ dueAt: now })
          .where(and(PAYMENT_PLANNED, gt(payments.dueAt, now))),
        db
          .update(watches)
          .set({ nextAt: now })
          .where(and(WATCH_OPEN, gt(watches.nextAt, now))),
        db
          .update(watches)
          .set({ leaseUntil: leaseEnd })
          .where(and(WATCH_OPEN, gt(watches.leaseUntil, leaseEnd))),
        db
          .update(alertDeliveries)
          .set({ nextAt: now })
          .where(and(DELIVERY_QUEUED, isNull(alertDeliveries.lease), gt(alertDeliveries.nextAt, now))),
        db
          .update(alertDeliveries)
          .set({ nextAt: leaseEnd })
          .where(and(DELIVERY_QUEUED, isNotNull(alertDeliveries.lease), gt(alertDeliveries.nextAt, leaseEnd))),
        db
          .update(verifierBatches)
          .set({ nextAt: now })
          .where(and(BATCH_OPEN, gt(verifierBatches.nextAt, now))),
      ];
      setSightsBack(db, now);
      return parts.reduce((sum, part) => sum + part.run().changes, 0);
    },
    endLongWaits({ now, longestMs }) {
      const tooFar = and(MENTION_WAITS, isNull(mentions.lease), gt(mentions.dueAt, now + longestMs));
      const tooFarAhead = and(WATCH_OPEN, gt(watches.nextAt, now + longestMs));
      const isAskedTooLate = and(BATCH_OPEN, gt(verifierBatches.nextAt, now + longestMs));
      const parts = [
        db.update(mentions).set({ dueAt: now }).where(tooFar),
        db.update(watches).set({ nextAt: now }).where(tooFarAhead),
        db.update(verifierBatches).set({ nextAt: now }).where(isAskedTooLate),
      ];
      return parts.reduce((sum, part) => sum + part.run().changes, 0);
    },
  };
}

/**
 * Ends all leases and poll claims: leased rows are due at once, in the state in which they were left. Returns how many
 * leases there were.
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
  const ofWatches = db.update(watches).set({ lease: null, leaseUntil: null }).where(isNotNull(watches.lease)).run();
  const ofDeliveries = db
    .update(alertDeliveries)
    .set({ lease: null, nextAt: 0 })
    .where(and(DELIVERY_QUEUED, isNotNull(alertDeliveries.lease)))
    .run();
  db.delete(alertWatch).run();
  return ofMentions.changes + ofReplies.changes + ofWatches.changes + ofDeliveries.changes;
}
