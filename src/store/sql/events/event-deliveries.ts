import { and, count, desc, eq, getTableColumns, gt, inArray, lt, lte, max, type SQL, sql } from 'drizzle-orm';
import type { HeldEventDelivery, ListedDelivery } from '../../../domain/events/endpoint.ts';
import type {
  DeliveryFilter,
  EndedTry,
  EventLease,
  FailedTry,
  Replayed,
  ReplayRequest,
  WaitingDeliveries,
} from '../../port/events.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, equals, prepareChange, typed } from '../statements.ts';
import { byEventLeases, nothing } from '../subjects.ts';
import { createSlots, isFirstOfGig } from './endpoint-slots.ts';
import {
  ENDPOINT_THERE,
  EVENT_DELIVERY_ENDED,
  EVENT_DELIVERY_MADE,
  EVENT_DELIVERY_QUEUED,
  EVENT_RELEASED,
} from './event-tables.ts';
import { eventColumns } from './events.ts';
import { toEndpoint } from './webhook-endpoints.ts';

const placeholder = sql.placeholder;

type Slots = ReturnType<typeof createSlots>;

/**
 * Prepares to queue deliveries of rows of events to rows of endpoints. An event that was queued for an endpoint before is left out,
 * unless it is asked for again.
 */
export function createDeliveryInsert({ build, kit, prepare, tables }: Sql, from: SQL) {
  const { eventDeliveries, events, webhookEndpoints } = tables;
  const now = placeholder('now');
  // All columns, in the order of the table.
  const selected = sql`select ${kit.nextId('event_deliveries', 'place')}, ${kit.randomId}, ${events.id}, ${webhookEndpoints.id}, ${events.gigId}, 'queued', 0, ${now}, null, ${now}, null, null, null, ${typed(eventDeliveries.replay, 'replay')} ${from}`;
  const insert = prepare(build.insert(eventDeliveries).select(selected).onConflictDoNothing());
  return (given: { readonly now: number; readonly replay: boolean; readonly [name: string]: unknown }) =>
    insert.run(given);
}

/** Whether an endpoint takes events of this type. */
export function isWanted({ events, webhookEndpoints }: Tables): SQL {
  const { types } = webhookEndpoints;
  return sql`(${types} = '' or ',' || ${types} || ',' like '%,' || ${events.type} || ',%')`;
}

function deliveryColumns({ eventDeliveries }: Tables) {
  const { lease: _lease, eventId: _event, ...columns } = getTableColumns(eventDeliveries);
  return columns;
}

function createLease(db: Sql, slots: Slots) {
  const { build, kit, prepare, tables } = db;
  const { eventDeliveries, events } = tables;
  const { endpointId, id, nextAt, place, replay, tries } = eventDeliveries;
  const now = placeholder('now');
  const isFirst = and(EVENT_DELIVERY_QUEUED, isFirstOfGig(tables));
  const held = { lease: bound('lease'), nextAt: bound('until') };
  const ofEndpoint = prepare(
    kit.first(
      build
        .select({ id })
        .from(eventDeliveries)
        // In their order, or all that are due would be sorted for each.
        .where(and(equals(endpointId, 'endpointId'), lte(kit.noWayIn(nextAt), now), isFirst))
        .orderBy(replay, place),
    ),
  );
  const hold = prepareChange(db, eventDeliveries, { ...held, tries: sql`${tries} + 1` }, equals(id, 'id'));
  const byId = prepare(
    build
      .select({ ...deliveryColumns(tables), event: eventColumns(tables) })
      .from(eventDeliveries)
      .innerJoin(events, eq(events.id, eventDeliveries.eventId))
      .where(equals(id, 'id')),
  );
  return async ({ lease, now: at, until }: EventLease): Promise<HeldEventDelivery | null> => {
    const endpoint = await slots.next(at);
    if (endpoint === undefined) return null;
    const due = await ofEndpoint.get({ endpointId: endpoint.id, now: at });
    if (due === undefined) return null;
    await slots.hold({ endpointId: endpoint.id, lease, now: at, until });
    await hold({ id: due.id, lease, until });
    const delivery = await byId.get({ id: due.id });
    return delivery === undefined ? null : { ...delivery, lease, endpoint: toEndpoint(endpoint) };
  };
}

