import { and, desc, getTableColumns, isNull, lte, not, sql } from 'drizzle-orm';
import type { AlertDelivery, AlertNews, LeasedDelivery } from '../../../domain/operators/alert.ts';
import type { TroubledDelivery } from '../../port/alerts.ts';
import type { LeaseRequest } from '../../port/mentions.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { ALERT_OPEN, DELIVERY_MADE, DELIVERY_QUEUED, DELIVERY_TROUBLED } from './alert-tables.ts';

const placeholder = sql.placeholder;

function toReceiver({ alertDeliveries }: Tables) {
  return equals(alertDeliveries.receiver, 'receiver');
}

function deliveryColumns({ alertDeliveries }: Tables) {
  const { lease: _lease, place: _place, ...columns } = getTableColumns(alertDeliveries);
  return columns;
}

function selectDueDelivery({ build, tables }: Sql) {
  const { alertDeliveries } = tables;
  const { nextAt, id, news, place } = alertDeliveries;
  const waitsForBegun = sql`(${news} = 'over' and exists (select 1 from alert_deliveries b where b.alert_id = ${alertDeliveries.alertId} and b.receiver = ${alertDeliveries.receiver} and b.news = 'begun' and b.state = 'queued'))`;
  const isDue = and(DELIVERY_QUEUED, toReceiver(tables), lte(nextAt, placeholder('now')), sql`not ${waitsForBegun}`);
  return build.select({ id }).from(alertDeliveries).where(isDue).orderBy(nextAt, place);
}

function createDeliveryLease(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { alertDeliveries, alerts } = tables;
  const { id, tries } = alertDeliveries;
  const due = prepare(kit.claiming(selectDueDelivery(db), alertDeliveries));
  const taken = { lease: bound('lease'), nextAt: bound('until'), tries: sql`${tries} + 1` };
  const hold = prepareChange(db, alertDeliveries, taken, equals(id, 'id'));
  const held = prepare(build.select(deliveryColumns(tables)).from(alertDeliveries).where(equals(id, 'id')));
  const alertById = prepare(build.select().from(alerts).where(equals(alerts.id, 'alertId')));
  return async (receiver: string, { lease, now, until }: LeaseRequest): Promise<LeasedDelivery | null> => {
    const next = await due.get({ receiver, now });
    if (next === undefined) return null;
    await hold({ id: next.id, lease, until });
    const delivery = await held.get({ id: next.id });
    const alert = delivery && (await alertById.get({ alertId: delivery.alertId }));
    return delivery === undefined || alert === undefined ? null : { ...delivery, alert, lease };
  };
}

/** What was told about alerts, and what still is to be. */
function createDeliveryReads(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { alertDeliveries, alerts } = tables;
  const isTheirs = toReceiver(tables);
  const { alertId, receiver, state, error, endedAt, place } = alertDeliveries;
  const due = prepare(kit.first(selectDueDelivery(db)));
  const ofAlert = prepare(
    build.select(deliveryColumns(tables)).from(alertDeliveries).where(equals(alertId, 'alertId')).orderBy(place),
  );
  const isTold = sql`exists (select 1 from ${alertDeliveries} where ${alertId} = ${alerts.id} and ${isTheirs} and ${alertDeliveries.news} = 'begun')`;
  const untold = prepare(
    build
      .select({ id: alerts.id })
      .from(alerts)
      .where(and(ALERT_OPEN, sql`not ${isTold}`))
      .orderBy(kit.noWayIn(alerts.id)),
  );
  const troubled = prepare(
    build
      .select({ receiver, state, error, endedAt })
      .from(alertDeliveries)
      .where(DELIVERY_TROUBLED)
      .orderBy(receiver, place),
  );
  const byEnd = build.select({ at: endedAt }).from(alertDeliveries).where(and(DELIVERY_MADE, isTheirs));
  const delivered = prepare(kit.first(byEnd.orderBy(desc(endedAt))));
  return {
    /** Whether `leaseDelivery` would find one for this receiver now. */
    isDeliveryDue: locked(
      nothing,
      async (to: string, now: number): Promise<boolean> => (await due.get({ receiver: to, now })) !== undefined,
    ),
    /** What was told about an alert, in the order in which it was queued. */
    deliveriesOf: locked(nothing, (alert: number): Promise<AlertDelivery[]> => ofAlert.all({ alertId: alert })),
    /** The open alerts of which this receiver was not told, and will not be. */
    untoldAlerts: locked(
      nothing,
      async (to: string): Promise<number[]> => (await untold.all({ receiver: to })).map((alert) => alert.id),
    ),
    /** Deliveries that are queued after a failed try, or were given up. */
    troubledDeliveries: locked(
      nothing,
      async (): Promise<TroubledDelivery[]> =>
        (await troubled.all()).flatMap(({ state, ...rest }) => (state === 'delivered' ? [] : [{ state, ...rest }])),
    ),
    /** When a delivery last reached this receiver, epoch milliseconds; null when none has. */
    lastDelivered: locked(
      nothing,
      async (to: string): Promise<number | null> => (await delivered.get({ receiver: to }))?.at ?? null,
    ),
  };
}

