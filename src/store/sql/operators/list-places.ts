import { and, asc, type Column, desc, type SQL, sql } from 'drizzle-orm';
import type { DatedList } from '../../../domain/id-span.ts';
import type { PreparedStatement, Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { equals } from '../statements.ts';
import { nothing } from '../subjects.ts';

/** A row of a list: its place in the order of the list, and when it came. */
interface Placed {
  readonly place: number;
  readonly at: number;
}

/** Finds the newest row of a list up to a place, and the first one from a place on. */
interface Places {
  readonly last: PreparedStatement<Placed>;
  readonly next: PreparedStatement<Placed>;
}

/**
 * The place from which on rows came at or after a time, by bisection: rows come in the order of their places. Where a clock was
 * set back, several places are right, and it is one of these.
 */
async function placeSince({ last, next }: Places, at: number, of: { readonly gigId?: number } = {}): Promise<number> {
  const newest = await last.get({ ...of, highest: Number.MAX_SAFE_INTEGER });
  let [from, to] = [0, (newest?.place ?? -1) + 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const row = await next.get({ ...of, lowest: middle });
    if (row === undefined || row.at >= at) to = middle;
    else from = row.place + 1;
  }
  return from;
}

function preparePlaces(
  { build, prepare }: Sql,
  table: Sql['tables'][DatedList | 'tips'],
  { id, at, isOf }: { readonly id: Column; readonly at: Column; readonly isOf?: SQL },
): Places {
  const placed = { place: sql`${id}`.mapWith(Number), at: sql`${at}`.mapWith(Number) };
  const rows = (isOnSide: SQL, order: SQL) =>
    prepare(build.select(placed).from(table).where(and(isOf, isOnSide)).orderBy(order).limit(1));
  return {
    last: rows(sql`${id} <= ${sql.placeholder('highest')}`, desc(id)),
    next: rows(sql`${id} >= ${sql.placeholder('lowest')}`, asc(id)),
  };
}

/** Where a time is in lists that are read by their ids: as many looks as the last id has binary digits, each in an index. */
export const listPlaces = noun((db: Sql) => {
  const { auditEvents, claims, gigs, mentions, payments, replies, tips } = db.tables;
  const created = (table: typeof claims | typeof gigs | typeof payments | typeof replies) =>
    preparePlaces(db, table, { id: table.id, at: table.createdAt });
  const lists: Readonly<Record<DatedList, Places>> = {
    auditEvents: preparePlaces(db, auditEvents, { id: auditEvents.id, at: auditEvents.at }),
    claims: created(claims),
    gigs: created(gigs),
    mentions: preparePlaces(db, mentions, { id: mentions.id, at: mentions.receivedAt }),
    payments: created(payments),
    replies: created(replies),
  };
  const isOf = equals(tips.gigId, 'gigId');
  const tipsOfGig = preparePlaces(db, tips, { id: tips.number, at: tips.createdAt, isOf });
  return {
    reads: {
      /** The id from which on a list's rows came at or after a time (epoch milliseconds); beyond its last one when none did. */
      idSince: locked(
        nothing,
        async (list: DatedList, at: number): Promise<number> => await placeSince(lists[list], at),
      ),
      /** As `idSince`, the number of a gig's tip. */
      tipNumberSince: locked(
        nothing,
        async (gigId: number, at: number): Promise<number> => await placeSince(tipsOfGig, at, { gigId }),
      ),
    },
    writes: {},
  };
});
