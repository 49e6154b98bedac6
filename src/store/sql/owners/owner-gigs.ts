import { and, gt, isNull, lte, or, sql } from 'drizzle-orm';
import { CLIENT_PREFIX } from '../../../domain/owners/owner.ts';
import type { OpenGigs } from '../../../domain/owners/owner-gigs.ts';
import type { Sql } from '../engine.ts';
import { GIG_WAITS, GIG_WENT_LIVE } from '../gigs/gig-tables.ts';
import { locked, noun } from '../noun.ts';
import { equals } from '../statements.ts';
import { byClient, nothing } from '../subjects.ts';

const placeholder = sql.placeholder;

/** A gig that an owner has created. */
export function isOwnersGig({ kit, tables: { gigs } }: Sql) {
  return kit.beginsWith(gigs.client, CLIENT_PREFIX);
}

/** The gigs that owners have created on their pages. */
export const ownerGigs = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { gigs } = tables;
  // Few gigs wait, and an owner's gigs grow with history: their index is the one to take.
  const isOwners = kit.beginsWith(kit.noWayIn(gigs.client), CLIENT_PREFIX);
  const id = kit.noWayIn(gigs.id);
  const count = sql<number>`count(*)`.mapWith(Number);
  const isLive = and(GIG_WENT_LIVE, isNull(gigs.stoppedAt), gt(gigs.endTime, placeholder('now')));
  const own = prepare(
    build
      .select({ count })
      .from(gigs)
      .where(and(equals(gigs.client, 'client'), or(GIG_WAITS, isLive))),
  );
  const waiting = prepare(build.select({ count }).from(gigs).where(and(GIG_WAITS, isOwners)));
  const unfunded = prepare(
    build
      .select({ id: gigs.id })
      .from(gigs)
      .where(and(GIG_WAITS, isOwners, lte(gigs.createdAt, placeholder('createdBy')), gt(id, placeholder('after'))))
      .orderBy(id)
      .limit(placeholder('limit')),
  );
  return {
    reads: {
      /** The open gigs of an owner's client, and those of all owners that wait. `now` decides which live ones are over. */
      openOwnerGigs: locked(
        // Two creations, also of two owners, are counted one after the other.
        () => byClient(CLIENT_PREFIX),
        async (client: string, now: number): Promise<OpenGigs> => ({
          own: (await own.get({ client, now }))?.count ?? 0,
          waiting: (await waiting.get())?.count ?? 0,
        }),
      ),
      /** Gigs of owners that were created by a time and are neither started nor cancelled, by id. */
      waitingOwnerGigs: locked(
        nothing,
        async (page: { createdBy: number; after: number; limit: number }): Promise<number[]> =>
          (await unfunded.all({ ...page })).map(({ id }) => id),
      ),
    },
    writes: {},
  };
});
