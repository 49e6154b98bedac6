import { and, asc, type Column, eq, gt, gte, isNotNull, isNull, lte, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Platform } from '../../../domain/account.ts';
import type { Sql } from '../engine.ts';
import { GIG_UNSETTLED, GIG_WAITS } from '../gigs/gig-tables.ts';
import { TELLING_OPEN } from '../mentions/telling-tables.ts';
import { locked, noun } from '../noun.ts';
import { nothing } from '../subjects.ts';
import { ENDPOINT_THERE, EVENT_ONCE } from './event-tables.ts';

const placeholder = sql.placeholder;
const one = { one: sql`1` };

/** Gigs of which something has happened that no act on them says. */
export const untoldGigs = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { events, gigOwners, gigTellings, gigs, webhookEndpoints } = tables;
  const { client, createdAt, endTime, stoppedAt } = gigs;
  const hasNone = (type: 'gig.funded' | 'gig.ended') =>
    notExists(
      build
        .select(one)
        .from(events)
        .where(and(eq(events.gigId, gigs.id), EVENT_ONCE, eq(events.type, type))),
    );
  // Keeps SQLite from walking all gigs by their ids.
  const id = kit.noWayIn(gigs.id);
  const ids = (condition: SQL | undefined, order: Column | SQL = gigs.id) =>
    prepare(
      build
        .select({ id: gigs.id })
        .from(gigs)
        .where(and(condition, gt(id, placeholder('after'))))
        .orderBy(asc(order))
        .limit(placeholder('limit')),
    );
  const isOver = or(lte(endTime, placeholder('now')), isNotNull(stoppedAt));
  const ended = ids(and(GIG_UNSETTLED, isOver, hasNone('gig.ended')));
  const isTaken = build
    .select(one)
    .from(webhookEndpoints)
    .where(and(ENDPOINT_THERE, or(isNull(webhookEndpoints.client), eq(webhookEndpoints.client, client))));
  const isAsked = build
    .select(one)
    .from(gigTellings)
    .where(and(eq(gigTellings.gigId, gigs.id), TELLING_OPEN));
  const isNotified = build
    .select(one)
    .from(gigOwners)
    .where(and(eq(gigOwners.gigId, gigs.id), kit.isAmong(gigOwners.platform, 'notified')));
  const isWanted = sql`(exists ${isTaken} or exists ${isAsked} or exists ${isNotified})`;
  // The job that starts gigs by itself also records their `gig.funded`.
  const isByRequest = isNull(gigs.startUntil);
  const isSince = gte(createdAt, placeholder('since'));
  const waiting = ids(and(GIG_WAITS, isByRequest, isSince, isWanted, hasNone('gig.funded')), id);
  return {
    reads: {
      /** Gigs that have ended and are not settled, of which no program was told so, by id. */
      gigsEndedUntold: locked(
        nothing,
        async (query: { now: number; after: number; limit: number }): Promise<number[]> =>
          (await ended.all(query)).map(({ id }) => id),
      ),
      /**
       * Gigs that were created since then and wait for their funding and a request to start, if someone is to be told about it, by
       * id. `notified` names the platforms whose accounts get notifications.
       */
      gigsAwaitingFunds: locked(
        nothing,
        async (query: {
          since: number;
          after: number;
          limit: number;
          notified: readonly Platform[];
        }): Promise<number[]> => (await waiting.all({ ...query })).map(({ id }) => id),
      ),
    },
    writes: {},
  };
});
