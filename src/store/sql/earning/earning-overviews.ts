import { and, gt, max } from 'drizzle-orm';
import type { EarningCount, EarningOverview } from '../../port/earning.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { nothing } from '../subjects.ts';
import { readTarget } from './targets.ts';

type CountsOf = ReadonlyMap<number, EarningCount[]>;

function prepareCounts({ build, kit, prepare, tables }: Sql): (ids: readonly number[]) => Promise<CountsOf> {
  const { earningCounts } = tables;
  const { gigId, state, n } = earningCounts;
  const isSome = and(kit.isAmong(gigId, 'ids'), gt(n, 0));
  const counts = prepare(
    build.select({ gigId, state, count: n }).from(earningCounts).where(isSome).orderBy(gigId, state),
  );
  return async (ids) => {
    const byGig = Map.groupBy(await counts.all({ ids }), (row) => row.gigId);
    return new Map([...byGig].map(([id, rows]) => [id, rows.map(({ state, count }) => ({ state, count }))]));
  };
}

/** Four statements for any number of gigs: a join would be prepared anew for every run. */
export const earningOverviews = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { earningRules, rounds, watches } = tables;
  const withRules = prepare(
    build.select().from(earningRules).where(kit.isAmong(earningRules.gigId, 'ids')).orderBy(earningRules.gigId),
  );
  const { gigId, earned, overAt } = watches;
  const watched = prepare(build.select({ gigId, earned, overAt }).from(watches).where(kit.isAmong(gigId, 'ids')));
  const number = max(rounds.number);
  const ofRounds = build.select({ gigId: rounds.gigId, number }).from(rounds).where(kit.isAmong(rounds.gigId, 'ids'));
  const divided = prepare(ofRounds.groupBy(rounds.gigId));
  const readCounts = prepareCounts(db);
  return {
    reads: {
      /** Of those among these gigs that have rules, in any order. */
      earningOverviews: locked(nothing, async (ids: readonly number[]): Promise<EarningOverview[]> => {
        const rules = await withRules.all({ ids });
        if (rules.length === 0) return [];
        const reads = [watched.all({ ids }), readCounts(ids), divided.all({ ids })] as const;
        const [watchRows, countsOf, dividedRows] = await Promise.all(reads);
        const watchOf = new Map(watchRows.map((row) => [row.gigId, row]));
        const dividedOf = new Map(dividedRows.map((row) => [row.gigId, row.number]));
        return rules.map((row) => ({
          stored: { gigId: row.gigId, given: row.given, rules: row.rules, target: readTarget(row) },
          counts: countsOf.get(row.gigId) ?? [],
          earned: watchOf.get(row.gigId)?.earned ?? 0n,
          divided: dividedOf.get(row.gigId) ?? 0,
          overAt: watchOf.get(row.gigId)?.overAt ?? null,
        }));
      }),
    },
    writes: {},
  };
});
