import { sql } from 'drizzle-orm';
import { DELIVERY_STATES } from '../../../domain/events/delivery.ts';
import { ALERT_NEWS } from '../../../domain/operators/alert.ts';
import { isEither } from '../checks.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';

/** Alerts that are not over; the condition of their index, word for word. */
export const ALERT_OPEN = sql.raw('alerts.ended_at is null');
/** Deliveries that are still to be made; the condition of their index, word for word. */
export const DELIVERY_QUEUED = sql.raw("alert_deliveries.state = 'queued'");
export const DELIVERY_MADE = sql.raw("alert_deliveries.state = 'delivered'");
/** Deliveries that were tried in vain; the condition of their index, word for word. */
export const DELIVERY_TROUBLED = sql.raw("alert_deliveries.state <> 'delivered' and alert_deliveries.tries > 0");

/** One alert of a kind and subject is open at most. */
function createAlerts(kit: Kit) {
  return kit.table(
    'alerts',
    {
      id: kit.rowId('id'),
      kind: kit.text('kind').notNull(),
      subject: kit.text('subject').notNull(),
      text: kit.text('text').notNull(),
      remedy: kit.text('remedy').notNull(),
      begunAt: kit.integer('begun_at').notNull(),
      endedAt: kit.integer('ended_at'),
    },
    (table) => [kit.uniqueIndex('alerts_open').on(table.kind, table.subject).where(ALERT_OPEN)],
  );
}

/**
 * What each receiver is told. `receiver` is a hash of its URL, which is secret. `next_at` is when the row may be leased: at
 * once, at the end of a lease, or at the next try.
 */
function createAlertDeliveries(kit: Kit, made: { readonly alerts: ReturnType<typeof createAlerts> }) {
  const { alerts } = made;
  return kit.table(
    'alert_deliveries',
    {
      /** The order in which they were queued. */
      place: kit.rowId('place'),
      id: kit.text('id').notNull(),
      alertId: kit
        .integer('alert_id')
        .notNull()
        .references(() => alerts.id),
      news: kit.text('news', { enum: ALERT_NEWS }).notNull(),
      receiver: kit.text('receiver').notNull(),
      state: kit.text('state', { enum: DELIVERY_STATES }).notNull(),
      tries: kit.integer('tries').notNull().default(0),
      nextAt: kit.integer('next_at').notNull(),
      lease: kit.text('lease'),
      queuedAt: kit.integer('queued_at').notNull(),
      endedAt: kit.integer('ended_at'),
      error: kit.text('error'),
    },
    (table) => [
      kit.uniqueIndex('alert_deliveries_by_id').on(table.id),
      kit.uniqueIndex('alert_deliveries_by_alert').on(table.alertId, table.receiver, table.news),
      kit.index('alert_deliveries_due').on(table.receiver, table.nextAt).where(DELIVERY_QUEUED),
      kit.index('alert_deliveries_made').on(table.receiver, table.endedAt).where(DELIVERY_MADE),
      kit.index('alert_deliveries_troubled').on(table.receiver).where(DELIVERY_TROUBLED),
      kit.check('alert_deliveries_id', sql.raw("id <> ''")),
      kit.check('alert_deliveries_news', isEither('news', ALERT_NEWS)),
      kit.check('alert_deliveries_state', isEither('state', DELIVERY_STATES)),
      kit.check('alert_deliveries_tries', kit.isWholeNumber('tries')),
      kit.check('alert_deliveries_ended', sql.raw("(state = 'queued') = (ended_at is null)")),
      kit.check('alert_deliveries_lease', sql.raw("lease is null or state = 'queued'")),
    ],
  );
}

function createAlertWatch(kit: Kit) {
  return kit.table(
    'alert_watch',
    { id: kit.integer('id').primaryKey(), holder: kit.text('holder').notNull(), until: kit.integer('until').notNull() },
    () => [kit.check('alert_watch_single', sql.raw('id = 1'))],
  );
}

/** The gigs whose last audit did not succeed. */
function createAuditFaults(kit: Kit, made: GigTables) {
  return kit.table(
    'audit_faults',
    {
      gigId: ofGig(kit, made).primaryKey(),
      chainId: kit.integer('chain_id').notNull(),
      isUnanswered: kit.flag('is_unanswered').notNull(),
      reason: kit.text('reason').notNull(),
    },
    () => [kit.check('audit_faults_is_unanswered', kit.isBoolean('is_unanswered'))],
  );
}

/** Alerts to the operator, and their deliveries. */
export function createAlertTables(kit: Kit, made: GigTables) {
  const alerts = createAlerts(kit);
  return {
    alerts,
    alertDeliveries: createAlertDeliveries(kit, { alerts }),
    alertWatch: createAlertWatch(kit),
    auditFaults: createAuditFaults(kit, made),
  };
}
