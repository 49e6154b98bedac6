import { and, asc, desc, eq, gt, max, sql } from 'drizzle-orm';
import type { EarningCount, EarningOverview, TopEarning } from '../../port/earning.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { equals } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { readTarget } from './earning-rules.ts';

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

/**
 * The largest awards of a gig. Amounts are in no index, so that only the newest awarded accounts are compared: a gig with
 * any number of them costs the same.
 */
export const topEarnings = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { earnings } = tables;
  const { platform, platformUserId, amount, rankedAt, observationId, state } = earnings;
  const username = kit.textOf(earnings.facts, 'username').as('username');
  const isVoid = sql`(select tips.is_void from tips where tips.id = earnings.tip_id)`.as('is_void');
  const newest = build
    .select({ platform, platformUserId, amount, rankedAt, observationId, username, isVoid })
    .from(earnings)
    .where(and(equals(earnings.gigId, 'gigId'), eq(state, 'awarded')))
    .orderBy(desc(observationId))
    .limit(sql.placeholder('among'))
    .as('newest');
  const { platform: network, platformUserId: id } = newest;
  const largest = build
    .select({ platform: network, platformUserId: id, username: newest.username, amount: newest.amount })
    .from(newest)
    .where(kit.isFalse('is_void'))
    .orderBy(kit.largestFirst(newest.amount), asc(newest.rankedAt), asc(newest.observationId));
  const top = prepare(largest.limit(sql.placeholder('limit')));
  return {
    reads: {
      /**
       * The largest awards among those of the `among` accounts whose acts are newest, without voided tips; equal ones by rank.
       */
      topEarnings: locked(
        nothing,
        async (gigId: number, { among, limit }: { among: number; limit: number }): Promise<TopEarning[]> =>
          (await top.all({ gigId, among, limit })).map((row) => ({ ...row, amount: row.amount ?? 0n })),
      ),
    },
    writes: {},
  };
});
