import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql, Tables } from './engine.ts';
import { equals } from './statements.ts';
import { readTarget, toTargetRow } from './targets.ts';

function ofGig({ earningRules }: Tables) {
  return equals(earningRules.gigId, 'gigId');
}

export function createEarningRuleReads({ build, prepare, tables }: Sql): Pick<StoreReads, 'earningRules'> {
  const { earningRules } = tables;
  const byGig = prepare(build.select().from(earningRules).where(ofGig(tables)));
  return {
    async earningRules(gigId) {
      const row = await byGig.get({ gigId });
      return row === undefined ? null : { gigId, given: row.given, rules: row.rules, target: readTarget(row) };
    },
  };
}

/** Triggers refuse every change for a live gig. */
export function createEarningRuleWrites({ build, prepare, tables }: Sql): Pick<StoreTx, 'keepEarningRules'> {
  const { earningRules } = tables;
  const remove = prepare(build.delete(earningRules).where(ofGig(tables)));
  return {
    async keepEarningRules(gigId, kept) {
      if (kept === null) {
        await remove.run({ gigId });
        return;
      }
      const { given, rules, target } = kept;
      const row = { given, rules, ...toTargetRow(target) };
      const insert = build.insert(earningRules).values({ gigId, ...row });
      await prepare(insert.onConflictDoUpdate({ target: earningRules.gigId, set: row })).run();
    },
  };
}
