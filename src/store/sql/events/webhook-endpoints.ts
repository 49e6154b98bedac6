import { and, count, eq, getTableColumns, gte, inArray, isNotNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import {
  type NewEndpoint,
  type PauseReason,
  readTypes,
  type WebhookEndpoint,
} from '../../../domain/events/endpoint.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange, theId } from '../statements.ts';
import { byClient, nothing } from '../subjects.ts';
import { ENDPOINT_THERE, ENDPOINT_TROUBLED, EVENT_DELIVERY_QUEUED } from './event-tables.ts';

/** More would take a moment in which nobody is answered. */
const DROPPED_AT_ONCE = 500;

/** What the store needs of an endpoint's row. */
export function endpointColumns({ webhookEndpoints }: Tables) {
  const {
    askedAt: _asked,
    deletedAt: _deleted,
    endsWithKey: _ends,
    lease: _lease,
    nextAt: _next,
    slowAt: _slow,
    queuedSeq: _queued,
    ...columns
  } = getTableColumns(webhookEndpoints);
  return columns;
}

type EndpointRow = Omit<WebhookEndpoint, 'types'> & { readonly types: string };

/** An endpoint of its row, which keeps the types as text. */
export function toEndpoint({ types, ...row }: EndpointRow): WebhookEndpoint {
  return { ...row, types: readTypes(types) };
}

interface EndpointChange {
  readonly url: string;
  readonly types: readonly string[];
}

/** Who has which endpoints, and which of them are paused. */
function createEndpointReads(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { webhookEndpoints } = tables;
  const { id, client } = webhookEndpoints;
  const columns = endpointColumns(tables);
  const isIt = and(equals(id, 'id'), ENDPOINT_THERE);
  const byId = prepare(build.select(columns).from(webhookEndpoints).where(isIt));
  const list = (condition: SQL | undefined) =>
    prepare(build.select(columns).from(webhookEndpoints).where(and(ENDPOINT_THERE, condition)).orderBy(id));
  const all = list(undefined);
  const ofClient = list(equals(client, 'client'));
  const troubled = prepare(
    build
      .select({ id, client, because: webhookEndpoints.pausedBecause })
      .from(webhookEndpoints)
      .where(ENDPOINT_TROUBLED)
      .orderBy(id),
  );
  const counted = prepare(
    build
      .select({ n: count() })
      .from(webhookEndpoints)
      .where(and(ENDPOINT_THERE, kit.isSame(client, sql.placeholder('client')))),
  );
  return {
    /** Null when there is none, or it was deleted. */
    webhookEndpoint: locked(nothing, async (of: number): Promise<WebhookEndpoint | null> => {
      const row = await byId.get({ id: of });
      return row === undefined ? null : toEndpoint(row);
    }),
    /** By their ids: those of a client, or of all and those that take the events of all. */
    webhookEndpoints: locked(nothing, async (of: string | null): Promise<WebhookEndpoint[]> => {
      return (await (of === null ? all.all() : ofClient.all({ client: of }))).map(toEndpoint);
    }),
    /** The endpoints that are paused because they take nothing. */
    troubledWebhooks: locked(
      nothing,
      async (): Promise<{ id: number; client: string | null; because: 'gone' | 'silent' }[]> =>
        (await troubled.all()).flatMap(({ because, ...endpoint }) =>
          because === 'gone' || because === 'silent' ? [{ ...endpoint, because }] : [],
        ),
    ),
    /** How many endpoints a client has; with null, how many take the events of all. */
    countWebhookEndpoints: locked(
      byClient,
      async (of: string | null): Promise<number> => (await counted.get({ client: of }))?.n ?? 0,
    ),
  };
}

/** What clients change about their endpoints. */
function createEndpointChanges(db: Sql) {
  const { tables } = db;
  const { webhookEndpoints } = tables;
  const { id } = webhookEndpoints;
  const isIt = and(equals(id, 'id'), ENDPOINT_THERE);
  const change = prepareChange(db, webhookEndpoints, { url: bound('url'), types: bound('types') }, isIt);
  const give = prepareChange(db, webhookEndpoints, { apiKeyId: bound('apiKeyId'), endsWithKey: true }, isIt);
  const rotate = prepareChange(
    db,
    webhookEndpoints,
    { oldSalt: sql`${webhookEndpoints.salt}`, salt: bound('salt'), rotatedAt: bound('now') },
    isIt,
  );
  return {
    changeWebhookEndpoint: locked(nothing, (of: number, { url, types }: EndpointChange) =>
      change({ id: of, url, types: types.join() }),
    ),
    /** Has an endpoint rest on this key. */
    giveWebhookEndpoint: locked(nothing, (of: number, apiKeyId: number | null) => give({ id: of, apiKeyId })),
    /** Gives an endpoint a new salt; the one of before is kept. */
    rotateWebhookSalt: locked(nothing, (of: number, renewed: { salt: string; now: number }) =>
      rotate({ id: of, ...renewed }),
    ),
  };
}

/** Of an endpoint that has to end with its key, which has expired. */
function outlivesKey({ build, tables: { apiKeys, webhookEndpoints } }: Sql) {
  const expired = build
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(lte(apiKeys.expiresAt, sql.placeholder('now')));
  return and(eq(webhookEndpoints.endsWithKey, true), inArray(webhookEndpoints.apiKeyId, expired));
}

/** Endpoints by the keys on which they rest, once these have expired. */
function createExpiredReads(db: Sql) {
  const { build, prepare, tables } = db;
  const { apiKeys, webhookEndpoints } = tables;
  const { id, pausedAt } = webhookEndpoints;
  const columns = endpointColumns(tables);
  const list = (condition: SQL | undefined) =>
    prepare(build.select(columns).from(webhookEndpoints).where(and(ENDPOINT_THERE, condition)).orderBy(id));
  const { endsWithKey } = webhookEndpoints;
  const outliving = list(and(sql`${pausedAt} is null`, outlivesKey(db)));
  const pausedByExpiry = prepare(
    build
      .select({ id, client: webhookEndpoints.client, apiKeyId: apiKeys.id })
      .from(webhookEndpoints)
      .innerJoin(apiKeys, eq(apiKeys.id, webhookEndpoints.apiKeyId))
      .where(
        and(
          ENDPOINT_THERE,
          eq(endsWithKey, true),
          eq(webhookEndpoints.pausedBecause, 'asked'),
          gte(pausedAt, apiKeys.expiresAt),
        ),
      )
      .orderBy(id),
  );
  return {
    /** Endpoints that get events although the key on which they rest has expired. */
    webhooksPastKey: locked(
      nothing,
      async (now: number): Promise<WebhookEndpoint[]> => (await outliving.all({ now })).map(toEndpoint),
    ),
    /** The endpoints that are paused since the key on which they rest has expired. */
    webhooksEndedByKey: locked(
      nothing,
      (): Promise<{ id: number; client: string | null; apiKeyId: number }[]> => pausedByExpiry.all({}),
    ),
  };
}

/** Pauses of endpoints, and what happens to what is queued for them. */
function createEndpointPauses(db: Sql) {
  const { build, prepare, tables } = db;
  const { eventDeliveries, webhookEndpoints } = tables;
  const { id, pausedAt } = webhookEndpoints;
  const isIt = and(equals(id, 'id'), ENDPOINT_THERE);
  const isActive = and(isIt, sql`${pausedAt} is null`);
  // A request that is under way keeps its lease, or a client could have any number of them.
  const paused = { pausedAt: bound('now'), pausedBecause: bound('because') };
  const pause = prepareChange(db, webhookEndpoints, paused, isActive);
  const pauseExpired = prepareChange(db, webhookEndpoints, paused, and(isActive, outlivesKey(db)));
  const { lease, nextAt } = webhookEndpoints;
  const soon = sql`case when ${lease} is null then ${bound('now')} else ${nextAt} end`;
  const resumed = { pausedAt: null, pausedBecause: null, nextAt: soon };
  const resume = prepareChange(db, webhookEndpoints, resumed, and(isIt, isNotNull(pausedAt)));
  const { place, queuedAt } = eventDeliveries;
  const isQueuedThere = and(EVENT_DELIVERY_QUEUED, equals(eventDeliveries.endpointId, 'id'));
  const someOf = (condition: SQL | undefined) =>
    inArray(
      place,
      build.select({ place }).from(eventDeliveries).where(condition).orderBy(place).limit(sql.placeholder('limit')),
    );
  const afresh = { tries: 0, nextAt: bound('now'), queuedAt: bound('now'), lease: null };
  const isOlder = and(isQueuedThere, lt(queuedAt, sql.placeholder('now')));
  const renew = prepare(build.update(eventDeliveries).set(afresh).where(someOf(isOlder)));
  const remove = prepareChange(db, webhookEndpoints, { deletedAt: bound('now') }, isIt);
  const drop = prepare(build.delete(eventDeliveries).where(someOf(isQueuedThere)));
  return {
    /** Has nothing be queued for an endpoint, or sent to it, until it is resumed. False when it is paused. */
    pauseWebhookEndpoint: locked(nothing, (of: number, why: { because: PauseReason; now: number }) =>
      pause({ id: of, ...why }),
    ),
    /** The same for one whose key has expired. False when it is paused, or rests on another key meanwhile. */
    pauseWebhookPastKey: locked(nothing, (of: number, now: number) => pauseExpired({ id: of, because: 'asked', now })),
    /** Gives some of what was queued for an endpoint before now its whole time again. Returns how many. */
    renewDeliveries: locked(
      nothing,
      (of: number, { now, limit }: { now: number; limit: number }): Promise<number> =>
        renew.run({ id: of, now, limit }),
    ),
    /** False when it is not paused. */
    resumeWebhookEndpoint: locked(
      nothing,
      async (of: number, now: number): Promise<boolean> => await resume({ id: of, now }),
    ),
    /**
     * Deletes an endpoint, and the first that are queued for it: none is sent, and what forgets old deliveries takes the rest. What
     * was sent to it stays until its time.
     */
    deleteWebhookEndpoint: locked(nothing, async (of: number, now: number): Promise<boolean> => {
      if (!(await remove({ id: of, now }))) return false;
      await drop.run({ id: of, limit: DROPPED_AT_ONCE });
      return true;
    }),
  };
}

export const webhookEndpoints = noun((db: Sql) => {
  const { build, prepareInsert, tables } = db;
  const { events, webhookEndpoints } = tables;
  const last = sql`(select coalesce(max(${events.seq}), 0) from ${events})`;
  const insert = prepareInsert(
    build.insert(webhookEndpoints).values({
      ...boundTo(webhookEndpoints, 'client', 'url', 'types', 'salt', 'apiKeyId', 'createdAt'),
      fromSeq: last,
      queuedSeq: last,
      endsWithKey: true,
      // A new endpoint is nobody's way to the front.
      askedAt: bound('createdAt'),
      slowAt: bound('createdAt'),
    }),
  );
  return {
    reads: {
      ...createEndpointReads(db),
      ...createExpiredReads(db),
    },
    writes: {
      /** Stores an endpoint that takes what is released from now on, and returns its id. */
      insertWebhookEndpoint: locked(
        nothing,
        ({ types, ...endpoint }: NewEndpoint): Promise<number> => theId(insert({ ...endpoint, types: types.join() })),
      ),
      ...createEndpointChanges(db),
      ...createEndpointPauses(db),
    },
  };
});
