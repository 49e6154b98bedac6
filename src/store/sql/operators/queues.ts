import { and, count, desc, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { MentionState, ReplyState } from '../../../domain/mentions/mention.ts';
import type { PaymentState } from '../../../domain/payments/payment.ts';
import { BATCH_OPEN } from '../earning/payout-tables.ts';
import { WATCH_OPEN } from '../earning/watch-tables.ts';
import type { Sql, Tables } from '../engine.ts';
import { ENDPOINT_THERE, EVENT_DELIVERY_QUEUED } from '../events/event-tables.ts';
import { MENTION_WAITS } from '../mentions/mention-tables.ts';
import { REPLY_OPEN } from '../mentions/reply-tables.ts';
import { NOTIFICATION_QUEUED } from '../notifications/notification-tables.ts';
import { locked, noun } from '../noun.ts';
import { LINK_LIVE } from '../owners/owner-tables.ts';
import { PAYMENT_PLANNED } from '../payments/payment-tables.ts';
import { bound, changeEach, equals } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { DEPOSIT_OPEN } from '../x402/x402-tables.ts';
import { DELIVERY_QUEUED } from './alert-tables.ts';

function createCountReads({ build, prepare, tables }: Sql) {
  const { stateCounts } = tables;
  const { subject, state, n } = stateCounts;
  const bySubject = prepare(build.select({ state, n }).from(stateCounts).where(equals(subject, 'subject')));
  return async <State extends string>(
    subject: Tables['stateCounts']['$inferSelect']['subject'],
    depths: Record<State, number>,
  ): Promise<Record<State, number>> => {
    const found = new Map((await bySubject.all({ subject })).map(({ state, n }) => [state, n]));
    for (const state in depths) depths[state] = found.get(state) ?? 0;
    return depths;
  };
}

/**
 * Has what a clock that was ahead has seen of open gigs look as if it was seen now: later sweeps would be older than it,
 * and nothing that is undone would be noticed.
 */
function createSightsBack({ build, prepare, tables }: Sql): (now: number) => Promise<void> {
  const { observations, watches } = tables;
  const { lookedAt, sweptAt, sweepBegunAt } = watches;
  const now = bound('now');
  const isAhead = or(gt(lookedAt, now), gt(sweptAt, now), gt(sweepBegunAt, now));
  const ahead = build.select({ gigId: watches.gigId }).from(watches).where(and(WATCH_OPEN, isAhead));
  const ofAhead = and(inArray(observations.gigId, ahead), gt(observations.lastSeenAt, now));
  const seen = prepare(build.update(observations).set({ lastSeenAt: now }).where(ofAhead));
  // Null stays null.
  const atMostNow = (time: PgColumn) => sql`case when ${time} > ${now} then ${now} else ${time} end`;
  const back = { lookedAt: atMostNow(lookedAt), sweptAt: atMostNow(sweptAt), sweepBegunAt: atMostNow(sweepBegunAt) };
  const looked = prepare(build.update(watches).set(back).where(and(WATCH_OPEN, isAhead)));
  return async (at) => {
    await seen.run({ now: at });
    await looked.run({ now: at });
  };
}

function total(changes: readonly number[]): number {
  return changes.reduce((sum, changed) => sum + changed, 0);
}

/**
 * Ends all leases and poll claims: leased rows are due at once, in the state in which they were left. Returns how many
 * leases there were.
 */
export async function endLeases({ build, prepare, tables }: Sql): Promise<number> {
  const { alertDeliveries, alertWatch, eventDeliveries, eventReleases, mentions, pollCursors, replies, watches } =
    tables;
  const { notifications, webhookEndpoints } = tables;
  const ended = { lease: null, dueAt: 0 };
  await prepare(build.update(pollCursors).set({ claimedAt: 0 })).run();
  const parts = [
    build
      .update(mentions)
      .set(ended)
      .where(and(MENTION_WAITS, isNotNull(mentions.lease))),
    build
      .update(replies)
      .set(ended)
      .where(and(REPLY_OPEN, isNotNull(replies.lease))),
    build.update(watches).set({ lease: null, leaseUntil: null }).where(isNotNull(watches.lease)),
    build
      .update(alertDeliveries)
      .set({ lease: null, nextAt: 0 })
      .where(and(DELIVERY_QUEUED, isNotNull(alertDeliveries.lease))),
    build
      .update(eventDeliveries)
      .set({ lease: null, nextAt: 0 })
      .where(and(EVENT_DELIVERY_QUEUED, isNotNull(eventDeliveries.lease))),
    build
      .update(notifications)
      .set({ lease: null, nextAt: 0 })
      .where(and(NOTIFICATION_QUEUED, isNotNull(notifications.lease))),
  ];
  const leases = total(await changeEach(parts, (part) => prepare(part).run()));
  await prepare(build.delete(alertWatch)).run();
  await prepare(build.delete(eventReleases)).run();
  const isLeased = isNotNull(webhookEndpoints.lease);
  await prepare(build.update(webhookEndpoints).set({ lease: null, nextAt: 0 }).where(isLeased)).run();
  return leases;
}

/** Ends what mentions, replies, payments, deposits and watches wait for, and their leases. */
function prepareWorkWaits({ build, prepare, tables }: Sql) {
  const { deposits, mentions, payments, replies, watches } = tables;
  const [now, leaseEnd] = [bound('now'), bound('leaseEnd')];
  return [
    build
      .update(mentions)
      .set({ dueAt: now })
      .where(and(MENTION_WAITS, isNull(mentions.lease), gt(mentions.dueAt, now))),
    build
      .update(mentions)
      .set({ dueAt: leaseEnd })
      .where(and(MENTION_WAITS, isNotNull(mentions.lease), gt(mentions.dueAt, leaseEnd))),
    build
      .update(replies)
      .set({ dueAt: now })
      .where(and(REPLY_OPEN, isNull(replies.lease), gt(replies.dueAt, now))),
    build
      .update(replies)
      .set({ dueAt: leaseEnd })
      .where(and(REPLY_OPEN, isNotNull(replies.lease), gt(replies.dueAt, leaseEnd))),
    build
      .update(payments)
      .set({ dueAt: now })
      .where(and(PAYMENT_PLANNED, gt(payments.dueAt, now))),
    build
      .update(deposits)
      .set({ dueAt: now })
      .where(and(DEPOSIT_OPEN, gt(deposits.dueAt, now))),
    build
      .update(deposits)
      .set({ askedAt: now })
      .where(and(DEPOSIT_OPEN, gt(deposits.askedAt, now))),
    build
      .update(watches)
      .set({ nextAt: now })
      .where(and(WATCH_OPEN, gt(watches.nextAt, now))),
    build
      .update(watches)
      .set({ leaseUntil: leaseEnd })
      .where(and(WATCH_OPEN, gt(watches.leaseUntil, leaseEnd))),
  ].map((wait) => prepare(wait));
}

/** The same for what is sent to receivers of alerts, to endpoints, to verifiers and by notifications, and for links. */
function prepareTellingWaits({ build, prepare, tables }: Sql) {
  const { alertDeliveries, eventDeliveries, notifications, ownerLinks, verifierBatches, webhookEndpoints } = tables;
  const [now, leaseEnd] = [bound('now'), bound('leaseEnd')];
  return [
    build
      .update(alertDeliveries)
      .set({ nextAt: now })
      .where(and(DELIVERY_QUEUED, isNull(alertDeliveries.lease), gt(alertDeliveries.nextAt, now))),
    build
      .update(alertDeliveries)
      .set({ nextAt: leaseEnd })
      .where(and(DELIVERY_QUEUED, isNotNull(alertDeliveries.lease), gt(alertDeliveries.nextAt, leaseEnd))),
    build
      .update(eventDeliveries)
      .set({ nextAt: now })
      .where(and(EVENT_DELIVERY_QUEUED, isNull(eventDeliveries.lease), gt(eventDeliveries.nextAt, now))),
    build
      .update(eventDeliveries)
      .set({ nextAt: leaseEnd })
      .where(and(EVENT_DELIVERY_QUEUED, isNotNull(eventDeliveries.lease), gt(eventDeliveries.nextAt, leaseEnd))),
    build
      .update(notifications)
      .set({ nextAt: now })
      .where(and(NOTIFICATION_QUEUED, isNull(notifications.lease), gt(notifications.nextAt, now))),
    build
      .update(notifications)
      .set({ nextAt: leaseEnd })
      .where(and(NOTIFICATION_QUEUED, isNotNull(notifications.lease), gt(notifications.nextAt, leaseEnd))),
    build
      .update(webhookEndpoints)
      .set({ nextAt: now })
      .where(and(ENDPOINT_THERE, isNull(webhookEndpoints.lease), gt(webhookEndpoints.nextAt, now))),
    build
      .update(webhookEndpoints)
      .set({ nextAt: leaseEnd })
      .where(and(isNotNull(webhookEndpoints.lease), gt(webhookEndpoints.nextAt, leaseEnd))),
    build
      .update(verifierBatches)
      .set({ nextAt: now })
      .where(and(BATCH_OPEN, gt(verifierBatches.nextAt, now))),
    // What was valid before the clock was set back stays so.
    build
      .update(ownerLinks)
      .set({ validFrom: now })
      .where(and(LINK_LIVE, gt(ownerLinks.validFrom, now))),
  ].map((wait) => prepare(wait));
}

/** Ends waits that last longer than any is to. */
function prepareLongWaits({ build, prepare, tables }: Sql) {
  const { mentions, verifierBatches, watches } = tables;
  const [now, longest] = [bound('now'), bound('longest')];
  const tooFar = and(MENTION_WAITS, isNull(mentions.lease), gt(mentions.dueAt, longest));
  const tooFarAhead = and(WATCH_OPEN, gt(watches.nextAt, longest));
  const isAskedTooLate = and(BATCH_OPEN, gt(verifierBatches.nextAt, longest));
  return [
    build.update(mentions).set({ dueAt: now }).where(tooFar),
    build.update(watches).set({ nextAt: now }).where(tooFarAhead),
    build.update(verifierBatches).set({ nextAt: now }).where(isAskedTooLate),
  ].map((wait) => prepare(wait));
}

export const queues = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { mentions } = tables;
  const read = createCountReads(db);
  // Takes one step per waiting mention; a counter updated on each arrival would cost webhooks more.
  const waiting = prepare(build.select({ n: count() }).from(mentions).where(MENTION_WAITS));
  const byId = build.select({ at: mentions.receivedAt }).from(mentions).orderBy(desc(mentions.id));
  const newest = prepare(kit.first(byId));
  const mentionDepths = async (): Promise<Record<MentionState, number>> => {
    const kept = await read('mentions', { answered: 0, ignored: 0, failed: 0 });
    return { received: (await waiting.get())?.n ?? 0, ...kept };
  };
  const replyDepths = () => read('replies', { queued: 0, sending: 0, sent: 0, failed: 0, unknown: 0 });
  const setSightsBack = createSightsBack(db);
  const waits = [...prepareWorkWaits(db), ...prepareTellingWaits(db)];
  const longWaits = prepareLongWaits(db);
  return {
    reads: {
      /** When the newest mention arrived, in epoch milliseconds; null before the first one. */
      lastArrival: locked(nothing, async (): Promise<number | null> => (await newest.get())?.at ?? null),
      /** How many mentions are in each state; read from stored counts, except waiting ones. */
      mentionDepths: locked(nothing, mentionDepths),
      /** How many mentions wait for an answer, and how many replies are in each state. */
      queueDepths: locked(
        nothing,
        async (): Promise<{ mentions: number; replies: Record<ReplyState, number> }> => ({
          mentions: (await waiting.get())?.n ?? 0,
          replies: await replyDepths(),
        }),
      ),
      /** How many payments stand in each state. */
      paymentDepths: locked(
        nothing,
        (): Promise<Record<PaymentState, number>> => read('payments', { planned: 0, sent: 0, confirmed: 0, failed: 0 }),
      ),
    },
    writes: {
      /**
       * Makes waiting mentions, replies, planned payments, watches and questions to verifiers due at `now`, and leased ones when
       * a new lease would end, if that is earlier. Returns how many changed.
       */
      endWaits: locked(nothing, async ({ now, leaseMs }: { now: number; leaseMs: number }): Promise<number> => {
        await setSightsBack(now);
        return total(await changeEach(waits, (wait) => wait.run({ now, leaseEnd: now + leaseMs })));
      }),
      /**
       * Makes watches, questions to verifiers, and unleased mentions, that wait longer than `longestMs` due at `now`. Returns
       * how many changed.
       */
      endLongWaits: locked(nothing, async ({ now, longestMs }: { now: number; longestMs: number }): Promise<number> => {
        return total(await changeEach(longWaits, (wait) => wait.run({ now, longest: now + longestMs })));
      }),
    },
  };
});
