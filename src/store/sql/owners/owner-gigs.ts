import { and, eq, exists, gt, isNull, lte, not, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { CLIENT_PREFIX } from '../../../domain/owners/owner.ts';
import type { OpenGigs } from '../../../domain/owners/owner-gigs.ts';
import { UNPAID_CLIENT } from '../../../domain/x402/deposit.ts';
import { WATCH_OPEN } from '../earning/watch-tables.ts';
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

interface WaitingPage {
  readonly createdBy: number;
  readonly scarce: { readonly createdBy: number; readonly places: number };
  readonly after: number;
  readonly limit: number;
}

/** The gigs that owners have created on their pages. */
export const ownerGigs = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { allowedOwners, gigs, watches } = tables;
  // Few gigs wait, and an owner's gigs grow with history: their index is the one to take.
  // Those that are to be paid for by x402 are nobody's yet, and have a limit of their own.
  const isOwners = and(
    kit.beginsWith(kit.noWayIn(gigs.client), CLIENT_PREFIX),
    sql`${kit.noWayIn(gigs.client)} <> ${UNPAID_CLIENT}`,
  );
  const id = kit.noWayIn(gigs.id);
  const count = sql<number>`count(*)`.mapWith(Number);
  const isLive = and(GIG_WENT_LIVE, isNull(gigs.stoppedAt), gt(gigs.endTime, placeholder('now')));
  const counted = (condition: SQL | undefined) => prepare(build.select({ count }).from(gigs).where(condition));
  const own = counted(and(equals(gigs.client, 'client'), or(GIG_WAITS, isLive)));
  const isAllowed = (owner: SQLWrapper) => sql`${owner} in (select ${allowedOwners.owner} from ${allowedOwners})`;
  const isOfAllowed = isAllowed(sql`substr(${gigs.client}, ${sql.raw(String(CLIENT_PREFIX.length + 1))})`);
  const isAlike = sql`(${isOfAllowed}) = (${isAllowed(placeholder('owner'))})`;
  const waiting = counted(and(GIG_WAITS, isOwners, isAlike));
  const isOfThem = and(eq(gigs.id, watches.gigId), isOwners, isAlike);
  const areTheirs = exists(build.select({ one: sql`1` }).from(gigs).where(isOfThem));
  const watched = prepare(build.select({ count }).from(watches).where(and(WATCH_OPEN, areTheirs)));
  const isStrangers = and(GIG_WAITS, isOwners, not(isOfAllowed));
  const areScarce = gt(sql`(${build.select({ count }).from(gigs).where(isStrangers)})`, placeholder('places'));
  const isDue = or(
    lte(gigs.createdAt, placeholder('createdBy')),
    and(lte(gigs.createdAt, placeholder('scarceBy')), isStrangers, areScarce),
  );
  const unfunded = prepare(
    build
      .select({ id: gigs.id })
      .from(gigs)
      .where(and(GIG_WAITS, isOwners, isDue, gt(id, placeholder('after'))))
      .orderBy(id)
      .limit(placeholder('limit')),
  );
  return {
    reads: {
      /**
       * The open gigs of an owner's client, and those that wait or are watched of all owners whom the operator allowed, or of all
       * others. `now` decides which live ones are over.
       */
      openOwnerGigs: locked(
        // Two creations, also of two owners, are counted one after the other.
        () => byClient(CLIENT_PREFIX),
        async (client: string, now: number): Promise<OpenGigs> => {
          const alike = { owner: client.slice(CLIENT_PREFIX.length) };
          return {
            own: (await own.get({ client, now }))?.count ?? 0,
            waiting: (await waiting.get(alike))?.count ?? 0,
            watched: (await watched.get(alike))?.count ?? 0,
          };
        },
      ),
      /**
       * Gigs of owners that were created by a time and are neither started nor cancelled, by id. While those of owners whom the
       * operator did not allow are more than `places`, those of them count that were created by `scarce.createdBy`.
       */
      waitingOwnerGigs: locked(
        nothing,
        async ({ scarce: { createdBy: scarceBy, places }, ...page }: WaitingPage): Promise<number[]> =>
          (await unfunded.all({ ...page, scarceBy, places })).map(({ id }) => id),
      ),
    },
    writes: {},
  };
});
