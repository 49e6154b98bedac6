import { sql } from 'drizzle-orm';
import { DELIVERY_STATES } from '../../../domain/events/delivery.ts';
import { PAUSE_REASONS } from '../../../domain/events/endpoint.ts';
import type { EventFacts, EventType } from '../../../domain/events/event.ts';
import { isEither } from '../checks.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';
import type { AccessTables } from '../operators/access-tables.ts';

/** Events that have no place yet; the condition of their index, word for word. */
export const EVENT_UNRELEASED = sql.raw('events.seq is null');
/** Events that a gig has once; the condition of their index, word for word. */
export const EVENT_ONCE = sql.raw("events.type in ('gig.funded', 'gig.ended')");
export const EVENT_RELEASED = sql.raw('events.seq is not null');
/** Endpoints to which something may be sent; the condition of their index, word for word. */
export const ENDPOINT_ACTIVE = sql.raw('webhook_endpoints.paused_at is null and webhook_endpoints.deleted_at is null');
/** Endpoints to which something is sent; the condition of their index, word for word. */
export const ENDPOINT_LEASED = sql.raw('webhook_endpoints.lease is not null');
export const ENDPOINT_THERE = sql.raw('webhook_endpoints.deleted_at is null');
/** Endpoints that were paused because they take nothing; the condition of their index, word for word. */
export const ENDPOINT_TROUBLED = sql.raw(
  "webhook_endpoints.paused_because <> 'asked' and webhook_endpoints.deleted_at is null",
);
/** Deliveries that are still to be made; the condition of their index, word for word. */
export const EVENT_DELIVERY_QUEUED = sql.raw("event_deliveries.state = 'queued'");
export const EVENT_DELIVERY_MADE = sql.raw("event_deliveries.state = 'delivered'");
export const EVENT_DELIVERY_ENDED = sql.raw('event_deliveries.ended_at is not null');

/**
 * The events for programs. An event is written in the transaction of its cause, and gets its `seq` after that is committed. What
 * lists read by is indexed from then on, so that a cause writes no more than it must.
 */
function createEvents(kit: Kit, made: GigTables) {
  return kit.table(
    'events',
    {
      id: kit.rowId('id'),
      uid: kit.text('uid').notNull(),
      seq: kit.integer('seq'),
      type: kit.text('type').$type<EventType>().notNull(),
      at: kit.integer('at').notNull(),
      gigId: ofGig(kit, made),
      client: kit.text('client'),
      facts: kit.json('facts').$type<EventFacts>().notNull(),
      version: kit.integer('version').notNull().default(1),
    },
    (table) => [
      kit.index('events_unreleased').on(table.id).where(EVENT_UNRELEASED),
      kit.uniqueIndex('events_by_seq').on(table.seq).where(EVENT_RELEASED),
      kit.uniqueIndex('events_by_uid').on(table.uid).where(EVENT_RELEASED),
      kit.index('events_by_client').on(table.client, table.seq).where(EVENT_RELEASED),
      kit.index('events_by_gig').on(table.gigId, table.seq).where(EVENT_RELEASED),
      // A job finds these two, and an act that proves them may be first.
      kit.uniqueIndex('events_once').on(table.gigId, table.type).where(EVENT_ONCE),
      kit.check('events_uid', sql.raw("uid <> ''")),
      kit.check('events_facts', kit.isJson('facts')),
    ],
  );
}

/**
 * The URLs that take events. Their secrets derive from `salt`; none is stored. `queued_seq` is the last event that was looked at for
 * the endpoint, and `next_at` when it may be asked: at once, at the end of a lease, or after it could not be reached.
 */
function createWebhookEndpoints(kit: Kit, made: AccessTables) {
  const { apiKeys } = made;
  return kit.table(
    'webhook_endpoints',
    {
      id: kit.rowId('id'),
      client: kit.text('client'),
      url: kit.text('url').notNull(),
      /** Comma-separated; empty: all. */
      types: kit.text('types').notNull(),
      salt: kit.text('salt').notNull(),
      oldSalt: kit.text('old_salt'),
      rotatedAt: kit.integer('rotated_at'),
      createdAt: kit.integer('created_at').notNull(),
      apiKeyId: kit.integer('api_key_id').references(() => apiKeys.id),
      /** Whether it is paused when its key expires. Not where that had been, or the key was rotated, before there was the rule. */
      endsWithKey: kit.flag('ends_with_key').notNull().default(false),
      fromSeq: kit.integer('from_seq').notNull(),
      queuedSeq: kit.integer('queued_seq').notNull(),
      pausedAt: kit.integer('paused_at'),
      pausedBecause: kit.text('paused_because', { enum: PAUSE_REASONS }),
      deletedAt: kit.integer('deleted_at'),
      lease: kit.text('lease'),
      nextAt: kit.integer('next_at').notNull().default(0),
      /** When the last request to it began, or it was created. */
      askedAt: kit.integer('asked_at').notNull().default(0),
      /** When it last answered slowly, or was created. */
      slowAt: kit.integer('slow_at').notNull().default(0),
    },
    (table) => [
      kit.index('webhook_endpoints_due').on(table.nextAt).where(ENDPOINT_ACTIVE),
      kit.index('webhook_endpoints_leased').on(table.client).where(ENDPOINT_LEASED),
      kit.index('webhook_endpoints_by_client').on(table.client, table.id).where(ENDPOINT_THERE),
      kit.index('webhook_endpoints_troubled').on(table.id).where(ENDPOINT_TROUBLED),
      kit.check('webhook_endpoints_salt', sql.raw("salt <> ''")),
      kit.check('webhook_endpoints_rotated', sql.raw('(old_salt is null) = (rotated_at is null)')),
      kit.check('webhook_endpoints_paused', sql.raw('(paused_at is null) = (paused_because is null)')),
      kit.check(
        'webhook_endpoints_because',
        sql`paused_because is null or ${isEither('paused_because', PAUSE_REASONS)}`,
      ),
    ],
  );
}

