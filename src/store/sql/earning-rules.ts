import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { earningRules } from './earning-tables.ts';
import { equals } from './statements.ts';
import { readTarget, toTargetRow } from './targets.ts';

const ofGig = equals(earningRules.gigId, 'gigId');

export function createEarningRuleReads(db: Db): Pick<SyncReads, 'earningRules'> {
  const byGig = prepare(db, db.select().from(earningRules).where(ofGig));
  return {
    earningRules(gigId) {
      const row = byGig.get({ gigId });
      return row === undefined ? null : { gigId, given: row.given, rules: row.rules, target: readTarget(row) };
    },
  };
}

/** Triggers refuse every change for a live gig. */
export function createEarningRuleWrites(db: Db): Pick<SyncWrites, 'keepEarningRules'> {
  const remove = prepare(db, db.delete(earningRules).where(ofGig));
  return {
    keepEarningRules(gigId, kept) {
      if (kept === null) {
        remove.run({ gigId });
        return;
      }
      const { given, rules, target } = kept;
      const row = { given, rules, ...toTargetRow(target) };
      db.insert(earningRules)
        .values({ gigId, ...row })
        .onConflictDoUpdate({ target: earningRules.gigId, set: row })
        .run();
    },
  };
}
