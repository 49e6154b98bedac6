import { and, desc, getTableColumns, isNull, lte, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import {
  ALERT_OPEN,
  alertDeliveries,
  alerts,
  DELIVERY_MADE,
  DELIVERY_QUEUED,
  DELIVERY_TROUBLED,
} from './alert-tables.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;
const toReceiver = equals(alertDeliveries.receiver, 'receiver');
/** The order in which deliveries were queued. */
const queued = sql.raw('alert_deliveries.rowid');
const { lease: _lease, ...columns } = getTableColumns(alertDeliveries);

type Reads = 'deliveriesOf' | 'untoldAlerts' | 'troubledDeliveries' | 'lastDelivered';

export function createDeliveryReads(db: Db): Pick<SyncReads, Reads> {
  const { alertId, receiver, state, error, endedAt } = alertDeliveries;
  const ofAlert = prepare(
    db,
    db.select(columns).from(alertDeliveries).where(equals(alertId, 'alertId')).orderBy(queued),
  );
  const isTold = sql`exists (select 1 from ${alertDeliveries} where ${alertId} = ${alerts.id} and ${toReceiver} and ${alertDeliveries.news} = 'begun')`;
  const untold = prepare(
    db,
    db
      .select({ id: alerts.id })
      .from(alerts)
      .where(and(ALERT_OPEN, sql`not ${isTold}`))
      .orderBy(sql`+${alerts.id}`),
  );
  const troubled = prepare(
    db,
    db.select({ receiver, state, error, endedAt }).from(alertDeliveries).where(DELIVERY_TROUBLED).orderBy(receiver),
  );
  const made = prepare(
    db,
    db.select({ at: endedAt }).from(alertDeliveries).where(and(DELIVERY_MADE, toReceiver)).orderBy(desc(endedAt)),
  );
  return {
    deliveriesOf: (alert) => ofAlert.all({ alertId: alert }),
    untoldAlerts: (to) => untold.all({ receiver: to }).map((alert) => alert.id),
    troubledDeliveries: () =>
      troubled.all().flatMap(({ state, ...rest }) => (state === 'delivered' ? [] : [{ state, ...rest }])),
    lastDelivered: (to) => made.get({ receiver: to })?.at ?? null,
  };
}

function createDeliveryLease(db: Db): SyncWrites['leaseDelivery'] {
  const { nextAt, id, news, tries } = alertDeliveries;
  const waitsForBegun = sql`(${news} = 'over' and exists (select 1 from alert_deliveries b where b.alert_id = ${alertDeliveries.alertId} and b.receiver = ${alertDeliveries.receiver} and b.news = 'begun' and b.state = 'queued'))`;
  const isDue = and(DELIVERY_QUEUED, toReceiver, lte(nextAt, placeholder('now')), sql`not ${waitsForBegun}`);
  const due = prepare(db, db.select({ id }).from(alertDeliveries).where(isDue).orderBy(nextAt, queued));
  const taken = { lease: bound('lease'), nextAt: bound('until'), tries: sql`${tries} + 1` };
  const hold = prepareChange(db, alertDeliveries, taken, equals(id, 'id'));
  const held = prepare(db, db.select(columns).from(alertDeliveries).where(equals(id, 'id')));
  const alertById = prepare(db, db.select().from(alerts).where(equals(alerts.id, 'alertId')));
  return (receiver, { lease, now, until }) => {
    const next = due.get({ receiver, now });
    if (next === undefined) return null;
    hold({ id: next.id, lease, until });
    const delivery = held.get({ id: next.id });
    const alert = delivery && alertById.get({ alertId: delivery.alertId });
    return delivery === undefined || alert === undefined ? null : { ...delivery, alert, lease };
  };
}

type Writes = 'queueDelivery' | 'leaseDelivery' | 'markDelivered' | 'putDeliveryBack' | 'giveUpDeliveries';

export function createDeliveryWrites(db: Db): Pick<SyncWrites, Writes> {
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
    sql`${alertDeliveries.receiver} not in (select value from json_each(${placeholder('receivers')}))`,
  );
  const giveUp = prepare(db, db.update(alertDeliveries).set(failed).where(isOld));
  return {
    queueDelivery: (delivery, now) =>
      db
        .insert(alertDeliveries)
        .values({ ...delivery, state: 'queued', nextAt: now, queuedAt: now })
        .onConflictDoNothing()
        .run().changes === 1,
    leaseDelivery: createDeliveryLease(db),
    markDelivered: (id, change) => made({ id, ...change }),
    putDeliveryBack: (id, { retryAt, ...change }) =>
      retryAt === null ? fail({ id, ...change }) : back({ id, retryAt, ...change }),
    giveUpDeliveries: ({ receivers, ...which }) =>
      giveUp.run({ ...which, receivers: JSON.stringify(receivers) }).changes,
  };
}
