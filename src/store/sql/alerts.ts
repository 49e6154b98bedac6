import { desc, isNull, lt, sql } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { ALERT_OPEN } from './alert-tables.ts';
import type { Sql } from './engine.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;

export function createAlertReads({
  build,
  kit,
  prepare,
  tables,
}: Sql): Pick<StoreReads, 'openAlerts' | 'alerts' | 'auditFaults'> {
  const { alerts, auditFaults } = tables;
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
  return {
    openAlerts: () => open.all(),
    alerts: ({ limit, before = Number.MAX_SAFE_INTEGER }) => page.all({ limit, before }),
    auditFaults: () => faults.all(),
  };
}

function createAuditFaultWrite({ build, prepare, tables }: Sql): StoreTx['keepAuditFault'] {
  const { auditFaults } = tables;
  const isGig = equals(auditFaults.gigId, 'gigId');
  const remove = prepare(build.delete(auditFaults).where(isGig));
  return async (gigId, fault) => {
    if (fault === null) {
      await remove.run({ gigId });
      return;
    }
    const insert = build.insert(auditFaults).values({ gigId, ...fault });
    await prepare(insert.onConflictDoUpdate({ target: auditFaults.gigId, set: fault })).run();
  };
}

type Writes = 'claimAlertWatch' | 'beginAlert' | 'endAlert' | 'keepAuditFault';

export function createAlertWrites(db: Sql): Pick<StoreTx, Writes> {
  const { build, prepare, prepareInsert, tables } = db;
  const { alerts, alertWatch } = tables;
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
  const isOpen = sql`${equals(alerts.id, 'id')} and ${isNull(alerts.endedAt)}`;
  const end = prepareChange(db, alerts, { endedAt: bound('now') }, isOpen);
  return {
    async claimAlertWatch({ holder, now, until }) {
      return (await claim.run({ holder, now, until, implausible: until + (until - now) })) === 1;
    },
    async beginAlert({ kind, subject, text, remedy }, now) {
      const alert = { kind, subject, text, remedy, begunAt: now };
      return await prepareInsert(build.insert(alerts).values(alert).onConflictDoNothing())();
    },
    endAlert: (id, now) => end({ id, now }),
    keepAuditFault: createAuditFaultWrite(db),
  };
}