/** `next_at` is when the row may be leased: at once, at the end of a lease, or at the next try. */
function createEventDeliveries(
  kit: Kit,
  made: GigTables & {
    readonly events: ReturnType<typeof createEvents>;
    readonly webhookEndpoints: ReturnType<typeof createWebhookEndpoints>;
  },
) {
  const { events, webhookEndpoints } = made;
  return kit.table(
    'event_deliveries',
    {
      /** The order in which they were queued. */
      place: kit.rowId('place'),
      id: kit.text('id').notNull(),
      eventId: kit
        .integer('event_id')
        .notNull()
        .references(() => events.id),
      endpointId: kit
        .integer('endpoint_id')
        .notNull()
        .references(() => webhookEndpoints.id),
      gigId: ofGig(kit, made),
      state: kit.text('state', { enum: DELIVERY_STATES }).notNull(),
      tries: kit.integer('tries').notNull().default(0),
      nextAt: kit.integer('next_at').notNull(),
      lease: kit.text('lease'),
      queuedAt: kit.integer('queued_at').notNull(),
      endedAt: kit.integer('ended_at'),
      error: kit.text('error'),
      status: kit.integer('status'),
      replay: kit.flag('replay').notNull(),
    },
    (table) => [
      kit.uniqueIndex('event_deliveries_by_id').on(table.id),
      kit
        .uniqueIndex('event_deliveries_once')
        .on(table.eventId, table.endpointId)
        .where(kit.isFalse('event_deliveries.replay')),
      kit.index('event_deliveries_due').on(table.endpointId, table.nextAt).where(EVENT_DELIVERY_QUEUED),
      kit
        .index('event_deliveries_in_order')
        .on(table.endpointId, table.replay, table.place, table.nextAt)
        .where(EVENT_DELIVERY_QUEUED),
      kit
        .index('event_deliveries_of_gig')
        .on(table.endpointId, table.gigId, table.replay, table.place)
        .where(EVENT_DELIVERY_QUEUED),
      kit.index('event_deliveries_made').on(table.endpointId, table.endedAt).where(EVENT_DELIVERY_MADE),
      kit.index('event_deliveries_ended').on(table.endedAt).where(EVENT_DELIVERY_ENDED),
      kit.index('event_deliveries_by_endpoint').on(table.endpointId, table.place),
      kit.check('event_deliveries_id', sql.raw("id <> ''")),
      kit.check('event_deliveries_state', isEither('state', DELIVERY_STATES)),
      kit.check('event_deliveries_tries', kit.isWholeNumber('tries')),
      kit.check('event_deliveries_ended_at', sql.raw("(state = 'queued') = (ended_at is null)")),
      kit.check('event_deliveries_lease', sql.raw("lease is null or state = 'queued'")),
      kit.check('event_deliveries_replay', kit.isBoolean('replay')),
    ],
  );
}

/** Who gives events their `seq`. */
function createEventReleases(kit: Kit) {
  return kit.table(
    'event_releases',
    { id: kit.integer('id').primaryKey(), holder: kit.text('holder').notNull(), until: kit.integer('until').notNull() },
    () => [kit.check('event_releases_single', sql.raw('id = 1'))],
  );
}

/** Events for programs, and their receivers. */
export function createEventTables(kit: Kit, made: GigTables & AccessTables) {
  const events = createEvents(kit, made);
  const webhookEndpoints = createWebhookEndpoints(kit, made);
  return {
    events,
    webhookEndpoints,
    eventDeliveries: createEventDeliveries(kit, { ...made, events, webhookEndpoints }),
    eventReleases: createEventReleases(kit),
  };
}