/** How tries end: always for the delivery and its endpoint together. */
function createEnds(db: Sql, slots: Slots) {
  const { eventDeliveries } = db.tables;
  const { id } = eventDeliveries;
  const isHeld = and(equals(id, 'id'), equals(eventDeliveries.lease, 'lease'));
  const over = { lease: null, endedAt: bound('now'), status: bound('httpStatus'), error: bound('error') };
  const make = prepareChange(db, eventDeliveries, { ...over, state: 'delivered' }, isHeld);
  const fail = prepareChange(db, eventDeliveries, { ...over, state: 'failed' }, isHeld);
  const again = { lease: null, nextAt: bound('retryAt'), status: bound('httpStatus'), error: bound('error') };
  const back = prepareChange(db, eventDeliveries, again, isHeld);
  return {
    async made(ended: EndedTry): Promise<boolean> {
      await slots.free({ ...ended, nextAt: ended.now });
      return await make({ ...ended, httpStatus: ended.status, error: null });
    },
    async failed({ retryAt, askAt, status: httpStatus, ...rest }: FailedTry): Promise<boolean> {
      const ended = { ...rest, httpStatus };
      await slots.free({ ...rest, nextAt: askAt });
      if (retryAt === null) return await fail({ ...ended });
      return await back({ ...ended, retryAt });
    },
  };
}

/** Those that wait for an earlier one need not be looked at before it is tried again. */
function createPutOff({ build, kit, prepare, tables }: Sql) {
  const { eventDeliveries } = tables;
  const { endpointId, gigId, nextAt, place, replay } = eventDeliveries;
  const isBehind = and(
    EVENT_DELIVERY_QUEUED,
    equals(endpointId, 'endpointId'),
    equals(gigId, 'gigId'),
    sql`${replay} in (${typed(replay, 'replay')})`,
    gt(place, placeholder('after')),
  );
  const some = prepare(
    build.select({ place }).from(eventDeliveries).where(isBehind).orderBy(place).limit(placeholder('limit')),
  );
  const putOff = prepare(
    build
      .update(eventDeliveries)
      .set({ nextAt: bound('retryAt') })
      .where(and(isBehind, lte(place, placeholder('last')), lt(kit.noWayIn(nextAt), placeholder('retryAt')))),
  );
  return async (waiting: WaitingDeliveries): Promise<number | null> => {
    const last = (await some.all({ ...waiting })).at(-1)?.place ?? null;
    if (last !== null) await putOff.run({ ...waiting, last });
    return last;
  };
}

function createReplays(db: Sql) {
  const { build, prepare, tables } = db;
  const { events, webhookEndpoints } = tables;
  const isTheirs = sql`(${webhookEndpoints.client} is null or ${events.client} = ${webhookEndpoints.client})`;
  const isEndpoint = and(equals(webhookEndpoints.id, 'endpointId'), ENDPOINT_THERE);
  const ways = (which: SQL) => {
    const isAsked = and(EVENT_RELEASED, gt(events.seq, placeholder('after')), isWanted(tables), which);
    const some = build
      .select({ seq: events.seq })
      .from(webhookEndpoints)
      .innerJoin(events, isTheirs)
      .where(and(isEndpoint, isAsked))
      .orderBy(events.seq)
      .limit(placeholder('limit'));
    const upTo = lte(events.seq, placeholder('last'));
    const queue = createDeliveryInsert(
      db,
      sql`from ${webhookEndpoints} join ${events} on ${isTheirs} where ${and(isEndpoint, isAsked, upTo)} order by ${events.seq}`,
    );
    return { some: prepare(some), queue };
  };
  const bySeq = ways(equals(events.seq, 'seq'));
  const ofGig = ways(equals(events.gigId, 'gigId'));
  const between = ways(sql`${events.at} >= ${placeholder('since')} and ${events.at} < ${placeholder('until')}`);
  return async ({ which, ...request }: ReplayRequest): Promise<Replayed> => {
    const { some, queue } = 'seq' in which ? bySeq : 'gigId' in which ? ofGig : between;
    const given = { ...request, ...which, replay: true };
    const last = (await some.all(given)).at(-1)?.seq ?? null;
    return { count: last === null ? 0 : await queue({ ...given, last }), last };
  };
}

