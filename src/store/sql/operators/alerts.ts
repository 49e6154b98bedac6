import { desc, isNull, lt, sql } from 'drizzle-orm';
import type { Alert } from '../../../domain/operators/alert.ts';
import type { Condition } from '../../../domain/operators/condition.ts';
import type { AuditFault } from '../../port/alerts.ts';
import type { Page } from '../../port/page.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { ALERT_OPEN } from './alert-tables.ts';

const placeholder = sql.placeholder;

function createAuditFaultWrite({ build, prepare, tables }: Sql) {
  const { auditFaults } = tables;
  const isGig = equals(auditFaults.gigId, 'gigId');
  const remove = prepare(build.delete(auditFaults).where(isGig));
  const fault = boundTo(auditFaults, 'chainId', 'isUnanswered', 'reason');
  const keep = prepare(
    build
      .insert(auditFaults)
      .values({ ...boundTo(auditFaults, 'gigId'), ...fault })
      .onConflictDoUpdate({ target: auditFaults.gigId, set: fault }),
  );
  return async (gigId: number, fault: Omit<AuditFault, 'gigId'> | null): Promise<void> => {
    if (fault === null) {
      await remove.run({ gigId });
      return;
    }
    await keep.run({ gigId, ...fault });
  };
}

/** One process watches, and indices keep a second alert or delivery of the same out. */
export const alerts = noun((db: Sql) => {
  const { build, kit, prepare, prepareInsert, tables } = db;
  const { alertWatch, alerts, auditFaults } = tables;
  // Keeps SQLite to the index of open alerts: in the order of the ids all that were ever open would be walked.
  const open = prepare(build.select().from(alerts).where(ALERT_OPEN).orderBy(kit.noWayIn(alerts.id)));
  const page = prepare(
    build
      .select()
      .from(alerts)
      .where(lt(alerts.id, placeholder('before')))
      .orderBy(desc(alerts.id))
      .limit(placeholder('limit')),
  );
  const faults = prepare(build.select().from(auditFaults).orderBy(auditFaults.gigId));
  const claimed = { holder: bound('holder'), until: bound('until') };
  // Clocks of processes differ a little; what lasts twice as long as a new claim was claimed before the clock was set back.
  const { holder, until } = alertWatch;
  const isFree = sql`${holder} = ${placeholder('holder')} or ${until} <= ${placeholder('now')} or ${until} > ${placeholder('implausible')}`;
  const claim = prepare(
    build
      .insert(alertWatch)
      .values({ id: 1, holder: placeholder('holder'), until: placeholder('until') })
      .onConflictDoUpdate({ target: alertWatch.id, set: claimed, setWhere: isFree }),
  );
  const begun = boundTo(alerts, 'kind', 'subject', 'text', 'remedy', 'begunAt');
  const begin = prepareInsert(build.insert(alerts).values(begun).onConflictDoNothing());
  const isOpen = sql`${equals(alerts.id, 'id')} and ${isNull(alerts.endedAt)}`;
  const end = prepareChange(db, alerts, { endedAt: bound('now') }, isOpen);
  return {
    reads: {
      /** Oldest first. */
      openAlerts: locked(nothing, (): Promise<Alert[]> => open.all()),
      /** Newest first. */
      alerts: locked(
        nothing,
        ({ limit, before = Number.MAX_SAFE_INTEGER }: Page): Promise<Alert[]> => page.all({ limit, before }),
      ),
      /** By gig. */
      auditFaults: locked(nothing, (): Promise<AuditFault[]> => faults.all()),
    },
    writes: {
      /**
       * Claims the watch for conditions until `until`, so that only one of several processes reports what it sees. False
       * while another holder has it.
       */
      claimAlertWatch: locked(
        nothing,
        async ({ holder, now, until }: { holder: string; now: number; until: number }): Promise<boolean> => {
          return (await claim.run({ holder, now, until, implausible: until + (until - now) })) === 1;
        },
      ),
      /** Opens an alert and returns its id; null when one of this kind and subject is open. */
      beginAlert: locked(
        nothing,
        ({ kind, subject, text, remedy }: Condition, now: number): Promise<number | null> =>
          begin({ kind, subject, text, remedy, begunAt: now }),
      ),
      /** False when it is over already. */
      endAlert: locked(nothing, (id: number, now: number) => end({ id, now })),
      /** Keeps why the last audit of a gig did not succeed; null when it did. */
      storeAuditFault: locked(
        // A note of an audit, of many gigs in one transaction: nothing is decided by it.
        nothing,
        createAuditFaultWrite(db),
      ),
    },
  };
});
