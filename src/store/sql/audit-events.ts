import { and, desc, lt, type SQL, sql } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql } from './engine.ts';
import { equals } from './statements.ts';

const placeholder = sql.placeholder;

export function createAuditEventReads({ build, prepare, tables }: Sql): Pick<StoreReads, 'auditEvents' | 'idSkips'> {
  const { auditEvents } = tables;
  const older = lt(auditEvents.id, placeholder('before'));
  const page = (condition: SQL | undefined) =>
    prepare(
      build.select().from(auditEvents).where(condition).orderBy(desc(auditEvents.id)).limit(placeholder('limit')),
    );
  const ofGig = equals(auditEvents.gigId, 'gigId');
  const byKey = equals(auditEvents.apiKeyId, 'apiKeyId');
  const newest = page(older);
  const newestOfGig = page(and(ofGig, older));
  const newestByKey = page(and(byKey, older));
  const newestOfBoth = page(and(ofGig, byKey, older));
  // With the value in its text: an index has these rows alone.
  const skips = prepare(
    build
      .select()
      .from(auditEvents)
      .where(sql`${auditEvents.action} = 'ids.skip'`)
      .orderBy(desc(auditEvents.id))
      .limit(placeholder('limit')),
  );
  return {
    idSkips: (limit) => skips.all({ limit }),
    async auditEvents({ limit, before = Number.MAX_SAFE_INTEGER, gigId, apiKeyId }) {
      if (gigId !== undefined && apiKeyId !== undefined) {
        return await newestOfBoth.all({ limit, before, gigId, apiKeyId });
      }
      if (gigId !== undefined) return await newestOfGig.all({ limit, before, gigId });
      if (apiKeyId !== undefined) return await newestByKey.all({ limit, before, apiKeyId });
      return await newest.all({ limit, before });
    },
  };
}

export function createAuditEventWrites({ build, prepare, tables }: Sql): Pick<StoreTx, 'insertAuditEvent'> {
  const { auditEvents } = tables;
  const insert = prepare(
    build.insert(auditEvents).values({
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
    async insertAuditEvent(event) {
      await insert.run({ ...event });
    },
  };
}
