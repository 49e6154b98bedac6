import { sql } from 'drizzle-orm';
import type { AuditAction, AuditEvent, AuditSubjectKind } from '../../../domain/operators/audit-event.ts';
import { isOneOf } from '../checks.ts';
import type { GigTables } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';
import type { AccessTables } from './access-tables.ts';

const ACTOR_KINDS = ['api_key', 'account', 'owner', 'operator', 'job'] as const satisfies AuditEvent['actor'][];

/** Events of requests; the condition of their index, word for word. */
export const REQUESTED = sql.raw('audit_events.request_id is not null');

/** Triggers refuse to change or delete a row. */
function createAuditEvents(kit: Kit, made: AccessTables & GigTables) {
  const { apiKeys, gigs } = made;
  return kit.table(
    'audit_events',
    {
      id: kit.rowId('id'),
      at: kit.integer('at').notNull(),
      actor: kit.text('actor', { enum: ACTOR_KINDS }).notNull(),
      actorName: kit.text('actor_name').notNull(),
      apiKeyId: kit.integer('api_key_id').references(() => apiKeys.id),
      client: kit.text('client'),
      requestId: kit.text('request_id'),
      action: kit.text('action').$type<AuditAction>().notNull(),
      subject: kit.text('subject').$type<AuditSubjectKind>().notNull(),
      subjectId: kit.text('subject_id').notNull(),
      gigId: kit.integer('gig_id').references(() => gigs.id),
      detail: kit.text('detail').notNull(),
    },
    (table) => [
      kit.index('audit_events_by_gig').on(table.gigId).where(sql.raw('audit_events.gig_id is not null')),
      kit.index('audit_events_by_key').on(table.apiKeyId).where(sql.raw('audit_events.api_key_id is not null')),
      kit.index('audit_events_by_request').on(table.requestId, table.id).where(REQUESTED),
      kit.index('audit_events_id_skips').on(table.id).where(sql.raw("audit_events.action = 'ids.skip'")),
      kit.index('audit_events_allowed').on(table.id).where(sql.raw("audit_events.action = 'payments.allow'")),
      kit.check('audit_events_actor', isOneOf('actor', ACTOR_KINDS)),
      kit.check('audit_events_detail', kit.isJson('detail')),
    ],
  );
}

/** What was done, and who did it. */
export function createAuditTables(kit: Kit, made: AccessTables & GigTables) {
  return { auditEvents: createAuditEvents(kit, made) };
}