function createRetention({ build, prepare, tables }: Sql) {
  const { eventDeliveries, webhookEndpoints } = tables;
  const { endedAt, endpointId, place } = eventDeliveries;
  const deleted = sql`exists (select 1 from ${webhookEndpoints} where ${webhookEndpoints.id} = ${endpointId} and ${webhookEndpoints.deletedAt} is not null)`;
  const some = (condition: SQL | undefined) =>
    prepare(
      build
        .delete(eventDeliveries)
        .where(
          inArray(place, build.select({ place }).from(eventDeliveries).where(condition).limit(placeholder('limit'))),
        ),
    );
  const old = some(and(EVENT_DELIVERY_ENDED, lt(endedAt, placeholder('before'))));
  // A release may have queued them while their endpoint was deleted.
  const left = some(and(EVENT_DELIVERY_QUEUED, deleted));
  return async ({ before, limit }: { before: number; limit: number }): Promise<number> =>
    (await old.run({ before, limit })) + (await left.run({ limit }));
}

function createDeliveryPages(db: Sql) {
  const { build, prepare, tables } = db;
  const { eventDeliveries, events } = tables;
  const { endpointId, place } = eventDeliveries;
  const isTheirs = equals(endpointId, 'endpointId');
  const isOlder = lt(place, placeholder('before'));
  const page = (condition: SQL | undefined) =>
    prepare(
      build
        .select({ ...deliveryColumns(tables), uid: events.uid, seq: eventColumns(tables).seq, type: events.type })
        .from(eventDeliveries)
        .innerJoin(events, eq(events.id, eventDeliveries.eventId))
        .where(and(isOlder, condition))
        .orderBy(desc(place))
        .limit(placeholder('limit')),
    );
  const newest = page(undefined);
  const newestOfEndpoint = page(isTheirs);
  return {
    /** Newest first, of one endpoint or of all. */
    eventDeliveries: locked(
      nothing,
      async ({ endpointId: of, limit, before = Number.MAX_SAFE_INTEGER }: DeliveryFilter): Promise<ListedDelivery[]> =>
        of === null
          ? await newest.all({ limit, before })
          : await newestOfEndpoint.all({ endpointId: of, limit, before }),
    ),
  };
}

export const eventDeliveries = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { eventDeliveries } = tables;
  const { endpointId, endedAt } = eventDeliveries;
  const slots = createSlots(db);
  const ends = createEnds(db, slots);
  const isTheirs = equals(endpointId, 'endpointId');
  const made = prepare(
    build
      .select({ at: max(endedAt) })
      .from(eventDeliveries)
      .where(and(EVENT_DELIVERY_MADE, isTheirs)),
  );
  const replays = prepare(
    build
      .select({ n: count() })
      .from(eventDeliveries)
      .where(and(EVENT_DELIVERY_QUEUED, isTheirs, kit.isTrue('event_deliveries.replay'))),
  );
  return {
    reads: {
      /** Whether something may be sent to an endpoint now. */
      isEventDeliveryDue: locked(nothing, slots.isAnyDue),
      /** When an endpoint last took something, epoch milliseconds; null when it never has. */
      lastTaken: locked(
        nothing,
        async (of: number): Promise<number | null> => (await made.get({ endpointId: of }))?.at ?? null,
      ),
      /** How many deliveries that were asked for again are still to be made to an endpoint. */
      countQueuedReplays: locked(
        nothing,
        async (of: number): Promise<number> => (await replays.get({ endpointId: of }))?.n ?? 0,
      ),
      ...createDeliveryPages(db),
    },
    writes: {
      /**
       * Leases an endpoint that nothing is sent to, and the first of its deliveries that is due, and counts a try at once; null when
       * there is none, or as much is under way as may be. The deliveries of a gig to an endpoint are made one after another.
       */
      leaseEventDelivery: locked(byEventLeases, createLease(db, slots)),
      /** Takes the place of a request to an endpoint, paused ones included; null when it is asked something, or as much is under way as may be. */
      takeSlot: locked(byEventLeases, slots.take),
      /** Frees such a place. */
      freeSlot: locked(nothing, slots.free),
      /** Queued → delivered. Only under the lease. */
      markEventDelivered: locked(nothing, ends.made),
      /** Ends a failed try: queued until `retryAt`, or failed when that is null. Only under the lease. */
      putEventDeliveryBack: locked(nothing, ends.failed),
      /** Puts off some deliveries that wait for an earlier one. Returns the place of the last; null when there is none. */
      putOffDeliveries: locked(nothing, createPutOff(db)),
      /** Queues deliveries of released events to an endpoint again, in their order; they hold up no other. */
      replayEvents: locked(nothing, createReplays(db)),
      /** Deletes some deliveries that ended before, and what is queued for deleted endpoints. Returns how many. */
      deleteOldDeliveries: locked(nothing, createRetention(db)),
    },
  };
});
