import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { ALERT_NEWS, DELIVERY_STATES } from '../../domain/alert.ts';
import type { ConditionKind } from '../../domain/condition.ts';
import { isBoolean, isEither, isWholeNumber } from './columns.ts';
import { ofGig } from './tables.ts';

/** Alerts that are not over; the condition of their index, word for word. */
export const ALERT_OPEN = sql.raw('alerts.ended_at is null');
/** Deliveries that are still to be made; the condition of their index, word for word. */
export const DELIVERY_QUEUED = sql.raw("alert_deliveries.state = 'queued'");
export const DELIVERY_MADE = sql.raw("alert_deliveries.state = 'delivered'");
/** Deliveries that were tried in vain; the condition of their index, word for word. */
export const DELIVERY_TROUBLED = sql.raw("alert_deliveries.state <> 'delivered' and alert_deliveries.tries > 0");

/** Conditions that have held for a while. One of a kind and subject is open at most. */
export const alerts = sqliteTable(
  'alerts',
  {
    id: integer('id').primaryKey(),
    kind: text('kind').$type<ConditionKind>().notNull(),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    remedy: text('remedy').notNull(),
    begunAt: integer('begun_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [uniqueIndex('alerts_open').on(table.kind, table.subject).where(ALERT_OPEN)],
);

/**
 * What each receiver is told. `receiver` is a hash of its URL, which is secret. `next_at` is when the row may be leased: at
 * once, at the end of a lease, or at the next try.
 */
export const alertDeliveries = sqliteTable(
  'alert_deliveries',
  {
    id: text('id').primaryKey(),
    alertId: integer('alert_id')
      .notNull()
      .references(() => alerts.id),
    news: text('news', { enum: ALERT_NEWS }).notNull(),
    receiver: text('receiver').notNull(),
    state: text('state', { enum: DELIVERY_STATES }).notNull(),
    tries: integer('tries').notNull().default(0),
    nextAt: integer('next_at').notNull(),
    lease: text('lease'),
    queuedAt: integer('queued_at').notNull(),
    endedAt: integer('ended_at'),
    error: text('error'),
  },
  (table) => [
    uniqueIndex('alert_deliveries_by_alert').on(table.alertId, table.receiver, table.news),
    index('alert_deliveries_due').on(table.receiver, table.nextAt).where(DELIVERY_QUEUED),
    index('alert_deliveries_made').on(table.receiver, table.endedAt).where(DELIVERY_MADE),
    index('alert_deliveries_troubled').on(table.receiver).where(DELIVERY_TROUBLED),
    check('alert_deliveries_id', sql.raw("id <> ''")),
    check('alert_deliveries_news', isEither('news', ALERT_NEWS)),
    check('alert_deliveries_state', isEither('state', DELIVERY_STATES)),
    check('alert_deliveries_tries', isWholeNumber('tries')),
    check('alert_deliveries_ended', sql.raw("(state = 'queued') = (ended_at is null)")),
    check('alert_deliveries_lease', sql.raw("lease is null or state = 'queued'")),
  ],
);

/** One row: which process watches for conditions, and until when. */
export const alertWatch = sqliteTable(
  'alert_watch',
  { id: integer('id').primaryKey(), holder: text('holder').notNull(), until: integer('until').notNull() },
  () => [check('alert_watch_single', sql.raw('id = 1'))],
);

/** The gigs whose last audit did not succeed. */
export const auditFaults = sqliteTable(
  'audit_faults',
  {
    gigId: ofGig().primaryKey(),
    chainId: integer('chain_id').notNull(),
    isUnanswered: integer('is_unanswered', { mode: 'boolean' }).notNull(),
    reason: text('reason').notNull(),
  },
  () => [check('audit_faults_is_unanswered', isBoolean('is_unanswered'))],
);
