import { and, eq, lte, or, type SQL, sql } from 'drizzle-orm';
import { MINUTE_MS } from '../../../domain/time.ts';
import type { EndpointLease, TakenSlot } from '../../port/events.ts';
import type { Sql, Tables } from '../engine.ts';
import { bound, equals, prepareChange } from '../statements.ts';
import { ENDPOINT_ACTIVE, ENDPOINT_THERE, EVENT_DELIVERY_QUEUED } from './event-tables.ts';
import { endpointColumns } from './webhook-endpoints.ts';

const placeholder = sql.placeholder;

/** How many requests may be under way to the endpoints of a client, to those that answer slowly, and to all. */
const AT_ONCE = { client: 2, slow: 8, inAll: 16 };
/** An answer that takes longer is a slow one, milliseconds. */
const SLOW_MS = 1_000;
/** For how long an endpoint counts as slow after a slow answer, and after it was created. */
const SLOW_FOR_MS = 10 * MINUTE_MS;

/** What conditions about slots compare with. */
function timesAt(now: number) {
  return { now, slowSince: now - SLOW_FOR_MS };
}

/** Whether an endpoint may be slow. A time ahead of the clock was stored before that was set back. */
function isSlow(name: string): SQL {
  const slowAt = sql.raw(`${name}.slow_at`);
  return sql`(${slowAt} > ${placeholder('slowSince')} and ${slowAt} <= ${placeholder('now')})`;
}

/** Whether one more request may be under way, also to one of deleted or paused endpoints. */
function isSlotFree({ kit, tables: { webhookEndpoints } }: Sql): SQL {
  const underWay = (which: SQL) =>
    sql`(select count(*) from webhook_endpoints other where other.lease is not null and other.next_at > ${placeholder('now')} and ${which})`;
  const isOfClient = kit.isSame(sql.raw('other.client'), webhookEndpoints.client);
  return sql`${underWay(sql`true`)} < ${AT_ONCE.inAll} and ${underWay(isOfClient)} < ${AT_ONCE.client} and (not ${isSlow('webhook_endpoints')} or ${underWay(isSlow('other'))} < ${AT_ONCE.slow})`;
}

/** Not while an earlier one of its gig is queued; what is asked for again holds up no other, and waits for its own kind. */
export function isFirstOfGig({ eventDeliveries: d }: Tables): SQL {
  return sql`not exists (select 1 from event_deliveries earlier where earlier.state = 'queued' and earlier.endpoint_id = ${d.endpointId} and earlier.gig_id = ${d.gigId} and earlier.replay = ${d.replay} and earlier.place < ${d.place})`;
}

/** Endpoints to which the first of a gig's deliveries may be sent now, those of the client that was asked longest ago first. */
function freeEndpoints(db: Sql) {
  const { build, kit, tables } = db;
  const { eventDeliveries, webhookEndpoints } = tables;
  const { client, id, nextAt } = webhookEndpoints;
  const now = placeholder('now');
  const isDue = and(
    eq(eventDeliveries.endpointId, id),
    lte(eventDeliveries.nextAt, now),
    EVENT_DELIVERY_QUEUED,
    isFirstOfGig(tables),
  );
  // Not `exists`, which PostgreSQL joins: it would look at all that is queued, instead of the first that is due.
  const hasDue = sql`${build.select({ one: sql`1` }).from(eventDeliveries).where(isDue).limit(1)} is not null`;
  const turns = sql`(select client, max(asked_at) as asked_at from webhook_endpoints where ${ENDPOINT_THERE} and asked_at <= ${now} group by client) as turns`;
  return build
    .select(endpointColumns(tables))
    .from(webhookEndpoints)
    .leftJoin(turns, kit.isSame(sql.raw('turns.client'), client))
    .where(and(ENDPOINT_ACTIVE, lte(nextAt, now), isSlotFree(db), hasDue))
    .orderBy(sql`coalesce(turns.asked_at, 0)`, nextAt, id);
}

/** Prepares to take and to free slots: a request to an endpoint holds one, by the endpoint's lease. */
export function createSlots(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { webhookEndpoints } = tables;
  const { askedAt, id, lease, nextAt, slowAt } = webhookEndpoints;
  const due = prepare(kit.first(freeEndpoints(db)));
  const claimed = prepare(kit.claiming(freeEndpoints(db), webhookEndpoints));
  const isIdle = or(sql`${lease} is null`, lte(nextAt, placeholder('now')));
  const one = prepare(
    build
      .select({ nextAt })
      .from(webhookEndpoints)
      .where(and(equals(id, 'endpointId'), ENDPOINT_THERE, isIdle, isSlotFree(db))),
  );
  const held = { lease: bound('lease'), nextAt: bound('until'), askedAt: bound('now') };
  const hold = prepareChange(db, webhookEndpoints, held, equals(id, 'endpointId'));
  const slow = sql`case when ${askedAt} < ${placeholder('slowBefore')} then ${placeholder('now')} else ${slowAt} end`;
  const freed = { lease: null, nextAt: bound('nextAt'), slowAt: slow };
  const free = prepareChange(db, webhookEndpoints, freed, and(equals(id, 'endpointId'), equals(lease, 'lease')));
  return {
    isAnyDue: async (now: number): Promise<boolean> => (await due.get(timesAt(now))) !== undefined,
    /** The endpoint that is next, which is not held yet. */
    next: async (now: number) => await claimed.get(timesAt(now)),
    hold: (request: EndpointLease) => hold({ ...request }),
    /** Takes a slot for one endpoint, whether anything is queued for it or not; null while there is none. */
    async take(request: EndpointLease): Promise<TakenSlot | null> {
      const { endpointId, lease: by, now } = request;
      const found = await one.get({ endpointId, ...timesAt(now) });
      if (found === undefined) return null;
      await hold({ ...request });
      return { endpointId, lease: by, nextAt: found.nextAt };
    },
    /** Ends a request: nothing is sent there before `nextAt`. Only under the lease. */
    free: ({ now, ...slot }: TakenSlot & { readonly now: number }) => free({ ...slot, now, slowBefore: now - SLOW_MS }),
  };
}
