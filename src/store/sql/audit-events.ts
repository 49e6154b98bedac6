import { and, desc, lt, type SQL, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { auditEvents } from './tables.ts';

const placeholder = sql.placeholder;

export function createAuditEventReads(db: Db): Pick<SyncReads, 'auditEvents'> {
  const older = lt(auditEvents.id, placeholder('before'));
  const page = (condition: SQL | undefined) =>
    prepare(
      db,
      db.select().from(auditEvents).where(condition).orderBy(desc(auditEvents.id)).limit(placeholder('limit')),
    );
  const ofGig = equals(auditEvents.gigId, 'gigId');
  const byKey = equals(auditEvents.apiKeyId, 'apiKeyId');
  const newest = page(older);
  const newestOfGig = page(and(ofGig, older));
  const newestByKey = page(and(byKey, older));
  const newestOfBoth = page(and(ofGig, byKey, older));
  return {
    auditEvents({ limit, before = Number.MAX_SAFE_INTEGER, gigId, apiKeyId }) {
      if (gigId !== undefined && apiKeyId !== undefined) {
        return newestOfBoth.all({ limit, before, gigId, apiKeyId });
      }
      if (gigId !== undefined) return newestOfGig.all({ limit, before, gigId });
      if (apiKeyId !== undefined) return newestByKey.all({ limit, before, apiKeyId });
      return newest.all({ limit, before });
    },
  };
}

export function createAuditEventWrites(db: Db): Pick<SyncWrites, 'insertAuditEvent'> {
  const insert = prepare(
    db,
    db.insert(auditEvents).values({
      at: placeholder('at'),
      actor: placeholder('actor'),
      actorName: placeholder('actorName'),
      apiKeyId: placeholder('apiKeyId'),
      client: placeholder('client'),
      requestId: placeholder('requestId'),
      action: placeholder('action'),
      subject: placeholder('subject'),
      subjectId: placeholder('subjectId'),
      gigId: placeholder('gigId'),
      detail: placeholder('detail'),
    }),
  );
  return {
    insertAuditEvent(event) {
      insert.run({ ...event });
    },
  };
}
