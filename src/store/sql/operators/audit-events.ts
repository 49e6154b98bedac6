import { and, desc, gt, max, type SQL, sql } from 'drizzle-orm';
import { parseSkip } from '../../../domain/gigs/id-skip.ts';
import type { AuditEvent } from '../../../domain/operators/audit-event.ts';
import type { TwoWayPage } from '../../port/page.ts';
import type { Sql } from '../engine.ts';
import { locked, noun, unawaited } from '../noun.ts';
import { boundTo, equals, prepareTwoWays } from '../statements.ts';
import { nothing } from '../subjects.ts';

const placeholder = sql.placeholder;

/** Prepares to add a row to the audit trail. */
export function createEventInsert({ build, prepare, tables }: Sql): (event: Omit<AuditEvent, 'id'>) => Promise<void> {
  const { auditEvents } = tables;
  const insert = prepare(
    build.insert(auditEvents).values({
      ...boundTo(auditEvents, 'at', 'actor', 'actorName', 'apiKeyId', 'client', 'requestId', 'action', 'subject'),
      ...boundTo(auditEvents, 'subjectId', 'gigId', 'detail'),
    }),
  );
  return async (event) => {
    await insert.run({ ...event });
  };
}

export const auditEvents = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { auditEvents } = tables;
  const list = (condition?: SQL) =>
    prepareTwoWays(auditEvents.id, (isOnSide, order) =>
      prepare(
        build.select().from(auditEvents).where(and(condition, isOnSide)).orderBy(order).limit(placeholder('limit')),
      ),
    );
  const ofGig = equals(auditEvents.gigId, 'gigId');
  const ofKey = equals(auditEvents.apiKeyId, 'apiKeyId');
  const all = list();
  const allOfGig = list(ofGig);
  const allByKey = list(ofKey);
  const allOfBoth = list(and(ofGig, ofKey));
  // With the value in its text: an index has these rows alone.
  const isSkip = sql`${auditEvents.action} = 'ids.skip'`;
  const skips = prepare(
    build.select().from(auditEvents).where(isSkip).orderBy(desc(auditEvents.id)).limit(placeholder('limit')),
  );
  const isOfFile = sql`(${auditEvents.detail} like '%"reason":"ahead"%' or ${auditEvents.detail} like '%"reason":"word"%')`;
  const allowed = prepare(
    build
      .select({ id: max(auditEvents.id) })
      .from(auditEvents)
      .where(sql`${auditEvents.action} = 'payments.allow'`),
  );
  const isLater = gt(auditEvents.id, placeholder('after'));
  const doubts = prepare(
    build
      .select({ detail: auditEvents.detail })
      .from(auditEvents)
      .where(and(sql`${auditEvents.action} = 'ids.skip'`, isOfFile, isLater)),
  );
  return {
    reads: {
      /** The events of the audit trail by which ids of gigs were skipped, newest first. */
      idSkips: locked(nothing, (limit: number): Promise<AuditEvent[]> => skips.all({ limit })),
      /** The audit trail; optionally of one gig, or of one API key and its sessions. */
      auditEvents: locked(
        nothing,
        async (
          page: TwoWayPage & { readonly gigId?: number | undefined; readonly apiKeyId?: number | undefined },
        ): Promise<AuditEvent[]> => {
          if (page.gigId === undefined) return await (page.apiKeyId === undefined ? all : allByKey)({ ...page });
          return await (page.apiKeyId === undefined ? allOfGig : allOfBoth)({ ...page });
        },
      ),
      /**
       * The highest id of the gigs that may owe tips which the ledger has lost, because the file of ids beside the database
       * has shown it to be an older copy, and nobody has proved the ledger since. Null when there is no such doubt.
       */
      doubtedUpTo: locked(nothing, async (): Promise<number | null> => {
        const found = await doubts.all({ after: (await allowed.get({}))?.id ?? 0 });
        const last = Math.max(...found.map(({ detail }) => parseSkip(detail)?.last ?? 0));
        return last > 0 ? last : null;
      }),
    },
    writes: {
      /** Adds a row to the audit trail, which cannot be changed or deleted. */
      insertAuditEvent: unawaited(locked(nothing, createEventInsert(db))),
    },
  };
});