/** How a delivery that is under way ends. */
function createDeliveryOutcomes(db: Sql) {
  const { tables } = db;
  const { alertDeliveries } = tables;
  // Only a queued delivery has a lease, so the lease implies the state.
  const isHeld = and(equals(alertDeliveries.id, 'id'), equals(alertDeliveries.lease, 'lease'));
  const made = prepareChange(
    db,
    alertDeliveries,
    { state: 'delivered', lease: null, endedAt: bound('now'), error: null },
    isHeld,
  );
  const back = prepareChange(
    db,
    alertDeliveries,
    { lease: null, nextAt: bound('retryAt'), error: bound('error') },
    isHeld,
  );
  const failed = { state: 'failed', lease: null, endedAt: bound('now'), error: bound('error') } as const;
  const fail = prepareChange(db, alertDeliveries, failed, isHeld);
  return {
    /** Queued → delivered. Only under the lease. */
    markDelivered: locked(nothing, (id: string, change: { lease: string; now: number }) => made({ id, ...change })),
    /** Ends the lease of a failed try: queued until `retryAt`, or failed when that is null. Only under the lease. */
    putDeliveryBack: locked(
      nothing,
      (id: string, { retryAt, ...change }: { lease: string; retryAt: number | null; error: string; now: number }) =>
        retryAt === null ? fail({ id, ...change }) : back({ id, retryAt, ...change }),
    ),
  };
}

export const alertDeliveries = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { alertDeliveries } = tables;
  const failed = { state: 'failed', lease: null, endedAt: bound('now'), error: bound('error') } as const;
  const isOld = and(
    DELIVERY_QUEUED,
    isNull(alertDeliveries.lease),
    sql`${alertDeliveries.queuedAt} < ${placeholder('queuedBefore')}`,
    not(kit.isAmong(alertDeliveries.receiver, 'receivers')),
  );
  const queued = boundTo(alertDeliveries, 'id', 'alertId', 'news', 'receiver', 'nextAt', 'queuedAt');
  const queue = prepare(
    build
      .insert(alertDeliveries)
      .values({ ...queued, state: 'queued' })
      .onConflictDoNothing(),
  );
  const giveUp = prepare(build.update(alertDeliveries).set(failed).where(isOld));
  return {
    reads: createDeliveryReads(db),
    writes: {
      /** Queues a delivery; false when this receiver has one with this news of the alert. */
      queueDelivery: locked(
        nothing,
        async (
          delivery: {
            readonly id: string;
            readonly alertId: number;
            readonly news: AlertNews;
            readonly receiver: string;
          },
          now: number,
        ): Promise<boolean> => {
          return (await queue.run({ ...delivery, nextAt: now, queuedAt: now })) === 1;
        },
      ),
      /**
       * Leases the receiver's delivery that has been due longest, and counts a try at once; null when none is due. That an
       * alert is over waits while that it has begun is queued.
       */
      leaseDelivery: locked(nothing, createDeliveryLease(db)),
      ...createDeliveryOutcomes(db),
      /** Queued → failed for all that were queued before to other receivers than these, unless they are leased. Returns how many. */
      giveUpDeliveries: locked(
        nothing,
        (which: { queuedBefore: number; receivers: readonly string[]; now: number; error: string }): Promise<number> =>
          giveUp.run({ ...which }),
      ),
    },
  };
});
