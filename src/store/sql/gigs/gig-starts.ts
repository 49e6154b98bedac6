import { and, asc, gt, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { START_RETRY_MS } from '../../../domain/gigs/gig.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, equals, prepareChange } from '../statements.ts';
import { byGig, nothing } from '../subjects.ts';
import { NO_START } from './gig-changes.ts';
import { GIG_TO_START } from './gig-tables.ts';

const placeholder = sql.placeholder;

/** Gigs that the service starts by itself. */
export const gigStarts = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { gigs } = tables;
  const { id, startTryAt, startUntil } = gigs;
  const now = placeholder('now');
  // Keeps SQLite from walking all gigs by their ids.
  const isLater = gt(kit.noWayIn(id), placeholder('after'));
  const ids = (condition: SQL | undefined) =>
    prepare(
      build
        .select({ id })
        .from(gigs)
        .where(and(GIG_TO_START, condition, isLater))
        .orderBy(asc(id))
        .limit(placeholder('limit')),
    );
  // A try that is further ahead than any wait was put off before the clock was set back.
  const isDue = or(isNull(startTryAt), lte(startTryAt, now), gt(startTryAt, placeholder('implausible')));
  const isExpired = lte(startUntil, now);
  const due = ids(and(isDue, gt(startUntil, now)));
  const expired = ids(and(isDue, isExpired));
  const isWaiting = and(equals(id, 'id'), GIG_TO_START);
  const refuse = prepareChange(db, gigs, { startRefusal: bound('code'), startTryAt: bound('tryAt') }, isWaiting);
  const giveUp = prepareChange(db, gigs, NO_START, and(isWaiting, isExpired));
  return {
    reads: {
      /** Gigs whose wallets are to be looked at now to start them, by id; `after` is an id. */
      gigsToStart: locked(
        nothing,
        async (query: { now: number; after: number; limit: number }): Promise<number[]> =>
          (await due.all({ ...query, implausible: query.now + START_RETRY_MS })).map((row) => row.id),
      ),
      /** Gigs whose wallets were looked at for long enough, by id; `after` is an id. */
      gigsNotStarted: locked(
        nothing,
        async (query: { now: number; after: number; limit: number }): Promise<number[]> =>
          (await expired.all({ ...query, implausible: query.now + START_RETRY_MS })).map((row) => row.id),
      ),
    },
    writes: {
      /** Keeps why a gig could not be started by itself, and when that is tried again; false when it is not to be. */
      refuseStart: locked(byGig, (gigId: number, refusal: { code: string; tryAt: number }) =>
        refuse({ id: gigId, ...refusal }),
      ),
      /** Ends the looks at the wallet of a gig that was not started in time; false when it was, or there is time left. */
      giveUpStart: locked(byGig, (gigId: number, at: number) => giveUp({ id: gigId, now: at })),
    },
  };
});
