import { desc, isNull, lt, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { ALERT_OPEN, alerts, alertWatch, auditFaults } from './alert-tables.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;

export function createAlertReads(db: Db): Pick<SyncReads, 'openAlerts' | 'alerts' | 'auditFaults'> {
  // The plus keeps to the index of open alerts: in the order of the ids all that were ever open would be walked.
  const open = prepare(db, db.select().from(alerts).where(ALERT_OPEN).orderBy(sql`+${alerts.id}`));
  const page = prepare(
    db,
    db
      .select()
      .from(alerts)
      .where(lt(alerts.id, placeholder('before')))
      .orderBy(desc(alerts.id))
      .limit(placeholder('limit')),
  );
  const faults = prepare(db, db.select().from(auditFaults).orderBy(auditFaults.gigId));
  return {
    openAlerts: () => open.all(),
    alerts: ({ limit, before = Number.MAX_SAFE_INTEGER }) => page.all({ limit, before }),
    auditFaults: () => faults.all(),
  };
}

function createAuditFaultWrite(db: Db): SyncWrites['keepAuditFault'] {
  const isGig = equals(auditFaults.gigId, 'gigId');
  const remove = prepare(db, db.delete(auditFaults).where(isGig));
  return (gigId, fault) => {
    if (fault === null) return void remove.run({ gigId });
    db.insert(auditFaults)
      .values({ gigId, ...fault })
      .onConflictDoUpdate({ target: auditFaults.gigId, set: fault })
      .run();
  };
}

type Writes = 'claimAlertWatch' | 'beginAlert' | 'endAlert' | 'keepAuditFault';

export function createAlertWrites(db: Db): Pick<SyncWrites, Writes> {
  const claimed = { holder: bound('holder'), until: bound('until') };
  // A claim that lasts longer than a new one would was made before the clock was set back.
  const { holder, until } = alertWatch;
  const isFree = sql`${holder} = ${placeholder('holder')} or ${until} <= ${placeholder('now')} or ${until} > ${placeholder('until')}`;
  const claim = prepare(
    db,
    db
      .insert(alertWatch)
      .values({ id: 1, holder: placeholder('holder'), until: placeholder('until') })
      .onConflictDoUpdate({ target: alertWatch.id, set: claimed, setWhere: isFree }),
  );
  const isOpen = sql`${equals(alerts.id, 'id')} and ${isNull(alerts.endedAt)}`;
  const end = prepareChange(db, alerts, { endedAt: bound('now') }, isOpen);
  return {
    claimAlertWatch: (request) => claim.run({ ...request }).changes === 1,
    beginAlert({ kind, subject, text, remedy }, now) {
      const alert = { kind, subject, text, remedy, begunAt: now };
      const { changes, lastInsertRowid } = db.insert(alerts).values(alert).onConflictDoNothing().run();
      return changes === 1 ? Number(lastInsertRowid) : null;
    },
    endAlert: (id, now) => end({ id, now }),
    keepAuditFault: createAuditFaultWrite(db),
  };
}
