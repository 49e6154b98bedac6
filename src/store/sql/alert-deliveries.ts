import { and, desc, getTableColumns, isNull, lte, not, sql } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { ALERT_OPEN, DELIVERY_MADE, DELIVERY_QUEUED, DELIVERY_TROUBLED } from './alert-tables.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;

function toReceiver({ alertDeliveries }: Tables) {
  return equals(alertDeliveries.receiver, 'receiver');
}

function deliveryColumns({ alertDeliveries }: Tables) {
  const { lease: _lease, place: _place, ...columns } = getTableColumns(alertDeliveries);
  return columns;
}

type Reads = 'deliveriesOf' | 'untoldAlerts' | 'troubledDeliveries' | 'lastDelivered';

export function createDeliveryReads({ build, kit, prepare, tables }: Sql): Pick<StoreReads, Reads> {
  const { alertDeliveries, alerts } = tables;
  const isTheirs = toReceiver(tables);
  const { alertId, receiver, state, error, endedAt, place } = alertDeliveries;
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
  const made = prepare(kit.first(byEnd.orderBy(desc(endedAt))));
  return {
    deliveriesOf: (alert) => ofAlert.all({ alertId: alert }),
    untoldAlerts: async (to) => (await untold.all({ receiver: to })).map((alert) => alert.id),
    troubledDeliveries: async () =>
      (await troubled.all()).flatMap(({ state, ...rest }) => (state === 'delivered' ? [] : [{ state, ...rest }])),
    lastDelivered: async (to) => (await made.get({ receiver: to }))?.at ?? null,
  };
}

function createDeliveryLease(db: Sql): StoreTx['leaseDelivery'] {
  const { build, kit, prepare, tables } = db;
  const { alertDeliveries, alerts } = tables;
  const { nextAt, id, news, place, tries } = alertDeliveries;
  const waitsForBegun = sql`(${news} = 'over' and exists (select 1 from alert_deliveries b where b.alert_id = ${alertDeliveries.alertId} and b.receiver = ${alertDeliveries.receiver} and b.news = 'begun' and b.state = 'queued'))`;
  const isDue = and(DELIVERY_QUEUED, toReceiver(tables), lte(nextAt, placeholder('now')), sql`not ${waitsForBegun}`);
  const first = build.select({ id }).from(alertDeliveries).where(isDue).orderBy(nextAt, place);
  const due = prepare(kit.claiming(first, alertDeliveries));
  const taken = { lease: bound('lease'), nextAt: bound('until'), tries: sql`${tries} + 1` };
  const hold = prepareChange(db, alertDeliveries, taken, equals(id, 'id'));
  const held = prepare(build.select(deliveryColumns(tables)).from(alertDeliveries).where(equals(id, 'id')));
  const alertById = prepare(build.select().from(alerts).where(equals(alerts.id, 'alertId')));
  return async (receiver, { lease, now, until }) => {
    const next = await due.get({ receiver, now });
    if (next === undefined) return null;
    await hold({ id: next.id, lease, until });
    const delivery = await held.get({ id: next.id });
    const alert = delivery && (await alertById.get({ alertId: delivery.alertId }));
    return delivery === undefined || alert === undefined ? null : { ...delivery, alert, lease };
  };
}

type Writes = 'queueDelivery' | 'leaseDelivery' | 'markDelivered' | 'putDeliveryBack' | 'giveUpDeliveries';

export function createDeliveryWrites(db: Sql): Pick<StoreTx, Writes> {
  const { build, kit, prepare, tables } = db;
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
  const isOld = and(
    DELIVERY_QUEUED,
    isNull(alertDeliveries.lease),
    sql`${alertDeliveries.queuedAt} < ${placeholder('queuedBefore')}`,
    not(kit.isAmong(alertDeliveries.receiver, 'receivers')),
  );
  const giveUp = prepare(build.update(alertDeliveries).set(failed).where(isOld));
  return {
    async queueDelivery(delivery, now) {
      const row = { ...delivery, state: 'queued', nextAt: now, queuedAt: now } as const;
      return (await prepare(build.insert(alertDeliveries).values(row).onConflictDoNothing()).run()) === 1;
    },
    leaseDelivery: createDeliveryLease(db),
    markDelivered: (id, change) => made({ id, ...change }),
    putDeliveryBack: (id, { retryAt, ...change }) =>
      retryAt === null ? fail({ id, ...change }) : back({ id, retryAt, ...change }),
    giveUpDeliveries: (which) => giveUp.run({ ...which }),
  };
}
