import { and, type Column, gt, max, type SQL, sql } from 'drizzle-orm';
import type { EarningCount } from '../port/earning.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { earningCounts, earningRules, rounds, watches } from './earning-tables.ts';
import { readTarget } from './targets.ts';

/** The condition that a column has one of the values in a JSON list. */
function isAmong(column: Column): SQL {
  return sql`${column} in (select value from json_each(${sql.placeholder('ids')}))`;
}

function prepareCounts(db: Db): (ids: string) => ReadonlyMap<number, EarningCount[]> {
  const { gigId, state, n } = earningCounts;
  const isSome = and(isAmong(gigId), gt(n, 0));
  const counts = prepare(db, db.select({ gigId, state, count: n }).from(earningCounts).where(isSome));
  return (ids) => {
    const byGig = Map.groupBy(counts.all({ ids }), (row) => row.gigId);
    return new Map([...byGig].map(([id, rows]) => [id, rows.map(({ state, count }) => ({ state, count }))]));
  };
}

/** Four statements for any number of gigs: a join would be prepared anew for every run. */
export function createEarningOverviews(db: Db): Pick<SyncReads, 'earningOverviews'> {
  const withRules = prepare(db, db.select().from(earningRules).where(isAmong(earningRules.gigId)));
  const { gigId, earned, overAt } = watches;
  const watched = prepare(db, db.select({ gigId, earned, overAt }).from(watches).where(isAmong(gigId)));
  const number = max(rounds.number);
  const ofRounds = db.select({ gigId: rounds.gigId, number }).from(rounds).where(isAmong(rounds.gigId));
  const divided = prepare(db, ofRounds.groupBy(rounds.gigId));
  const readCounts = prepareCounts(db);
  return {
    earningOverviews: db.$client.transaction((gigIds) => {
      const ids = JSON.stringify(gigIds);
      const rules = withRules.all({ ids });
      if (rules.length === 0) return [];
      const watchOf = new Map(watched.all({ ids }).map((row) => [row.gigId, row]));
      const countsOf = readCounts(ids);
      const dividedOf = new Map(divided.all({ ids }).map((row) => [row.gigId, row.number]));
      return rules.map((row) => ({
        stored: { gigId: row.gigId, given: row.given, rules: row.rules, target: readTarget(row) },
        counts: countsOf.get(row.gigId) ?? [],
        earned: watchOf.get(row.gigId)?.earned ?? 0n,
        divided: dividedOf.get(row.gigId) ?? 0,
        overAt: watchOf.get(row.gigId)?.overAt ?? null,
      }));
    }),
  };
}
